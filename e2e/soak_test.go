package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// soak is people who write on all platforms for a while.
type soak struct {
	*world

	lasts          time.Duration
	people, groups int // on each platform
	perSecond      int

	mu   sync.Mutex
	said []utterance // by the number that is asked for, from 0
}

// utterance is a message, and where its answer is to be seen.
type utterance struct {
	on         platform
	group, who int
}

// newSoak is small and takes twenty seconds, unless XBOT_SOAK says how long; then it is a thousand people on two hundred
// groups who write twenty messages a second.
func newSoak(t *testing.T) *soak {
	t.Helper()
	k := &soak{lasts: 20 * time.Second, people: 12, groups: 3, perSecond: 5}
	if text := os.Getenv("XBOT_SOAK"); text != "" {
		var err error
		k.lasts, err = time.ParseDuration(text)
		require.NoError(t, err, "XBOT_SOAK is a duration such as 10m")
		k.people, k.groups, k.perSecond = 334, 67, 20
	}
	k.world = newWorld(t, newServer, k.people, k.groups)
	return k
}

// write lets people write until the time is over, with some messages that are delivered more than once.
func (k *soak) write(until <-chan time.Time) {
	tick := time.NewTicker(time.Second / time.Duration(k.perSecond))
	defer tick.Stop()
	for {
		select {
		case <-until:
			return
		case <-tick.C:
		}
		u := utterance{on: k.on[rand.IntN(len(k.on))], who: 1 + rand.IntN(k.people)}
		if rand.IntN(3) == 0 {
			u.group = 1 + rand.IntN(k.groups)
		}
		k.mu.Lock()
		k.said = append(k.said, u)
		text := fmt.Sprint("say answer ", len(k.said)-1)
		k.mu.Unlock()
		id := u.on.say(u.group, u.who, text)
		if rand.IntN(10) == 0 {
			u.on.again(id)
		}
	}
}

// trouble breaks connections and loses responses at random moments, and kills the server twice, until the writing ends.
func (k *soak) trouble(over <-chan struct{}) (breaks, kills int) {
	began := time.Now()
	for {
		select {
		case <-over:
			return breaks, kills
		case <-time.After(rand.N(k.lasts / 10)):
		}
		p := k.on[rand.IntN(len(k.on))]
		p.disconnect()
		k.on[rand.IntN(len(k.on))].befall(lostAnswer)
		breaks++
		if kills < 2 && time.Since(began) > time.Duration(kills+1)*k.lasts/3 {
			k.crash()
			kills++
			k.boot()
		}
	}
}

// settled waits until everything that was said has its answer, or an end that is told.
func (k *soak) settled() {
	k.t.Helper()
	left := ""
	defer func() { k.t.Log("at the end:", left) }()
	require.Eventually(k.t, func() bool {
		var inbox, counted, open, running, waiting int
		err := k.db.QueryRow(k.t.Context(), `SELECT (SELECT count(*) FROM inbox), (SELECT coalesce(sum(n), 0)::int FROM (`+countedOnly+`) c), (SELECT count(*) FROM inbox WHERE outcome IS NULL),
			(SELECT count(*) FROM turns WHERE state = 'running'), (SELECT count(*) FROM outbound WHERE state = 'waiting')`).Scan(&inbox, &counted, &open, &running, &waiting)
		left = fmt.Sprintf("%d of %d arrived, %d more found a full queue, %d wait, %d turns run, %d answers are on their way", inbox, len(k.said), counted, open, running, waiting)
		return err == nil && inbox <= len(k.said) && inbox+counted >= len(k.said) && open+running+waiting == 0
	}, 5*time.Minute, 100*time.Millisecond, "everything has its answer")
}

var answerForm = regexp.MustCompile(`answer (\d+)`)

// answers counts how often each answer is seen where it belongs, and those that are seen anywhere else.
func (k *soak) answers() (seen []int, strays int) {
	seen = make([]int, len(k.said))
	for _, p := range k.on {
		for group := range k.groups + 1 {
			for who := range k.people {
				if group > 0 && who > 0 {
					break // a group is the same for all
				}
				for _, text := range p.shown(group, who+1) {
					strays += k.count(seen, text, p, group, who+1)
				}
			}
		}
	}
	return seen, strays
}

func (k *soak) count(seen []int, text string, p platform, group, who int) (strays int) {
	for _, found := range answerForm.FindAllStringSubmatch(text, -1) {
		var n int
		_, err := fmt.Sscan(found[1], &n)
		u := utterance{}
		if err == nil && n < len(k.said) {
			u = k.said[n]
		}
		if u.on != p || u.group != group || group == 0 && u.who != who {
			strays++
			continue
		}
		seen[n]++
	}
	return strays
}

func TestSoak_ManyPeopleOnAllPlatformsLoseNothingAndReadNothingTwice(t *testing.T) {
	t.Parallel()
	k := newSoak(t)
	over := make(chan struct{})
	go func() {
		defer close(over)
		k.write(time.After(k.lasts))
	}()
	breaks, kills := k.trouble(over)
	for _, p := range k.on {
		p.befall(none)
	}
	ended := time.Now()
	k.settled()
	drained := time.Since(ended)
	seen, strays := k.answers()
	lost, twice := 0, 0
	for n, times := range seen {
		switch {
		case times > 1:
			twice++
		case times == 0:
			lost++
			t.Logf("answer %d is missing on %s, group %d", n, k.said[n].on.name(), k.said[n].group)
		}
	}
	unsure := count(t, k.db, "SELECT count(*) FROM outbound WHERE state = 'uncertain' AND channel = 'napcat'")
	var lag []float64
	require.NoError(t, k.db.QueryRow(t.Context(), `SELECT percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM o.ended_at - i.accepted_at))
		FROM outbound o JOIN inbox i ON i.turn_id = o.turn_id WHERE o.state = 'sent'`).Scan(&lag))
	t.Logf("%d messages of %d people and %d groups in %s, %d disconnects, %d kills: %d lost, %d twice, %d elsewhere, %d of unknown outcome that were told; accepted to delivered p50 %.2f s, p95 %.2f s; drained %s after the last message",
		len(k.said), k.people*len(k.on), k.groups*len(k.on), k.lasts, breaks, kills, lost, twice, strays, unsure, lag[0], lag[1], drained.Round(time.Millisecond))
	require.Zero(t, twice, "answers that people read twice")
	require.Zero(t, strays, "answers that somebody else read")
	require.LessOrEqual(t, lost, unsure, "what was lost was told")
	require.Zero(t, count(t, k.db, "SELECT count(*) FROM outbound WHERE state NOT IN ('sent', 'uncertain')"))
	require.Zero(t, count(t, k.db, "SELECT count(*) FROM outbound WHERE state = 'uncertain' AND channel <> 'napcat'"), "Feishu and QQ know a second sending")
	for _, p := range k.on {
		require.Empty(t, p.broken(), "the protocol of %s was kept", p.name())
	}
}
