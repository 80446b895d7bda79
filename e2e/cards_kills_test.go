package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
)

// cardsKills is how often the server is killed, and the seed of the moments: a few times, unless XBOT_CARDS_KILLS says how often;
// XBOT_CARDS_SEED chooses the seed.
func cardsKills(t *testing.T) (times int, seed uint64) {
	t.Helper()
	times, seed = 3, rand.Uint64()
	if text := os.Getenv("XBOT_CARDS_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err, "XBOT_CARDS_KILLS is how often the server is killed, such as 60")
		times = n
	}
	if text := os.Getenv("XBOT_CARDS_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "XBOT_CARDS_SEED is a number")
		seed = n
	}
	return times, seed
}

// cardKills are cards that are made, sent and answered while the server is killed.
type cardKills struct {
	*asked

	random *rand.Rand
	killed int
}

// kill ends the server after a while of at most so many milliseconds, and starts it again.
func (k *cardKills) kill(within int) {
	k.t.Helper()
	rest(k.t.Context(), time.Duration(k.random.IntN(within))*time.Millisecond)
	k.crash()
	k.killed++
	k.boot()
	k.connected()
	k.db = k.look()
}

// begun lets a card of a title be begun, and returns its id.
func (k *cardKills) begun(title string) (id string) {
	k.t.Helper()
	k.feishu.say(0, 1, fmt.Sprintf("call card_create {\"title\":%q}\nsay begun", title))
	require.Eventually(k.t, func() bool {
		return k.db.QueryRow(k.t.Context(), "SELECT id FROM card_drafts WHERE card ->> 'title' = $1", title).Scan(&id) == nil
	}, crashLimit, 20*time.Millisecond, "no draft of %s", title)
	return id
}

// of are the messages that show a card of a title.
func (k *cardKills) of(title string) (shown []feishutest.Shown) {
	for _, m := range k.feishu.Shown(k.feishu.Direct(k.feishu.people[0]), "") {
		if strings.HasPrefix(m.Text, title+"\n") {
			shown = append(shown, m)
		}
	}
	return shown
}

// pressed presses as a person does, who tries again while the card can be pressed and nobody said that it counted.
func (k *cardKills) pressed(title, choice string) {
	k.t.Helper()
	require.Eventually(k.t, func() bool {
		all := k.of(title)
		if len(all) == 0 {
			return false
		}
		answer, err := k.feishu.Press(all[0].ID, "Go", k.feishu.people[0], map[string]any{"f0": choice})
		if err != nil {
			return len(k.of(title)[0].Buttons) == 0 // it shows that it was answered
		}
		said, _ := answer["toast"].(map[string]any)
		return said["type"] == "success" || said["type"] == "warning"
	}, crashLimit, 50*time.Millisecond, "%s cannot be answered", title)
}

// TestCards_KillsAtRandomMomentsSendEachCardOnceAndCountEachAnswerOnce prints what kills of the server cost while cards are sent, pressed,
// and their answers read by the model.
func TestCards_KillsAtRandomMomentsSendEachCardOnceAndCountEachAnswerOnce(t *testing.T) {
	t.Parallel()
	times, seed := cardsKills(t)
	t.Logf("XBOT_CARDS_SEED=%d", seed)
	k := &cardKills{asked: newAsked(t), random: rand.New(rand.NewPCG(seed, 0))}
	var titles []string
	for k.killed < times {
		title := fmt.Sprint("Lunch ", len(titles)+1)
		id := k.begun(title)
		titles = append(titles, title)
		k.feishu.say(0, 1, form(id)+fmt.Sprintf(`call card_send {"card":%q,"wait_response":true}`, id)+"\nsay booked for "+title+".")
		k.kill(1500) // while it is filled and sent
		require.Eventually(t, func() bool { return len(k.of(title)) > 0 }, crashLimit, 20*time.Millisecond, "%s is not shown", title)
		first := k.of(title)[0]
		pressing := make(chan struct{})
		go func() { // it may be lost, or count
			defer close(pressing)
			_, _ = k.feishu.Press(first.ID, "Go", k.feishu.people[0], map[string]any{"f0": "Rice"})
		}()
		k.kill(300) // while it is answered
		<-pressing
		k.pressed(title, "Rice")
		if k.random.IntN(2) == 0 {
			k.kill(500) // while the model reads the answer
		}
	}
	k.told(titles)
}

// told prints what became of the cards, and fails where one was sent twice, or an answer was lost or counted twice.
func (k *cardKills) told(titles []string) {
	k.t.Helper()
	var twice, lost, again int
	for _, title := range titles {
		end := "booked for " + title + "."
		said := func() (n int) {
			for _, text := range k.feishu.shown(0, 1) {
				n += strings.Count(text, end)
			}
			return n
		}
		if !k.within(crashLimit, func() bool { return said() > 0 }) {
			lost++
			k.t.Logf("nobody read that %s was answered", title)
			continue
		}
		if len(k.of(title)) > 1 {
			twice++
		}
		if said() > 1 {
			again++
		}
	}
	results := count(k.t, k.db, `SELECT count(*) FROM tool_calls WHERE name = 'card_send' AND result LIKE '{"action":"Go","values":{"place":"Rice"}%'`)
	k.t.Logf("%6s %6s %10s %17s %14s %6s", "kills", "cards", "sent twice", "answers that count", "answered twice", "lost")
	k.t.Logf("%6d %6d %10d %17d %14d %6d", k.killed, len(titles), twice, results, again, lost)
	require.Zero(k.t, twice+again+lost)
	require.Equal(k.t, len(titles), results, "each answer counts once")
	require.Zero(k.t, count(k.t, k.db, "SELECT count(*) FROM outbound WHERE state IN ('uncertain', 'failed', 'expired')"))
	require.Empty(k.t, k.feishu.broken())
}

// within reports whether something becomes true in time.
func (k *cardKills) within(limit time.Duration, holds func() bool) bool {
	for until := time.Now().Add(limit); time.Now().Before(until); rest(k.t.Context(), 20*time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}
