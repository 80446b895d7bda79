package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// A deletion has what waits and wants the session; a message that changes what waits has its session and wants the rest.
func TestDeleteSession_DoesNotLockUpWithAMessageThatChangesWhatWaits(t *testing.T) {
	summarize := chat.Queue{Mode: chat.QueueFollowup, Cap: 1, Drop: chat.DropSummarize}
	for name, come := range map[string]func(b *bundle) error{
		"it supersedes":       func(b *bundle) error { return b.comes(chat.Queue{Mode: chat.QueueSupersede}, nil) },
		"it interrupts":       func(b *bundle) error { return b.comes(chat.Queue{Mode: chat.QueueInterrupt}, nil) },
		"it is collected":     func(b *bundle) error { return b.comes(collect, nil) },
		"the queue is full":   func(b *bundle) error { return b.comes(summarize, nil) },
		"the day may be over": func(b *bundle) error { return b.comes(summarize, idleFor(time.Hour)) },
		"it comes with a command": func(b *bundle) error {
			first, second := b.inbound("c1", "/new"), b.inbound("m2", "text")
			first.Control, second.Queue = true, chat.Queue{Mode: chat.QueueSupersede}
			_, _, err := b.Turns.AcceptPair(b.t.Context(), first, second)
			return err
		},
		"it is a command itself": func(b *bundle) error {
			in := b.inbound("c1", "/status")
			in.Expired = idleFor(time.Hour)
			_, err := b.Turns.Command(b.t.Context(), in, func(context.Context) (string, error) { return "fine", nil })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			first := b.say("m1", collect)
			holding, err := b.pool.Begin(t.Context())
			require.NoError(t, err)
			defer holding.Rollback(context.WithoutCancel(t.Context())) //nolint:errcheck // it was committed
			_, err = holding.Exec(t.Context(), "SELECT id FROM inbox WHERE id = $1 FOR UPDATE", first.ID)
			require.NoError(t, err)
			deleted, came := make(chan error, 1), make(chan error, 1)
			go func() { deleted <- b.Agents.DeleteSession(t.Context(), key) }()
			b.waits()
			go func() { came <- come(b) }()
			require.Eventually(t, func() bool { return len(came) == 1 || b.waiting() == 2 }, time.Minute, 5*time.Millisecond)
			require.NoError(t, holding.Commit(t.Context()))
			require.NoError(t, <-deleted)
			err = <-came
			if err != nil {
				require.True(t, fault.Is(err, fault.Unavailable), "who sends it again learns more")
				require.ErrorContains(t, err, "was deleted at this moment")
			}
			require.Zero(t, b.count("SELECT count(*) FROM inbox"), "it goes with its conversation")
		})
	}
}

// waiting counts who waits for a lock.
func (b *bundle) waiting() int {
	return b.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
}

// comes accepts a message with the given queue.
func (b *bundle) comes(q chat.Queue, expired func(time.Time) string) error {
	in := b.inbound("m2", "text")
	in.Queue, in.Expired = q, expired
	_, err := b.Turns.Accept(b.t.Context(), in)
	return err
}
