package e2e

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// What people told the bot in their own chats reaches nobody in a group that they are in, also not through subagents, and what the
// group told it reaches no member.
func TestGroups_SubagentsOfAGroupKnowNothingOfItsMembers(t *testing.T) {
	t.Parallel()
	f := newFeishu(t, 2, 1)
	s := newServer(t, f.env()...)
	s.inForce(letAllIn)
	require.Eventually(t, f.connected, time.Minute, 20*time.Millisecond)
	tell := func(group, who int, lines ...string) {
		t.Helper()
		word := rand.Text()
		f.say(group, who, strings.Join(append(lines, "say "+word), "\n"))
		require.Eventually(t, func() bool { return strings.Contains(strings.Join(f.shown(group, who), "\n"), word) }, crashLimit, 50*time.Millisecond, "the answer to %q", lines)
	}
	places := []struct {
		group, who int
		mark, fact string
	}{{0, 1, "run-one", "one keeps bees"}, {0, 2, "run-two", "two keeps goats"}, {1, 1, "run-team", "the team keeps cats"}}
	for _, p := range places {
		tell(p.group, p.who, "# "+p.mark, call("memory_write", args{"path": "facts.md", "content": p.fact}))
	}
	places[2].who = 2 // somebody else asks in the group
	for _, p := range places {
		look := []string{"# " + p.mark, call("memory_list", args{"path": "facts.md"}), "say looked"}
		tell(p.group, p.who, "# "+p.mark, call("SubAgent", args{"role": "researcher", "task": strings.Join(look, "\n")}))
	}

	rows, err := s.look().Query(t.Context(), `SELECT c.result FROM tool_calls c JOIN subagents a ON a.session_key = c.session_key WHERE c.name = 'memory_list' ORDER BY a.created_at`)
	require.NoError(t, err)
	seen, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Len(t, seen, len(places))
	for i, p := range places {
		require.Contains(t, seen[i], p.fact, "what it was told is there")
		asked := 0
		for _, r := range s.model.Requests() {
			if !strings.Contains(string(r.Raw), p.mark) {
				continue
			}
			asked++
			for _, other := range places {
				require.Equal(t, other == p, strings.Contains(string(r.Raw)+p.fact, other.fact), "%s reads that %s", p.mark, other.fact)
			}
		}
		require.Greater(t, asked, 4, "its requests and those of its subagent")
	}
}
