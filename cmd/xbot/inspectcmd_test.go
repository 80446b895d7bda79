package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/fault"
)

func TestSessionTable_ShowsWhatIsTalkedAboutAndThePlaceOfGroups(t *testing.T) {
	var out strings.Builder
	require.NoError(t, sessionTable(&out, []ops.SessionSummary{
		{Key: "k1", User: "alice", Title: "the leaking tap", Routing: chat.Routing{ChatType: chat.ChatDirect, Origin: chat.Origin{Label: "alice"}}, UpdatedAt: time.Now()},
		{Key: "k2", User: "bob", Routing: chat.Routing{ChatType: chat.ChatDirect, Origin: chat.Origin{Label: "Bob B."}}, UpdatedAt: time.Now()},
		{Key: "k3", User: "feishu:group:oc_1", Title: "hello", Routing: chat.Routing{ChatType: chat.ChatGroup, Origin: chat.Origin{Label: "Plumbers"}}, UpdatedAt: time.Now()},
	}))
	rows := strings.Split(out.String(), "\n")
	require.True(t, strings.HasSuffix(rows[1], "the leaking tap"), rows[1])
	require.True(t, strings.HasSuffix(rows[2], "Bob B."), rows[2])
	require.True(t, strings.HasSuffix(rows[3], "Plumbers"), rows[3])
}

func TestSeveral_CountsAsPeopleDo(t *testing.T) {
	require.Equal(t, []string{"0 runners", "1 runner", "2 runners"}, []string{several(0, "runner"), several(1, "runner"), several(2, "runner")})
}

func TestSessionImport_AnEmptyTranscriptIsSaidBeforeAServerIsAsked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "empty.jsonl")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	err := sessionImportCmd{File: file}.Run(t.Context())
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "the transcript is empty")
}

func TestSessionImport_ADashIsStandardInput(t *testing.T) {
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	was := os.Stdin
	os.Stdin = null
	t.Cleanup(func() { os.Stdin = was; require.NoError(t, null.Close()) })
	require.ErrorContains(t, sessionImportCmd{File: "-"}.Run(t.Context()), "the transcript is empty")
}
