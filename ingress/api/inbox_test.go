package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/inbox"
	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

// asked is a conversation whose consumer has asked for a person.
func (b *bundle) asked(message string) (service.Conversation, string) {
	b.t.Helper()
	of := b.alice.service(object{"capabilities": []string{"humanchat"}})
	_, by := b.alice.serviceKey(of.ID)
	c := b.consumed(by, "Parcel")
	got, err := b.store.Services.ContactAdmin(b.t.Context(), service.Contact{Session: c.Session, Call: chat.CallID("call of " + c.ID), Message: message})
	require.NoError(b.t, err)
	return c, got.ID
}

func TestInbox_AdministratorsReadAnswerAndCloseWhatConsumersAsk(t *testing.T) {
	b := setup(t)
	c, id := b.asked("The parcel is lost.")
	var unread inbox.InboxUnread
	b.alice.get("/api/inbox/unread-count").is(http.StatusOK, &unread)
	require.Equal(t, inbox.InboxUnread{Items: 1}, unread)
	var all inbox.InboxBody
	b.alice.get("/api/inbox?status=unread&service="+c.Service).is(http.StatusOK, &all)
	require.Len(t, all.Items, 1)
	require.Equal(t, "The parcel is lost.", all.Items[0].Message)
	var item service.Item
	b.do(b.alice, http.MethodPatch, "/api/inbox/"+id, object{"status": "read"}).is(http.StatusOK, &item)
	require.Equal(t, service.ItemRead, item.Status)
	for range 2 { // the same again is said once
		b.alice.post("/api/inbox/"+id+"/answer", object{"text": "We send another one.", "client_message_id": "a1"}).is(http.StatusOK, &item)
	}
	require.Equal(t, []string{"handled", "manual", "alice"}, []string{string(item.Status), item.HandledBy, item.AnsweredBy})
	page, err := b.store.Conversations.Messages(t.Context(), c.Session, conversation.Page{Limit: 10})
	require.NoError(t, err)
	last := page.Messages[len(page.Messages)-1]
	require.Equal(t, []string{"assistant", "person", "We send another one.", "alice"}, []string{string(last.Role), last.Origin, last.Content, last.Sender})
	require.NotEqual(t, last.Content, page.Messages[len(page.Messages)-2].Content)
	b.alice.post("/api/inbox/"+id+"/answer", object{"text": "Something else.", "client_message_id": "a1"}).is(http.StatusConflict, nil)
	b.alice.get("/api/inbox/inbox_00000000").is(http.StatusNotFound, nil)
	b.alice.get("/api/inbox?status=wrong").is(http.StatusUnprocessableEntity, nil)
	b.do(b.alice, http.MethodDelete, "/api/inbox/"+id, nil).is(http.StatusNoContent, nil)
	b.alice.get("/api/inbox/"+id).is(http.StatusNotFound, nil)
}

func TestInbox_AnyAdministratorTakesAConversationAndGivesItBack(t *testing.T) {
	b := setup(t)
	c, _ := b.asked("Help")
	at := "/api/services/" + c.Service + "/conversations/" + c.ID
	_, err := b.pool.Exec(t.Context(), "UPDATE users SET role = 'admin' WHERE id = $1", b.bob.user.ID)
	require.NoError(t, err)
	var hand inbox.HandBody
	b.bob.post(at+"/take", nil).is(http.StatusOK, &hand)
	require.True(t, hand.Taken)
	require.Equal(t, chat.TurnID("t-"+c.ID), hand.Stopped, "the turn that runs is stopped")
	got, err := b.store.Turns.Accept(t.Context(), engine.NewRow{Session: c.Session, User: c.User, Channel: service.Channel, PlatformID: "m2", Text: "Hello?"})
	require.NoError(t, err)
	require.True(t, got.Taken)
	var all inbox.InboxBody
	b.alice.get("/api/inbox").is(http.StatusOK, &all)
	require.Equal(t, 1, all.Unread.Waiting)
	require.Equal(t, "bob", all.Taken[0].TakenBy)
	var said chat.Message
	b.alice.post(at+"/say", object{"text": "Alice here.", "client_message_id": "s1"}).is(http.StatusOK, &said)
	require.Equal(t, chat.OriginPerson, said.Origin)
	b.alice.post(at+"/give", nil).is(http.StatusOK, &hand)
	got, err = b.store.Turns.Accept(t.Context(), engine.NewRow{Session: c.Session, User: c.User, Channel: service.Channel, PlatformID: "m3", Text: "Thanks"})
	require.NoError(t, err)
	require.False(t, got.Taken)
	b.alice.post("/api/services/svc_00000000/conversations/"+c.ID+"/take", nil).is(http.StatusNotFound, nil)
	other, _ := b.asked("Else")
	b.alice.post("/api/services/"+other.Service+"/conversations/"+c.ID+"/take", nil).is(http.StatusNotFound, nil)
}
