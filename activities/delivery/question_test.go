package delivery_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities/delivery"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// fakePlatform is a platform whose questions have buttons.
type fakePlatform struct {
	*post
	settled []string
	refuses error
}

func (d *fakePlatform) Account(context.Context, string, string) (channel.Account, error) {
	return d, nil
}

func (d *fakePlatform) Settle(_ context.Context, _ channel.Address, id string, q channel.Question, answer string) error {
	if d.refuses != nil {
		return d.refuses
	}
	d.settled = append(d.settled, id+": "+q.Title+": "+answer)
	return nil
}

func asking(kind chat.OutboundKind, state chat.ApprovalState) *post {
	p := newPost("")
	p.o.Kind, p.o.Before = kind, 2
	p.o.Asked = &chat.Asking{Lang: "en", Call: chat.Call{Cwd: "/home/ann", ToolCall: chat.ToolCall{
		ID: "t1.0.0", Name: "Shell", Arguments: `{"command":"rm -r build","reason":"to begin anew","timeout":30}`,
		Approval: &chat.Approval{State: state, Reason: "to begin anew", AnsweredBy: "Ann", Note: "go on", Always: []chat.ToolRule{{Tool: "Shell", Pattern: "rm -r build", Rule: chat.RuleAllow}}},
	}}}
	return p
}

func TestSend_AsksByACardWhereThereAreButtons(t *testing.T) {
	p := asking(chat.OutboundQuestion, chat.ApprovalOpen)
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
	require.Len(t, p.got, 1)
	require.Equal(t, "n.0", p.got[0].Key)
	require.Equal(t, 3, p.got[0].Seq)
	card := p.got[0].Card
	require.Equal(t, "t1.0.0", card.ID)
	require.Equal(t, "May Shell run?", card.Title)
	require.Equal(t, "```\nrm -r build\n```\n\n`timeout`: `30`\n\n> to begin anew\n\nFolder: `/home/ann`\n\nAlways allows: `rm -r build`", card.Text)
	require.Len(t, card.Buttons, 3)
	require.Equal(t, []channel.Field{{Name: chat.PressNote, Label: "Note (optional)"}}, card.Fields)
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_OffersAlwaysOnlyWhereARuleFitsTheCall(t *testing.T) {
	p := asking(chat.OutboundQuestion, chat.ApprovalOpen)
	p.o.Asked.Call.Approval.Always = nil
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
	require.Equal(t, []channel.Button{{Name: chat.PressAllow, Label: "Allow once", Style: "primary"}, {Name: chat.PressDeny, Label: "Deny", Style: "danger"}}, p.got[0].Card.Buttons)
	require.NotContains(t, p.got[0].Card.Text, "Always")
}

func TestSend_AsksByButtonsAndInWordsWhereThereAreNoForms(t *testing.T) {
	p := asking(chat.OutboundQuestion, chat.ApprovalOpen)
	p.traits.Buttons = true
	require.NoError(t, p.send(t, 1))
	require.Empty(t, p.got[0].Card.Fields)
	require.Contains(t, p.got[0].Card.Text, "`/approve`")
}

func TestSend_AsksInWordsWhereThereAreNoButtons(t *testing.T) {
	p := asking(chat.OutboundQuestion, chat.ApprovalOpen)
	p.o.Asked.Lang = "zh"
	require.NoError(t, p.send(t, 1))
	require.Len(t, p.got, 1)
	require.Nil(t, p.got[0].Card)
	for _, part := range []string{"是否允许运行 Shell", "rm -r build", "/approve", "/deny"} {
		require.Contains(t, p.got[0].Text, part)
	}
}

func TestSend_AsksInWordsWhatThePlatformDoesNotTakeAsACard(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Invalid, fault.TooLarge} {
		p := asking(chat.OutboundQuestion, chat.ApprovalOpen)
		p.answer = func(m channel.Message) error {
			if m.Card != nil {
				return fault.Errorf(kind, "the card cannot be made")
			}
			return nil
		}
		require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
		require.Len(t, p.got, 1)
		require.Contains(t, p.got[0].Text, "rm -r build")
		require.Contains(t, p.got[0].Text, "/approve")
		require.Equal(t, chat.OutboundSent, p.end)
	}
}

func TestSend_GoesOnInWordsWithAQuestionThatWasBegunInWords(t *testing.T) {
	p := asking(chat.OutboundQuestion, chat.ApprovalOpen)
	broken := false
	p.answer = func(m channel.Message) error {
		switch {
		case m.Card != nil:
			return fault.Errorf(fault.Invalid, "the card cannot be made")
		case !broken:
			broken = true
			return channel.Uncertain(fault.Errorf(fault.Unavailable, "the connection broke"))
		}
		return nil
	}
	require.NoError(t, p.sendBy(t, 2, &fakePlatform{post: p}))
	require.Len(t, p.got, 1)
	require.Contains(t, p.got[0].Text, "/approve")
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_RepeatsACardOfUnknownOutcomeUnderItsKeyAlsoOnceItIsClosed(t *testing.T) {
	p := asking(chat.OutboundQuestion, chat.ApprovalAllowed)
	p.o.Pieces = []chat.Piece{{Seq: 1, State: chat.PieceTried, Tried: time.Now()}}
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
	require.Equal(t, "n.0", p.got[0].Key, "its id is needed to settle it")
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_DoesNotAskWhatIsClosed(t *testing.T) {
	p := asking(chat.OutboundQuestion, chat.ApprovalVoid)
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
	require.Empty(t, p.got)
	require.Equal(t, chat.OutboundExpired, p.end)
}

func TestSend_LeavesAloneAQuestionThatIsWithdrawnMeanwhile(t *testing.T) {
	p := asking(chat.OutboundQuestion, chat.ApprovalOpen)
	p.withdrawn = true
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}), "the workflow goes on")
	require.Empty(t, p.got)
	require.Empty(t, p.end)
}

func TestSend_SettlesACardWithItsAnswer(t *testing.T) {
	for state, want := range map[chat.ApprovalState]string{
		chat.ApprovalAllowed: "Allowed by Ann\n\n> go on",
		chat.ApprovalDenied:  "Denied by Ann\n\n> go on",
		chat.ApprovalVoid:    "Not needed any more: the turn ended before anybody answered.\n\n> go on",
	} {
		p := asking(chat.OutboundSettled, state)
		p.o.Asked.Sent = "om_1"
		d := &fakePlatform{post: p}
		require.NoError(t, p.sendBy(t, 1, d))
		require.Equal(t, []string{"om_1: May Shell run?: " + want}, d.settled)
		require.Equal(t, chat.OutboundSent, p.end)
	}
}

func TestSend_SettlesQuietlyWhatCannotBeSettled(t *testing.T) {
	p := asking(chat.OutboundSettled, chat.ApprovalAllowed)
	require.NoError(t, p.send(t, 1), "no buttons")
	require.Equal(t, chat.OutboundSent, p.end)

	p = asking(chat.OutboundSettled, chat.ApprovalAllowed)
	d := &fakePlatform{post: p}
	require.NoError(t, p.sendBy(t, 1, d), "never sent")
	require.Empty(t, d.settled)
	require.Equal(t, chat.OutboundSent, p.end)

	p = asking(chat.OutboundSettled, chat.ApprovalAllowed)
	p.o.Asked.Sent = "om_1"
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p, refuses: fault.Errorf(fault.NotFound, "the message is gone")}))
	require.Equal(t, chat.OutboundFailed, p.end)
}

func TestNextDelivery_SaysWhatItIs(t *testing.T) {
	p := asking(chat.OutboundQuestion, chat.ApprovalOpen)
	got, err := (&delivery.Deliverer{Outbox: p}).NextDelivery(t.Context(), delivery.NextDeliveryInput{})
	require.NoError(t, err)
	require.Equal(t, delivery.NextDeliveryOutput{ID: 1, Kind: chat.OutboundQuestion, Channel: "napcat"}, got, "words stay out of the history")
}
