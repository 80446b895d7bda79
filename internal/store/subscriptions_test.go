package store_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/subscription/subscriptionstore"
	"xbot/internal/secret"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/settings"
)

func subscribed(owner chat.UserID, name string) subscriptionstore.Subscription {
	return subscriptionstore.Subscription{Secrets: secret.Key{1}.Seal([]byte("k")), Subscription: chat.Subscription{
		User: owner, Name: name, Provider: chat.ProviderOpenAI, APIType: chat.APIChatCompletions, KeyHint: "…abcd", Enabled: true,
		Models: []chat.SubscribedModel{{ID: "m"}},
	}}
}

func TestSubscriptions_APersonSeesTheirOwnAndTheInstallations(t *testing.T) {
	b := setup(t)
	ann, ctx := b.member("ann"), t.Context()
	before, err := b.Subscriptions.SubscriptionsVersion(ctx)
	require.NoError(t, err)
	for _, owner := range []chat.UserID{b.user.ID, ann.ID, 0} {
		_, err := b.Subscriptions.AddSubscription(ctx, subscribed(owner, "openrouter"), b.user.ID)
		require.NoError(t, err, "each owner has names of their own")
	}
	list, version, err := b.Subscriptions.Subscriptions(ctx, ann.ID)
	require.NoError(t, err)
	require.Equal(t, before+3, version)
	require.Len(t, list, 2)
	require.True(t, list[0].Shared)
	require.Equal(t, ann.ID, list[1].User)
	require.Equal(t, []chat.SubscribedModel{{ID: "m"}}, list[1].Models)
	require.Equal(t, "admin", list[1].ChangedBy)

	_, err = b.Subscriptions.Subscription(ctx, b.user.ID, list[1].ID)
	require.Equal(t, fault.NotFound, b.kind(err), "somebody else's looks like none")
	require.Equal(t, fault.NotFound, b.kind(b.Subscriptions.RemoveSubscription(ctx, b.user.ID, list[1].ID)))
	require.Equal(t, fault.NotFound, b.kind(b.Subscriptions.RemoveSubscription(ctx, ann.ID, list[0].ID)), "nor is the installation's a member's")
}

func TestSubscriptions_AChangeIsOfOneRevisionAndCounted(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	id, err := b.Subscriptions.AddSubscription(ctx, subscribed(b.user.ID, "one"), b.user.ID)
	require.NoError(t, err)
	_, err = b.Subscriptions.AddSubscription(ctx, subscribed(b.user.ID, "one"), b.user.ID)
	require.Equal(t, fault.Conflict, b.kind(err))
	_, err = b.Subscriptions.AddSubscription(ctx, subscribed(b.user.ID, "two"), b.user.ID)
	require.NoError(t, err)

	change := subscribed(b.user.ID, "one")
	change.ID, change.Revision, change.Enabled = id, 1, false
	_, before, err := b.Subscriptions.Subscriptions(ctx, b.user.ID)
	require.NoError(t, err)
	require.NoError(t, b.Subscriptions.ReplaceSubscription(ctx, change, b.user.ID))
	require.Equal(t, fault.Conflict, b.kind(b.Subscriptions.ReplaceSubscription(ctx, change, b.user.ID)), "it was made from an older one")
	change.Revision, change.Name = 2, "two"
	require.Equal(t, fault.Conflict, b.kind(b.Subscriptions.ReplaceSubscription(ctx, change, b.user.ID)), "the name is another's")
	stored, err := b.Subscriptions.Subscription(ctx, b.user.ID, id)
	require.NoError(t, err)
	require.False(t, stored.Enabled)
	require.EqualValues(t, 2, stored.Revision)
	_, after, err := b.Subscriptions.Subscriptions(ctx, b.user.ID)
	require.NoError(t, err)
	require.Equal(t, before+1, after, "what was refused changes nothing")
}

func TestSubscriptions_ThereAreNotMoreThanTheLimitHoweverManyAreMadeAtOnce(t *testing.T) {
	b := setup(t)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			_, _ = b.Subscriptions.AddSubscription(t.Context(), subscribed(b.user.ID, "s"+string(rune('a'+i%26))+string(rune('a'+i/26))), b.user.ID) // some are too many
		})
	}
	wg.Wait()
	list, _, err := b.Subscriptions.Subscriptions(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Len(t, list, 50)
}

func TestSubscriptions_OneSealedWithARetiredKeyIsRefused(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Secrets.RetireKeysBut(t.Context(), secret.Key{2}.ID(), []string{secret.Key{1}.ID()}))
	_, err := b.Subscriptions.AddSubscription(t.Context(), subscribed(0, "one"), b.user.ID)
	require.Equal(t, fault.Conflict, b.kind(err))
}

func TestTenants_WhoseModelIsOfTheirOwnSubscriptionHasTheLimitsOfAnOwnKey(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	own := func() (own bool) {
		require.NoError(t, b.pool.QueryRow(ctx, "SELECT own FROM session_tenants WHERE session_key = $1", key).Scan(&own))
		return own
	}
	_, err := b.Subscriptions.AddSubscription(ctx, subscribed(b.user.ID, "mine"), b.user.ID)
	require.NoError(t, err)
	require.False(t, own(), "nobody chose it")
	require.NoError(t, b.Settings.SetUserSetting(ctx, b.user.ID, settings.Model, "mine/m"))
	require.True(t, own())
	model := "ours/m"
	require.NoError(t, b.Conversations.Override(ctx, key, conversation.Overrides{Model: &model}))
	require.False(t, own(), "the conversation has another one")
	model = "mine/m"
	require.NoError(t, b.Conversations.Override(ctx, key, conversation.Overrides{Model: &model}))
	require.True(t, own())
	w, err := b.Settings.ModelWanted(ctx, key)
	require.NoError(t, err)
	require.Equal(t, "mine/m", w.Usual)
	version, err := b.Subscriptions.SubscriptionsVersion(ctx)
	require.NoError(t, err)
	require.Equal(t, version, w.Subscriptions)
}

func TestTierModels_AreThoseThatThePersonChose(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Settings.SetTierModel(t.Context(), b.user.ID, "swift", "a/b"))
	require.NoError(t, b.Settings.SetTierModel(t.Context(), b.user.ID, "balance", "a/c"))
	require.NoError(t, b.Settings.SetTierModel(t.Context(), b.user.ID, "balance", ""))
	got, err := b.Settings.TierModels(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"swift": "a/b"}, got)
}
