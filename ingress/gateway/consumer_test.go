package gateway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/session"
)

// asked is a consumer who has asked for a person, of whom an administrator was told on a platform by the message om_told.
func (b *platform) asked(t *testing.T, admin string) (service.Conversation, string) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, b.Store.Channels.SaveChannelAccount(ctx, accountstore.ChannelAccount{Channel: "feishu", Enabled: true, Settings: map[string]string{"app_id": "x"}}, 0))
	at := b.Receive(ingresstest.DM("hello "+admin, admin, "hello")).Session
	owner, err := b.Store.Users.SessionOwner(ctx, at)
	require.NoError(t, err)
	_, err = b.Pool.Exec(ctx, "UPDATE users SET role = 'admin' WHERE id = $1", owner.ID)
	require.NoError(t, err)
	d, err := service.Defaults().Apply(service.Patch{Name: new("Shop"), Capabilities: &[]service.Capability{service.HumanChat}})
	require.NoError(t, err)
	made, err := b.Store.Services.AddService(ctx, owner.ID, d, true)
	require.NoError(t, err)
	_, key, err := b.Store.Services.AddServiceKey(ctx, made.ID, "k")
	require.NoError(t, err)
	by, err := b.Store.Services.CallerOf(ctx, secret.HashToken(key))
	require.NoError(t, err)
	c, err := b.Store.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceAPI, Title: "Order *7*"})
	require.NoError(t, err)
	got, err := b.Store.Services.ContactAdmin(ctx, service.Contact{Session: c.Session, Call: "c1", Message: "a refund"})
	require.NoError(t, err)
	require.True(t, got.Told)
	inbox := service.InboxSession(made.ID, owner.ID)
	_, ok, err := b.Store.Turns.Claim(ctx, inbox, "told", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	step := chat.Step{Session: inbox, Turn: "told"}
	_, _, _, err = b.Store.Turns.BeginStep(ctx, step)
	require.NoError(t, err)
	_, err = b.Store.Turns.CommitStep(ctx, step, chat.Answer{Text: "Somebody wants a refund.", Finish: "stop"})
	require.NoError(t, err)
	_, err = b.Store.Turns.FinishTurn(ctx, inbox, "told", chat.TurnDone, "")
	require.NoError(t, err)
	next, ok, err := b.Store.Deliveries.NextOutbound(ctx, inbox)
	require.NoError(t, err)
	require.True(t, ok)
	o, err := b.Store.Deliveries.Outbound(ctx, next.ID)
	require.NoError(t, err)
	o.Pieces = []chat.Piece{{Text: o.Text, State: chat.PieceSent, ID: "om_told"}}
	require.NoError(t, b.Store.Deliveries.SavePieces(ctx, &o, true))
	require.NoError(t, b.Store.Deliveries.EndDelivery(ctx, o.ID, chat.OutboundSent, ""))
	require.NoError(t, b.Store.Routing.NameAnswers(ctx, inbox, session.MessageAlias(ingresstest.DM("", admin, ""), "om_told")))
	return c, got.ID
}

func reply(id, peer, text string) chat.Envelope {
	e := ingresstest.DM(id, peer, text)
	e.Parent, e.Root, e.Quote = "om_told", "om_told", &chat.Quote{Text: "Somebody wants a refund."}
	return e
}

func (b *platform) transcript(t *testing.T, of chat.SessionKey) (lines []string) {
	t.Helper()
	page, err := b.Store.Conversations.Messages(t.Context(), of, conversation.Page{Limit: 100})
	require.NoError(t, err)
	for _, m := range page.Messages {
		lines = append(lines, string(m.Role)+" "+m.Origin+": "+m.Content)
	}
	return lines
}

const openDoor = `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`

func TestConsumer_AReplyToWhatTheAgentToldIsTheAnswerToTheConsumer(t *testing.T) {
	for name, document := range map[string]string{
		"plain":  openDoor,
		"scenes": `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], privateScenes: {chat: {enabled: true}, work: {enabled: true, triggerTag: "#do"}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := bridged(t, document)
			c, item := p.asked(t, "ou_1")
			for range 2 { // and twice each
				out := p.Receive(reply("m1", "ou_1", "You get it back."))
				require.Contains(t, out.Reply, `Your answer is in **Order \*7\*** (Shop, conversation `+"`"+c.ID+"`)")
			}
			require.Equal(t, []string{"assistant person: You get it back."}, p.transcript(t, c.Session))
			now, err := p.Store.Services.InboxItem(t.Context(), item)
			require.NoError(t, err)
			require.Equal(t, []string{"handled", "manual"}, []string{string(now.Status), now.HandledBy})

			require.Equal(t, gateway.ResultAnswered, p.Receive(reply("m2", "ou_1", "/whoami")).Result, "commands stay commands")
			file := reply("m3", "ou_1", "")
			file.Attachments = []chat.Attachment{{Kind: "image", Key: "img_1"}}
			require.Equal(t, i18n.Say(i18n.English, i18n.InboxPlain), p.Receive(file).Reply)
			require.Len(t, p.transcript(t, c.Session), 1)
			other := reply("m4", "ou_1", "for the agent of the house")
			other.Parent, other.Root = "om_else", "om_else"
			require.Equal(t, gateway.ResultAccepted, p.Receive(other).Result)
			require.Len(t, p.transcript(t, c.Session), 1)
		})
	}
}

func TestConsumer_NobodyElseAnswersByAReply(t *testing.T) {
	p := bridged(t, openDoor)
	c, _ := p.asked(t, "ou_1")
	require.Equal(t, gateway.ResultAccepted, p.Receive(reply("m1", "ou_2", "I am nobody")).Result, "somebody else's chat does not know the message")
	group := ingresstest.InGroup("m2", "ou_1", "in a group")
	group.Parent = "om_told"
	p.Receive(group)
	_, err := p.Pool.Exec(t.Context(), "UPDATE users SET role = 'member' WHERE name NOT LIKE 'svc%'")
	require.NoError(t, err)
	p.Receive(reply("m3", "ou_1", "an administrator no more"))
	require.Empty(t, p.transcript(t, c.Session))
}

func TestConsumer_AReplyAfterTheConversationIsGoneIsToldSo(t *testing.T) {
	p := bridged(t, openDoor)
	c, _ := p.asked(t, "ou_1")
	require.NoError(t, p.Store.Services.DeleteConsumerConversation(t.Context(), c))
	out := p.Receive(reply("m1", "ou_1", "late"))
	require.Contains(t, out.Reply, "not known any more")
	require.Equal(t, gateway.ResultAnswered, out.Result)
}
