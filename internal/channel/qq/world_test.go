package qq_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/channel"
	"xbot/internal/channel/qq"
	"xbot/internal/channel/qq/qqtest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	soon = time.Minute
	tick = 2 * time.Millisecond
)

var (
	ann = qqtest.Person{ID: "ANN0", Name: "Ann"}
	bo  = qqtest.Person{ID: "BO00", Name: "小博"}
)

// world is a platform, an account of its bot, and who receives for it.
type world struct {
	*qqtest.Server
	*inbox

	account channel.Account
	memory  *memory
	client  *http.Client
	stop    func() error // ends Run and returns what it returned
}

// newWorld makes a platform and an account that does not run yet.
func newWorld(t testing.TB, c qqtest.Config, settings ...string) *world {
	t.Helper()
	if c.Heartbeat == 0 {
		c.Heartbeat = 50 * time.Millisecond
	}
	s, err := qqtest.New(c)
	require.NoError(t, err)
	transport := &http.Transport{}
	w := &world{Server: s, inbox: &inbox{}, memory: &memory{}, client: &http.Client{Transport: transport}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.Close()
	})
	w.open(t, settings...)
	return w
}

// open makes the account anew, as a process does that starts.
func (w *world) open(t testing.TB, settings ...string) {
	t.Helper()
	given := w.Settings()
	for i := 0; i+1 < len(settings); i += 2 {
		given[settings[i]] = settings[i+1]
	}
	a, err := qq.Driver().Open("suite", given, channel.Resources{HTTP: w.client, Memory: w.memory})
	require.NoError(t, err)
	qq.Hasten(a)
	w.account = a
}

// run lets the account receive until the test ends.
func (w *world) run(t testing.TB) {
	t.Helper()
	w.begin(t)
	w.connected(t)
}

func (w *world) begin(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.account.Run(ctx, w.inbox, w.inbox) }()
	w.stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { _ = w.stop() })
}

// ends waits for Run to end by itself.
func (w *world) ends(t testing.TB) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- w.account.Run(t.Context(), w.inbox, w.inbox) }()
	select {
	case err := <-done:
		return err
	case <-time.After(soon):
		require.Fail(t, "the account still runs")
		return nil
	}
}

func (w *world) connected(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool { return w.Connected() == 1 && w.up() }, soon, tick, "the account never signed on")
}

// got waits for so many envelopes.
func (w *world) got(t testing.TB, n int) []chat.Envelope {
	t.Helper()
	require.Eventually(t, func() bool { return len(w.all()) >= n }, soon, tick, "fewer messages arrived than were written")
	return w.all()
}

// inbox is a receiver that remembers.
type inbox struct {
	mu       sync.Mutex
	received []chat.Envelope
	recalled []chat.Envelope
	pressed  []channel.Press
	toast    channel.Toast
	status   []channel.Status
	fail     func(chat.Envelope) error // nil: all is taken
}

func (i *inbox) Receive(_ context.Context, e chat.Envelope) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fail != nil {
		if err := i.fail(e); err != nil {
			return err
		}
	}
	i.received = append(i.received, e)
	return nil
}

func (i *inbox) Edited(context.Context, chat.Envelope) error { return nil }

func (i *inbox) Recalled(_ context.Context, e chat.Envelope) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.recalled = append(i.recalled, e)
	return nil
}

func (i *inbox) Pressed(_ context.Context, p channel.Press) (channel.Toast, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pressed = append(i.pressed, p)
	return i.toast, nil
}

func (i *inbox) Report(s channel.Status) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.status = append(i.status, s)
}

func (i *inbox) all() []chat.Envelope {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.received)
}

func (i *inbox) presses() []channel.Press {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.pressed)
}

func (i *inbox) statuses() []channel.Status {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.status)
}

func (i *inbox) failing(f func(chat.Envelope) error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fail = f
}

// up reports whether the newest word on the connection is that it stands.
func (i *inbox) up() bool {
	all := i.statuses()
	return len(all) > 0 && all[len(all)-1].Connected
}

// memory is what an account keeps over restarts.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
	closed bool
}

func (m *memory) close()  { m.set(true) }
func (m *memory) reopen() { m.set(false) }

func (m *memory) set(closed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = closed
}

var errClosed = fault.Errorf(fault.Unavailable, "the database is away")

func (m *memory) Load(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	return slices.Clone(m.values[key]), nil
}

func (m *memory) Save(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	if m.values == nil {
		m.values = map[string][]byte{}
	}
	m.values[key] = slices.Clone(value)
	return nil
}

func texts(all []chat.Envelope) []string {
	var out []string
	for _, e := range all {
		out = append(out, e.Text)
	}
	return out
}

// to is where an answer to Ann goes.
func to(scene, reply string) channel.Address {
	switch scene {
	case qqtest.Direct:
		return channel.Address{ChatType: chat.ChatDirect, Chat: ann.ID, Peer: ann.ID, ReplyTo: reply}
	case qqtest.Group:
		return channel.Address{ChatType: chat.ChatGroup, Chat: "GROUP0", Peer: ann.ID, ReplyTo: reply}
	case qqtest.Guild:
		return channel.Address{ChatType: chat.ChatChannel, Chat: "CHAN0", Peer: ann.ID, ReplyTo: reply}
	default:
		return channel.Address{ChatType: chat.ChatDirect, Chat: "dms/DM0", Peer: ann.ID, ReplyTo: reply}
	}
}

// chats are where Ann writes, by scene.
var chats = map[string]string{qqtest.Direct: ann.ID, qqtest.Group: "GROUP0", qqtest.Guild: "CHAN0", qqtest.GuildDirect: "DM0"}

// says lets Ann write to the bot.
func (w *world) says(scene, text string) string {
	return w.Write(qqtest.Incoming{Scene: scene, Chat: chats[scene], From: ann, Text: text, Mention: scene == qqtest.Group || scene == qqtest.Guild})
}
