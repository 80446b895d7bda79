package channeltest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

var durableClaims = []Claim{
	{"an event is acknowledged only after the receiver has committed it", []Ability{Acks}, acksAfterCommit},
	{"what the receiver could not commit is delivered again", []Ability{Redelivery}, redelivers},
	{"an event that comes twice has one id, at any distance", nil, keepsIDs},
	{"events that come in disorder can be put in order", []Ability{Order}, tellsOrder},
}

func acksAfterCommit(b *bench) {
	p := b.run()
	entered, commit := make(chan struct{}, 1), make(chan struct{})
	p.setGate(func(ctx context.Context, _ chat.Envelope) error {
		select {
		case entered <- struct{}{}:
		default:
		}
		select {
		case <-commit:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	id := b.Write(Written{Where: Direct, Text: "keep me"})
	b.wait(func() bool { return len(entered) == 1 }, "the message did not arrive")
	require.False(b, b.Acked(id), "acknowledged before it was committed")
	close(commit)
	b.wait(func() bool { return b.Acked(id) }, "not acknowledged after it was committed")
	require.Equal(b, "keep me", p.received()[0].Text)
}

func redelivers(b *bench) {
	p := b.run()
	var mu sync.Mutex
	var ids []string
	p.setGate(func(_ context.Context, e chat.Envelope) error {
		mu.Lock()
		defer mu.Unlock()
		ids = append(ids, e.ID)
		if len(ids) <= 2 {
			return errors.New("the database is away")
		}
		return nil
	})
	id := b.Write(Written{Where: Direct, Text: "try again"})
	b.wait(func() bool { return len(p.received()) > 0 }, "it was not delivered again")
	require.Equal(b, "try again", p.received()[0].Text)
	if b.has(Acks) {
		b.wait(func() bool { return b.Acked(id) }, "not acknowledged in the end")
	}
	p.stop()
	mu.Lock()
	defer mu.Unlock()
	require.Len(b, slices.Compact(ids), 1, "each delivery has the same id")
}

// identity returns what the inbox distinguishes messages by.
func identity(e chat.Envelope) string {
	id := e.Channel + "/" + e.Account + "/" + e.ID
	if e.ChatType == chat.ChatDirect {
		return id + "/" + e.Sender.ID
	}
	return id + "/" + e.Chat
}

func keepsIDs(b *bench) {
	p := b.run()
	var ids []string
	known := map[string]bool{}
	for i := range 6 {
		in := b.places()[i%len(b.places())]
		e, id := p.arrive(say(in, fmt.Sprintf("number %d", i)))
		require.False(b, known[identity(e)], "two messages have the id %s", identity(e))
		known[identity(e)] = true
		ids = append(ids, id)
	}
	twice := func(p *process) {
		b.Helper()
		for i, id := range ids {
			before := len(p.received())
			b.Again(id)
			p.b.wait(func() bool { return len(p.received()) > before }, "message %d did not come again", i)
			e := p.received()[before]
			require.Equal(b, fmt.Sprintf("number %d", i), e.Text)
			require.True(b, known[identity(e)], "it has another id the second time: %s", identity(e))
		}
	}
	twice(p)
	p.stop()
	b.wait(func() bool { return b.Connected() == 0 }, "still connected")
	twice(b.run())
}

func tellsOrder(b *bench) {
	p := b.run()
	b.Hold()
	var want []string
	for i := range 8 {
		want = append(want, fmt.Sprintf("line %d", i))
		b.Write(Written{Where: Direct, Text: want[i]})
	}
	b.Release(true)
	for _, text := range want {
		p.hear(text)
	}
	got := p.received()
	slices.SortFunc(got, func(x, y chat.Envelope) int {
		return cmp.Or(x.SentAt.Compare(y.SentAt), cmp.Compare(x.Seq, y.Seq))
	})
	var texts []string
	for _, e := range got {
		texts = append(texts, e.Text)
	}
	require.Equal(b, want, slices.Compact(texts), "by SentAt, then Seq")
}
