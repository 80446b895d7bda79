package orphans_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/orphans"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool/tooltest"
)

// oneRunner is that runner, or an error in its place.
type oneRunner struct {
	box sandbox.Sandbox
	err error
}

func (s *oneRunner) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return s.box, s.err
}

func TestSweeper_FilesGoWithTheirConversationAndNoOthers(t *testing.T) {
	b := ingresstest.NewPlatform(t, ingresstest.GroupPolicy)
	box := tooltest.New(t)
	has := func(id string) bool {
		_, err := box.Stat(t.Context(), "inbox/"+id+"/a.txt")
		return err == nil
	}
	sent := func(id, chatID string) chat.SessionKey {
		e := ingresstest.InGroup(id, "ou_1", "look")
		e.Chat, e.Mentioned = chatID, true
		e.Attachments = []chat.Attachment{{Kind: "file", Key: "k" + id, Name: "a.txt"}}
		out := b.Receive(e)
		require.NoError(t, b.Store.Attachments.FileStored(t.Context(), out.Inbox, chat.AttachmentFetch{N: 1, Runner: "local", Path: box.Put(t, "inbox/"+id+"/a.txt", "x"), Attachment: chat.Attachment{Size: 1}}))
		return out.Session
	}
	b.SetPolicy(`{channels: {feishu: {groups: {"*": {}}}}}`)
	gone, kept := sent("m1", "oc_1"), sent("m2", "oc_2")
	require.NotEqual(t, gone, kept)
	boxes := &oneRunner{box: box}
	o := &orphans.Sweeper{Store: b.Store.Attachments, Sandboxes: boxes, Log: slog.New(slog.DiscardHandler)}
	require.NoError(t, o.Sweep(t.Context()))
	require.True(t, has("m1"))

	require.NoError(t, b.Store.Agents.DeleteSession(t.Context(), gone))
	boxes.box, boxes.err = nil, fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Runner: "local"})
	require.NoError(t, o.Sweep(t.Context()), "the runner is away")
	boxes.box, boxes.err = box, nil
	require.NoError(t, o.Sweep(t.Context()))
	require.False(t, has("m1"))
	require.True(t, has("m2"))
	left, err := b.Store.Attachments.OrphanFiles(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
}

// host is the server's own, which only an administrator reaches.
type host struct {
	oneRunner
	admin chat.UserID
}

func (h *host) Box(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	if user != h.admin {
		return nil, fault.Errorf(fault.Denied, "the server's own host is for administrators")
	}
	return h.oneRunner.Box(ctx, user, runner)
}

func TestSweeper_FilesOnTheHostGoAlsoOfSomebodyWhoIsNoAdministratorAnyMore(t *testing.T) {
	b := ingresstest.NewPlatform(t, ingresstest.GroupPolicy)
	b.SetPolicy(`{channels: {feishu: {groups: {"*": {}}}}}`)
	admin, err := b.Store.Users.EnsureAdmin(t.Context(), "root")
	require.NoError(t, err)
	box := tooltest.New(t)
	e := ingresstest.InGroup("m1", "ou_1", "look")
	e.Chat, e.Mentioned = "oc_1", true
	e.Attachments = []chat.Attachment{{Kind: "file", Key: "k1", Name: "a.txt"}}
	out := b.Receive(e)
	path := box.Put(t, "inbox/m1/a.txt", "x")
	require.NoError(t, b.Store.Attachments.FileStored(t.Context(), out.Inbox, chat.AttachmentFetch{N: 1, Runner: "local", Path: path, Attachment: chat.Attachment{Size: 1}}))
	require.NoError(t, b.Store.Agents.DeleteSession(t.Context(), out.Session))

	o := &orphans.Sweeper{Store: b.Store.Attachments, Sandboxes: &host{oneRunner{box: box}, admin.ID}, Log: slog.New(slog.DiscardHandler)}
	require.NoError(t, o.Sweep(t.Context()))
	_, err = box.Stat(t.Context(), "inbox/m1/a.txt")
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}
