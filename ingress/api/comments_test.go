package api_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api"
)

// TestComments_OfTablesNameEndpointsThatThereAre reads what the schema says of who writes a table.
func TestComments_OfTablesNameEndpointsThatThereAre(t *testing.T) {
	b := setup(t)
	rows, err := b.pool.Query(t.Context(), `SELECT d.description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid WHERE c.relnamespace = 'public'::regnamespace`)
	require.NoError(t, err)
	defer rows.Close()
	named, seen := regexp.MustCompile(`the (\w+) API`), 0
	paths := api.Document().Paths
	for rows.Next() {
		var comment string
		require.NoError(t, rows.Scan(&comment))
		for _, m := range named.FindAllStringSubmatch(comment, -1) {
			seen++
			require.Contains(t, paths, "/api/"+m[1], comment)
		}
	}
	require.NoError(t, rows.Err())
	require.Positive(t, seen)
}
