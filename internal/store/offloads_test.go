package store_test

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/engine"
)

// large is a result that was too large, with the id it is recalled by.
func large(id, body string) chat.ToolResult {
	return chat.ToolResult{Content: "summary of " + id, Offload: &chat.Offload{ID: id, Summary: "summary of " + id, Body: body, Tool: "Read"}}
}

// opens begins a turn with two calls.
func (b *bundle) opens(turn chat.TurnID) (first, second chat.CallID) {
	b.t.Helper()
	b.send("m-"+string(turn), "go")
	b.claim(turn)
	_, err := b.Turns.CommitStep(b.t.Context(), b.begin(turn, 0), twoCalls(turn))
	require.NoError(b.t, err)
	return chat.NewCallID(turn, 0, 0), chat.NewCallID(turn, 0, 1)
}

func (b *bundle) count(query string, args ...any) int {
	b.t.Helper()
	n := 0
	require.NoError(b.t, b.pool.QueryRow(b.t.Context(), query, args...).Scan(&n))
	return n
}

func TestFinishCall_KeepsTheWholeBesideTheSummary(t *testing.T) {
	b := setup(t)
	id, _ := b.opens("t1")
	body := strings.Repeat("línea 行\n", 4000)
	require.NoError(t, b.Calls.FinishCall(t.Context(), id, large("ol_0123456789", body)))

	w, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	call := w.Lines[1].Message.ToolCalls[0]
	require.Equal(t, "summary of ol_0123456789", call.Result)
	require.Equal(t, "ol_0123456789", call.Offload)
	events := b.events(0)
	require.NotContains(t, string(events[len(events)-1].Data), "línea", "the feed carries the summary only")
	got, err := b.Conversations.OffloadBody(t.Context(), key, "ol_0123456789")
	require.NoError(t, err)
	require.Equal(t, body, got)
	got, err = b.Conversations.CallResult(t.Context(), key, id)
	require.NoError(t, err)
	require.Equal(t, body, got)
}

func TestFinishCall_KeepsWhatTheCallChangedForPeopleAlone(t *testing.T) {
	b := setup(t)
	id, _ := b.opens("t1")
	require.NoError(t, b.Calls.FinishCall(t.Context(), id, chat.ToolResult{Content: "Wrote f.", Diff: "--- f\n+++ f\n+\x00new\n"}))
	events := b.events(0)
	require.Contains(t, string(events[len(events)-1].Data), `"diff": "--- f\n+++ f\n+new\n"`)
	w, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Empty(t, w.Lines[1].Message.ToolCalls[0].Diff, "the model reads the result alone")
}

func TestFinishCall_AResultThatComesLateLeavesNoOffload(t *testing.T) {
	b := setup(t)
	id, _ := b.opens("t1")
	require.NoError(t, b.Calls.FinishCall(t.Context(), id, chat.ToolResult{Content: "first"}))
	require.NoError(t, b.Calls.FinishCall(t.Context(), id, large("ol_0123456789", "body")))
	require.Zero(t, b.count("SELECT count(*) FROM offloads"))
	require.Zero(t, b.count("SELECT count(*) FROM blobs"))
	got, err := b.Conversations.CallResult(t.Context(), key, id)
	require.NoError(t, err)
	require.Equal(t, "first", got)
}

func TestFinishCall_AnIdThatIsTakenLeavesTheWholeInTheConversation(t *testing.T) {
	b := setup(t)
	first, second := b.opens("t1")
	require.NoError(t, b.Calls.FinishCall(t.Context(), first, large("ol_0123456789", "one")))
	require.NoError(t, b.Calls.FinishCall(t.Context(), second, large("ol_0123456789", "two")))
	call, err := b.Calls.Call(t.Context(), second)
	require.NoError(t, err)
	require.Equal(t, "two", call.Result)
	require.Empty(t, call.Offload)
	got, err := b.Conversations.OffloadBody(t.Context(), key, "ol_0123456789")
	require.NoError(t, err)
	require.Equal(t, "one", got)
}

func TestFinishCall_ATaskIsNamedInTheSummaryOfItsOutput(t *testing.T) {
	b := setup(t)
	b.send("m1", "build")
	b.claim("t1")
	id := b.exec("t1", 0, "local")
	r := large("ol_0123456789", "much output")
	r.Background = &chat.Background{Command: "make", Runner: "local", StartedAt: time.Now()}
	require.NoError(t, b.Calls.FinishCall(t.Context(), id, r))
	call, err := b.Calls.Call(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "summary of ol_0123456789\ntask_id: bg1", call.Result)
	require.Equal(t, "ol_0123456789", call.Offload)
}

func TestOffloads_OfASubagentAreKeptUnderItsRoot(t *testing.T) {
	b := setup(t)
	const root = chat.SessionKey("agent:main:web:thread:root")
	b.session(root)
	_, err := b.pool.Exec(t.Context(), "UPDATE sessions SET root = $1 WHERE key = $2", root, key)
	require.NoError(t, err)
	id, _ := b.opens("t1")
	require.NoError(t, b.Calls.FinishCall(t.Context(), id, large("ol_0123456789", "body")))
	for _, k := range []chat.SessionKey{root, key} {
		got, err := b.Conversations.OffloadBody(t.Context(), k, "ol_0123456789")
		require.NoError(t, err)
		require.Equal(t, "body", got)
	}
	require.Equal(t, 1, b.count("SELECT count(*) FROM offloads WHERE session_key = $1", root))
	got, err := b.Conversations.CallResult(t.Context(), key, id)
	require.NoError(t, err)
	require.Equal(t, "body", got)
}

func TestOffloadBody_OfAnotherSessionIsNotThere(t *testing.T) {
	b := setup(t)
	const other = chat.SessionKey("agent:main:web:thread:other")
	b.session(other)
	id, _ := b.opens("t1")
	require.NoError(t, b.Calls.FinishCall(t.Context(), id, large("ol_0123456789", "body")))
	_, err := b.Conversations.OffloadBody(t.Context(), other, "ol_0123456789")
	require.True(t, fault.Is(err, fault.NotFound))
	_, err = b.Conversations.CallResult(t.Context(), other, id)
	require.True(t, fault.Is(err, fault.NotFound))
	entries, err := b.Conversations.Offloads(t.Context(), other)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestOffloadedFiles_AreAsTheyWereRead(t *testing.T) {
	b := setup(t)
	first, second := b.opens("t1")
	hash := sha256.Sum256([]byte("file"))
	file := chat.FileState{Path: "/w/a.go", Runner: "local", Size: 4, Time: time.Now().Truncate(time.Microsecond), Hash: hash[:]}
	r := large("ol_0123456789", "1\tfile")
	r.Offload.File = &file
	require.NoError(t, b.Calls.FinishCall(t.Context(), first, r))
	require.NoError(t, b.Calls.FinishCall(t.Context(), second, large("ol_aaaaaaaaaa", "no file")))
	got, err := b.Conversations.OffloadedFiles(t.Context(), key, []string{"ol_0123456789", "ol_aaaaaaaaaa", "ol_bbbbbbbbbb"})
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.True(t, file.Time.Equal(got[0].File.Time))
	got[0].File.Time = file.Time
	require.Equal(t, chat.OffloadedFile{ID: "ol_0123456789", User: b.user.ID, File: file}, got[0])
	entries, err := b.Conversations.Offloads(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

func TestDeleteSession_RemovesBodiesThatNobodyNamesAnyMore(t *testing.T) {
	b := setup(t)
	first, second := b.opens("t1")
	require.NoError(t, b.Calls.FinishCall(t.Context(), first, large("ol_0123456789", "of this one alone")))
	require.NoError(t, b.Calls.FinishCall(t.Context(), second, large("ol_aaaaaaaaaa", "of both")))
	const other = chat.SessionKey("agent:main:web:thread:other")
	b.session(other)
	_, err := b.pool.Exec(t.Context(), "INSERT INTO offloads (session_key, id, blob, bytes, tool) SELECT $1, id, blob, bytes, tool FROM offloads WHERE id = 'ol_aaaaaaaaaa'", other)
	require.NoError(t, err)
	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	require.Equal(t, 1, b.count("SELECT count(*) FROM blobs"))
	got, err := b.Conversations.OffloadBody(t.Context(), other, "ol_aaaaaaaaaa")
	require.NoError(t, err)
	require.Equal(t, "of both", got)
	require.NoError(t, b.Agents.DeleteSession(t.Context(), other))
	require.Zero(t, b.count("SELECT count(*) FROM blobs"))
}

// TestDeleteSession_LeavesABodyThatAnotherIsAboutToName has sessions with one and the same body deleted while others get it.
func TestDeleteSession_LeavesABodyThatAnotherIsAboutToName(t *testing.T) {
	b := setup(t)
	const rounds = 12
	keys := make([]chat.SessionKey, rounds)
	calls := make([]chat.CallID, rounds)
	for i := range keys {
		keys[i] = chat.SessionKey("agent:main:web:thread:race-" + string(rune('a'+i)))
		b.session(keys[i])
		turn := chat.TurnID("race-" + string(rune('a'+i)))
		_, err := b.Turns.Accept(t.Context(), engine.NewRow{Session: keys[i], User: b.user.ID, Channel: "web", PlatformID: string(turn), Text: "go"})
		require.NoError(t, err)
		_, _, err = b.Turns.Claim(t.Context(), keys[i], turn, "run", 0)
		require.NoError(t, err)
		step := chat.Step{Session: keys[i], Turn: turn}
		_, _, _, err = b.Turns.BeginStep(t.Context(), step)
		require.NoError(t, err)
		_, err = b.Turns.CommitStep(t.Context(), step, twoCalls(turn))
		require.NoError(t, err)
		calls[i] = chat.NewCallID(turn, 0, 0)
	}
	var wg sync.WaitGroup
	errs := make(chan error, 2*rounds)
	require.NoError(t, b.Calls.FinishCall(t.Context(), calls[0], large("ol_0123456789", "shared")))
	for i := 1; i < rounds; i++ {
		wg.Go(func() { errs <- b.Calls.FinishCall(t.Context(), calls[i], large("ol_0123456789", "shared")) })
		wg.Go(func() { errs <- b.Agents.DeleteSession(t.Context(), keys[i-1]) })
		wg.Wait()
	}
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	got, err := b.Conversations.OffloadBody(t.Context(), keys[rounds-1], "ol_0123456789")
	require.NoError(t, err)
	require.Equal(t, "shared", got)
	require.Equal(t, 1, b.count("SELECT count(*) FROM blobs"))
}
