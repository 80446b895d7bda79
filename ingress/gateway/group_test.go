package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/i18n"
	"xbot/slash/conversation"
	"xbot/slash/queue"
)

// busyGroup is a group in which a turn answers ou_1; ou_boss is an administrator.
func busyGroup(t *testing.T, rules string) (b *platform, say func(peer, text string) gateway.Outcome) {
	t.Helper()
	b = bridged(t, fmt.Sprintf(`{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], groups: {oc_1: %s}}}}`, rules))
	for _, g := range b.Gateways {
		list := append(ingresstest.PlatformCommands(g), conversation.New{}, conversation.Reset{}, queue.Queue{Conversations: b.Store.Conversations, Turns: b.Store.Turns, Policies: g.Policies})
		g.Dispatch.Commands = ingresstest.CommandsUnder(g.Policies, b.Store, list...)
	}
	boss, err := b.Store.Users.Person(t.Context(), "feishu", "", "ou_boss", "")
	require.NoError(t, err)
	_, err = b.Pool.Exec(t.Context(), "UPDATE users SET role = 'admin' WHERE id = $1", boss.ID)
	require.NoError(t, err)
	n := 0
	say = func(peer, text string) gateway.Outcome {
		n++
		e := ingresstest.InGroup(fmt.Sprint("m", n), peer, text)
		e.Mentioned = true
		return b.Receive(e)
	}
	out := say("ou_1", "a long question")
	require.Equal(t, gateway.ResultAccepted, out.Result)
	_, claimed, err := b.Store.Turns.Claim(t.Context(), out.Session, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, claimed)
	return b, say
}

// stops counts the stops of the running turn.
func (b *platform) stops() (n int) {
	b.T.Helper()
	require.NoError(b.T, b.Pool.QueryRow(b.T.Context(), "SELECT count(*) FROM inbox WHERE kind = 'stop' AND target_turn = 't1'").Scan(&n))
	return n
}

// queued counts what waits for a turn.
func (b *platform) queued() (n int) {
	b.T.Helper()
	require.NoError(b.T, b.Pool.QueryRow(b.T.Context(), "SELECT count(*) FROM inbox WHERE kind IN ('message', 'control') AND outcome IS NULL").Scan(&n))
	return n
}

func TestGroup_WhoAskedAndAdministratorsStopATurn(t *testing.T) {
	refused, inChinese := i18n.Say(i18n.English, i18n.StopRefused), i18n.Say(i18n.Chinese, i18n.StopRefused)
	for name, c := range map[string]struct {
		rules, peer string
		stops       bool
	}{
		"who asked":                     {`{}`, "ou_1", true},
		"somebody else":                 {`{}`, "ou_2", false},
		"an administrator":              {`{}`, "ou_boss", true},
		"everybody by the policy":       {`{stop: "everybody"}`, "ou_2", true},
		"who asked, under a strict one": {`{stop: "administrators"}`, "ou_1", false},
		"an administrator, under it":    {`{stop: "administrators"}`, "ou_boss", true},
	} {
		if !c.stops {
			t.Run(name, func(t *testing.T) {
				b, say := busyGroup(t, c.rules)
				before := b.queued()
				for _, word := range []string{"/stop", "/cancel", "停", "/停止", "/queue collect /stop", "/queue interrupt now me", "/queue supersede now me"} {
					out := say(c.peer, word)
					require.Equal(t, gateway.ResultAnswered, out.Result, word)
					require.True(t, strings.HasSuffix(out.Reply, refused) || strings.HasSuffix(out.Reply, inChinese), "%s: %s", word, out.Reply)
				}
				require.Zero(t, b.stops())
				require.Equal(t, before, b.queued(), "nothing is accepted either")
			})
			continue
		}
		for _, word := range []string{"/stop", "停", "/queue interrupt now me"} {
			t.Run(name+" "+word, func(t *testing.T) {
				b, say := busyGroup(t, c.rules)
				before := b.queued()
				require.NotContains(t, []string{refused, inChinese}, say(c.peer, word).Reply)
				require.Positive(t, b.stops()+b.queued()-before)
			})
		}
	}
}

func TestGroup_NobodySetsMessagesToInterruptOthers(t *testing.T) {
	_, say := busyGroup(t, `{}`)
	require.Equal(t, i18n.Say(i18n.English, i18n.StopRefused), say("ou_1", "/queue interrupt").Reply, "not only the turn that answers them")
	require.Contains(t, say("ou_1", "/queue collect").Reply, "collect")
	require.Contains(t, say("ou_boss", "/queue interrupt").Reply, "interrupt")
}

func TestGroup_WhereNoTurnRunsWhoWaitsMayStop(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	say := func(id, peer, text string) gateway.Outcome {
		e := ingresstest.InGroup(id, peer, text)
		e.Mentioned = true
		return b.Receive(e)
	}
	nothing := i18n.Say(i18n.English, i18n.StopRefused)
	require.NotEqual(t, nothing, say("m0", "ou_2", "/stop").Reply, "there is nothing to stop for anybody")
	say("m1", "ou_1", "a question")
	require.Equal(t, nothing, say("m2", "ou_2", "/stop").Reply)
	require.Equal(t, 1, b.queued())
	say("m3", "ou_3", "another question")
	require.NotEqual(t, nothing, say("m4", "ou_1", "/stop").Reply)
	require.Equal(t, 1, b.queued(), "what somebody else wrote is answered")
}

func TestGroup_AdministratorsBeginItAnewAndWhoeverIsAloneInIt(t *testing.T) {
	b, say := busyGroup(t, `{}`)
	before := b.queued()
	for _, line := range []string{"/new", "/reset", "/clear", "/new and a question", "/新对话"} {
		require.Equal(t, gateway.ResultAccepted, say("ou_1", line).Result, "only they wrote to the bot")
	}
	require.Greater(t, b.queued(), before)
	say("ou_2", "I am here, too")
	before = b.queued()
	for _, peer := range []string{"ou_1", "ou_2"} {
		require.Equal(t, i18n.Say(i18n.English, i18n.ResetRefused, "new"), say(peer, "/new").Reply)
		require.Equal(t, i18n.Say(i18n.English, i18n.ResetRefused, "reset"), say(peer, "/reset and a question").Reply)
		require.Equal(t, i18n.Say(i18n.Chinese, i18n.ResetRefused, "new"), say(peer, "/新对话").Reply)
	}
	require.Equal(t, before, b.queued())
	require.Equal(t, gateway.ResultAccepted, say("ou_boss", "/new").Result)
}

func TestGroup_EverybodyBeginsItAnewWhereThePolicySaysSo(t *testing.T) {
	_, say := busyGroup(t, `{reset: "everybody"}`)
	say("ou_2", "I am here, too")
	require.Equal(t, gateway.ResultAccepted, say("ou_2", "/new").Result)
}

func TestGroup_WhoMayNotApproveIsTold(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	for i, line := range []string{"/approve", "/deny no"} {
		e := ingresstest.InGroup(fmt.Sprint("m", i), "ou_2", line)
		e.Mentioned = true
		require.Contains(t, b.Receive(e).Reply, "administrator", line)
	}
	e := ingresstest.InGroup("m9", "ou_2", "/send off")
	e.Mentioned = true
	require.Equal(t, gateway.ResultIgnored, b.Receive(e).Result, "other commands may be meant for another bot")
}
