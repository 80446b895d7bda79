package gateway_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/wake"
	"xbot/internal/channel"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

const pressedCall = chat.CallID("t1.0.0")

// asks lets an envelope begin a turn that asks whether a command may run.
func (b *platform) asks(e chat.Envelope) chat.SessionKey {
	b.T.Helper()
	return b.asksBy(e, chat.ToolCall{Name: "Shell", Class: chat.ClassExec, Arguments: `{"command":"ls"}`, Summary: "ls"})
}

func (b *platform) asksBy(e chat.Envelope, call chat.ToolCall) chat.SessionKey {
	b.T.Helper()
	call.ID, call.Rule, call.Always = pressedCall, chat.RuleAsk, []chat.ToolRule{{Tool: "Shell", Pattern: "make", Rule: chat.RuleAllow}}
	ctx := b.T.Context()
	require.NoError(b.T, b.Store.Channels.SaveChannelAccount(ctx, accountstore.ChannelAccount{Channel: "feishu", Enabled: true}, 0))
	key := b.Receive(e).Session
	_, ok, err := b.Store.Turns.Claim(ctx, key, "t1", "r1", 0)
	require.NoError(b.T, err)
	require.True(b.T, ok)
	step := chat.Step{Session: key, Turn: "t1"}
	_, _, _, err = b.Store.Turns.BeginStep(ctx, step)
	require.NoError(b.T, err)
	_, err = b.Store.Turns.CommitStep(ctx, step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(b.T, err)
	_, err = b.Store.Calls.Ask(ctx, pressedCall, chat.Request{})
	require.NoError(b.T, err)
	return key
}

func press(event, who, button string) channel.Press {
	return channel.Press{
		Channel: "feishu", Event: event, Sender: who, Chat: "oc_1", Message: "om_1", Question: string(pressedCall), Button: button,
		Values: map[string][]string{chat.PressNote: {"  because "}},
	}
}

// pressed is what each of two replicas says to a press.
func (b *platform) pressed(p channel.Press) channel.Toast {
	b.T.Helper()
	first := b.Gateways[0].Press(b.T.Context(), p)
	require.Equal(b.T, first, b.Gateways[1].Press(b.T.Context(), p), "the same event again")
	return first
}

func (b *platform) approval() chat.Approval {
	b.T.Helper()
	call, err := b.Store.Calls.Call(b.T.Context(), pressedCall)
	require.NoError(b.T, err)
	return *call.Approval
}

func TestPress_RecordsTheAnswerOnceAndTellsLaterOnesWhoGaveIt(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	key := b.asks(ingresstest.DM("m1", "ou_1", "hello"))
	require.Equal(t, channel.Toast{Kind: "success", Text: "Denied: Shell"}, b.pressed(press("e1", "ou_1", chat.PressDeny)))
	got := b.approval()
	require.Equal(t, chat.ApprovalDenied, got.State)
	require.Equal(t, "because", got.Note)
	require.Equal(t, "Name of ou_1", got.AnsweredBy)
	require.Equal(t, channel.Toast{Kind: "warning", Text: "Denied by Name of ou_1"}, b.pressed(press("e2", "ou_1", chat.PressAllow)))
	require.Equal(t, chat.ApprovalDenied, b.approval().State)
	b.dispatcher().Wait()
	require.Contains(t, b.woken(), key)
}

func TestPress_WhoseNameWasNotKnownAtFirstIsCalledByItAllTheSame(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	nameless := ingresstest.DM("m0", "ou_1", "hello")
	nameless.Sender.Name = ""
	key := b.Receive(nameless).Session
	_, _, err := b.Store.Turns.Claim(t.Context(), key, "t0", "r0", 0)
	require.NoError(t, err)
	_, err = b.Store.Turns.FinishTurn(t.Context(), key, "t0", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	b.asks(ingresstest.DM("m1", "ou_1", "hello again"))
	b.pressed(press("e1", "ou_1", chat.PressAllow))
	require.Equal(t, "Allowed by Name of ou_1 (feishu:ou_1)", b.pressed(press("e2", "ou_1", chat.PressDeny)).Text)
}

func TestPress_AlwaysHoldsFromNowOn(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	key := b.asks(ingresstest.DM("m1", "ou_1", "你好"))
	require.Equal(t, "已允许：Shell", b.pressed(press("e1", "ou_1", chat.PressAlways)).Text, "in the language of the person")
	owner, err := b.Store.Users.SessionOwner(t.Context(), key)
	require.NoError(t, err)
	rules, err := b.Store.Permissions.Permissions(t.Context(), owner.ID)
	require.NoError(t, err)
	require.Equal(t, []chat.ToolRule{{Tool: "Shell", Pattern: "make", Rule: chat.RuleAllow}}, rules)
}

func TestPress_OfAStrangerIsRefusedAndTellsNothing(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "allowlist", allowFrom: ["ou_1", "ou_2"]}}}`)
	b.asks(ingresstest.DM("m1", "ou_1", "hello"))
	b.Receive(ingresstest.DM("m2", "ou_2", "somebody with a conversation of their own"))
	users := b.Rows("users")
	for who, why := range map[string]string{"ou_9": "never let in", "ou_2": "somebody else"} {
		got := b.pressed(press("e-"+who, who, chat.PressAllow))
		require.Equal(t, "error", got.Kind, why)
		require.Contains(t, got.Text, i18n.Say(i18n.English, i18n.AskNotYours), why)
		require.NotContains(t, got.Text, "Shell", why)
	}
	require.Equal(t, chat.ApprovalOpen, b.approval().State)
	require.Equal(t, users, b.Rows("users"), "nobody is made a user by a press")
	require.Zero(t, b.Rows("pairings"))

	b.SetPolicy(`{channels: {feishu: {dmPolicy: "disabled"}}}`)
	require.Equal(t, "error", b.pressed(press("e1", "ou_1", chat.PressAllow)).Kind, "who is not let in any more")
	require.Equal(t, chat.ApprovalOpen, b.approval().State)
}

func TestPress_InAGroupIsAnAdministrators(t *testing.T) {
	b := bridged(t, `{session: {identityLinks: {admin: ["feishu:ou_5"]}}, channels: {feishu: {groups: {oc_1: {requireMention: false}}}}}`)
	b.asks(ingresstest.InGroup("m1", "ou_1", "hello"))
	require.Equal(t, "error", b.pressed(press("e1", "ou_1", chat.PressAllow)).Kind, "a member")
	require.Equal(t, chat.ApprovalOpen, b.approval().State)
	require.Equal(t, "success", b.pressed(press("e2", "ou_5", chat.PressAllow)).Kind)
	require.Equal(t, "admin", b.approval().AnsweredBy)
}

func TestPress_OfWhomAnotherAppKnowsIsTheirs(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {groups: {oc_1: {requireMention: false}}}}}`)
	boss, err := b.Store.Users.Meet(t.Context(), "feishu", "two", chat.Peer{ID: "ou_boss", Name: "The boss", Union: "on_boss"})
	require.NoError(t, err)
	_, err = b.Pool.Exec(t.Context(), "UPDATE users SET role = 'admin' WHERE id = $1", boss.ID)
	require.NoError(t, err)
	b.asks(ingresstest.InGroup("m1", "ou_1", "hello"))
	p := press("e1", "ou_other", chat.PressAllow)
	require.Equal(t, "error", b.pressed(p).Kind, "nobody says who this is")
	p.Event, p.Union = "e2", "on_boss"
	require.Equal(t, "success", b.pressed(p).Kind)
	require.Equal(t, "The boss", b.approval().AnsweredBy)
}

func TestPress_OfWhatIsNotOpenIsAnsweredPolitely(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	key := b.asks(ingresstest.DM("m1", "ou_1", "hello"))
	p := press("e1", "ou_1", chat.PressAllow)
	p.Question = "gone"
	require.Contains(t, b.pressed(p).Text, i18n.Say(i18n.Chinese, i18n.AskClosed))
	require.Contains(t, b.pressed(press("e1", "ou_1", "explode")).Text, i18n.Say(i18n.English, i18n.AskClosed))
	_, err := b.Store.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	require.Equal(t, channel.Toast{Kind: "warning", Text: i18n.Say(i18n.English, i18n.AskVoid)}, b.pressed(press("e3", "ou_1", chat.PressAllow)))
}

func TestPress_IsAnsweredInTimeAlsoWhilePostgresDoesNot(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	b.asks(ingresstest.DM("m1", "ou_1", "hello"))
	lock, err := b.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), "LOCK TABLE tool_calls")
	require.NoError(t, err)
	require.Equal(t, "error", b.Gateways[0].Press(t.Context(), press("e1", "ou_1", chat.PressAllow)).Kind, "it does not wait for the lock")
	require.NoError(t, lock.Rollback(context.WithoutCancel(t.Context())))
	require.Equal(t, "success", b.pressed(press("e2", "ou_1", chat.PressAllow)).Kind)
}

func (b *platform) dispatcher() *wake.Dispatcher {
	return b.Gateways[0].Dispatch.Wakes.(*wake.Dispatcher)
}

// woken are the sessions whose turn was woken by the first replica.
func (b *platform) woken() (keys []chat.SessionKey) {
	w := b.dispatcher().Turns.(*ingresstest.Wakes)
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for _, r := range w.Rows {
		keys = append(keys, r.Session)
	}
	return keys
}

func TestPress_OfAFormAnswersTheModelsQuestions(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {groups: {oc_1: {requireMention: false}}}}}`)
	b.asksBy(ingresstest.InGroup("m1", "ou_1", "hello"), chat.ToolCall{Name: "AskUser", Class: chat.ClassRead, Arguments: "{}", Asks: chat.Asks{Questions: []chat.Inquiry{
		{Name: "q1", Text: "Which?", Options: []chat.InquiryOption{{Label: "red"}, {Label: "blue"}}}, {Name: "q2", Text: "Why?", Other: true},
	}}})
	send := func(event, who string, values map[string][]string) channel.Toast {
		p := press(event, who, chat.PressSend)
		p.Values = values
		return b.pressed(p)
	}
	require.Equal(t, "error", send("e1", "ou_1", map[string][]string{"q1": {"green"}, "q2": {"so"}}).Kind, "no such option")
	require.Equal(t, "error", send("e2", "ou_1", map[string][]string{"q1": {"red"}}).Kind, "a question is left out")
	require.Equal(t, "error", b.pressed(press("e3", "ou_1", chat.PressAllow)).Kind, "a permission is no answer")
	require.Equal(t, chat.ApprovalOpen, b.approval().State)
	answers := map[string][]string{"q1": {"red"}, "q2": {"so"}}
	require.Equal(t, "success: "+i18n.Say(i18n.English, i18n.AskTaken), func() string { s := send("e4", "ou_1", answers); return s.Kind + ": " + s.Text }())
	require.Equal(t, chat.Answers(answers), b.approval().Answers)
}
