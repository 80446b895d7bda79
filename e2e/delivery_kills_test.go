package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/qq/qqtest"
	"xbot/internal/chat"
	"xbot/internal/chat/ops"
)

// deliveryKills is how often the server is killed: a few times, unless XBOT_DELIVERY_KILLS says how often; its long run takes 200.
func deliveryKills(t *testing.T) int {
	t.Helper()
	text := os.Getenv("XBOT_DELIVERY_KILLS")
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "XBOT_DELIVERY_KILLS is how often the server is killed, such as 200")
	return n
}

// newDeliveryWorld is a server on all platforms, with a pause between the messages of NapCat.
func newDeliveryWorld(t *testing.T, people, groups int) *world {
	t.Helper()
	w := &world{on: platforms(t, people, groups)}
	var env []string
	for _, p := range w.on {
		env = append(env, p.env()...)
	}
	w.server = newServer(t, append(env, "NAPCAT_SEND_PAUSE=200ms")...)
	w.db = w.look()
	w.inForce(strings.Replace(letAllIn, `mode: "followup"`, `mode: "followup", cap: 3`, 1)) // some find the queue full
	w.connected()
	return w
}

// writeAll lets people of every platform write at once in several chats, one of them more often than the others, so that answers wait
// behind each other and some find the queue full.
func (k *soak) writeAll() {
	for _, p := range k.on {
		switch rand.IntN(5) {
		case 0:
			p.befall(lostAnswer)
		case 1:
			p.befall(limited)
		case 2:
			p.befall(none)
		default:
			p.hinder(slowAnswer)
		}
		first := rand.IntN(k.people)
		for n := range 5 {
			u := utterance{on: p, who: 1 + (first+n/3)%k.people}
			if n == 4 {
				u.group = 1 + rand.IntN(k.groups)
			}
			k.said = append(k.said, u)
			u.on.say(u.group, u.who, fmt.Sprint("say answer ", len(k.said)-1))
		}
	}
}

// TestDelivery_KillsAtRandomMomentsLeaveEachAnswerOnceOrSaid prints what kills of the server cost while answers wait in several chats of
// every platform, which answers late, loses answers and refuses what comes too fast.
func TestDelivery_KillsAtRandomMomentsLeaveEachAnswerOnceOrSaid(t *testing.T) {
	t.Parallel()
	k := &soak{people: 6, groups: 2}
	k.world = newDeliveryWorld(t, k.people, k.groups)
	times := deliveryKills(t)
	for n := range times {
		k.writeAll()
		rest(t.Context(), time.Duration(rand.IntN(2500))*time.Millisecond)
		k.crash()
		k.boot()
		if n%25 == 24 {
			t.Logf("%d of %d kills", n+1, times)
		}
	}
	k.connected()
	for _, p := range k.on {
		p.befall(none)
	}
	k.db = k.look()
	k.settled()
	seen, strays := k.answers()
	require.Zero(t, strays, "answers that somebody else read")
	told, refused, unheard, counted := k.told(), k.refused(), k.unheard(), k.counted()
	bad := 0
	t.Logf("%-8s %6s %9s %14s %16s %16s %6s %7s", "platform", "kills", "messages", "exactly once", "said as unknown", "said as refused", "twice", "silent")
	for _, p := range k.on {
		var all, once, said, full, twice, silent int
		for n, count := range seen {
			if k.said[n].on != p {
				continue
			}
			all++
			switch {
			case count > 1:
				twice++
			case told[n]:
				said++
			case refused[n] && count == 0:
				full++
			case count == 0 && unheard[n] && counted[p.name()] > 0: // one of those of which a notice says how many they are
				counted[p.name()]--
				full++
			case count == 1:
				once++
			default:
				silent++
				t.Logf("answer %d on %s, group %d, is missing, and nobody was told", n, p.name(), k.said[n].group)
			}
		}
		bad += twice + silent
		t.Logf("%-8s %6d %9d %14d %16d %16d %6d %7d", p.name(), times, all, once, said, full, twice, silent)
		require.Empty(t, p.broken(), "the protocol of %s was kept", p.name())
	}
	require.Zero(t, bad, "answers that were read twice, or that are missing and nobody was told")
}

// told are the answers of which a notice that arrived says that they may not have.
func (k *soak) told() map[int]bool {
	k.t.Helper()
	return k.numbered(`SELECT m.content FROM outbound o JOIN messages m ON m.id = o.message_id
		JOIN outbound n ON n.tells_of = o.id AND n.state = 'sent' WHERE o.state <> 'sent'`)
}

// refused are the messages of which it was said that the queue is full, and that arrived.
func (k *soak) refused() map[int]bool {
	k.t.Helper()
	return k.numbered(`SELECT i.body FROM inbox i JOIN messages m ON m.inbox_id = i.id AND m.role = 'notice'
		JOIN outbound o ON o.message_id = m.id AND (o.state = 'sent' OR EXISTS (SELECT FROM outbound n WHERE n.tells_of = o.id AND n.state = 'sent'))
		WHERE i.kind = 'command'`)
}

// numbered are the answers that texts speak of.
func (k *soak) numbered(query string) map[int]bool {
	k.t.Helper()
	rows, err := k.db.Query(k.t.Context(), query)
	require.NoError(k.t, err)
	defer rows.Close()
	out := map[int]bool{}
	for rows.Next() {
		var text string
		require.NoError(k.t, rows.Scan(&text))
		if found := answerForm.FindStringSubmatch(text); found != nil {
			n, err := strconv.Atoi(found[1])
			require.NoError(k.t, err)
			out[n] = true
		}
	}
	require.NoError(k.t, rows.Err())
	return out
}

func TestDelivery_WhatDidNotArriveIsInTheInboxTheLogAndAMetric(t *testing.T) {
	t.Parallel()
	q := newQQ(t)
	s := newServer(t, append(q.env(), "QQ_TYPING=off")...) // it would be refused in place of the answer
	s.inForce(letAllIn)
	require.Eventually(t, q.connected, time.Minute, 20*time.Millisecond)
	q.Befall(qqtest.Trouble{Kind: qqtest.Refused, Times: 1})
	q.say(0, 1, "say a private matter")
	require.Eventually(t, func() bool { return strings.Contains(s.operated("inbox"), "failed") }, time.Minute, 100*time.Millisecond)
	listed := s.operated("inbox", "--undelivered")
	require.Contains(t, listed, "agent:main:qq:dm:")
	require.Contains(t, listed, "the bot cannot write there")
	require.NotContains(t, listed, "a private matter")
	var list []ops.Undelivered
	require.NoError(t, json.Unmarshal([]byte(s.operated("inbox", "--undelivered", "--json")), &list))
	require.Len(t, list, 1)
	require.Equal(t, chat.OutboundFailed, list[0].Outcome)
	require.Eventually(t, func() bool {
		return strings.Contains(s.metrics(), `xbot_deliveries_total{channel="qq",outcome="failed"} 1`)
	}, time.Minute, 100*time.Millisecond)
	log, err := os.ReadFile(filepath.Join(s.home, "logs", "xbot.log"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(log), "a message was not delivered"), "one line")
	require.NotContains(t, string(log), "a private matter")
}

// unheard are the messages that never reached the inbox.
func (k *soak) unheard() map[int]bool {
	k.t.Helper()
	heard := k.numbered(`SELECT body FROM inbox WHERE kind IN ('message', 'command')`)
	out := map[int]bool{}
	for n, u := range k.said {
		if !heard[n] {
			out[n] = true
			k.t.Logf("message %d on %s, group %d, person %d, never reached the inbox", n, u.on.name(), u.group, u.who)
		}
	}
	return out
}

// countedOnly are the messages, by conversation, that found a queue full which their writers had read of as often as they are told in a
// minute: the next notice says how many they were. What a platform brings again may be among them twice.
const countedOnly = `SELECT session_key, unsaid AS n FROM refusals UNION ALL
	SELECT session_key, substring(content FROM '([0-9]+) more of your messages')::int FROM messages WHERE role = 'notice' AND content ~ '[0-9]+ more of your messages'`

// counted is how many they are on each platform.
func (k *soak) counted() map[string]int {
	k.t.Helper()
	rows, err := k.db.Query(k.t.Context(), `SELECT s.channel, sum(n)::int FROM (`+countedOnly+`) r JOIN sessions s ON s.key = r.session_key GROUP BY 1`)
	require.NoError(k.t, err)
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		var name string
		var n int
		require.NoError(k.t, rows.Scan(&name, &n))
		out[name] = n
	}
	require.NoError(k.t, rows.Err())
	return out
}
