package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/chat"
)

// proposed is a call with a plan of the model.
func proposed(kind chat.OutboundKind) *post {
	p := asking(kind, chat.ApprovalOpen)
	p.o.Asked.Call.Name = chat.PlanTool
	p.o.Asked.Call.Plan = &chat.Plan{Title: "The garden", Steps: []string{"water the seeds", "thin the carrots"}, Questions: []string{"Which bed first?"}}
	return p
}

func TestSend_ShowsAPlanAsACardThatIsApprovedOrSentBack(t *testing.T) {
	p := proposed(chat.OutboundQuestion)
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
	card := p.got[0].Card
	require.Equal(t, "A plan for you to approve: The garden", card.Title)
	require.Equal(t, "> to begin anew\n\n1. water the seeds\n2. thin the carrots\n\nOpen questions:\n- Which bed first?", card.Text)
	require.Equal(t, []channel.Button{{Name: chat.PressAllow, Label: "Approve", Style: "primary"}, {Name: chat.PressDeny, Label: "Send back"}}, card.Buttons, "no rule ever approves it")
	require.Equal(t, []channel.Field{{Name: chat.PressNote, Label: "Note (optional)"}}, card.Fields)
}

func TestSend_ShowsAPlanInWordsWhereThereAreNoForms(t *testing.T) {
	p := proposed(chat.OutboundQuestion)
	p.traits.Buttons = true
	require.NoError(t, p.send(t, 1))
	require.Empty(t, p.got[0].Card.Fields)
	require.Contains(t, p.got[0].Card.Text, "Reply `approve` or `reject`.")

	p = proposed(chat.OutboundQuestion)
	require.NoError(t, p.send(t, 1))
	require.Nil(t, p.got[0].Card)
	for _, part := range []string{"**A plan for you to approve: The garden**", "1. water the seeds", "- Which bed first?", "Reply `approve` or `reject`."} {
		require.Contains(t, p.got[0].Text, part)
	}
}
