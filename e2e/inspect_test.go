package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
)

func (s *server) operated(arguments ...string) string {
	s.t.Helper()
	said, err := s.operate(arguments...)
	require.NoError(s.t, err, said)
	return said
}

func TestInspect_ShowsWhatRunsAndWaitsOverAKillOfTheServer(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	require.Equal(t, "No accepted message waits for an answer.\nNothing that was written in the last seven days is missing on a platform.", k.operated("inbox"))
	running := k.send(k.shell("%s", k.untilFile("killed")), "say held")
	k.untilTool(time.Minute, chat.CallRunning)
	k.send("/compact")
	var list []ops.Unanswered
	require.NoError(t, json.Unmarshal([]byte(k.operated("inbox", "--json")), &list))
	require.Len(t, list, 2)
	require.Equal(t, []string{"running", "waiting"}, []string{list[0].State, list[1].State})
	k.crash()
	k.touch("killed")
	said, err := k.operate("inbox")
	require.Error(t, err)
	require.Contains(t, said, "no server of this user is running")
	k.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, running).State)
	status := k.operated("status")
	require.Contains(t, status, string(k.key))
	require.Contains(t, k.operated("sessions", "--active", "60"), string(k.key))
	require.Contains(t, status, k.home, "the data folder")
	require.Regexp(t, `(?m)^database\s+/.+/t\d+$`, status)
	require.Contains(t, k.operated("sessions", "--json"), `"cached_tokens"`, "all that the server counted")
	require.Equal(t, "There are no such conversations.", k.operated("sessions", "--user", "nobody"))
}

func TestInspect_ListsEveryConversationHoweverManyThereAre(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done("say hello")
	_, err := k.look().Exec(t.Context(), `INSERT INTO sessions (key, user_id, channel, agent, last_interaction_at)
		SELECT 'agent:main:web:thread:made-' || n, s.user_id, s.channel, s.agent, s.last_interaction_at - make_interval(secs => n % 7)
		FROM sessions s, generate_series(1, 1100) n WHERE s.key = $1`, k.key)
	require.NoError(t, err)
	var list []ops.SessionSummary
	require.NoError(t, json.Unmarshal([]byte(k.operated("sessions", "--json")), &list))
	keys := map[chat.SessionKey]bool{}
	for _, s := range list {
		keys[s.Key] = true
	}
	require.Len(t, keys, 1101)
	require.Len(t, list, 1101)
	mine := list[slices.IndexFunc(list, func(s ops.SessionSummary) bool { return s.Key == k.key })]
	require.Positive(t, mine.ContextTokens)
	require.Greater(t, mine.ContextMax, mine.ContextTokens)
	require.Len(t, strings.Split(k.operated("sessions"), "\n"), 1102, "with the heading")
}

func TestInspect_AnImportedConversationGoesOnWithWhatWasSaid(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done("say the harbour is grey")
	lines := k.operated("session", "export", string(k.key))
	require.Contains(t, k.operated("session", "show", string(k.key)), "the harbour is grey")
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(lines+"\n"), 0o600))
	key := k.operated("session", "import", "--title", "copied", file)

	before := len(k.model.Requests())
	other := &talk{server: k.server, key: chat.SessionKey(key)}
	other.done("say and now")
	sent := k.model.Requests()[before]
	require.Contains(t, strings.Join(sent.Prompt(), "\n"), "the harbour is grey", "the model reads what was said elsewhere")
}
