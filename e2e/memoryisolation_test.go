package e2e

import (
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
	"xbot/internal/secret"
)

// colleague makes a second person and returns the server as they see it.
func (s *server) colleague(name string) *server {
	s.t.Helper()
	token, hash := secret.NewToken()
	_, err := s.database().Exec(s.t.Context(), `WITH u AS (INSERT INTO users (name, role) VALUES ($1, 'member') RETURNING id)
		INSERT INTO api_tokens (user_id, name, token_hash) SELECT id, 'test', $2 FROM u`, name, hash)
	require.NoError(s.t, err)
	other := *s
	other.client = apiclient.New(apiclient.Endpoint{URL: s.url, Token: token})
	s.t.Cleanup(other.client.Close)
	return &other
}

func TestMemory_OfOnePersonReachesNoOther(t *testing.T) {
	t.Parallel()
	s := remembering(t, 0)
	mine, theirs := s.newTalk(), s.colleague("bob").newTalk()
	mine.remember("alice keeps bees")
	theirs.remember("bob keeps goats")
	mine.done("/new")
	theirs.done("/new")
	s.untilMemorized(time.Minute, 2)
	for _, c := range []struct {
		k           *talk
		own, others string
	}{{mine, "alice keeps bees", "bob keeps goats"}, {theirs, "bob keeps goats", "alice keeps bees"}} {
		word := rand.Text()
		c.k.done("say " + word)
		require.Contains(t, c.k.lastSystem(), c.own, "the prompt")
		require.NotContains(t, c.k.lastSystem(), c.others)
		for _, say := range []string{"/memory", "/memory search keeps", "/memory log", "/prompt"} {
			c.k.send(say)
			told := c.k.notices()
			require.Contains(t, told[len(told)-1], c.own, say)
			require.NotContains(t, told[len(told)-1], c.others, say)
		}
		look, err := c.k.client.GetMemory(t.Context(), apiclient.GetMemoryParams{})
		require.NoError(t, err)
		found, err := c.k.client.SearchMemory(t.Context(), apiclient.SearchMemoryParams{Q: "keeps"})
		require.NoError(t, err)
		require.Contains(t, fmt.Sprint(look, found), c.own)
		require.NotContains(t, fmt.Sprint(look, found), c.others)
		c.k.done(`call memory_list {"path":"MEMORY.md"}`, "say done")
		calls := lastCalls(c.k)
		require.Contains(t, calls[0].Result, c.own, "the tool")
		require.NotContains(t, calls[0].Result, c.others)
	}
}
