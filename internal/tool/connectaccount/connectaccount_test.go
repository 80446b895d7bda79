package connectaccount_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/connectaccount"
)

// world is one provider, and the account of one person.
type world struct {
	account *chat.OAuthAccount
	group   bool
}

func (w *world) Provider(_ context.Context, _ chat.UserID, id string) (p chat.OAuthProvider, err error) {
	if id != "acme" {
		return p, fault.Errorf(fault.NotFound, "there is no provider %q; there are: acme", id)
	}
	p.OAuthProviderConfig = chat.OAuthProviderConfig{ID: "acme", Name: "Acme", Scopes: []string{"read"}, MoreScopes: []string{"write"}}
	return p, nil
}

func (w *world) Account(context.Context, chat.UserID, string) (a chat.OAuthAccount, ok bool, err error) {
	if w.account == nil {
		return a, false, nil
	}
	return *w.account, true, nil
}

func (w *world) Owner(context.Context, chat.SessionKey) (chat.UserID, error) {
	if w.group {
		return 7, fault.Errorf(fault.Invalid, "it is a group's: ask in a direct conversation")
	}
	return 7, nil
}

func TestAuthorize_AsksOnlyForWhatIsNotConnected(t *testing.T) {
	t.Parallel()
	w := &world{}
	tools := tool.New(connectaccount.New(w))
	asks := func(arguments string) []chat.Inquiry {
		return tools.Questions(t.Context(), "k", "oauth_authorize", arguments)
	}
	runs := func(arguments string) chat.ToolResult {
		r, err := tools.Run(t.Context(), "oauth_authorize", tool.Call{User: 7, Arguments: arguments})
		require.NoError(t, err)
		return r
	}
	const plain, more = `{"provider":" ACME ","reason":"to list\u0000 issues"}`, `{"provider":"acme","reason":"x","scopes":["write"]}`
	asked := asks(plain)
	require.Len(t, asked, 1)
	require.Equal(t, &chat.AccountAsk{Provider: "acme", Name: "Acme", Scopes: []string{"read"}}, asked[0].Connect)
	require.Equal(t, "May I use your account at Acme? to list issues", asked[0].Text)
	require.True(t, runs(plain).IsError, "an answer makes no account")

	w.account = &chat.OAuthAccount{Provider: "acme", Label: "lena", Asked: []string{"read"}, Scopes: []string{"read"}}
	require.Empty(t, asks(plain))
	require.Equal(t, "connected: Acme as lena\nscopes: read", runs(plain).Content)
	require.Equal(t, []string{"read", "write"}, asks(more)[0].Connect.Scopes)
	require.Contains(t, runs(more).Content, "not asked for: write")
	w.account.Asked = []string{"read", "write"}
	require.Empty(t, asks(more), "it would be asked for again and again")
	require.Contains(t, runs(more).Content, "scopes: read\nasked for: read write (the provider")
	w.account.Problem = "it has expired"
	require.Len(t, asks(plain), 1)

	for arguments, says := range map[string]string{
		`{"provider":"nope","reason":"x"}`:                    "there are: acme",
		`{"provider":"acme","reason":"x","scopes":["admin"]}`: "these may: read, write",
	} {
		require.Empty(t, asks(arguments))
		require.Contains(t, runs(arguments).Content, says)
	}
	w.group = true
	require.Empty(t, asks(plain))
	require.Contains(t, runs(plain).Content, "direct conversation")
}
