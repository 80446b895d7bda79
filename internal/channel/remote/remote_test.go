package remote_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/channel"
	"xbot/internal/channel/remote"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bot is an account, here or not, that answers as it is told.
type bot struct {
	here bool
	err  error
	sent []channel.Message

	paced int
}

func (b *bot) Here() bool { return b.here }

func (b *bot) Send(_ context.Context, _ channel.Address, m channel.Message) (channel.Sent, error) {
	if b.err == nil {
		b.sent = append(b.sent, m)
	}
	return channel.Sent{ID: "m1", Thread: "t1", At: time.Unix(7, 0).UTC()}, b.err
}

func (b *bot) Find(_ context.Context, _ channel.Address, m channel.Message, since time.Time) (channel.Sent, bool, error) {
	return channel.Sent{ID: m.Key + since.UTC().Format(time.RFC3339)}, true, b.err
}

func (b *bot) Settles(channel.Message) time.Duration { return 9 * time.Second }

func (b *bot) Pace(context.Context) error {
	if b.err == nil {
		b.paced++
	}
	return b.err
}

func (b *bot) Fetch(_ context.Context, message string, a chat.Attachment) (io.ReadCloser, error) {
	return io.NopCloser(io.MultiReader(strings.NewReader(message+a.Key), failing{b.err})), nil
}

// failing is content that breaks off.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

func (b *bot) Run(context.Context, channel.Receiver, channel.Reporter) error { return nil }
func (b *bot) Check(context.Context) (channel.Identity, []channel.Problem, error) {
	return channel.Identity{ID: "bot"}, []channel.Problem{{What: "w", Do: "d"}}, b.err
}
func (b *bot) Traits() channel.Traits                                           { return channel.Traits{MaxText: 7, MaxFile: 2} }
func (b *bot) Delete(context.Context, channel.Address, string) error            { return b.err }
func (b *bot) React(context.Context, channel.Address, string, string) error     { return b.err }
func (b *bot) Typing(context.Context, channel.Address) error                    { return b.err }
func (b *bot) Account(context.Context, string, string) (channel.Account, error) { return b, nil }

// at is where the holder is; empty: nobody holds anything.
type at string

func (a at) ChannelHolder(context.Context, string, string) (string, error) { return string(a), nil }

// beside is the account as a process sees it that asks a handler.
func beside(t *testing.T, h http.Handler) (channel.ConnectedAccount, *httptest.Server) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return through(t, server.URL), server
}

func through(t *testing.T, url string) channel.ConnectedAccount {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	a, err := (&remote.Accounts{Live: &bot{}, Holders: at(url), HTTP: client, Key: secret.Key{1}}).Account(t.Context(), "test", "one")
	require.NoError(t, err)
	return a.(channel.ConnectedAccount)
}

func TestRemote_EverythingArrivesAsItWas(t *testing.T) {
	b := &bot{here: true}
	a, _ := beside(t, remote.Handler(b))
	m := channel.Message{Key: "k", Text: "hello", Seq: 3, File: &channel.File{Name: "n", Data: []byte{0, 255}}, Mentions: map[string]string{"1": "Ann"}}
	sent, err := a.Send(t.Context(), channel.Address{Chat: "c"}, m)
	require.NoError(t, err)
	require.Equal(t, channel.Sent{ID: "m1", Thread: "t1", At: time.Unix(7, 0).UTC()}, sent)
	require.Equal(t, []channel.Message{m}, b.sent)
	found, ok, err := a.Find(t.Context(), channel.Address{}, channel.Message{Key: "k"}, time.Unix(0, 0))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "k1970-01-01T00:00:00Z", found.ID)
	who, problems, err := a.Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, "bot", who.ID)
	require.Equal(t, []channel.Problem{{What: "w", Do: "d"}}, problems)
	require.NoError(t, a.Pace(t.Context()))
	require.Equal(t, 1, b.paced)
	require.NoError(t, a.Delete(t.Context(), channel.Address{}, "x"))
	require.NoError(t, a.React(t.Context(), channel.Address{}, "x", "OK"))
	require.NoError(t, a.Typing(t.Context(), channel.Address{}))
	content, err := a.Fetch(t.Context(), "m", chat.Attachment{Key: "k"})
	require.NoError(t, err)
	defer content.Close()
	data, err := io.ReadAll(content)
	require.NoError(t, err)
	require.Equal(t, "mk", string(data))
}

func TestRemote_AFailureIsTheSameHereAndThere(t *testing.T) {
	for name, err := range map[string]error{
		"denied":     fault.Errorf(fault.Denied, "not there"),
		"limited":    fault.Limited(7*time.Second, "slowly"),
		"unknown":    channel.Uncertain(fault.Errorf(fault.Unavailable, "the connection broke")),
		"no fault":   errors.New("strange"),
		"a sentence": fault.Errorf(fault.TooLarge, "100%% is %%s"),
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := beside(t, remote.Handler(&bot{here: true, err: err}))
			_, got := a.Send(t.Context(), channel.Address{}, channel.Message{Key: "k", Text: "x"})
			require.EqualError(t, got, err.Error())
			require.Equal(t, fault.KindOf(err), fault.KindOf(got))
			require.Equal(t, fault.After(err), fault.After(got))
			require.Equal(t, channel.Unknown(err), channel.Unknown(got))
		})
	}
}

func TestRemote_OnlyALostAnswerLeavesItOpenWhetherItWasSent(t *testing.T) {
	answering := func(f func(w http.ResponseWriter)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			f(w)
		})
	}
	for name, c := range map[string]struct {
		handler http.Handler
		unknown bool
	}{
		"the connection is not there":   {remote.Handler(&bot{}), false},
		"the key is wrong":              {answering(func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }), false},
		"it is no such process":         {answering(func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }), false},
		"it dies before it answers":     {answering(func(http.ResponseWriter) { panic(http.ErrAbortHandler) }), true},
		"it dies while it answers":      {answering(func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"sent":`) }), true},
		"what is between answers of it": {answering(func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }), true},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := beside(t, c.handler)
			_, err := a.Send(t.Context(), channel.Address{}, channel.Message{Key: "k", Text: "x"})
			require.True(t, fault.Is(err, fault.Unavailable), "it is tried again: %v", err)
			require.Equal(t, c.unknown, channel.Unknown(err), "%v", err)
			require.False(t, channel.Unknown(a.Typing(t.Context(), channel.Address{})) && !c.unknown)
		})
	}
	for _, url := range []string{"", "http://127.0.0.1:1", "::"} {
		_, err := through(t, url).Send(t.Context(), channel.Address{}, channel.Message{Key: "k", Text: "x"})
		require.True(t, fault.Is(err, fault.Unavailable), "%q: %v", url, err)
		require.False(t, channel.Unknown(err))
		_, err = through(t, url).Fetch(t.Context(), "m", chat.Attachment{})
		require.True(t, fault.Is(err, fault.Unavailable), "%q: %v", url, err)
	}
}

func TestRemote_AFileThatBreaksOffIsNotTakenForWhole(t *testing.T) {
	a, _ := beside(t, remote.Handler(&bot{here: true, err: errors.New("the platform hung up")}))
	content, err := a.Fetch(t.Context(), "m", chat.Attachment{Key: "k"})
	if err != nil {
		return // it broke before its head was out
	}
	defer content.Close()
	_, err = io.ReadAll(content)
	require.Error(t, err)
}

func TestRemote_WhatIsHereAsksNobody(t *testing.T) {
	b := &bot{here: true}
	a, err := (&remote.Accounts{Live: b, Holders: at("")}).Account(t.Context(), "test", "")
	require.NoError(t, err)
	_, err = a.Send(t.Context(), channel.Address{}, channel.Message{Key: "k"})
	require.NoError(t, err)
	require.Len(t, b.sent, 1)
	require.Equal(t, 7, channel.TraitsAt(a, channel.Address{}).MaxText)
}

func TestHandler_TakesCallsOnly(t *testing.T) {
	b := &bot{here: true}
	_, server := beside(t, remote.Handler(b))
	for body, want := range map[string]int{`{`: 400, `[]`: 400, `{"do":"dance"}`: 200} {
		res, err := http.Post(server.URL, "application/json", strings.NewReader(body))
		require.NoError(t, err)
		said, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, want, res.StatusCode, body)
		if want == 200 {
			require.Contains(t, string(said), "of another version")
		}
	}
	res, err := http.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusMethodNotAllowed, res.StatusCode)
	http.DefaultClient.CloseIdleConnections()
	require.Empty(t, b.sent)
}

func TestRemote_AFileOverTheLimitIsNotCarriedToTheOtherProcess(t *testing.T) {
	b := &bot{here: true}
	a, _ := beside(t, remote.Handler(b))
	_, err := a.Send(t.Context(), channel.Address{Chat: "c"}, channel.Message{Key: "k", File: &channel.File{Name: "n", Data: []byte{0, 1, 2}}})
	require.True(t, fault.Is(err, fault.TooLarge), "%v", err)
	require.False(t, channel.Unknown(err))
	require.Empty(t, b.sent)
}
