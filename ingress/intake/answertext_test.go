package intake_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

func TestAnswerText_ThePlainMessageAfterAQuestionIsItsAnswer(t *testing.T) {
	b := ingresstest.NewPlatform(t, ingresstest.EverybodyPolicy)
	at := b.Receive(ingresstest.DM("m1", "ou_1", "choose for me")).Session
	id := b.Ask(at, "t1", ingresstest.Question(t, chat.Inquiry{Text: "Which?", Options: []chat.InquiryOption{{Label: "red"}, {Label: "blue"}}}))

	out := b.Receive(ingresstest.DM("m2", "ou_1", "green"))
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Contains(t, out.Reply, `"green" is no answer to "Which?"`)
	require.Contains(t, out.Reply, "/deny")
	require.Equal(t, gateway.ResultAnswered, b.Receive(ingresstest.DM("m3", "ou_1", "/whoami")).Result, "a command is one")
	require.Equal(t, chat.ApprovalOpen, b.Call(id).Approval.State)

	out = b.Receive(ingresstest.DM("m4", "ou_1", "2"))
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Equal(t, "Answered: blue", out.Reply)
	require.Equal(t, chat.Answers{"q1": {"blue"}}, b.Call(id).Approval.Answers)
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m5", "ou_1", "1")).Result, "what comes after is a message")
	require.Equal(t, gateway.ResultDuplicate, b.Receive(ingresstest.DM("m4", "ou_1", "2")).Result, "delivered again, days later")
	window, err := b.Store.Conversations.Window(t.Context(), at)
	require.NoError(t, err)
	for _, line := range window.Lines {
		require.NotContains(t, []string{"green", "2"}, line.Message.Content, "the model reads the answer as a result")
	}
}

func TestAnswerText_SomebodyElseInAGroupWritesMessages(t *testing.T) {
	b := ingresstest.NewPlatform(t, ingresstest.EverybodyPolicy)
	at := b.Receive(ingresstest.InGroup("m1", "ou_1", "choose")).Session
	id := b.Ask(at, "t1", ingresstest.Question(t, chat.Inquiry{Text: "Which name?"}))
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.InGroup("m2", "ou_2", "Bob")).Result)
	require.Equal(t, chat.ApprovalOpen, b.Call(id).Approval.State)
	require.Equal(t, "Answered: Alice", b.Receive(ingresstest.InGroup("m3", "ou_1", "Alice")).Reply)
	require.Equal(t, chat.Answers{"q1": {"Alice"}}, b.Call(id).Approval.Answers)
}

func TestAnswerText_ABareYesOrNoOnAPlatformIsAPermission(t *testing.T) {
	b := ingresstest.NewPlatform(t, ingresstest.EverybodyPolicy)
	at := b.Receive(ingresstest.DM("m1", "ou_1", "do it")).Session
	shell := chat.ToolCall{Name: "Shell", Class: chat.ClassExec, Rule: chat.RuleAsk}
	id := b.Ask(at, "t1", shell)
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m2", "ou_1", "ok, but why?")).Result, "a sentence is a message")
	require.Equal(t, chat.ApprovalOpen, b.Call(id).Approval.State)
	out := b.Receive(ingresstest.DM("m3", "ou_1", "同意。"))
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.Allowed, "Shell · `it`"), out.Reply)
	require.Equal(t, chat.ApprovalAllowed, b.Call(id).Approval.State)
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m4", "ou_1", "yes")).Result, "nothing is open")

	_, err := b.Store.Turns.FinishTurn(t.Context(), at, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	id = b.Ask(at, "t2", shell)
	require.Equal(t, i18n.Say(i18n.English, i18n.Denied, "Shell · `it`"), b.Receive(ingresstest.DM("m5", "ou_1", "No!")).Reply)
	require.Equal(t, chat.ApprovalDenied, b.Call(id).Approval.State)
}

func TestAnswerText_AQuestionIsShownInAChatBeforeItIsAnsweredThere(t *testing.T) {
	b := ingresstest.NewPlatform(t, `{session: {dmScope: "main", identityLinks: {carol: ["feishu:ou_1", "qq:q_1"]}},
		channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}, qq: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	onQQ := func(id, text string) gateway.Outcome {
		e := ingresstest.DM(id, "q_1", text)
		e.Channel = "qq"
		return b.Receive(e)
	}
	at := b.Receive(ingresstest.DM("m1", "ou_1", "choose for me")).Session
	for turn, c := range map[chat.TurnID]struct {
		call         chat.ToolCall
		says, answer string
		shows        []string
	}{
		"t1": {ingresstest.Question(t, chat.Inquiry{Text: "Which?", Options: []chat.InquiryOption{{Label: "red"}, {Label: "blue"}}}), "2", "Answered: blue", []string{"Which?", "red", "blue", "/deny"}},
		"t2": {ingresstest.Question(t, chat.Inquiry{Text: "Which name?"}), "Alice", "Answered: Alice", []string{"Which name?"}},
		"t3": {chat.ToolCall{Name: "Shell", Class: chat.ClassExec, Rule: chat.RuleAsk}, "yes", i18n.Say(i18n.English, i18n.Allowed, "Shell · `it`"), []string{"May Shell run?", "it", "/approve"}},
	} {
		b.Receive(ingresstest.DM("begin "+string(turn), "ou_1", "go on"))
		id := b.Ask(at, turn, c.call)
		out := onQQ("first "+string(turn), c.says)
		require.Equal(t, gateway.ResultAnswered, out.Result)
		require.Equal(t, at, out.Session, "it is one conversation")
		for _, words := range append(c.shows, i18n.Say(i18n.English, i18n.InquiryElsewhere)) {
			require.Contains(t, out.Reply, words)
		}
		require.Equal(t, chat.ApprovalOpen, b.Call(id).Approval.State, "nobody answers what they have not read")
		require.Equal(t, gateway.ResultDuplicate, onQQ("first "+string(turn), c.says).Result)
		require.Equal(t, chat.ApprovalOpen, b.Call(id).Approval.State, "the same message again is no answer")
		require.Equal(t, c.answer, onQQ("second "+string(turn), c.says).Reply)
		require.NotEqual(t, chat.ApprovalOpen, b.Call(id).Approval.State)
		_, err := b.Store.Turns.FinishTurn(t.Context(), at, turn, chat.TurnDone, "")
		require.NoError(t, err)
	}
}
