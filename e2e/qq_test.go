package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/qq/qqtest"
)

// onlyQQ starts a server whose bot is on an emulated QQ, where everybody may write.
func onlyQQ(t *testing.T, c qqtest.Config) (*server, *qqtest.Server) {
	t.Helper()
	p, err := qqtest.New(c)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	s := newServer(t, (&onQQ{p}).env()...)
	s.inForce(letAllIn)
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	return s, p
}

var carolOnQQ = qqtest.Person{ID: "CAROL", Name: "Carol"}

// written is what Carol writes in a scene, to the bot.
func written(scene, text string) qqtest.Incoming {
	in := qqtest.Incoming{Scene: scene, From: carolOnQQ, Text: text, Mention: true}
	switch scene {
	case qqtest.Group:
		in.Chat = "TEAM"
	case qqtest.Guild:
		in.Chat = "LOUNGE"
	}
	return in
}

// toldOn are the messages of the bot in a scene.
func toldOn(p *qqtest.Server, scene string) []qqtest.Message {
	chat := map[string]string{qqtest.Direct: carolOnQQ.ID, qqtest.Group: "TEAM", qqtest.Guild: "LOUNGE"}[scene]
	return p.Messages(scene, chat)
}

// sawOn waits until the bot has written so many messages in a scene, and returns the newest.
func sawOn(t *testing.T, p *qqtest.Server, scene string, n int) qqtest.Message {
	t.Helper()
	require.Eventually(t, func() bool { return len(toldOn(p, scene)) >= n }, crashLimit, 20*time.Millisecond, "answer %d in %s", n, scene)
	require.Len(t, toldOn(p, scene), n)
	return toldOn(p, scene)[n-1]
}

func TestQQ_PeopleGroupsAndChannelsAreAnsweredOnceOverAKill(t *testing.T) {
	t.Parallel()
	s, p := onlyQQ(t, qqtest.Config{})
	scenes := []string{qqtest.Direct, qqtest.Group, qqtest.Guild}
	for _, scene := range scenes {
		id := p.Write(written(scene, "say hello "+scene))
		first := sawOn(t, p, scene, 1)
		require.Contains(t, first.Text, "hello "+scene)
		require.Equal(t, id, first.ReplyTo, "it answers the message")
	}
	before := len(s.model.Requests())
	for _, scene := range scenes {
		p.Write(written(scene, "stream 30 100ms\nsay second "+scene))
	}
	require.Eventually(t, func() bool { return len(s.model.Requests()) >= before+3 }, time.Minute, 20*time.Millisecond)
	s.crash()
	for _, scene := range scenes {
		p.Write(written(scene, "say while it was away "+scene))
	}
	s.boot()
	for _, scene := range scenes {
		require.Contains(t, sawOn(t, p, scene, 3).Text, "while it was away "+scene)
		require.Contains(t, toldOn(p, scene)[1].Text, "second "+scene)
	}
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestQQ_WhatIsLongerThanTheAnswersThatQQTakesArrivesWhole(t *testing.T) {
	t.Parallel()
	_, p := onlyQQ(t, qqtest.Config{})
	var words []string
	for n := range 3500 {
		words = append(words, fmt.Sprint("word", n))
	}
	p.Write(written(qqtest.Direct, "say "+strings.Join(words, " ")))
	require.Eventually(t, func() bool { return strings.Contains(allOn(p, qqtest.Direct), "word3499") }, crashLimit, 20*time.Millisecond)
	require.Equal(t, words, strings.Fields(allOn(p, qqtest.Direct)))
	require.Greater(t, len(toldOn(p, qqtest.Direct)), 4, "QQ takes four answers to a message")
}

func allOn(p *qqtest.Server, scene string) string {
	var b strings.Builder
	for _, m := range toldOn(p, scene) {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

func TestQQ_AnAnswerThatTookTooLongIsAMessageOfTheBotsOwn(t *testing.T) {
	t.Parallel()
	s, p := onlyQQ(t, qqtest.Config{})
	slow := func(scene string) {
		t.Helper()
		before := len(s.model.Requests())
		p.Write(written(scene, "stream 20 100ms\nsay at last"))
		require.Eventually(t, func() bool { return len(s.model.Requests()) > before }, time.Minute, 20*time.Millisecond)
		p.Pass(2 * time.Hour)
	}
	for _, scene := range []string{qqtest.Direct, qqtest.Group} {
		slow(scene)
		require.Empty(t, sawOn(t, p, scene, 1).ReplyTo)
	}
	log, err := os.ReadFile(filepath.Join(s.home, "logs", "xbot.log"))
	require.NoError(t, err)
	require.Contains(t, string(log), "an answer is too late for its message")

	p.Permit(func(c *qqtest.Config) { c.NoOwn = true })
	slow(qqtest.Direct)
	w := &world{server: s, db: s.look()}
	w.rows("SELECT count(*) FROM outbound WHERE state = 'waiting' AND error LIKE '%somebody writes there again%'", 1)
	id := p.Write(written(qqtest.Direct, "say thank you"))
	require.Contains(t, sawOn(t, p, qqtest.Direct, 3).Text, "thank you")
	held := toldOn(p, qqtest.Direct)[1]
	require.Equal(t, id, held.ReplyTo, "it came with the next chance")
	require.Contains(t, held.Text, "at last", "the one that was held back")
}

// A turn is made older than it is: nobody waits for a test.
func TestQQ_IsSeenWritingTwiceAndTheAnswersAreLeft(t *testing.T) {
	t.Parallel()
	q := newQQ(t)
	s := newServer(t, q.env()...)
	s.inForce(letAllIn)
	require.Eventually(t, q.connected, time.Minute, 20*time.Millisecond)
	db := s.look()
	older := func(seconds int) {
		_, err := db.Exec(t.Context(), "UPDATE turns SET started_at = now() - make_interval(secs => $1) WHERE state = 'running'", seconds)
		require.NoError(t, err)
	}
	id := q.say(0, 1, "stream 3000 100ms")
	require.Eventually(t, func() bool { return q.Writing(id) == 1 }, time.Minute, 20*time.Millisecond, "at once")
	require.Eventually(t, func() bool { return count(t, db, "SELECT count(*) FROM turns WHERE state = 'running'") == 1 }, time.Minute, 20*time.Millisecond)
	older(51)
	require.Eventually(t, func() bool { return q.Writing(id) == 2 }, time.Minute, 20*time.Millisecond, "and once more")
	require.Eventually(t, func() bool { return count(t, db, "SELECT count(*) FROM progress_cards WHERE state = 'none'") == 1 }, time.Minute, 20*time.Millisecond, "nothing else is shown")
	older(600)
	stop := q.say(0, 1, "/stop")
	require.Eventually(t, func() bool { return len(q.shown(0, 1)) > 0 }, time.Minute, 20*time.Millisecond)
	again := q.say(0, 1, "say an answer")
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(q.shown(0, 1), "\n"), "an answer") }, time.Minute, 20*time.Millisecond)
	require.Equal(t, 2, q.Writing(id))
	require.LessOrEqual(t, q.Writing(stop), 1)
	require.LessOrEqual(t, q.Writing(again), 2)
	require.Empty(t, q.broken(), "the protocol was kept")
}
