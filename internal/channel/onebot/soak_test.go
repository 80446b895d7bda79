package onebot_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	ob "xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// crowd adds groups with Ann and Bob in them.
func crowd(s *ob.Server, n int) []ob.Place {
	var places []ob.Place
	for i := range n {
		id := fmt.Sprint(40000 + i)
		s.AddGroup(id, "Group "+id, map[string]string{ann: "Ann", bob: "Bob"})
		places = append(places, ob.Group(id))
	}
	return places
}

// settle waits until an inbox has all texts, and says that none came as two messages.
func settle(t *testing.T, want map[string]bool, inboxes ...*inbox) {
	t.Helper()
	got := map[string]string{}
	require.Eventually(t, func() bool {
		clear(got)
		for _, i := range inboxes {
			for _, e := range i.all() {
				if before, known := got[e.Text]; known && before != e.ID {
					return false
				}
				got[e.Text] = e.ID
			}
		}
		return len(got) >= len(want)
	}, 5*patience, 50*time.Millisecond, "messages are missing, or one came as two")
	require.Len(t, got, len(want))
}

func TestSoak_NothingIsLostWhileConnectionsBreakAndProcessesEnd(t *testing.T) {
	s := newServer(t, ob.Options{Heartbeat: 200 * time.Millisecond})
	places, kept := crowd(s, 40), newMemory()
	want := map[string]bool{}
	say := func(n int) {
		for range n {
			text := fmt.Sprint("message ", len(want))
			want[text] = true
			s.Say(places[rand.IntN(len(places))], []string{ann, bob}[rand.IntN(2)], ob.At(bot), ob.Text(" "+text))
		}
	}
	var inboxes []*inbox
	for round := range 3 {
		i := &inbox{}
		inboxes = append(inboxes, i)
		stop := run(t, openAccount(t, forwardTo(s, ""), kept), i)
		waitConnected(t, i)
		say(300)
		if round > 0 {
			s.Disconnect()
			say(100)
			require.Eventually(t, func() bool { return s.Connected() == 1 }, patience, 5*time.Millisecond)
			say(100)
		}
		if round < 2 {
			require.NoError(t, stop())
			say(100)
		}
	}
	settle(t, want, inboxes...)
	sound(t, s)
}

func TestSoak_ACrowdThatIsFasterThanTheReceiverIsReadBack(t *testing.T) {
	s := newServer(t, ob.Options{})
	places := crowd(s, 60)
	open := make(chan struct{})
	i := &inbox{}
	i.fail = func(chat.Envelope) error {
		select {
		case <-open:
			return nil
		default:
			return fault.Errorf(fault.Unavailable, "the database is away")
		}
	}
	run(t, openAccount(t, forwardTo(s, ""), newMemory()), i)
	waitConnected(t, i)
	want := map[string]bool{}
	for n := range 6500 {
		text := fmt.Sprint("message ", n)
		want[text] = true
		s.Say(places[n%len(places)], ann, ob.Text(text))
	}
	require.Eventually(t, func() bool { return s.Dials() > 1 }, patience, 5*time.Millisecond, "more than fits was kept in memory")
	close(open)
	settle(t, want, i)
}
