package store_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/inspect"
	"xbot/internal/turn/transcript"
)

func (b *bundle) exported(of chat.SessionKey) string {
	b.t.Helper()
	t, err := b.Conversations.Export(b.t.Context(), of)
	require.NoError(b.t, err)
	var out bytes.Buffer
	require.NoError(b.t, transcript.Write(&out, t))
	return out.String()
}

func (b *bundle) imported(of chat.SessionKey, text string) chat.Session {
	b.t.Helper()
	t, notes, err := transcript.Read(bytes.NewReader([]byte(text)))
	require.NoError(b.t, err)
	require.Empty(b.t, notes)
	made, err := b.Turns.Import(b.t.Context(), conversation.NewSession{Key: of, Owner: b.user.ID, Channel: "web", Title: t.Title}, t)
	require.NoError(b.t, err)
	return made
}

func TestImport_GivesTheModelTheConversationThatWasExported(t *testing.T) {
	b := setup(t)
	b.work("t1", "first question")
	b.work("t2", "second question")
	b.imported(copyKey, b.exported(key))
	require.Equal(t, b.view(key), b.view(copyKey))

	usage, err := b.Inspection.InspectSessions(t.Context(), inspect.SessionFilter{Limit: 10})
	require.NoError(t, err)
	for _, s := range usage {
		require.Equal(t, 2, s.Turns, s.Key)
		if s.Key == copyKey {
			require.Zero(t, s.TotalTokens, "nothing was paid for it here")
		} else {
			require.EqualValues(t, 22, s.TotalTokens)
		}
	}
	b.imported(copyKey+"2", b.exported(copyKey))
	require.Equal(t, b.view(key), b.view(copyKey+"2"), "again and again")
}

func TestExport_HasTheWholeOfWhatTheModelSeesInShort(t *testing.T) {
	b := setup(t)
	b.work("t1", "a question")
	id := chat.NewCallID("t1", 0, 0)
	b.offload("ol_00aa", &id, "the whole of a long result")
	_, err := b.pool.Exec(t.Context(), `UPDATE tool_calls SET offload = 'ol_00aa', result = 'in short' WHERE id = $1`, id)
	require.NoError(t, err)
	text := b.exported(key)
	require.Contains(t, text, "the whole of a long result")
	require.NotContains(t, text, "in short")
}

func TestImport_BeginsWhereASummaryAndAResetSay(t *testing.T) {
	b := setup(t)
	text := `{"type":"session","version":3,"id":"x","timestamp":"2026-01-30T10:00:00Z","cwd":"/"}
{"type":"message","id":"1","parentId":null,"timestamp":"2026-01-30T10:00:01Z","message":{"role":"user","content":"before the reset"}}
{"type":"reset","id":"2","parentId":"1","timestamp":"2026-01-30T10:00:02Z"}
{"type":"message","id":"3","parentId":"2","timestamp":"2026-01-30T10:00:03Z","message":{"role":"user","content":"summarized"}}
{"type":"message","id":"4","parentId":"3","timestamp":"2026-01-30T10:00:04Z","message":{"role":"assistant","content":[{"type":"text","text":"so too"}]}}
{"type":"message","id":"5","parentId":"4","timestamp":"2026-01-30T10:00:05Z","message":{"role":"user","content":"kept"}}
{"type":"compaction","id":"6","parentId":"5","timestamp":"2026-01-30T10:00:06Z","summary":"it was","firstKeptEntryId":"5"}
`
	b.imported(copyKey, text)
	seen := b.view(copyKey)
	require.Contains(t, seen, "it was")
	require.Contains(t, seen, "kept")
	require.NotContains(t, seen, "summarized")
	require.NotContains(t, seen, "so too")
	require.NotContains(t, seen, "before the reset")
	require.Contains(t, b.exported(copyKey), "before the reset", "it stays readable")
}

func TestImport_RefusesAKeyThatIsTaken(t *testing.T) {
	b := setup(t)
	_, err := b.Turns.Import(t.Context(), conversation.NewSession{Key: key, Owner: b.user.ID, Channel: "web"}, transcript.Transcript{})
	require.Equal(t, fault.Conflict, fault.KindOf(err))
}

func TestInspectInbox_ListsWhatWaitsAndWhatRunsOldestFirst(t *testing.T) {
	b := setup(t)
	b.send("m1", "first")
	_, ok := b.claim("t1")
	require.True(t, ok)
	b.send("m2", "second")
	list, err := b.Inspection.InspectInbox(t.Context(), 10)
	require.NoError(t, err)
	var got [][2]string
	for _, m := range list {
		got = append(got, [2]string{m.Words, m.State})
	}
	require.Equal(t, [][2]string{{"first", ops.InboxRunning}, {"second", ops.InboxWaiting}}, got)
	counts, err := b.Inspection.InspectCounts(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 1}, []int{counts.Running, counts.Waiting, counts.Sessions})
	b.finish("t1", chat.TurnDone)
	list, err = b.Inspection.InspectInbox(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, list, 1, "what was answered is no longer there")
}
