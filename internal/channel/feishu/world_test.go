package feishu_test

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
	"xbot/internal/channel/feishu"
	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/chat"
)

// leftBehind is what the library leaves behind for each of its connections: the cache for the parts of events has no end.
const leftBehind = "github.com/larksuite/oapi-sdk-go/v3/cache.(*cron).start"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction(leftBehind)) }

const (
	soon = time.Minute
	tick = 2 * time.Millisecond
)

var (
	ann = feishutest.Person{OpenID: "ou_ann", Name: "Ann"}
	bo  = feishutest.Person{OpenID: "ou_bo", Name: "小博"}
)

// world is a platform, an account of its bot, and who receives for it.
type world struct {
	*feishutest.Server
	*inbox

	account channel.Account
	group   string
	thread  string
	client  *http.Client
}

// newWorld makes a platform and an account that does not run yet.
func newWorld(t testing.TB, c feishutest.Config, settings ...string) *world {
	t.Helper()
	s, err := feishutest.New(c)
	require.NoError(t, err)
	transport := &http.Transport{}
	w := &world{Server: s, inbox: &inbox{}, client: &http.Client{Transport: transport}}
	t.Cleanup(func() {
		s.Close()
		transport.CloseIdleConnections()
	})
	s.Direct(ann)
	s.Direct(bo)
	w.group = s.Group("The team", ann, bo)
	w.thread = s.Thread(w.group)
	w.account = w.open(t, settings...)
	return w
}

// open makes an account anew, as a process does that starts.
func (w *world) open(t testing.TB, settings ...string) channel.Account {
	t.Helper()
	given := w.Settings()
	for i := 0; i+1 < len(settings); i += 2 {
		given[settings[i]] = settings[i+1]
	}
	a, err := feishu.Driver().Open("suite", given, channel.Resources{HTTP: w.client})
	require.NoError(t, err)
	feishu.Hasten(a)
	return a
}

// run lets the account receive until the test ends.
func (w *world) run(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.account.Run(ctx, w.inbox, w.inbox) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	require.Eventually(t, func() bool { return w.Connected() == 1 }, soon, tick, "the account never signed on")
}

// says lets somebody write and waits for the envelope.
func (w *world) says(t testing.TB, in feishutest.Incoming) chat.Envelope {
	t.Helper()
	id := w.Write(in)
	var found chat.Envelope
	require.Eventually(t, func() bool {
		i := slices.IndexFunc(w.all(), func(e chat.Envelope) bool { return e.ID == id })
		if i >= 0 {
			found = w.all()[i]
		}
		return i >= 0
	}, soon, tick, "%s did not arrive", id)
	return found
}

// inbox is a receiver that remembers.
type inbox struct {
	mu       sync.Mutex
	received []chat.Envelope
	recalled []chat.Envelope
	pressed  []channel.Press
	toast    channel.Toast
	status   []channel.Status
	fail     func(ctx context.Context, e chat.Envelope) error // nil: all is taken
}

func (i *inbox) Receive(ctx context.Context, e chat.Envelope) error {
	i.mu.Lock()
	fail := i.fail
	i.mu.Unlock()
	if fail != nil {
		if err := fail(ctx, e); err != nil {
			return err
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
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

func (i *inbox) statuses() []channel.Status {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.status)
}

func (i *inbox) takenBack() []chat.Envelope {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.recalled)
}

func (i *inbox) failing(f func(context.Context, chat.Envelope) error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fail = f
}

// answerTo is the place of an answer to an envelope.
func answerTo(e chat.Envelope) channel.Address {
	return channel.Address{ChatType: e.ChatType, Chat: e.Chat, Peer: e.Sender.ID, Thread: e.Thread, ReplyTo: e.ID}
}

func text(key, body string) channel.Message { return channel.Message{Key: key, Text: body} }
