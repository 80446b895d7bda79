package subscription_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/provider"
	"xbot/internal/llm/subscription"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/secret/secretstore"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
)

const key = "sk-1234567890-abcdefgh"

type bundle struct {
	*subscription.Store

	t    *testing.T
	rows *store.Store
	user chat.UserID
	llm  *llmtest.Server
}

func setup(t *testing.T) *bundle {
	rows := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	admin, err := rows.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	return &bundle{
		Store: &subscription.Store{Rows: rows.Subscriptions, Key: secret.Key{1}, Public: safehttp.NewTransport(safehttp.Allow{})},
		t:     t, rows: rows, user: admin.ID, llm: llmtest.New(t),
	}
}

// shared is a draft of the installation's, at the scripted provider.
func (b *bundle) shared(name string) subscription.Draft {
	return subscription.Draft{Key: key, Subscription: chat.Subscription{
		Name: name, Provider: chat.ProviderOpenAI, BaseURL: b.llm.BaseURL(), Enabled: true, Models: []chat.SubscribedModel{{ID: "llmtest"}},
	}}
}

func (b *bundle) save(d subscription.Draft) (id int64) {
	b.t.Helper()
	id, err := b.Save(b.t.Context(), d, b.user)
	require.NoError(b.t, err)
	return id
}

func (b *bundle) opened(id int64) subscription.Opened {
	b.t.Helper()
	all, _, err := b.Opened(b.t.Context(), b.user)
	require.NoError(b.t, err)
	for _, o := range all {
		if o.ID == id {
			return o
		}
	}
	b.t.Fatalf("there is no subscription %d", id)
	return subscription.Opened{}
}

func TestSave_TheKeyIsSealedAndNeverListed(t *testing.T) {
	b := setup(t)
	id := b.save(b.shared("acme"))
	o := b.opened(id)
	require.NoError(t, o.Fault)
	require.Equal(t, key, o.Key)
	require.Equal(t, "…efgh", o.KeyHint)
	stored, err := b.rows.Subscriptions.Subscription(t.Context(), 0, id)
	require.NoError(t, err)
	require.NotContains(t, string(stored.Secrets), key)
	listed, err := b.List(t.Context(), b.user, true)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	own, err := b.List(t.Context(), b.user, false)
	require.NoError(t, err)
	require.Empty(t, own)

	b.Key = secret.Key{2}
	require.ErrorContains(t, b.opened(id).Fault, "enter it again")
	b.Key = secret.Key{1}
	_, err = b.rows.Secrets.Reseal(t.Context(), secretstore.Sealed{Kind: secretstore.SealedSubscription, Name: "1", Data: stored.Secrets}, secret.Key{1}.Seal([]byte("{}")))
	require.NoError(t, err)
	require.ErrorContains(t, b.opened(id).Fault, "given up")
}

func TestSave_AStoredKeyStaysWhereTheAddressStays(t *testing.T) {
	b := setup(t)
	d := b.shared("acme")
	d.ID, d.Revision = b.save(d), 1
	d.Key, d.Models = "", []chat.SubscribedModel{{ID: "other"}}
	b.save(d)
	require.Equal(t, key, b.opened(d.ID).Key)

	d.Revision, d.BaseURL = 2, "https://elsewhere.example/v1"
	_, err := b.Save(t.Context(), d, b.user)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.ErrorContains(t, err, "enter the key for it")
	tried, err := b.Try(t.Context(), d, "other")
	require.Equal(t, fault.Invalid, fault.KindOf(err), "a test sends it to nobody else either: %v", tried)

	d.Forget = true
	b.save(d)
	require.Empty(t, b.opened(d.ID).Key)
	require.Empty(t, b.opened(d.ID).KeyHint)
}

func TestSave_AWrongFormIsSaidAndNothingStored(t *testing.T) {
	b := setup(t)
	for says, change := range map[string]func(*subscription.Draft){
		"1 to 32 small letters":        func(d *subscription.Draft) { d.Name = "a/b" },
		"demo is the name":             func(d *subscription.Draft) { d.Name = "Demo" },
		"must be openai":               func(d *subscription.Draft) { d.Provider = "acme" },
		"anthropic has no Responses":   func(d *subscription.Draft) { d.Provider, d.APIType = chat.ProviderAnthropic, chat.APIResponses },
		"chat_completions or":          func(d *subscription.Draft) { d.APIType = "soap" },
		"must look like https":         func(d *subscription.Draft) { d.BaseURL = "acme.example" },
		"no user, query":               func(d *subscription.Draft) { d.BaseURL = "https://me:secret@acme.example/v1" },
		"needs a key":                  func(d *subscription.Draft) { d.BaseURL, d.Key = "", "" },
		"a blank or another character": func(d *subscription.Draft) { d.Key = "sk 1" },
		"more than 4096":               func(d *subscription.Draft) { d.Key = strings.Repeat("k", 5000) },
		"it has a blank":               func(d *subscription.Draft) { d.Models = []chat.SubscribedModel{{ID: "a b"}} },
		"stands there twice":           func(d *subscription.Draft) { d.Models = []chat.SubscribedModel{{ID: "a"}, {ID: "A"}} },
		"one word without a slash":     func(d *subscription.Draft) { d.Models = []chat.SubscribedModel{{ID: "a", Alias: []string{"b/c"}}} },
		"cannot think":                 func(d *subscription.Draft) { d.Models = []chat.SubscribedModel{{ID: "a", Think: "deeply"}} },
		"at most 500 models":           func(d *subscription.Draft) { d.Models = make([]chat.SubscribedModel, 501) },
	} {
		d := b.shared("acme")
		change(&d)
		_, err := b.Save(t.Context(), d, b.user)
		require.Equal(t, fault.Invalid, fault.KindOf(err), says)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "secret")
	}
	listed, err := b.List(t.Context(), b.user, true)
	require.NoError(t, err)
	require.Empty(t, listed)
}

func TestTry_SaysWhatCameBackOrWhatIsWrong(t *testing.T) {
	b := setup(t)
	b.llm.Handle(func(r llmtest.Request) llmtest.Reply {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key:
			return llmtest.Reply{Status: http.StatusUnauthorized, Error: "Incorrect API key provided: " + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}
		case r.Model != "llmtest":
			return llmtest.Reply{Status: http.StatusNotFound, Error: "The model does not exist"}
		}
		return llmtest.Reply{Text: "OK"}
	})
	tried, err := b.Try(t.Context(), b.shared("acme"), "llmtest")
	require.NoError(t, err)
	require.True(t, tried.Passed, tried.Problem)
	require.Equal(t, "OK", tried.Text)

	tried, err = b.Try(t.Context(), b.shared("acme"), "llmtset")
	require.NoError(t, err)
	require.False(t, tried.Passed)
	require.Contains(t, tried.Problem, "check the model's name")

	d := b.shared("acme")
	d.Key = "sk-wrong-1234567890"
	tried, err = b.Try(t.Context(), d, "llmtest")
	require.NoError(t, err)
	require.Contains(t, tried.Problem, "check the key")
	require.NotContains(t, tried.Problem, d.Key)

	d.BaseURL = "http://127.0.0.1:1/v1"
	tried, err = b.Try(t.Context(), d, "llmtest")
	require.NoError(t, err)
	require.Contains(t, tried.Problem, "the connection to 127.0.0.1:1 failed")
	_, err = b.Try(t.Context(), d, " ")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestOffered_ListsTheModelsThatAnswer(t *testing.T) {
	b := setup(t)
	got, err := b.Offered(t.Context(), b.shared("acme"))
	require.NoError(t, err)
	require.Equal(t, subscription.Offered{Models: []chat.SubscribedModel{{ID: "llmtest"}}}, got)
	d := b.shared("acme")
	d.BaseURL = b.llm.URL() + "/nowhere"
	got, err = b.Offered(t.Context(), d)
	require.NoError(t, err)
	require.Contains(t, got.Problem, "no such API there")
}

func TestPublic_APersonsOwnReachesNoAddressOfTheServersNetwork(t *testing.T) {
	b := setup(t)
	d := b.shared("acme")
	d.User = b.user
	tried, err := b.Try(t.Context(), d, "llmtest")
	require.NoError(t, err)
	require.Contains(t, tried.Problem, "not an address on the public internet")
	got, err := b.Offered(t.Context(), d)
	require.NoError(t, err)
	require.Contains(t, got.Problem, "not an address on the public internet")
	client, err := provider.FromConfig(b.Config(b.opened(b.save(d)), "llmtest"))
	require.NoError(t, err)
	_, err = client.Generate(t.Context(), request("say hi"), nil)
	require.ErrorContains(t, err, "not an address on the public internet")
	require.Zero(t, b.llm.Count())
}

func request(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: "user", Content: text}}}
}
