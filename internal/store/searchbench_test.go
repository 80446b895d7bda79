package store_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/memory/lexical"
	"xbot/internal/memory/lexical/lexicaltest"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/search"
)

// prose makes texts of about 640 bytes, one in three of them Chinese with words of two ideographs, in which words are as frequent as in natural languages.
type prose struct {
	*rand.Rand
	words, pairs *rand.Zipf
}

// pair returns one of many words of two ideographs, of 3,000 different ones.
func pair(n int) string { return string([]rune{rune(0x4E00 + n%3_000), rune(0x4E00 + n*7_919%3_000)}) }

func newProse() prose {
	r := rand.New(rand.NewPCG(1, 2))
	return prose{r, rand.NewZipf(r, 1.1, 3, 60_000), rand.NewZipf(r, 1.1, 3, 20_000)}
}

func (p prose) text() string {
	var b strings.Builder
	chinese := p.IntN(3) == 0
	for target := 100 + p.IntN(1_100); b.Len() < target; {
		switch {
		case !chinese:
			b.WriteString(lexicaltest.Word(int(p.words.Uint64())) + " ")
		case p.IntN(12) == 0:
			b.WriteString("，")
		default:
			b.WriteString(pair(int(p.pairs.Uint64())))
		}
	}
	return b.String()
}

// BenchmarkSearch measures searches among 100,000 messages of one user in 500 conversations, by words, by words without the index, and by LIKE as before
// there were words. It also prints how long
// indexing takes, and how large the index is.
func BenchmarkSearch(b *testing.B) {
	const messages, conversations = 100_000, 500
	ctx := b.Context()
	pool, err := pgxpool.New(ctx, pgtest.NewDatabase(b, pg.MigrationsHash(), pg.Migrate))
	require.NoError(b, err)
	defer pool.Close()
	s := store.New(pool, store.Options{})
	user, err := s.Users.EnsureAdmin(ctx, "admin")
	require.NoError(b, err)
	key := func(i int) chat.SessionKey { return chat.SessionKey(fmt.Sprint("agent:main:web:thread:", i)) }
	for i := range conversations {
		_, err := s.Conversations.CreateSession(ctx, conversation.NewSession{Key: key(i), Owner: user.ID, Channel: "web"})
		require.NoError(b, err)
	}
	p := newProse()
	rows := make([][]any, messages)
	for i := range rows {
		rows[i] = []any{key(i * conversations / messages), "user", p.text()}
	}
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"messages"}, []string{"session_key", "role", "content"}, pgx.CopyFromRows(rows))
	require.NoError(b, err)
	began := time.Now()
	require.NoError(b, s.Search.IndexWords(ctx, slog.New(slog.DiscardHandler)))
	b.Logf("indexing of %d messages: %v", messages, time.Since(began).Round(time.Second))
	_, err = pool.Exec(ctx, "VACUUM ANALYZE")
	require.NoError(b, err)
	for _, name := range []string{"messages", "message_words", "message_words_words"} {
		var size string
		require.NoError(b, pool.QueryRow(ctx, "SELECT pg_size_pretty(CASE WHEN $1 LIKE '%words_words' THEN pg_relation_size($1::regclass) ELSE pg_table_size($1::regclass) END)", name).Scan(&size))
		b.Logf("size of %s: %s", name, size)
	}
	plain := search.New(pg.New(pool, nil))
	plain.RareHits = 0
	for name, q := range map[string]string{
		"frequent": lexicaltest.Word(0) + " ", "rare": lexicaltest.Word(41_234) + " ", "absent": "nowhere ", "beginning": "w4z", "two": lexicaltest.Word(0) + " " + lexicaltest.Word(9_000) + " ",
		"ideographs": pair(5), "rare_ideographs": pair(15_000),
	} {
		find := func(s *search.Store) func(*testing.B) {
			return func(b *testing.B) {
				for b.Loop() {
					found, err := s.Search(ctx, user.ID, q, 50)
					require.NoError(b, err)
					b.ReportMetric(float64(len(found)), "found")
				}
			}
		}
		b.Run(name+"/words", find(s.Search))
		b.Run(name+"/words_without_index", find(plain))
		b.Run(name+"/like", func(b *testing.B) {
			for b.Loop() {
				rows, err := pool.Query(ctx, likeSearch, user.ID, "%"+strings.TrimSpace(strings.ReplaceAll(q, " ", "%"))+"%")
				require.NoError(b, err)
				_, err = pgx.CollectRows(rows, pgx.RowTo[int64])
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkInsert measures what the words of a message cost when it is written.
func BenchmarkInsert(b *testing.B) {
	ctx := b.Context()
	pool, err := pgxpool.New(ctx, pgtest.NewDatabase(b, pg.MigrationsHash(), pg.Migrate))
	require.NoError(b, err)
	defer pool.Close()
	s := store.New(pool, store.Options{})
	user, err := s.Users.EnsureAdmin(ctx, "admin")
	require.NoError(b, err)
	_, err = s.Conversations.CreateSession(ctx, conversation.NewSession{Key: key, Owner: user.ID, Channel: "web"})
	require.NoError(b, err)
	p := newProse()
	for _, insert := range []string{
		"INSERT INTO messages (session_key, role, content) SELECT $1::text, 'user', $2::text WHERE $3::text <> 'x'",
		"WITH m AS (INSERT INTO messages (session_key, role, content) VALUES ($1, 'user', $2) RETURNING id) INSERT INTO message_words SELECT id, $3::text::tsvector FROM m",
	} {
		b.Run(fmt.Sprintf("insert/words=%t", strings.HasPrefix(insert, "WITH")), func(b *testing.B) {
			for b.Loop() {
				text := p.text()
				words, _ := lexical.Vector(text)
				_, err := pool.Exec(ctx, insert, key, text, words)
				require.NoError(b, err)
			}
		})
	}
}

// likeSearch is the search for a part of a text that was there before searches by words.
const likeSearch = `SELECT f.id FROM sessions s CROSS JOIN LATERAL (
	SELECT m.id FROM messages m WHERE m.session_key = s.key AND m.role IN ('user', 'assistant') AND NOT m.display_only AND NOT m.silent AND m.rewound_by IS NULL
	AND coalesce(m.shown, m.content) ILIKE ALL (ARRAY[$2]) ORDER BY m.id DESC LIMIT 50) f WHERE s.user_id = $1 ORDER BY f.id DESC LIMIT 50`

func BenchmarkVector(b *testing.B) {
	p := newProse()
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = p.text()
	}
	for i := 0; b.Loop(); i++ {
		lexical.Vector(texts[i%len(texts)])
	}
}
