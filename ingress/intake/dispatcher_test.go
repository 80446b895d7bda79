package intake_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/intake"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
)

func TestMessage_IsCommittedBeforeItsTurnIsWoken(t *testing.T) {
	b := setup(t)
	b.Wakes.Fail = func(context.Context, wake.TurnWake) error {
		if len(b.Transcript(ingresstest.Key).Queued) != 1 {
			return errors.New("woken too early")
		}
		return nil
	}
	var problem error
	b.Woken.Log = slog.New(failures{&problem})
	got, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "hello"))
	require.NoError(t, err)
	require.NotZero(t, got.ID)
	b.Woken.Wait()
	require.NoError(t, problem)
	require.Equal(t, []wake.TurnWake{{Session: ingresstest.Key, Channel: "web", UserName: "alice", Text: "hello", Idle: true}}, b.Wakes.Rows)
}

// failures is a log that keeps the last error.
type failures struct{ err *error }

func (f failures) Enabled(context.Context, slog.Level) bool { return true }
func (f failures) WithAttrs([]slog.Attr) slog.Handler       { return f }
func (f failures) WithGroup(string) slog.Handler            { return f }
func (f failures) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok {
			*f.err = err
		}
		return true
	})
	return nil
}

func TestMessage_TheSenderDoesNotWaitForTheWake(t *testing.T) {
	b := setup(t)
	release := make(chan struct{})
	b.Wakes.Fail = func(ctx context.Context, _ wake.TurnWake) error {
		select {
		case <-release:
			return ctx.Err()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	var problem error
	b.Woken.Log = slog.New(failures{&problem})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.Dispatch.Message(ctx, b.Inbound(ingresstest.Key, "m1", "hello"))
	require.NoError(t, err)
	cancel() // the sender leaves; the wake goes on
	close(release)
	b.Woken.Wait()
	require.NoError(t, problem)
}

func TestMessage_IsAcceptedThoughItsWakeFails(t *testing.T) {
	b := setup(t)
	b.Wakes.Fail = func(context.Context, wake.TurnWake) error { return errors.New("Temporal is away") }
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "hello"))
	require.NoError(t, err)
	b.Woken.Wait()
	require.Len(t, b.Transcript(ingresstest.Key).Queued, 1)
}

func TestMessage_RefusesWhatNobodyCouldAnswer(t *testing.T) {
	b := setup(t)
	for name, c := range map[string]struct {
		id, text string
		kind     fault.Kind
	}{
		"no id":                   {"", "x", fault.Invalid},
		"a long id":               {strings.Repeat("x", 129), "x", fault.Invalid},
		"an id with NUL":          {"a\x00", "x", fault.Invalid},
		"an id that is no UTF-8":  {"\xff", "x", fault.Invalid},
		"no text":                 {"m", "", fault.Invalid},
		"a text of NUL":           {"m", "\x00\x00", fault.Invalid},
		"a text that is too long": {"m", strings.Repeat("x", intake.MaxTextBytes+1), fault.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, c.id, c.text))
			require.Equal(t, c.kind, fault.KindOf(err), "%v", err)
		})
	}
	require.Empty(t, b.Transcript(ingresstest.Key).Queued)
	require.Empty(t, b.Wakes.Rows)
	_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, strings.Repeat("x", 128), strings.Repeat("x", intake.MaxTextBytes)))
	require.NoError(t, err, "as long as allowed is allowed")
	b.Woken.Wait()
}

func TestStop_WakesTheTurnItIsForAndNothingElse(t *testing.T) {
	b := setup(t)
	got, err := b.Dispatch.Stop(t.Context(), b.Inbound(ingresstest.Key, "s1", ""))
	require.NoError(t, err)
	require.Empty(t, got.Turn)
	b.Woken.Wait()
	require.Empty(t, b.Wakes.Rows, "a stop with nothing to stop starts no workflow")
	b.Write(ingresstest.Key, "m1")
	b.ClaimTurn(ingresstest.Key, "t1")
	accepted, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "s2", "/stop"))
	require.NoError(t, err)
	b.Woken.Wait()
	require.Len(t, b.Wakes.Rows, 1)
	again, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "s2", "/stop"))
	require.NoError(t, err)
	require.Equal(t, engine.Accepted{ID: accepted.ID, Duplicate: true}, again)
	stop, err := b.Turns.StopRequested(t.Context(), ingresstest.Key, "t1")
	require.NoError(t, err)
	require.True(t, stop)
	b.Woken.Wait()
}

func TestStop_SpeaksTheLanguageOfWhoStops(t *testing.T) {
	b := setup(t)
	b.Write(ingresstest.Key, "m1")
	_, err := b.Dispatch.Stop(t.Context(), b.Inbound(ingresstest.Key, "s1", "停"))
	require.NoError(t, err)
	events, err := b.Conversations.EventsAfter(t.Context(), ingresstest.Key, 0, 100)
	require.NoError(t, err)
	require.Contains(t, string(events[len(events)-3].Data), i18n.Say(i18n.Chinese, i18n.StoppedQueued))
	require.Contains(t, string(events[len(events)-1].Data), i18n.Say(i18n.Chinese, i18n.StopsQueued, 1), "the stop is answered")
}

func TestMessage_ManyAtOnceAreEachAcceptedOnce(t *testing.T) {
	b := setup(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	fresh := 0
	for i := range 60 {
		wg.Go(func() {
			got, err := b.Dispatch.Message(context.Background(), b.Inbound(ingresstest.Key, fmt.Sprint("m", i%20), "x"))
			mu.Lock()
			defer mu.Unlock()
			if err == nil && !got.Duplicate {
				fresh++
			}
		})
	}
	wg.Wait()
	b.Woken.Wait()
	require.Equal(t, 20, fresh)
	require.Len(t, b.Transcript(ingresstest.Key).Queued, 20)
}

func TestMessage_ABangIsStartedAndNoTurnIsWoken(t *testing.T) {
	b := setup(t)
	got, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "b1", "!ls -la"))
	require.NoError(t, err)
	again, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "b1", "!ls -la"))
	require.NoError(t, err)
	require.True(t, again.Duplicate)
	b.Woken.Wait()
	require.Equal(t, []chat.InboxID{got.ID, got.ID}, b.Starts.Bangs, "a start may be repeated")
	require.Empty(t, b.Wakes.Sessions())
	_, err = b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "m1", "!!!"))
	require.NoError(t, err)
	b.Woken.Wait()
	require.Len(t, b.Wakes.Sessions(), 1, "that was a message")
}
