package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

func say(role, text string) llm.Message { return llm.Message{Role: role, Content: text} }

func calling(ids ...string) llm.Message {
	m := llm.Message{Role: "assistant"}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: id, Name: "Shell"})
	}
	return m
}

func result(id, text string) llm.Message {
	return llm.Message{Role: "tool", ToolCallID: id, Content: text}
}

func TestTidy_LeavesAGoodTranscriptAlone(t *testing.T) {
	t.Parallel()
	good := []llm.Message{
		say("user", "a"), calling("1", "2"), result("1", "x"), result("2", "y"), say("assistant", "b"), say("user", "c"),
	}
	require.Equal(t, good, wire.Tidy(good))
}

func TestTidy_PairsEachCallWithOneResult(t *testing.T) {
	t.Parallel()
	tidy := wire.Tidy([]llm.Message{
		say("user", "a"), result("9", "orphan"), calling("1", "2", "3"), result("2", "y"), say("user", "steer"),
		result("1", ""), result("2", "again"),
	})
	require.Equal(t, []llm.Message{
		say("user", "a"), calling("1", "2", "3"), result("1", "(no output)"), result("2", "y"),
		{Role: "tool", ToolCallID: "3", Content: "No result was recorded for this call.", IsError: true},
		say("user", "steer"),
	}, tidy)
}

func TestTidy_JoinsUsersAndDropsSilentAssistants(t *testing.T) {
	t.Parallel()
	original := []llm.Message{say("user", "a"), say("user", ""), say("assistant", ""), say("user", "b")}
	require.Equal(t, []llm.Message{say("user", "a\n\nb")}, wire.Tidy(original))
	require.Equal(t, "a", original[0].Content)
	require.Equal(t, []llm.Message{say("user", "(empty message)")}, wire.Tidy([]llm.Message{say("user", "")}))
}

func remind(text string) llm.Message {
	return llm.Message{Role: "user", Content: text, Volatile: true}
}

func TestTidy_KeepsWhatIsVolatileApart(t *testing.T) {
	t.Parallel()
	stable := []llm.Message{say("user", "a"), calling("1"), result("1", "x"), say("user", "b")}
	tidy := wire.Tidy(append([]llm.Message{remind("early")}, append(stable, remind(""), remind("late"))...))
	require.Equal(t, append(wire.Tidy(stable), remind("early\n\nlate")), tidy, "the beginning is the same as without it")
	require.Equal(t, []llm.Message{remind("alone")}, wire.Tidy([]llm.Message{remind("alone")}))
}

func TestAttach_WritesWhatIsVolatileIntoTheMessageBeforeIt(t *testing.T) {
	t.Parallel()
	tidy := []llm.Message{say("user", "a"), calling("1"), result("1", "x"), remind("r")}
	require.Equal(t, []llm.Message{say("user", "a"), calling("1"), result("1", "x\n\nr")}, wire.Attach(tidy))
	require.Equal(t, "x", tidy[2].Content, "the original stays")
	for _, alone := range [][]llm.Message{nil, {remind("r")}, {say("user", "a"), say("assistant", "b"), remind("r")}, {say("user", "a")}} {
		require.Equal(t, alone, wire.Attach(alone))
	}
}

func FuzzTidy_IsWellFormedAndStable(f *testing.F) {
	f.Add("uc1c2r2ur1")
	f.Add("r1c1c1auuar1r1")
	f.Add("uvc1r1v2")
	f.Fuzz(func(t *testing.T, script string) {
		tidy := wire.Tidy(transcript(script))
		require.Equal(t, tidy, wire.Tidy(tidy))
		for i, m := range tidy {
			require.False(t, i > 0 && m.Role == "user" && !m.Volatile && tidy[i-1].Role == "user")
			require.True(t, !m.Volatile || i == len(tidy)-1)
			for n, call := range m.ToolCalls {
				require.Equal(t, call.ID, tidy[i+1+n].ToolCallID)
			}
			if m.Role != "assistant" {
				require.NotEmpty(t, m.Content)
			}
		}
	})
}

// transcript reads one letter per message: u, a, v for a volatile one, and c or r with the id that follows.
func transcript(script string) []llm.Message {
	var messages []llm.Message
	for i := range len(script) {
		id := ""
		if i+1 < len(script) {
			id = script[i+1 : i+2]
		}
		switch script[i] {
		case 'u':
			messages = append(messages, say("user", id))
		case 'v':
			messages = append(messages, remind(id))
		case 'a':
			messages = append(messages, say("assistant", id))
		case 'c':
			messages = append(messages, calling(id))
		case 'r':
			messages = append(messages, result(id, id))
		}
	}
	return messages
}

func TestShortID_SuitsEveryProvider(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, id := range []string{"", "a", "5f0c1f0e-6f9a-4a54-8a07-0b7a3e1c2d4f.12.3", "5f0c1f0e-6f9a-4a54-8a07-0b7a3e1c2d4f.12.4"} {
		short := wire.ShortID(id)
		require.Regexp(t, `^[A-Za-z0-9]{9}$`, short)
		require.Equal(t, short, wire.ShortID(id))
		require.False(t, seen[short])
		seen[short] = true
	}
}

func TestTidy_LeavesOutCallsWhoseIdWasUsedBefore(t *testing.T) {
	t.Parallel()
	tidy := wire.Tidy([]llm.Message{say("user", "a"), calling("1", "2", "1"), result("1", "x"), result("2", "y"), calling("2"), say("user", "b")})
	require.Equal(t, []llm.Message{say("user", "a"), calling("1", "2"), result("1", "x"), result("2", "y"), say("user", "b")}, tidy)
}

func TestTidy_EndsWithAUser(t *testing.T) {
	t.Parallel()
	for _, messages := range [][]llm.Message{nil, {say("user", "a"), say("assistant", "b")}, {say("assistant", " ")}} {
		tidy := wire.Tidy(messages)
		last := tidy[len(tidy)-1]
		require.Equal(t, "user", last.Role)
		require.True(t, last.Volatile, "the conversation does not keep it")
	}
}

func TestTidy_HoldsNoNUL(t *testing.T) {
	t.Parallel()
	tidy := wire.Tidy([]llm.Message{say("user", "a\x00b"), calling("1"), result("1", "\x00")})
	require.Equal(t, []llm.Message{say("user", "ab"), calling("1"), result("1", "(no output)")}, tidy)
}

func TestName_SuitsEveryProvider(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Shell": "Shell", "no such tool": "no_such_tool", "工具": "__", "": "unknown", "a.b/c-d_e": "a_b_c-d_e"} {
		require.Equal(t, want, wire.Name(name))
	}
	require.Len(t, wire.Name(strings.Repeat("n", 100)), 64)
}

func TestObject_IsAlwaysAnObject(t *testing.T) {
	t.Parallel()
	require.Equal(t, `{}`, wire.Object(" "))
	require.Equal(t, `{"a":1}`, wire.Object(` {"a":1} `))
	require.Equal(t, `{"malformed_arguments":"{\"a\":"}`, wire.Object(`{"a":`))
	for _, arguments := range []string{"null", "[1]", "3", "\xff", `"x"`} {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(wire.Object(arguments)), &object), arguments)
	}
}
