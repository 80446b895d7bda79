package feed_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/feed"
)

const session = chat.SessionKey("agent:main:web:thread:recent")

// commits are the events of one commit, by their sequences.
func commits(seqs ...int64) (events []chat.Event) {
	for _, seq := range seqs {
		events = append(events, chat.Event{Seq: seq, Kind: chat.EventMessage, Data: []byte(`{}`)})
	}
	return events
}

func TestRecent_KnowsTheEventsOfCommitsThatFollowOneAnother(t *testing.T) {
	t.Parallel()
	const unknown = -1
	tests := map[string]struct {
		commits [][]chat.Event
		after   int64
		events  int
	}{
		"nothing was committed":            {nil, 0, unknown},
		"nothing since":                    {[][]chat.Event{commits(7)}, 7, 0},
		"a commit":                         {[][]chat.Event{commits(7)}, 6, 1},
		"two commits":                      {[][]chat.Event{commits(7, 8), commits(9)}, 6, 3},
		"a part of them":                   {[][]chat.Event{commits(7, 8), commits(9)}, 7, 2},
		"before the first one":             {[][]chat.Event{commits(7)}, 5, unknown},
		"after the last one":               {[][]chat.Event{commits(7)}, 8, unknown},
		"before a commit of another":       {[][]chat.Event{commits(7), commits(9)}, 7, unknown},
		"after a commit of another":        {[][]chat.Event{commits(7), commits(9)}, 8, 1},
		"before a commit that came late":   {[][]chat.Event{commits(8), commits(7)}, 6, unknown},
		"after a commit that came late":    {[][]chat.Event{commits(8), commits(7)}, 7, 1},
		"a commit without events":          {[][]chat.Event{commits(7), nil}, 6, 1},
		"more events than are remembered":  {[][]chat.Event{commits(many(1, 100)...)}, 10, unknown},
		"of those the ones at the end":     {[][]chat.Event{commits(many(1, 100)...)}, 90, 10},
		"more bytes than are remembered":   {[][]chat.Event{{{Seq: 7, Data: []byte(strings.Repeat("x", 1<<20))}}}, 6, unknown},
		"nothing since more bytes of them": {[][]chat.Event{{{Seq: 7, Data: []byte(strings.Repeat("x", 1<<20))}}}, 7, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bus := newBus()
			sub := bus.Subscribe(session)
			defer sub.Close()
			for _, events := range test.commits {
				bus.Append(session, events)
			}
			events, known := sub.Recent(test.after)
			if test.events == unknown {
				require.False(t, known)
				require.Empty(t, events)
				return
			}
			require.True(t, known)
			require.Len(t, events, test.events)
			for i, e := range events {
				require.Equal(t, test.after+1+int64(i), e.Seq)
			}
		})
	}
}

func many(from, to int64) (seqs []int64) {
	for seq := from; seq <= to; seq++ {
		seqs = append(seqs, seq)
	}
	return seqs
}

func TestRecent_IsNotKnownAfterACommitOfAnotherProcess(t *testing.T) {
	t.Parallel()
	bus := newBus()
	sub := bus.Subscribe(session)
	defer sub.Close()
	bus.Append(session, commits(7))
	feed.WakeLocal(bus, session)
	_, known := sub.Recent(7)
	require.False(t, known, "the other process has committed events that this one does not know")
	bus.Append(session, commits(9))
	_, known = sub.Recent(7)
	require.False(t, known)
	events, known := sub.Recent(8)
	require.True(t, known)
	require.Len(t, events, 1)
}
