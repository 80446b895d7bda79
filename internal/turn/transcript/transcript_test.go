package transcript_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/transcript"
)

// foreign is a session as the other product writes it: a branch that was left, a compaction, thinking, a call.
const foreign = `{"type":"session","version":3,"id":"7d4c","timestamp":"2026-01-30T10:00:00.000Z","cwd":"/srv/work"}
{"type":"model_change","id":"a0","parentId":null,"timestamp":"2026-01-30T10:00:00.100Z","provider":"anthropic","modelId":"claude-x"}
{"type":"message","id":"a1","parentId":"a0","timestamp":"2026-01-30T10:00:01.000Z","message":{"role":"user","content":"list the folder","timestamp":1769767201000}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-30T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"ls will do","thinkingSignature":"x"},{"type":"text","text":"One moment."},{"type":"toolCall","id":"call_0","name":"bash","arguments":{"command":"ls -la"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-x","usage":{"input":10,"output":5,"cacheRead":90,"cacheWrite":0,"totalTokens":105,"cost":{"total":0.1}},"stopReason":"toolUse"}}
{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-01-30T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"call_0","toolName":"bash","content":[{"type":"text","text":"a.txt"}],"isError":false}}
{"type":"message","id":"b1","parentId":"a3","timestamp":"2026-01-30T10:00:04.000Z","message":{"role":"assistant","content":[{"type":"text","text":"the branch that was left"}],"stopReason":"stop"}}
{"type":"message","id":"a4","parentId":"a3","timestamp":"2026-01-30T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"There is a.txt."}],"provider":"anthropic","model":"claude-x","stopReason":"stop"}}
{"type":"message","id":"a5","parentId":"a4","timestamp":"2026-01-30T10:00:06.000Z","message":{"role":"user","content":[{"type":"text","text":"and this?"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}}
{"type":"compaction","id":"a6","parentId":"a5","timestamp":"2026-01-30T10:00:07.000Z","summary":"The folder holds a.txt.","firstKeptEntryId":"a5","tokensBefore":9000}
{"type":"whatever","id":"a7","parentId":"a6","timestamp":"2026-01-30T10:00:08.000Z"}
{"type":"message","id":"a8","parentId":"a7","timestamp":"2026-01-30T10:00:09.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"call_0","name":"bash","arguments":{}}],"stopReason":"aborted"}}
`

func TestRead_TakesAForeignSessionAsItsLastBranch(t *testing.T) {
	got, notes, err := transcript.Read(strings.NewReader(foreign))
	require.NoError(t, err)
	require.Equal(t, []string{`entries of type "whatever" were left out`}, notes)
	require.Equal(t, "/srv/work", got.Cwd)
	var said []string
	for _, m := range got.Messages {
		said = append(said, string(m.Role)+": "+m.Content)
	}
	require.Equal(t, []string{
		"user: list the folder", "assistant: One moment.", "assistant: There is a.txt.", "user: and this?\n[image image/png]", "assistant: ",
	}, said)
	first := got.Messages[1]
	require.Equal(t, "ls will do", first.Reasoning)
	require.Equal(t, "anthropic/claude-x", first.Model)
	require.Equal(t, "tool_calls", first.FinishReason)
	require.Equal(t, &chat.Usage{PromptTokens: 100, CachedTokens: 90, CompletionTokens: 5}, first.Usage)
	require.Equal(t, "a.txt", first.ToolCalls[0].Result)
	require.JSONEq(t, `{"command":"ls -la"}`, first.ToolCalls[0].Arguments)
	require.Equal(t, chat.CallOpen, got.Messages[4].ToolCalls[0].State, "nobody wrote its result")
	require.Len(t, got.Controls, 1)
	require.Equal(t, chat.MessageID(3), got.Controls[0].Message, "the summary stands for what is before the first entry that is kept")
}

func TestRead_SaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":   "the transcript is empty",
		"{}": "line 1 does not describe a session",
		`{"type":"session","version":2,"id":"x"}`:           "the transcript has version 2; version 3 can be read",
		`{"type":"session","version":3,"id":"x"}` + "\n{":   "entry 2 of the transcript is not readable",
		`{"type":"session","version":3,"id":"x"}` + "\n[1]": "entry 2 of the transcript is not readable",
	} {
		_, _, err := transcript.Read(strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

// drawn is a conversation as the store could hold it.
func drawn(t *rapid.T) transcript.Transcript {
	out := transcript.Transcript{ID: "agent:main:web:thread:x", Title: rapid.String().Draw(t, "title"), Created: time.UnixMilli(1_700_000_000_000).UTC()}
	for i := range rapid.IntRange(0, 12).Draw(t, "messages") {
		m := chat.Message{ID: chat.MessageID(i + 1), Content: rapid.String().Draw(t, "content"), CreatedAt: out.Created.Add(time.Duration(i) * time.Second)}
		switch m.Role = rapid.SampledFrom([]chat.Role{chat.RoleUser, chat.RoleAssistant, chat.RoleNotice}).Draw(t, "role"); m.Role {
		case chat.RoleUser:
			m.Origin = rapid.SampledFrom([]string{"", chat.OriginCommand, chat.OriginOverheard}).Draw(t, "origin")
		case chat.RoleAssistant:
			m.Model, m.FinishReason = "p/m", "stop"
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				m.ToolCalls = append(m.ToolCalls, chat.ToolCall{
					ID: chat.NewCallID("t", i, len(m.ToolCalls)), Name: "Shell", State: chat.CallDone, Result: rapid.String().Draw(t, "result"),
					Arguments: rapid.SampledFrom([]string{`{"command":"ls"}`, `not JSON`, `[1]`, ``}).Draw(t, "arguments"), IsError: rapid.Bool().Draw(t, "error"),
				})
			}
		}
		out.Messages = append(out.Messages, m)
	}
	return out
}

func TestRead_ReturnsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wrote := drawn(t)
		var b bytes.Buffer
		require.NoError(t, transcript.Write(&b, wrote))
		read, notes, err := transcript.Read(&b)
		require.NoError(t, err)
		require.Empty(t, notes)
		require.Len(t, read.Messages, len(wrote.Messages))
		for i, m := range wrote.Messages {
			got := read.Messages[i]
			require.Equal(t, []any{m.Role, m.Origin, m.Content, m.Model, m.CreatedAt}, []any{got.Role, got.Origin, got.Content, got.Model, got.CreatedAt})
			require.Len(t, got.ToolCalls, len(m.ToolCalls))
			for j, c := range m.ToolCalls {
				d := got.ToolCalls[j]
				require.Equal(t, []any{c.Name, c.Result, c.IsError, c.State, c.Arguments}, []any{d.Name, d.Result, d.IsError, d.State, d.Arguments})
			}
		}
	})
}

func TestWrite_KeepsWhereASummaryAndAResetStand(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_000).UTC()
	wrote := transcript.Transcript{ID: "x", Created: at, Controls: []chat.Control{
		{ID: 4, Message: 10, Compaction: &chat.Compaction{Summary: "so far", TokensBefore: 5}},
		{ID: 5, Message: 20, Reset: &chat.Reset{Reason: "new"}},
	}}
	for _, id := range []chat.MessageID{10, 20, 30} {
		wrote.Messages = append(wrote.Messages, chat.Message{ID: id, Role: chat.RoleUser, Content: "m"})
	}
	var b bytes.Buffer
	require.NoError(t, transcript.Write(&b, wrote))
	read, _, err := transcript.Read(&b)
	require.NoError(t, err)
	require.Equal(t, []chat.MessageID{1, 2}, []chat.MessageID{read.Controls[0].Message, read.Controls[1].Message})
	require.Equal(t, chat.ControlReset, read.Controls[1].Kind)
}

func FuzzRead(f *testing.F) {
	f.Add(foreign)
	f.Add(`{"type":"session","version":3,"id":"x"}` + "\n" + `{"type":"compaction","id":"a","parentId":"a"}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, _, err := transcript.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, c := range got.Controls {
			if c.Message < 1 || int(c.Message) > len(got.Messages) {
				t.Fatalf("a record about message %d of %d", c.Message, len(got.Messages))
			}
		}
	})
}
