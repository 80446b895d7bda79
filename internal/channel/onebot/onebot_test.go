package onebot_test

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot"
	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must happen.
const patience = time.Minute

const (
	bot   = "10001"
	ann   = "20001"
	bob   = "20002"
	group = "30001"
)

// newServer is a NapCat with two people, and a group of them and the bot.
func newServer(t *testing.T, o onebottest.Options) *onebottest.Server {
	t.Helper()
	s, err := onebottest.New(o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	s.AddPerson(ann, "Ann")
	s.AddPerson(bob, "Bob")
	s.AddGroup(group, "Garden", map[string]string{ann: "Ann of the garden", bob: ""})
	return s
}

// memory keeps what an account saves, as a process does for the next one.
type memory struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func newMemory() *memory { return &memory{kept: map[string][]byte{}} }

func (m *memory) Load(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.kept[key]), nil
}

func (m *memory) Save(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[key] = bytes.Clone(value)
	return nil
}

func openAccount(t *testing.T, settings map[string]string, m channel.Memory) channel.Account {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	a, err := onebot.Driver().Open("suite", settings, channel.Resources{HTTP: &http.Client{Transport: transport}, Memory: m})
	require.NoError(t, err)
	onebot.Hasty(a)
	return a
}

func forwardTo(s *onebottest.Server, token string) map[string]string {
	return map[string]string{"url": s.URL(), "token": token, "send_pause": "0s"}
}

// inbox takes in what an account receives.
type inbox struct {
	mu       sync.Mutex
	got      []chat.Envelope
	recalled []chat.Envelope
	statuses []channel.Status
	fail     func(chat.Envelope) error
}

func (i *inbox) Receive(_ context.Context, e chat.Envelope) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fail != nil {
		if err := i.fail(e); err != nil {
			return err
		}
	}
	i.got = append(i.got, e)
	return nil
}

func (i *inbox) Edited(context.Context, chat.Envelope) error { return nil }

func (i *inbox) Recalled(_ context.Context, e chat.Envelope) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.recalled = append(i.recalled, e)
	return nil
}

func (i *inbox) Pressed(context.Context, channel.Press) (channel.Toast, error) {
	return channel.Toast{}, nil
}

func (i *inbox) Report(s channel.Status) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.statuses = append(i.statuses, s)
}

func (i *inbox) all() []chat.Envelope {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]chat.Envelope(nil), i.got...)
}

// next waits until there are n envelopes and returns the last of them.
func (i *inbox) next(t *testing.T, n int) chat.Envelope {
	t.Helper()
	require.Eventually(t, func() bool { return len(i.all()) >= n }, patience, 5*time.Millisecond, "%d messages have not come", n)
	return i.all()[n-1]
}

func (i *inbox) takenBack() []chat.Envelope {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]chat.Envelope(nil), i.recalled...)
}

// last returns the newest status about the connection.
func (i *inbox) last() channel.Status {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.statuses) == 0 {
		return channel.Status{}
	}
	return i.statuses[len(i.statuses)-1]
}

// run runs an account until the test ends or stop is called, which returns what Run did.
func run(t *testing.T, a channel.Account, i *inbox) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, i, i) }()
	stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(patience):
			return fault.Errorf(fault.Internal, "Run does not end with its context")
		}
	})
	t.Cleanup(func() { require.NoError(t, stop()) })
	return stop
}

// connected is an account that runs against a NapCat and is connected.
func connected(t *testing.T, s *onebottest.Server) (channel.Account, *inbox) {
	t.Helper()
	a, i := openAccount(t, forwardTo(s, ""), nil), &inbox{}
	run(t, a, i)
	waitConnected(t, i)
	return a, i
}

func waitConnected(t *testing.T, i *inbox) {
	t.Helper()
	require.Eventually(t, func() bool { return i.last().Connected }, patience, 5*time.Millisecond, "not connected")
}

// sound says that the emulator understood all that it was asked.
func sound(t *testing.T, s *onebottest.Server) {
	t.Helper()
	require.Empty(t, s.Broken())
}

func contextWith(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}
