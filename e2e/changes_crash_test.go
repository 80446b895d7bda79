package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// killedAt kills the server while a change waits at a write of it, and starts it again.
func (s *server) killedAt(when string, change func(ctx context.Context) error) {
	s.t.Helper()
	held := s.held(when, "true")
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- change(ctx) }()
	held.waits(1)
	s.crash()
	cancel() // a client that tries again would make the change
	require.Error(s.t, <-ended, when)
	held.release()
	_, err := s.look().Exec(s.t.Context(), `DROP FUNCTION wait_for_test() CASCADE`)
	require.NoError(s.t, err)
	s.boot()
}

func TestSubscriptions_AKillAtAnyWriteOfAChangeLeavesTheOldOneWholeAndAnswering(t *testing.T) {
	t.Parallel()
	before, after := keyed(t, sharedKey), keyed(t, ownKey)
	s := newServer(t, "LLM_BASE_URL=", "LLM_MODEL=", "LLM_API_KEY=", "XBOT_HTTP_ALLOW=127.0.0.1")
	draft := func(at, key string, revision int64) apiclient.SubscriptionDraft {
		return apiclient.SubscriptionDraft{Shared: true, Name: "acme", Provider: chat.ProviderOpenAI, BaseURL: at, Key: key, Revision: revision, Models: []chat.SubscribedModel{{ID: "scripted"}}}
	}
	answered := func(old, changed int) {
		t.Helper()
		b, a := before.Count(), after.Count()
		k := s.newTalk()
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say hello")).State)
		require.Equal(t, []int{b + old, a + changed}, []int{before.Count(), after.Count()})
	}

	add := func(ctx context.Context) error {
		_, err := s.client.CreateSubscription(ctx, draft(before.BaseURL(), sharedKey, 0))
		return err
	}
	for _, when := range []string{"BEFORE UPDATE ON llm_subscriptions_version", "AFTER INSERT ON llm_subscriptions"} {
		s.killedAt(when, add)
		all, err := s.client.ListSubscriptions(t.Context())
		require.NoError(t, err)
		require.Empty(t, all, when)
	}
	answered(0, 0) // the demo did
	require.NoError(t, add(t.Context()))
	answered(1, 0)

	was, err := s.client.ListSubscriptions(t.Context())
	require.NoError(t, err)
	replace := func(ctx context.Context) error {
		_, err := s.client.SetSubscription(ctx, was[0].ID, draft(after.BaseURL(), ownKey, was[0].Revision))
		return err
	}
	remove := func(ctx context.Context) error { return s.client.DeleteSubscription(ctx, was[0].ID) }
	for when, change := range map[string]func(ctx context.Context) error{"AFTER UPDATE ON llm_subscriptions": replace, "AFTER DELETE ON llm_subscriptions": remove} {
		s.killedAt(when, change)
		now, err := s.client.ListSubscriptions(t.Context())
		require.NoError(t, err)
		require.Equal(t, was, now, when)
		answered(1, 0)
	}
	require.NoError(t, replace(t.Context()))
	answered(0, 1)
	require.NoError(t, remove(t.Context()))
	answered(0, 0)
}

func TestToolKeys_AKillAtAWriteOfAChangeLeavesTheOldOneWholeAndInUse(t *testing.T) {
	t.Parallel()
	s := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1")
	at := guarded(t, sharedKey)
	draft := apiclient.ToolKeyDraft{Shared: true, Key: sharedKey, BaseURL: at}
	set := func(ctx context.Context) error {
		_, err := s.client.SetToolKey(ctx, "image", draft)
		return err
	}
	s.killedAt("AFTER INSERT ON tool_keys", set)
	require.Zero(t, one[int](t, s.database(), `SELECT count(*)::int FROM tool_keys`))
	require.NoError(t, set(t.Context()))

	draft.Key, draft.Revision = mistyped, 1
	for when, change := range map[string]func(ctx context.Context) error{
		"AFTER UPDATE ON tool_keys": set,
		"AFTER DELETE ON tool_keys": func(ctx context.Context) error {
			return s.client.DeleteToolKey(ctx, "image", apiclient.DeleteToolKeyParams{Shared: true})
		},
	} {
		s.killedAt(when, change)
		tried, err := s.client.TryToolKey(t.Context(), "image", apiclient.ToolKeyDraft{Shared: true, BaseURL: at, Revision: 1})
		require.NoError(t, err)
		require.True(t, tried.Passed, "%s: the stored key is whole: %s", when, tried.Problem)
	}
}

// guarded makes a service of tools that takes one key alone, and returns its address.
func guarded(t *testing.T, key string) string {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = w.Write([]byte(`{"data":[]}`)) // who is away needs no answer
	}))
	t.Cleanup(service.Close)
	return service.URL + "/v1"
}
