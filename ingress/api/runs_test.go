package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/inspect"
)

func TestRuns_LinksLeadToQueriesOfTodayByPersonAndModel(t *testing.T) {
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), `UPDATE users SET name = 'o''neill\' WHERE id = $1`, b.bob.user.ID)
	require.NoError(t, err)
	k := b.bob.session("agent:main:web:thread:b").Key
	b.bob.say(k, "m1", "hello").is(http.StatusAccepted, nil)
	_, ok, err := b.store.Turns.Claim(t.Context(), k, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok)
	_, err = b.pool.Exec(t.Context(), `UPDATE turns SET model = 'openai/gpt-5.2' WHERE id = 't1'`)
	require.NoError(t, err)

	var got struct{ Links []inspect.RunsLink }
	b.alice.get("/api/inspect/runs").is(http.StatusOK, &got)
	by := map[string]inspect.RunsLink{}
	for _, l := range got.Links {
		by[l.Kind] = l
		u, err := url.Parse(l.URL)
		require.NoError(t, err)
		require.Equal(t, "/temporal/namespaces/default/workflows", u.Path)
		require.Equal(t, l.Query, u.Query().Get("query"))
	}
	require.Len(t, by, 6)
	require.Contains(t, by["failed"].Query, "XbotOutcome IN ('failed', 'lost')")
	require.Contains(t, by["waiting"].Query, "XbotWaits IS NOT NULL")
	require.Equal(t, `o'neill\`, by["person"].Name)
	require.True(t, strings.HasPrefix(by["person"].Query, `XbotUser = 'o\'neill\\' AND StartTime >= '`), "a name cannot end the value: %s", by["person"].Query)
	require.True(t, strings.HasPrefix(by["model"].Query, "XbotModel = 'openai/gpt-5.2' AND StartTime >= '"))
}
