package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/memory/lexical"
	"xbot/internal/memory/lexical/lexicaltest"
	"xbot/internal/pg"
	"xbot/internal/testing/pgtest"
)

// FuzzSearch_IsNeverAnErrorOfPostgres compares what Postgres finds with what package lexical says, for any text and search.
func FuzzSearch_IsNeverAnErrorOfPostgres(f *testing.F) {
	for _, c := range lexicaltest.Cases() {
		f.Add(c.Text, c.Query)
	}
	f.Add("İ e\u0301 \xff\x00 Ⅷ ½ ㎏ ﷺ ʼn 'a", `"e\u0301" & | ! <-> :* \ ' ʼn ﷺ`)
	dsn := pgtest.NewDatabase(f, pg.MigrationsHash(), pg.Migrate)
	pool, err := pgxpool.New(f.Context(), dsn)
	require.NoError(f, err)
	f.Cleanup(pool.Close)
	f.Fuzz(func(t *testing.T, text, query string) {
		text, query = chat.Clean(text), chat.Clean(query)
		search := lexical.Parse(query)
		vector, _ := lexical.Vector(text)
		var found bool
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT $1::text::tsvector @@ $2::text::tsquery", vector, search.TSQuery()).Scan(&found))
		if len(text) < 2000 {
			require.Equal(t, search.Match(text), found, "%q in %q", query, text)
		}
	})
}
