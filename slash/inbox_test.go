package slash_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/admin"
)

// counter is /inbox of an administrator, whose service a consumer uses.
type counter struct {
	*bundle
	command  admin.Inbox
	consumer service.Conversation
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	b, ctx := setup(t), t.Context()
	d, err := service.Defaults().Apply(service.Patch{Name: new("Shop *1*"), Capabilities: &[]service.Capability{service.HumanChat}})
	require.NoError(t, err)
	made, err := b.Services.AddService(ctx, b.User.ID, d, true)
	require.NoError(t, err)
	_, key, err := b.Services.AddServiceKey(ctx, made.ID, "k")
	require.NoError(t, err)
	by, err := b.Services.CallerOf(ctx, secret.HashToken(key))
	require.NoError(t, err)
	of, err := b.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceAPI, Title: "Order _7_"})
	require.NoError(t, err)
	return &counter{b, admin.Inbox{Quota: b.Store.Quota, Services: b.Store.Services, People: intake.Callers{Conversations: b.Store.Conversations, Inbox: b.Store.Inbox, Users: b.Store.Users}}, of}
}

// asks has the consumer ask for a person, and returns the item.
func (c *counter) asks(call, message string) string {
	c.T.Helper()
	got, err := c.Services.ContactAdmin(c.T.Context(), service.Contact{Session: c.consumer.Session, Call: chat.CallID(call), Message: message})
	require.NoError(c.T, err)
	return got.ID
}

// types is what /inbox answers the administrator.
func (c *counter) types(id, args string) (string, error) {
	return c.command.Run(c.T.Context(), slashcommand.Request{
		Session: ingresstest.Key, User: c.User.ID, UserName: c.User.Name, Lang: i18n.English, Channel: "web", PlatformID: id,
	}, args)
}

func (c *counter) says(id, args string) string {
	c.T.Helper()
	said, err := c.types(id, args)
	require.NoError(c.T, err)
	return said
}

// transcript is what the consumer's conversation holds.
func (c *counter) transcript() (lines []string) {
	c.T.Helper()
	page, err := c.Conversations.Messages(c.T.Context(), c.consumer.Session, conversation.Page{Limit: 100})
	require.NoError(c.T, err)
	for _, m := range page.Messages {
		lines = append(lines, string(m.Role)+" "+m.Origin+": "+m.Content)
	}
	return lines
}

func TestInbox_ListsShowsAndAnswersWhatConsumersAsk(t *testing.T) {
	c := newCounter(t)
	require.Equal(t, i18n.Say(i18n.English, i18n.InboxNone), c.says("1", ""))
	item := c.asks("c1", "A **refund**, please.")
	list := c.says("2", "list")
	for _, part := range []string{item, "unread", `Shop \*1\*`, c.consumer.ID, `A \*\*refund\*\*, please.`} {
		require.Contains(t, list, part)
	}
	short := strings.TrimPrefix(item, "inbox_")
	shown := c.says("3", strings.ToUpper(short))
	require.Contains(t, shown, `**Order \_7\_**`)
	require.Contains(t, shown, `A \*\*refund\*\*, please.`)
	require.Contains(t, c.says("4", ""), "· read ·", "who has looked at it has read it")

	for range 2 { // the same command delivered again
		require.Contains(t, c.says("5", short+" You get it\nback."), "Your answer is in")
	}
	require.Equal(t, []string{"assistant person: You get it\nback."}, c.transcript())
	require.Equal(t, i18n.Say(i18n.English, i18n.InboxNone), c.says("6", ""), "it is handled")
	_, err := c.types("7", "inbox_00000000 hello")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	_, err = c.types("8", "nonsense")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.Len(t, c.transcript(), 1)
}

func TestInbox_TakesAConversationByItsIDOrThatOfAnItemAndGivesItBack(t *testing.T) {
	c := newCounter(t)
	item := c.asks("c1", "Help")
	for n, id := range []string{c.consumer.ID, item, strings.TrimPrefix(item, "inbox_"), "`" + item + "`"} {
		require.Contains(t, c.says("t"+id, "take "+id), "is yours", id)
		if n == 0 {
			require.Contains(t, c.says("l", ""), "taken by "+c.User.Name)
		}
		hands, err := c.Services.Handovers(t.Context(), []chat.SessionKey{c.consumer.Session})
		require.NoError(t, err)
		require.Equal(t, map[chat.SessionKey]string{c.consumer.Session: c.User.Name}, hands)
		require.Contains(t, c.says("g"+id, "give "+id), "answers again", id)
		require.Equal(t, i18n.Say(i18n.English, i18n.InboxNotTaken), c.says("g2"+id, "give "+id))
	}
	for _, args := range []string{"take", "give", "take " + item + " now", "give " + item + " now"} {
		_, err := c.types("u"+args, args)
		require.Equal(t, fault.Invalid, fault.KindOf(err), args)
	}
	for _, id := range []string{"0123456789", "inbox_00000000", string(c.consumer.Session), "x"} {
		_, err := c.types("n"+id, "take "+id)
		require.Equal(t, fault.NotFound, fault.KindOf(err), id)
	}
}

func TestInbox_IsForAdministratorsWhereNobodyElseReads(t *testing.T) {
	c := newCounter(t)
	item := c.asks("c1", "A secret of a stranger")
	require.Equal(t, slashcommand.Admin, c.command.Spec().Who)
	c.Visitor(string(chat.ChatGroup)) // the conversation is one of several people now
	for _, args := range []string{"", item, item + " hello", "take " + c.consumer.ID} {
		require.Equal(t, i18n.Say(i18n.English, i18n.InboxAlone), c.says("a"+args, args))
	}
	require.Empty(t, c.transcript())
	kept, err := c.Services.InboxItem(t.Context(), item)
	require.NoError(t, err)
	require.Equal(t, service.ItemUnread, kept.Status)
}
