package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// world is a server on all platforms at once, so that one kill meets every one of them at the same point.
type world struct {
	*server

	on []platform
	db *pgx.Conn
}

func newWorld(t *testing.T, start func(t *testing.T, env ...string) *server, people, groups int) *world {
	t.Helper()
	w := &world{on: platforms(t, people, groups)}
	var env []string
	for _, p := range w.on {
		env = append(env, p.env()...)
	}
	w.server = start(t, env...)
	w.db = w.look()
	w.inForce(letAllIn)
	w.connected()
	return w
}

// connected waits until the bot is on every platform.
func (w *world) connected() {
	w.t.Helper()
	for _, p := range w.on {
		require.Eventually(w.t, p.connected, time.Minute, 20*time.Millisecond, "the bot is not on %s", p.name())
	}
}

// reads waits until the first person has read a text on every platform that is not left out.
func (w *world) reads(text string, except ...string) {
	w.t.Helper()
	for _, p := range w.on {
		if strings.Contains(strings.Join(except, " "), p.name()) {
			continue
		}
		require.Eventually(w.t, func() bool { return strings.Contains(strings.Join(p.shown(0, 1), "\n"), text) }, crashLimit, 20*time.Millisecond,
			"%q on %s", text, p.name())
	}
}

// crashPoint is a point on the way of a message at which the server is killed.
type crashPoint struct {
	name string
	text string // of the message; the answer ends with the name
	// before prepares the point, and reached waits until every platform is there.
	before  func(w *world)
	reached func(w *world)
	after   func() // the kill
}

func (c crashPoint) answer() string { return "killed " + c.name }

// crashPoints are the points, in the order in which a message passes them.
func crashPoints() []crashPoint {
	var held *hold
	waiting := func(w *world) { held.waits(len(w.on)) }
	unanswered := func(w *world) {
		for _, p := range w.on {
			require.Eventually(w.t, func() bool { return p.unanswered() > 0 }, time.Minute, 10*time.Millisecond, p.name())
		}
	}
	all := func(is trouble) func(*world) {
		return func(w *world) {
			for _, p := range w.on {
				p.befall(is)
			}
		}
	}
	return []crashPoint{
		{
			name:    "before the commit",
			before:  func(w *world) { held = w.held("BEFORE INSERT ON inbox", "true") },
			reached: waiting, after: func() { held.release() },
		}, {
			name: "after the commit, before the acknowledgement",
			before: func(w *world) {
				for _, p := range w.on {
					p.deafen(true)
				}
			},
			reached: func(w *world) { w.rows("SELECT count(*) FROM inbox WHERE body LIKE '%acknowledgement'", 3) },
		}, {
			name: "during the turn", text: "stream 30 100ms\n",
			reached: func(w *world) {
				require.Eventually(w.t, func() bool {
					asked := 0
					for _, r := range w.model.Requests() {
						asked += strings.Count(string(r.Raw), "stream 30 100ms")
					}
					return asked >= len(w.on)
				}, time.Minute, 10*time.Millisecond)
			},
		}, {
			name:    "before the send",
			before:  func(w *world) { held = w.held("BEFORE UPDATE ON outbound", "NEW.parts IS DISTINCT FROM OLD.parts") },
			reached: waiting, after: func() { held.release() },
		}, {
			name:   "before the platform accepts",
			before: all(stuck), reached: unanswered, // NapCat has no keys, but a history
		}, {
			name:   "after the platform accepted, before its response",
			before: all(mute), reached: unanswered,
		},
	}
}

func TestChannels_AKillAtAnyPointLeavesEachAnswerOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newServer, 1, 0)
	for _, p := range w.on {
		p.say(0, 1, "say hello")
	}
	w.reads("hello")
	w.rows("SELECT count(*) FROM channel_states WHERE memory <> '{}'", 2) // QQ and NapCat go on from there
	var holder string
	require.NoError(t, w.db.QueryRow(t.Context(), "SELECT min(holder) FROM channel_states").Scan(&holder))
	for _, point := range crashPoints() {
		w.killedAt(point)
	}
	require.Zero(t, count(t, w.db, "SELECT count(*) FROM channel_states WHERE holder <> '"+holder+"'"), "a server that comes back need not wait for its own lease")
	answers := len(crashPoints()) + 1
	for _, p := range w.on {
		require.Len(t, p.shown(0, 1), answers, "%s: nothing came later: %q", p.name(), p.shown(0, 1))
		require.Empty(t, p.broken(), "the protocol of %s was kept", p.name())
	}
	require.Zero(t, count(t, w.db, "SELECT count(*) FROM outbound WHERE state <> 'sent'"), "every delivery has ended, and of each it is known how")
	require.Zero(t, count(t, w.db, "SELECT count(*) FROM inbox WHERE outcome IS NULL"), "every message has its outcome")
	w.rows("SELECT count(*) FROM turns WHERE state = 'running'", 0) // an answer is sent with its step, before the end of its turn
}

// killedAt kills the server at a point, and looks what people see afterwards.
func (w *world) killedAt(point crashPoint) {
	w.t.Helper()
	if point.before != nil {
		point.before(w)
	}
	said := map[string]string{}
	for _, p := range w.on {
		said[p.name()] = p.say(0, 1, point.text+"say "+point.answer())
	}
	point.reached(w)
	w.crash()
	if point.after != nil {
		point.after()
	}
	for _, p := range w.on {
		p.deafen(false)
		p.befall(none)
	}
	restarted := time.Now()
	w.boot()
	w.connected()
	for _, p := range w.on {
		p.again(said[p.name()])
	}
	w.reads(point.answer())
	w.t.Logf("killed %s: restart to the answer on every platform %s", point.name, time.Since(restarted).Round(time.Millisecond))
	w.rows("SELECT count(*) FROM outbound WHERE state = 'waiting'", 0)
	for _, p := range w.on {
		times := strings.Count(strings.Join(p.shown(0, 1), "\n"), point.answer())
		require.Equal(w.t, 1, times, "killed %s: %s: %q", point.name, p.name(), p.shown(0, 1))
	}
}

// rows waits until a count is at least, or for 0 exactly, what is wanted.
func (w *world) rows(query string, want int) {
	w.t.Helper()
	got := 0
	require.Eventually(w.t, func() bool {
		got = count(w.t, w.db, query)
		return got == want || want > 0 && got > want
	}, crashLimit, 10*time.Millisecond, "%s", fmt.Sprint(query, " is not ", want))
}

func count(t *testing.T, db *pgx.Conn, query string) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRow(t.Context(), query).Scan(&n))
	return n
}
