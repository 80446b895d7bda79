package delivery_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/chat"
)

// accountLinks lead to a ticket where nobody else reads them, else to the page.
type accountLinks struct{}

func (accountLinks) Link(call chat.CallID, private bool) string {
	if private {
		return "https://xbot.test/oauth/start/of." + string(call)
	}
	return "https://xbot.test/settings/accounts"
}

var account = chat.Inquiry{Name: "q1", Text: "May I use your account at Acme?", Other: true, Connect: &chat.AccountAsk{Provider: "acme", Name: "Acme", Scopes: []string{"read", "write"}}}

func TestSend_AsksForAnAccountWithALinkThatIsForItsPersonAlone(t *testing.T) {
	p := asksForm(chat.OutboundQuestion, account)
	p.o.Place = chat.Address{ChatType: chat.ChatDirect, Peer: "7"}
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
	card := p.got[0].Card
	require.Empty(t, card.Fields, "it cannot be answered in words")
	require.Equal(t, []channel.Button{{Label: "Connect Acme", Style: "primary", URL: "https://xbot.test/oauth/start/of.t1.0.0"}, {Name: chat.PressDeny, Label: "Decline"}}, card.Buttons)
	require.Equal(t, "May I use your account at **Acme**?\n\n> to begin anew\n\nIt asks for: `read write`\n\nConnect it here: https://xbot.test/oauth/start/of.t1.0.0", card.Text)

	p = asksForm(chat.OutboundQuestion, account)
	p.o.Place = chat.Address{ChatType: chat.ChatGroup, Chat: "g"}
	p.traits.Buttons = true
	require.NoError(t, p.send(t, 1))
	require.Nil(t, p.got[0].Card)
	require.Contains(t, p.got[0].Text, "https://xbot.test/settings/accounts", "in a group everybody reads the link")
	require.NotContains(t, p.got[0].Text, "oauth/start")
	require.Contains(t, p.got[0].Text, "/deny")
}

func TestSend_SettlesTheQuestionForAnAccountWithoutItsLink(t *testing.T) {
	p := asksForm(chat.OutboundSettled, account)
	p.o.Asked.Sent = "om_1"
	a := p.o.Asked.Call.Approval
	a.State, a.Note, a.Answers = chat.ApprovalAllowed, "", chat.Answers{"q1": {"connected: Acme as lena@example.com"}}
	d := &fakePlatform{post: p}
	require.NoError(t, p.sendBy(t, 1, d))
	require.Len(t, d.settled, 1)
	require.Contains(t, d.settled[0], "om_1: Connect Acme: Answered by Ann")
	require.Contains(t, d.settled[0], "connected: Acme as lena@example.com")
}

func TestSend_TheLinkForAnAccountIsSentAndNeverStored(t *testing.T) {
	p := asksForm(chat.OutboundQuestion, account)
	p.o.Place = chat.Address{ChatType: chat.ChatDirect, Peer: "7"}
	const link = "https://xbot.test/oauth/start/of.t1.0.0"
	lost, looked := true, 0
	p.answer = func(m channel.Message) error {
		require.Contains(t, m.Text, link)
		require.NotContains(t, p.o.Pieces[0].Text, "oauth/start", "as it is stored while it is on its way")
		if lost {
			lost = false
			return channel.Uncertain(errors.New("the connection broke"))
		}
		return nil
	}
	p.traits.Window = 0
	p.finds = func(m channel.Message) bool { looked++; return strings.Contains(m.Text, link) }
	require.NoError(t, p.send(t, 2))
	require.Equal(t, chat.OutboundSent, p.end)
	require.Equal(t, 1, looked, "the platform is asked for the text with its link")
	require.NotEmpty(t, p.o.Pieces)
	for _, piece := range p.o.Pieces {
		require.NotContains(t, piece.Text, "oauth/start")
	}
}
