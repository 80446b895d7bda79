package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey/toolkeystore"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/secret/secretstore"
)

func toolKey(owner chat.UserID, revision int64) toolkeystore.Key {
	return toolkeystore.Key{Secrets: secret.Key{1}.Seal([]byte("k")), ToolKey: chat.ToolKey{User: owner, Service: "image", Model: "m", KeyHint: "…abcd", Revision: revision}}
}

func TestToolKeys_APersonSeesTheirOwnAndTheInstallations(t *testing.T) {
	b := setup(t)
	ann, ctx := b.member("ann"), t.Context()
	for _, owner := range []chat.UserID{b.user.ID, ann.ID, 0} {
		require.NoError(t, b.ToolKeys.SetToolKey(ctx, toolKey(owner, 0), b.user.ID))
	}
	list, err := b.ToolKeys.ToolKeys(ctx, ann.ID)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.True(t, list[0].Shared)
	require.Equal(t, ann.ID, list[1].User)
	require.Equal(t, "admin", list[1].ChangedBy)
	require.EqualValues(t, 1, list[1].Revision)

	require.NoError(t, b.ToolKeys.RemoveToolKey(ctx, ann.ID, "image"))
	require.Equal(t, fault.NotFound, b.kind(b.ToolKeys.RemoveToolKey(ctx, ann.ID, "image")), "the installation's and other people's stay")
	list, err = b.ToolKeys.ToolKeys(ctx, b.user.ID)
	require.NoError(t, err)
	require.Len(t, list, 2)
}

func TestToolKeys_AChangeIsOfOneRevision(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	require.NoError(t, b.ToolKeys.SetToolKey(ctx, toolKey(0, 0), b.user.ID))
	require.Equal(t, fault.Conflict, b.kind(b.ToolKeys.SetToolKey(ctx, toolKey(0, 0), b.user.ID)), "there is one already")
	require.NoError(t, b.ToolKeys.SetToolKey(ctx, toolKey(0, 1), b.user.ID))
	require.Equal(t, fault.Conflict, b.kind(b.ToolKeys.SetToolKey(ctx, toolKey(0, 1), b.user.ID)), "it was made from an older one")
	require.Equal(t, fault.Conflict, b.kind(b.ToolKeys.SetToolKey(ctx, toolKey(b.user.ID, 2), b.user.ID)), "it is of somebody else")
	list, err := b.ToolKeys.ToolKeys(ctx, 0)
	require.NoError(t, err)
	require.EqualValues(t, 2, list[0].Revision)
}

func TestToolKeys_OneSealedWithARetiredKeyIsRefused(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Secrets.RetireKeysBut(t.Context(), secret.Key{2}.ID(), []string{secret.Key{1}.ID()}))
	require.Equal(t, fault.Conflict, b.kind(b.ToolKeys.SetToolKey(t.Context(), toolKey(0, 0), b.user.ID)))
}

func TestToolKeys_GoWithThePerson(t *testing.T) {
	b := setup(t)
	ann := b.member("ann")
	require.NoError(t, b.ToolKeys.SetToolKey(t.Context(), toolKey(ann.ID, 0), ann.ID))
	require.NoError(t, b.ToolKeys.SetToolKey(t.Context(), toolKey(0, 0), ann.ID))
	_, err := b.pool.Exec(t.Context(), "DELETE FROM users WHERE id = $1", ann.ID)
	require.NoError(t, err)
	sealed, err := b.Secrets.Secrets(t.Context())
	require.NoError(t, err)
	require.Len(t, sealed, 1, "the installation's stays")
	require.Equal(t, secretstore.SealedToolKey, sealed[0].Kind)
}
