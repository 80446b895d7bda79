package discovery_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/oauth/oauthtest"
)

func TestAttack_AProviderNamesNoEndpointOfAnother(t *testing.T) {
	at := func(endpoint, address string) func(b *bundle, m map[string]any) {
		return func(_ *bundle, m map[string]any) { m[endpoint] = address }
	}
	query := func(q string) func(b *bundle, m map[string]any) {
		return func(b *bundle, m map[string]any) { m["authorization_endpoint"] = b.provider.URL + "/authorize?" + q }
	}
	for name, c := range map[string]struct {
		says func(b *bundle, m map[string]any)
		why  string
	}{
		"the authorization endpoint of another": {at("authorization_endpoint", "https://login.example.com/authorize"), "authorization_endpoint of its provider"},
		"a token endpoint elsewhere":            {at("token_endpoint", "https://evil.example.net/token"), "is at another site, example.net"},
		"registration elsewhere":                {at("registration_endpoint", "https://evil.example.net/register"), "is at another site"},
		"revocation elsewhere":                  {at("revocation_endpoint", "https://evil.example.net/revoke"), "is at another site"},
		"another address of this machine":       {at("token_endpoint", "http://127.0.0.2/token"), "is at another site, 127.0.0.2"},
		"a name of this machine":                {at("token_endpoint", "http://localhost/token"), "is at another site, localhost"},
		"a long host":                           {at("token_endpoint", "https://"+strings.Repeat("a.", 900)+"example/token"), "is at another site"},
		"its own redirect_uri":                  {query("redirect_uri=https%3A%2F%2Fevil.example%2F"), "contains the parameter redirect_uri,"},
		"its own client_id":                     {query("client_id=evil"), "contains the parameter client_id,"},
		"its own state":                         {query("state=known"), "contains the parameter state,"},
		"its own response_type":                 {query("response_type=token"), "contains the parameter response_type,"},
		"its own challenge":                     {query("code_challenge=known"), "contains the parameter code_challenge,"},
		"its own method":                        {query("code_challenge_method=plain"), "contains the parameter code_challenge_method,"},
		"its own scope":                         {query("scope=admin"), "contains the parameter scope,"},
		"its own request":                       {query("request_uri=https%3A%2F%2Fevil.example%2F"), "contains the parameter request_uri,"},
		"in capitals":                           {query("Redirect_URI=x"), "contains the parameter Redirect_URI,"},
		"encoded":                               {query("%72edirect_uri=x"), "contains the parameter redirect_uri,"},
		"behind another":                        {query("tenant=1&state=x"), "contains the parameter state,"},
		"a broken query":                        {query("a=%zz"), "cannot be"},
		"a semicolon":                           {query("tenant=1;state=x"), "cannot be"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.provider.Rule(oauthtest.Rules{Metadata: func(m map[string]any) { c.says(b, m) }})
			require.Contains(t, b.refused(), c.why)
			require.Zero(t, b.provider.Clients())
		})
	}
}

func TestFind_AnAuthorizationEndpointMayHaveAQueryOfItsOwn(t *testing.T) {
	b := setup(t)
	b.provider.Rule(oauthtest.Rules{Metadata: func(m map[string]any) { m["authorization_endpoint"] = b.provider.URL + "/authorize?tenant=1" }})
	found, err := b.find()
	require.NoError(t, err)
	require.Equal(t, b.provider.URL+"/authorize?tenant=1", found.AuthorizeURL)
}
