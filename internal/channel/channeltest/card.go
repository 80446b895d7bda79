package channeltest

import (
	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
)

var cardClaims = []Claim{
	{"a question is shown with all that may be answered", nil, asks},
	{"an approval is answered by its buttons", nil, approves},
	{"a form comes back with what was filled in", nil, fillsForms},
	{"a settled question shows its answer and no buttons", nil, settles},
}

// approval returns a question with buttons alone.
func approval() *channel.Question {
	return &channel.Question{
		ID: "turn.3.1", Title: "May this run?", Text: "`rm -r build`",
		Buttons: []channel.Button{{Name: "allow", Label: "Allow it", Style: "primary"}, {Name: "deny", Label: "Deny it", Style: "danger"}},
	}
}

// form returns a question with every kind of field.
func form() *channel.Question {
	return &channel.Question{
		ID: "turn.4.2", Title: "Some questions",
		Fields: []channel.Field{
			{Name: "colour", Label: "Which colour?", Options: []string{"red", "green \"forest\"", "蓝色"}, Other: true},
			{Name: "sizes", Label: "Which sizes?", Options: []string{"small", "large"}, Multi: true},
			{Name: "why", Label: "Why?"},
		},
		Buttons: []channel.Button{{Name: "send", Label: "Send it", Style: "primary"}, {Name: "skip", Label: "Skip it"}},
	}
}

func asks(b *bench) {
	p, to := b.asked()
	for i, q := range []*channel.Question{approval(), form()} {
		sent, err := p.account.Send(b.within(), to, channel.Message{Key: q.ID, Card: q, Seq: i + 1})
		require.NoError(b, err)
		require.NotEmpty(b, sent.ID)
		shown := b.Shown(Direct)
		require.Len(b, shown, i+1)
		said := shown[i].Text
		require.Contains(b, said, q.Title)
		for _, f := range q.Fields {
			require.Contains(b, said, f.Label)
			for _, option := range f.Options {
				require.Contains(b, said, option)
			}
		}
		if _, ok := p.account.(channel.Asker); ok {
			for _, button := range q.Buttons {
				require.Contains(b, shown[i].Buttons, button.Label)
			}
		}
	}
}

// press sends a question and answers it as person 0.
func (b *bench) press(q *channel.Question, button string, values map[string][]string) (*process, channel.Address, channel.Press, channel.Sent) {
	b.Helper()
	p, to := b.asked()
	able[channel.Asker](b, p.account)
	presser, ok := b.Emulator.(Presser)
	require.True(b, ok, "the emulator's people cannot press buttons")
	sent, err := p.account.Send(b.within(), to, channel.Message{Key: "card", Card: q, Seq: 1})
	require.NoError(b, err)
	toast, err := presser.Press(sent.ID, button, values)
	require.NoError(b, err)
	require.Equal(b, "noted", toast.Text, "what the receiver says is shown at once")
	require.Len(b, p.pressed(), 1)
	got := p.pressed()[0]
	require.Equal(b, q.ID, got.Question)
	require.Equal(b, button, got.Button)
	require.Equal(b, to.Peer, got.Sender)
	require.Equal(b, sent.ID, got.Message)
	return p, to, got, sent
}

func approves(b *bench) {
	_, _, got, _ := b.press(approval(), "deny", nil)
	require.Empty(b, got.Values)
}

func fillsForms(b *bench) {
	values := map[string][]string{"colour": {"green \"forest\""}, "sizes": {"small", "large"}, "why": {"because & <so>\n理由"}}
	_, _, got, _ := b.press(form(), "send", values)
	require.Equal(b, values, got.Values)
}

func settles(b *bench) {
	q := approval()
	p, to, _, sent := b.press(q, "allow", nil)
	for range 2 {
		require.NoError(b, p.account.(channel.Asker).Settle(b.within(), to, sent.ID, *q, "Allowed by Ann"))
	}
	shown := b.Shown(Direct)
	require.Len(b, shown, 1)
	require.Empty(b, shown[0].Buttons)
	require.Contains(b, shown[0].Text, "May this run?")
	require.Contains(b, shown[0].Text, "Allowed by Ann")
}
