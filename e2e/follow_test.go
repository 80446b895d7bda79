package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/workflows"
)

// shownOnFeishu starts a server whose bot is signed in at an emulated Feishu, where an administrator writes to it directly.
func shownOnFeishu(t *testing.T, c feishutest.Config, env ...string) (*server, *feishutest.Server, feishutest.Person) {
	t.Helper()
	p, err := feishutest.New(c)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	s := newServer(t, append(env, "FEISHU_APP_ID="+p.AppID, "FEISHU_APP_SECRET="+p.Secret, "FEISHU_DOMAIN="+p.URL)...)
	s.inForce(`{session: {identityLinks: {admin: ["feishu:ou_carol"]}}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	return s, p, feishutest.Person{OpenID: "ou_carol", Name: "Carol"}
}

// reads waits until a person reads a text in a chat, where there is never more than one message of the bot.
func reads(t *testing.T, p *feishutest.Server, chat, text string) feishutest.Shown {
	t.Helper()
	var shown []feishutest.Shown
	require.Eventually(t, func() bool {
		shown = p.Shown(chat, "")
		require.LessOrEqual(t, len(shown), 1, "one card, which becomes the answer")
		return len(shown) == 1 && strings.Contains(shown[0].Text, text)
	}, time.Minute, 10*time.Millisecond, "%q is not read", text)
	return shown[0]
}

func TestFollow_ALongTurnIsOneCardThatBecomesTheAnswer(t *testing.T) {
	t.Parallel()
	s, p, carol := shownOnFeishu(t, feishutest.Config{})
	direct := p.Direct(carol)
	asked := p.Write(feishutest.Incoming{From: carol, Text: "call Shell {\"command\":\"echo first; sleep 4\"}\ncall Shell {\"command\":\"echo second; sleep 4\"}\nsay done"})
	require.Eventually(t, func() bool { return len(p.Reactions(asked)) == 1 }, time.Minute, 10*time.Millisecond, "a reaction says that it arrived")
	card := reads(t, p, direct, "first")
	require.Contains(t, card.Text, "Working")
	require.Equal(t, card.ID, reads(t, p, direct, "second").ID)
	answer := reads(t, p, direct, "done")
	require.Equal(t, card.ID, answer.ID, "the card has become the answer")
	require.NotContains(t, answer.Text, "Working")
	require.Eventually(t, func() bool { return !p.Shown(direct, "")[0].Streaming }, time.Minute, 10*time.Millisecond, "nothing is written any more")
	require.Empty(t, p.Broken(), "the protocol was kept")
	id := workflows.DeliverID("agent:main:dm:admin")
	require.NoError(t, s.temporal().GetWorkflow(t.Context(), id, "").Get(t.Context(), nil))
	small(t, "follow", s.captureRun("follow", id, ""), 40, 6<<10)
}

func TestFollow_AKillWhileItIsShownLeavesOneCardAndOneAnswer(t *testing.T) {
	t.Parallel()
	s, p, carol := shownOnFeishu(t, feishutest.Config{NoStreams: true})
	direct := p.Direct(carol)
	p.Write(feishutest.Incoming{From: carol, Text: "call Shell {\"command\":\"echo first; sleep 15\"}\nsay done"})
	card := reads(t, p, direct, "first")
	s.crash()
	s.boot()
	answer := reads(t, p, direct, "done")
	require.Equal(t, card.ID, answer.ID)
	require.Positive(t, answer.Edits, "where nothing streams the card is changed as a whole")
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestFollow_ALongerTurnEndsInAMessageOfItsOwnAndTheCardIsFolded(t *testing.T) {
	t.Parallel()
	_, p, carol := shownOnFeishu(t, feishutest.Config{})
	direct := p.Direct(carol)
	p.Write(feishutest.Incoming{From: carol, Text: "call Shell {\"command\":\"echo first; sleep 36\"}\nsay all is done"})
	card := reads(t, p, direct, "first")
	require.Equal(t, "Working", card.Preview)
	require.Eventually(t, func() bool {
		shown := p.Shown(direct, "")
		return len(shown) == 2 && shown[0].ID == card.ID && strings.HasPrefix(shown[0].Text, "Done · ") && !shown[0].Streaming && shown[1].Text == "all is done"
	}, 3*time.Minute, 50*time.Millisecond, "the card is folded, and the answer is announced")
	require.Zero(t, p.Shown(direct, "")[1].Edits)
	require.Equal(t, "all is done", p.Shown(direct, "")[1].Preview)
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestFollow_SilenceLeavesNoCardAndNoTokenIsEverSeen(t *testing.T) {
	t.Parallel()
	_, p, carol := shownOnFeishu(t, feishutest.Config{})
	direct := p.Direct(carol)
	p.Write(feishutest.Incoming{From: carol, Text: "call Shell {\"command\":\"echo first; sleep 5\"}\nstream 8 500ms\nsay NO_REPLY"})
	reads(t, p, direct, "first")
	require.Eventually(t, func() bool {
		shown := shownAt(p, direct)
		require.NotContains(t, shown, "NO_")
		return shown == ""
	}, time.Minute, 5*time.Millisecond, "the card is taken back")
}

func TestFollow_AnAnswerIsReadWhileItIsWritten(t *testing.T) {
	t.Parallel()
	_, p, carol := shownOnFeishu(t, feishutest.Config{})
	direct := p.Direct(carol)
	p.Write(feishutest.Incoming{From: carol, Text: "stream 100 100ms"})
	preview := reads(t, p, direct, "w20 ")
	require.NotContains(t, preview.Text, "w100")
	require.Contains(t, preview.Text, "Working")
	require.True(t, preview.Streaming)
	answer := reads(t, p, direct, "w100")
	require.Equal(t, preview.ID, answer.ID)
	require.Contains(t, answer.Text, "w1 ")
}

// ends waits until the card in a chat, its first message, says how its turn ended, and a message behind it says the rest.
func ends(t *testing.T, p *feishutest.Server, chat, title, notice string) {
	t.Helper()
	require.Eventually(t, func() bool {
		card, rest, _ := strings.Cut(shownAt(p, chat), "\n")
		return strings.Contains(card, title) && strings.Contains(rest, notice) && !p.Shown(chat, "")[0].Streaming
	}, time.Minute, 20*time.Millisecond, "%q, and behind it %q", title, notice)
	shown := shownAt(p, chat)
	require.NotContains(t, shown, "Working")
	require.Equal(t, 1, strings.Count(shown, title), "there is one card: %s", shown)
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestFollow_AStopIsSaidOnTheCard(t *testing.T) {
	t.Parallel()
	_, p, carol := shownOnFeishu(t, feishutest.Config{})
	direct := p.Direct(carol)
	p.Write(feishutest.Incoming{From: carol, Text: "call Shell {\"command\":\"echo first; sleep 60\"}\nsay done"})
	reads(t, p, direct, "first")
	p.Write(feishutest.Incoming{From: carol, Text: "/stop"})
	ends(t, p, direct, "**Stopped**", "Stopping the turn.")
}

func TestFollow_RetriesAreSeenOnTheCardAndAFailureEndsIt(t *testing.T) {
	t.Parallel()
	_, p, carol := shownOnFeishu(t, feishutest.Config{})
	direct := p.Direct(carol)
	p.Write(feishutest.Incoming{From: carol, Text: "empty"})
	reads(t, p, direct, "retrying")
	ends(t, p, direct, "**Failed**", "could not answer")
}
