package store_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
	"xbot/internal/user/notices"
	"xbot/internal/user/users"
)

// reachable makes the person of the bundle known on NapCat, where they have written to the bot, and lets them be told there.
func (b *bundle) reachable(after int) {
	b.t.Helper()
	b.onPlatform()
	_, err := b.pool.Exec(b.t.Context(), "INSERT INTO identities (kind, channel, account, peer, user_id) VALUES ('person', 'napcat', '', '7', $1)", b.user.ID)
	require.NoError(b.t, err)
	b.writes("p1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "p1"}, "p")
	_, err = b.Turns.FinishTurn(b.t.Context(), peerKey, "p", chat.TurnDone, "")
	require.NoError(b.t, err)
	b.wants(after)
}

func (b *bundle) wants(after int) {
	b.t.Helper()
	require.NoError(b.t, b.Notices.SetTurnNotices(b.t.Context(), b.user.ID, notices.TurnNotices{To: &notices.DirectChat{Channel: "napcat", Peer: "7"}, Seconds: after}))
}

// took runs a turn of the page that answers and ends after some seconds.
func (b *bundle) took(turn chat.TurnID, seconds int, state chat.TurnState) {
	b.t.Helper()
	b.send(string(turn), "do it")
	_, ok := b.claim(turn)
	require.True(b.t, ok)
	step := b.begin(turn, 0)
	_, err := b.Turns.CommitStep(b.t.Context(), step, chat.Answer{Text: "\n## All *done*\nand more", Finish: "stop"})
	require.NoError(b.t, err)
	b.ago(turn, seconds)
	b.finish(turn, state)
}

// ago moves the beginning of a turn back.
func (b *bundle) ago(turn chat.TurnID, seconds int) {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), "UPDATE turns SET started_at = now() - make_interval(secs => $2) WHERE id = $1", string(turn), seconds)
	require.NoError(b.t, err)
}

// onTheWay are the texts that are on their way to NapCat.
func (b *bundle) onTheWay() (texts []string) {
	b.t.Helper()
	rows, err := b.pool.Query(b.t.Context(), "SELECT m.content FROM outbound o JOIN messages m ON m.id = o.message_id WHERE o.channel = 'napcat' AND o.state = 'waiting' AND o.place ->> 'peer' = '7' ORDER BY o.id")
	require.NoError(b.t, err)
	for rows.Next() {
		var text string
		require.NoError(b.t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(b.t, rows.Err())
	return texts
}

func TestTurnNotices_ALongTurnOfThePageIsToldOnceWhereThePersonWants(t *testing.T) {
	b := setup(t)
	b.reachable(60)
	_, err := b.pool.Exec(t.Context(), "UPDATE sessions SET title = 'A *plan*' WHERE key = $1", string(key))
	require.NoError(t, err)
	b.took("t1", 180, chat.TurnDone)
	b.finish("t1", chat.TurnDone)
	require.Equal(t, []string{`**A \*plan\***: finished after 3 min: All *done*`}, b.onTheWay())
	next, _, err := b.Deliveries.NextOutbound(t.Context(), peerKey)
	require.NoError(t, err)
	o, err := b.Deliveries.Outbound(t.Context(), next.ID)
	require.NoError(t, err)
	require.False(t, o.Answer)
	require.Equal(t, "p1", o.Place.ReplyTo, "platforms that want a message to be answered get one")
}

func TestTurnNotices_SayWhatBecameOfATurnAndNothingOfOneThatWasStopped(t *testing.T) {
	b := setup(t)
	b.reachable(60)
	b.took("t1", 61, chat.TurnFailed)
	b.took("t2", 7300, chat.TurnLost)
	b.took("t3", 100, chat.TurnStopped)
	require.Equal(t, []string{
		"**do it**: ended with a fault after 1 min, without an answer", "**do it**: ended with a fault after 2 h 2 min, without an answer",
	}, b.onTheWay())
}

func TestTurnNotices_AreOffWithoutASettingAndForTurnsThatAreShort(t *testing.T) {
	b := setup(t)
	b.reachable(120)
	b.took("t1", 119, chat.TurnDone)
	require.Empty(t, b.onTheWay())
	b.took("t2", 121, chat.TurnDone)
	require.Len(t, b.onTheWay(), 1)
	require.NoError(t, b.Notices.SetTurnNotices(t.Context(), b.user.ID, notices.TurnNotices{}))
	b.took("t3", 500, chat.TurnDone)
	require.Len(t, b.onTheWay(), 1)
	now, err := b.Notices.TurnNotices(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Equal(t, notices.TurnNotices{Seconds: 60}, now)
}

func TestTurnNotices_AQuestionOfALongTurnIsTold(t *testing.T) {
	b := setup(t)
	b.reachable(60)
	b.send("m1", "do it")
	_, ok := b.claim("t1")
	require.True(t, ok)
	step := b.begin("t1", 0)
	answer := twoCalls("t1")
	for i := range answer.Calls {
		answer.Calls[i].Rule = chat.RuleAsk
	}
	_, err := b.Turns.CommitStep(t.Context(), step, answer)
	require.NoError(t, err)
	_, err = b.Calls.Ask(t.Context(), answer.Calls[0].ID, chat.Request{})
	require.NoError(t, err)
	require.Empty(t, b.onTheWay(), "the person has just begun it")
	b.ago("t1", 90)
	for range 2 {
		_, err = b.Calls.Ask(t.Context(), answer.Calls[1].ID, chat.Request{})
		require.NoError(t, err)
	}
	require.Equal(t, []string{"**do it**: needs your answer, after 2 min"}, b.onTheWay())
}

func TestTurnNotices_OfTurnsThatAnswerOnAPlatformAreNotDoubled(t *testing.T) {
	b := setup(t)
	b.reachable(60)
	b.writes("p2", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "p2"}, "t1")
	b.ago("t1", 500)
	_, err := b.Turns.FinishTurn(t.Context(), peerKey, "t1", chat.TurnFailed, i18n.Broken)
	require.NoError(t, err)
	require.Equal(t, []string{i18n.Say(i18n.English, i18n.Broken)}, b.onTheWay())
}

func TestTurnNotices_NobodyIsToldOfWhatSomebodyElseBegan(t *testing.T) {
	b := setup(t)
	b.reachable(60)
	bob, err := b.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	in := b.inbound("m1", "a secret of bob")
	in.User = bob.ID
	_, err = b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	_, ok := b.claim("t1")
	require.True(t, ok)
	b.ago("t1", 500)
	b.finish("t1", chat.TurnFailed)
	require.Empty(t, b.onTheWay())
}

func TestTurnNotices_AnAccountThatIsSomebodyElsesIsNoPlaceToBeTold(t *testing.T) {
	b := setup(t)
	b.reachable(60)
	bob, err := b.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	for _, to := range []notices.DirectChat{{Channel: "napcat", Peer: "7"}, {Channel: "napcat", Peer: "8"}, {Channel: "qq", Peer: "7"}} {
		err := b.Notices.SetTurnNotices(t.Context(), bob.ID, notices.TurnNotices{To: &to, Seconds: 60})
		require.True(t, fault.Is(err, fault.NotFound), "%+v: %v", to, err)
	}
	chats, err := b.Notices.TurnNoticeChats(t.Context(), bob.ID)
	require.NoError(t, err)
	require.Empty(t, chats)
	for _, after := range []int{0, 9, 86401, -60} {
		err := b.Notices.SetTurnNotices(t.Context(), b.user.ID, notices.TurnNotices{To: &notices.DirectChat{Channel: "napcat", Peer: "7"}, Seconds: after})
		require.True(t, fault.Is(err, fault.Invalid), "%d: %v", after, err)
	}

	// the account becomes somebody else's
	_, err = b.pool.Exec(t.Context(), "UPDATE identities SET user_id = $1 WHERE peer = '7'", bob.ID)
	require.NoError(t, err)
	b.took("t1", 500, chat.TurnDone)
	require.Empty(t, b.onTheWay())
	now, err := b.Notices.TurnNotices(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Nil(t, now.To)
}

func TestTurnNotices_GoToTheChosenChatThoughAnotherIsNewer(t *testing.T) {
	b := setup(t)
	b.reachable(60)
	require.NoError(t, b.Channels.SaveChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: "qq", Enabled: true, Settings: map[string]string{}}, 0))
	_, err := b.Turns.Accept(t.Context(), engine.NewRow{
		Session: peerKey, User: b.user.ID, Channel: "qq", PlatformID: "q1", Text: "hello", To: &chat.Address{ChatType: chat.ChatDirect, Peer: "Q7", ReplyTo: "q1"},
	})
	require.NoError(t, err)
	b.took("t1", 500, chat.TurnDone)
	require.Len(t, b.onTheWay(), 1)
	var n int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM outbound WHERE channel = 'qq'").Scan(&n))
	require.Zero(t, n)
}

func TestTurnNotices_ShowTheFirstLineThatSaysSomethingAndNotMore(t *testing.T) {
	b := setup(t)
	b.reachable(60)
	b.send("m1", "do it")
	_, ok := b.claim("t1")
	require.True(t, ok)
	_, err := b.Turns.CommitStep(t.Context(), b.begin("t1", 0), chat.Answer{Text: "---\n```go\n" + strings.Repeat("长", 500) + "\nsecond", Finish: "stop"})
	require.NoError(t, err)
	b.ago("t1", 90)
	b.finish("t1", chat.TurnDone)
	require.Equal(t, []string{"**do it**：已完成，用时 2 分：" + strings.Repeat("长", 199) + "…"}, b.onTheWay())
}
