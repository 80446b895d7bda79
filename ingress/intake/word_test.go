package intake_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/conversation"
)

// noModels knows no word that means a model.
type noModels struct{}

func (noModels) Resolve(context.Context, chat.UserID, string) (string, bool) { return "", false }

func (noModels) Candidates(context.Context, chat.UserID, string) []string { return nil }

func (noModels) Named(context.Context, chat.UserID, string) []string { return nil }

// worded is a platform whose commands have words.
func worded(t *testing.T) *ingresstest.Platform {
	t.Helper()
	b := ingresstest.NewPlatform(t, ingresstest.EverybodyPolicy)
	for _, g := range b.Gateways {
		list := []slashcommand.Command{conversation.New{Models: noModels{}}, conversation.Continue{Sessions: b.Store.Conversations}, conversation.Deny{Questions: g.Dispatch}}
		g.Dispatch.Commands = ingresstest.Commands(b.Store, list...)
	}
	return b
}

// finish ends the turn that answers what waits.
func finish(t *testing.T, b *ingresstest.Platform, key chat.SessionKey, turn chat.TurnID, as chat.TurnState) {
	t.Helper()
	_, ok, err := b.Store.Turns.Claim(t.Context(), key, turn, string(turn), 0)
	require.NoError(t, err)
	require.True(t, ok)
	_, err = b.Store.Turns.FinishTurn(t.Context(), key, turn, as, "")
	require.NoError(t, err)
}

func TestWord_StopsWhatRunsOrWaitsAndIsAMessageOtherwise(t *testing.T) {
	b := worded(t)
	at := b.Receive(ingresstest.DM("m1", "ou_1", "请写一首长诗")).Session
	out := b.Receive(ingresstest.DM("m2", "ou_1", "停！"))
	require.Equal(t, gateway.ResultAnswered, out.Result, "it waited")
	require.Contains(t, out.Reply, i18n.Say(i18n.Chinese, i18n.StopsQueued, 1))

	b.Receive(ingresstest.DM("m3", "ou_1", "再来"))
	_, _, err := b.Store.Turns.Claim(t.Context(), at, "t1", "r1", 0)
	require.NoError(t, err)
	out = b.Receive(ingresstest.DM("m4", "ou_1", "停下"))
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.StopsTurn), out.Reply)
	stop, err := b.Store.Turns.StopRequested(t.Context(), at, "t1")
	require.NoError(t, err)
	require.True(t, stop)
	_, err = b.Store.Turns.FinishTurn(t.Context(), at, "t1", chat.TurnStopped, "")
	require.NoError(t, err)
	require.Equal(t, gateway.ResultDuplicate, b.Receive(ingresstest.DM("m4", "ou_1", "停下")).Result, "delivered again when nothing runs")

	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m5", "ou_1", "stop")).Result, "nothing runs: the model reads it")
}

func TestWord_StopsWhileAQuestionWaits(t *testing.T) {
	b := worded(t)
	at := b.Receive(ingresstest.DM("m1", "ou_1", "choose for me")).Session
	id := b.Ask(at, "t1", ingresstest.Question(t, chat.Inquiry{Text: "Which word?"}))
	require.Equal(t, "Answered: help", b.Receive(ingresstest.DM("m2", "ou_1", "help")).Reply, "any other word may be the answer")
	require.Equal(t, chat.Answers{"q1": {"help"}}, b.Call(id).Approval.Answers)
	require.Equal(t, i18n.Say(i18n.English, i18n.StopsTurn), b.Receive(ingresstest.DM("m3", "ou_1", "Stop.")).Reply)
}

func TestWord_ForHelpIsAnsweredWithoutAModel(t *testing.T) {
	b := worded(t)
	for id, text := range map[string]string{"m1": "帮助", "m2": "/帮助", "m3": "help"} {
		out := b.Receive(ingresstest.DM(id, "ou_"+id, text))
		require.Equal(t, gateway.ResultAnswered, out.Result, text)
		require.Contains(t, out.Reply, "`/stop`", text)
		require.Contains(t, out.Reply, i18n.Say(i18n.Of(text), i18n.HelpMore), "in the language of the word: %s", text)
	}
}

func TestWord_ToGoOnMeansSomethingWhereTheLastAnswerWasInterrupted(t *testing.T) {
	b := worded(t)
	at := b.Receive(ingresstest.DM("m1", "ou_1", "write a long poem")).Session
	finish(t, b, at, "t1", chat.TurnStopped)
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m2", "ou_1", "继续")).Result)
	claimed, _, err := b.Store.Turns.Claim(t.Context(), at, "t2", "r2", 0)
	require.NoError(t, err)
	require.Equal(t, conversation.Continue{}.Message(), claimed.Text)
	answer := chat.Step{Session: at, Turn: "t2"}
	_, _, _, err = b.Store.Turns.BeginStep(t.Context(), answer)
	require.NoError(t, err)
	_, err = b.Store.Turns.CommitStep(t.Context(), answer, chat.Answer{Text: "done", Finish: "stop"})
	require.NoError(t, err)
	_, err = b.Store.Turns.FinishTurn(t.Context(), at, "t2", chat.TurnDone, "")
	require.NoError(t, err)
	require.Equal(t, gateway.ResultDuplicate, b.Receive(ingresstest.DM("m2", "ou_1", "继续")).Result, "delivered again")

	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m3", "ou_1", "继续")).Result)
	claimed, _, err = b.Store.Turns.Claim(t.Context(), at, "t3", "r3", 0)
	require.NoError(t, err)
	require.Equal(t, "继续", claimed.Text, "the answer was whole: the person asks for more")
}

func TestWord_ForANewConversationAsksBack(t *testing.T) {
	b := worded(t)
	b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	out := b.Receive(ingresstest.DM("m2", "ou_1", "新对话"))
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.NewAsk), out.Reply)
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m3", "ou_1", "/新对话")).Result, "with a slash it is the command")
}

func TestWord_MeansNothingElsewhere(t *testing.T) {
	b := worded(t)
	quoting := ingresstest.DM("q1", "ou_2", "help")
	quoting.Quote = &chat.Quote{Text: "a riddle"}
	require.Equal(t, gateway.ResultAccepted, b.Receive(quoting).Result, "help with what it quotes")
	brings := ingresstest.DM("f1", "ou_3", "帮助")
	brings.Attachments = []chat.Attachment{{Kind: "file", Key: "k", Name: "a.txt"}}
	require.Equal(t, gateway.ResultAccepted, b.Receive(brings).Result, "help with the file")
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.InGroup("g1", "ou_1", "帮助")).Result, "people talk to each other")
	named := ingresstest.InGroup("g2", "ou_1", "帮助")
	named.Mentioned = true
	require.Equal(t, gateway.ResultAnswered, b.Receive(named).Result, "the bot is meant")
}

func TestWord_OnThePageIsAMessage(t *testing.T) {
	page := setup(t)
	page.Dispatch.Commands = ingresstest.Commands(page.Store)
	_, err := page.Dispatch.Message(t.Context(), page.Inbound(ingresstest.Key, "p1", "help"))
	require.NoError(t, err)
	require.Len(t, page.Transcript(ingresstest.Key).Queued, 1, "there are buttons and keys")
}

func TestWord_TwoReplicasTakeAWordForTheSame(t *testing.T) {
	b := worded(t)
	at := b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Session
	_, _, err := b.Store.Turns.Claim(t.Context(), at, "t1", "r1", 0)
	require.NoError(t, err)
	done := make(chan gateway.Outcome, 8)
	for i := range cap(done) {
		go func() {
			out, err := b.Gateways[i%2].Receive(context.Background(), ingresstest.DM("m2", "ou_1", "停"))
			if err != nil {
				out.Result = err.Error()
			}
			done <- out
			_, _ = b.Store.Turns.FinishTurn(context.Background(), at, "t1", chat.TurnStopped, "") // for those that come later nothing runs; ended before by another: as well
		}()
	}
	fresh := 0
	for range cap(done) {
		switch out := <-done; out.Result {
		case gateway.ResultAnswered:
			fresh++
		default:
			require.Equal(t, gateway.ResultDuplicate, out.Result)
		}
	}
	require.Equal(t, 1, fresh)
	require.Equal(t, 2, b.Rows("inbox"))
}
