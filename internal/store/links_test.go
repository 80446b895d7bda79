package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/secret"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/links"
	"xbot/internal/user/users"
)

// met makes somebody known on a channel, with a conversation.
func (b *bundle) met(channel, peer string) (users.User, chat.SessionKey) {
	b.t.Helper()
	u, err := b.Users.Person(b.t.Context(), channel, "", peer, "")
	require.NoError(b.t, err)
	key := chat.SessionKey("agent:main:" + channel + ":dm:" + peer)
	_, err = b.Conversations.CreateSession(b.t.Context(), conversation.NewSession{
		Key: key, Owner: u.ID, Channel: channel, Origin: chat.Origin{Provider: channel, From: peer},
	})
	require.NoError(b.t, err)
	return u, key
}

func (b *bundle) owner(key chat.SessionKey) chat.UserID {
	b.t.Helper()
	u, err := b.Users.SessionOwner(b.t.Context(), key)
	require.NoError(b.t, err)
	return u.ID
}

func TestLink_MovesTheIdentityWithItsSessionsAndTellsBoth(t *testing.T) {
	b := setup(t)
	one, oneKey := b.met("feishu", "ou_1")
	two, twoKey := b.met("qq", "u2")
	before, err := b.Turns.Accept(t.Context(), engine.NewRow{Session: twoKey, User: two.ID, Channel: "qq", PlatformID: "m1", Text: "hi"})
	require.NoError(t, err)

	hash := secret.HashToken("CODE")
	require.NoError(t, b.Links.NewLinkCode(t.Context(), one.ID, oneKey, hash))
	link := links.Link{Hash: hash, User: two.ID, Channel: "qq", Peer: "u2", Name: "Bob", Lang: i18n.English}
	got, err := b.Links.UseLinkCode(t.Context(), link)
	require.NoError(t, err)
	require.Equal(t, one.ID, got.To.ID)
	require.Equal(t, 1, got.Moved)
	require.Equal(t, one.ID, b.owner(twoKey))

	now, err := b.Users.Person(t.Context(), "qq", "", "u2", "")
	require.NoError(t, err)
	require.Equal(t, one.ID, now.ID)
	known, ok, err := b.Turns.Delivered(t.Context(), engine.NewRow{User: now.ID, Channel: "qq", PlatformID: "m1"})
	require.NoError(t, err)
	require.True(t, ok, "a message that is delivered again is known after the link")
	require.Equal(t, before.ID, known.Inbox)

	told, err := b.Conversations.Messages(t.Context(), oneKey, conversation.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, told.Messages, 1)
	require.Contains(t, told.Messages[0].Content, "Bob (qq:u2)")

	_, err = b.Links.UseLinkCode(t.Context(), link)
	require.True(t, fault.Is(err, fault.NotFound), "a code is used once: %v", err)
}

func TestLink_AnAdministratorBecomesNobodyElse(t *testing.T) {
	b := setup(t)
	one, _ := b.met("feishu", "ou_1")
	hash := secret.HashToken("CODE")
	require.NoError(t, b.Links.NewLinkCode(t.Context(), b.user.ID, "", hash))
	_, err := b.Links.UseLinkCode(t.Context(), links.Link{Hash: hash, User: one.ID, Channel: "feishu", Peer: "ou_1"})
	require.NoError(t, err, "an administrator's code makes a channel theirs")

	two, _ := b.met("qq", "u2")
	hash = secret.HashToken("TRAP")
	require.NoError(t, b.Links.NewLinkCode(t.Context(), two.ID, "", hash))
	_, err = b.Links.UseLinkCode(t.Context(), links.Link{Hash: hash, User: b.user.ID, Channel: "feishu", Peer: "ou_1"})
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
	who, err := b.Users.Person(t.Context(), "feishu", "", "ou_1", "")
	require.NoError(t, err)
	require.Equal(t, b.user.ID, who.ID)
}

func TestLink_CodesEnd(t *testing.T) {
	b := setup(t)
	one, _ := b.met("feishu", "ou_1")
	two, _ := b.met("qq", "u2")
	first, second := secret.HashToken("FIRST"), secret.HashToken("SECOND")
	require.NoError(t, b.Links.NewLinkCode(t.Context(), one.ID, "", first))
	require.NoError(t, b.Links.NewLinkCode(t.Context(), one.ID, "", second))
	use := func(hash []byte) error {
		_, err := b.Links.UseLinkCode(t.Context(), links.Link{Hash: hash, User: two.ID, Channel: "qq", Peer: "u2"})
		return err
	}
	require.True(t, fault.Is(use(first), fault.NotFound), "a new code ends the one before")
	_, err := b.pool.Exec(t.Context(), "UPDATE link_codes SET expires_at = now()")
	require.NoError(t, err)
	require.True(t, fault.Is(use(second), fault.NotFound))
}

// notes returns what is remembered of somebody, by path.
func (b *bundle) notes(user chat.UserID) map[string]string {
	b.t.Helper()
	list, err := b.Memory.Memories(b.t.Context(), user, "main")
	require.NoError(b.t, err)
	out := map[string]string{}
	for _, n := range list {
		out[n.Path] = n.Content
	}
	return out
}

// link joins who somebody is on a channel to a user.
func (b *bundle) link(to, who users.User, channel, peer string) {
	b.t.Helper()
	hash := secret.HashToken(channel + peer)
	require.NoError(b.t, b.Links.NewLinkCode(b.t.Context(), to.ID, "", hash))
	_, err := b.Links.UseLinkCode(b.t.Context(), links.Link{Hash: hash, User: who.ID, Channel: channel, Peer: peer, Lang: i18n.English})
	require.NoError(b.t, err)
}

func TestLink_WhatIsRememberedComesWithThePerson(t *testing.T) {
	b := setup(t)
	one, _ := b.met("feishu", "ou_1")
	two, _ := b.met("qq", "u2")
	other, _ := b.met("qq", "u3")
	for user, notes := range map[chat.UserID]map[string]string{
		one.ID:   {"name.md": "Alice", "same.md": "likes tea"},
		two.ID:   {"name.md": "Bob", "same.md": "likes tea", "work.md": "a nurse"},
		other.ID: {"name.md": "Carol"},
	} {
		for path, content := range notes {
			require.NoError(t, b.Memory.SetMemory(t.Context(), user, "main", path, content))
		}
	}
	b.link(one, two, "qq", "u2")
	got := b.notes(one.ID)
	require.Len(t, got, 4)
	require.Equal(t, "Alice", got["name.md"], "what was known already stands")
	require.Equal(t, "a nurse", got["work.md"])
	require.Equal(t, "Bob", got[fmt.Sprintf("linked/%d/name.md", two.ID)], "and nothing is lost")
	require.Empty(t, b.notes(two.ID))
	require.Equal(t, map[string]string{"name.md": "Carol"}, b.notes(other.ID))
}

func TestLink_WhatIsRememberedStaysWithWhoCanStillBeMet(t *testing.T) {
	b := setup(t)
	one, _ := b.met("feishu", "ou_1")
	two, _ := b.met("qq", "u2")
	three, _ := b.met("telegram", "u3")
	b.link(two, three, "telegram", "u3")
	require.NoError(t, b.Memory.SetMemory(t.Context(), two.ID, "main", "name.md", "Bob"))
	b.link(one, two, "qq", "u2")
	require.Empty(t, b.notes(one.ID), "they are still known on another channel")
	require.Equal(t, map[string]string{"name.md": "Bob"}, b.notes(two.ID))
	b.link(one, two, "telegram", "u3")
	require.Equal(t, map[string]string{"name.md": "Bob"}, b.notes(one.ID), "with the last channel all of it comes")
}
