package tool_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

type echoParams struct {
	Text  string `json:"text" jsonschema:"What to say."`
	Times int    `json:"times,omitempty"`
	Loud  bool   `json:"loud,omitempty"`
	Items []item `json:"items,omitempty"`
}

type item struct {
	Name string `json:"name"`
	Done bool   `json:"done,omitempty"`
}

type echo struct{}

func (echo) Summary(p echoParams) string { return p.Text }
func (echo) Run(_ context.Context, _ tool.Call, p echoParams) (chat.ToolResult, error) {
	return tool.Text(p.Text), nil
}

func newEcho() tool.Tool {
	return tool.Define("echo_text", chat.ClassRead, "Says it again.\n", echo{})
}

func TestDefine_DerivesTheSameSmallSchemaEachTime(t *testing.T) {
	t.Parallel()
	spec := newEcho().Spec()
	require.Equal(t, spec.Parameters, newEcho().Spec().Parameters)
	require.Equal(t, `{"type":"object","properties":{"text":{"type":"string","description":"What to say."},`+
		`"times":{"type":"integer"},"loud":{"type":"boolean"},"items":{"type":"array","items":{"type":"object",`+
		`"properties":{"name":{"type":"string"},"done":{"type":"boolean"}},"required":["name"]}}},"required":["text"]}`,
		string(spec.Parameters))
	require.Equal(t, "Says it again.", spec.Description)
}

func TestDefine_NamesIgnoredArguments(t *testing.T) {
	t.Parallel()
	result, err := newEcho().Run(t.Context(), tool.Call{Arguments: `{"text":"hi","volume":3}`})
	require.NoError(t, err)
	require.False(t, result.IsError)
	require.Equal(t, "hi\n(ignored unknown argument volume; this tool takes text, times, loud, items)", result.Content)
}

func TestDefine_AnswersBadArgumentsWithAResult(t *testing.T) {
	t.Parallel()
	result, err := newEcho().Run(t.Context(), tool.Call{Arguments: `{"text":`})
	require.NoError(t, err)
	require.True(t, result.IsError)
	require.Equal(t, "Error: the arguments are not a valid JSON object: they end too early, after 8 bytes; "+
		"if they were cut off, send less in one call\nPlease fix the issue and try again.", result.Content)
}

func TestSummary_IsOneShortLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 100)
	summary := newEcho().Summary(`{"text":"a\n\tb \u001b[31m ` + long + `"}`)
	require.True(t, strings.HasPrefix(summary, "a b [31m word"), summary)
	require.LessOrEqual(t, len([]rune(summary)), 200)
	require.Empty(t, newEcho().Summary(`{"text"`))
}

func TestRegistry_FindsToolsHoweverTheirNameIsWritten(t *testing.T) {
	t.Parallel()
	r := tool.New(newEcho())
	for _, name := range []string{"echo_text", "EchoText", "ECHO-TEXT"} {
		_, ok := r.Get(name)
		require.True(t, ok, name)
	}
	require.Equal(t, "hi", r.Summary("echo_text", `{"text":"hi"}`))
	require.Panics(t, func() { tool.New(newEcho(), newEcho()) })
}

func TestRegistry_AnswersAnUnknownNameWithTheNearest(t *testing.T) {
	t.Parallel()
	r := tool.New(newEcho())
	result, err := r.Run(t.Context(), "echo", tool.Call{})
	require.NoError(t, err)
	require.True(t, result.IsError)
	require.Contains(t, result.Content, `there is no tool named "echo"; the nearest are echo_text`)
	require.Equal(t, chat.ClassRead, r.Class("echo"))
}

func TestFromError_SortsWhatTheModelCanMendFromWhatItCannot(t *testing.T) {
	t.Parallel()
	for _, kind := range []fault.Kind{fault.Invalid, fault.Denied, fault.NotFound, fault.Conflict, fault.TooLarge} {
		result, err := tool.FromError(fault.Errorf(kind, "this is it"))
		require.NoError(t, err, kind)
		require.Equal(t, "Error: this is it\nPlease fix the issue and try again.", result.Content)
	}
	for _, cause := range []error{fault.Errorf(fault.Unavailable, "gone"), context.Canceled} {
		_, err := tool.FromError(cause)
		require.ErrorIs(t, err, cause)
	}
}

func TestBound_KeepsHeadAndTailAndSaysHowMuchIsMissing(t *testing.T) {
	t.Parallel()
	text := "first line\n" + strings.Repeat("middle line\n", 1000) + "last line\n"
	got := tool.Bound(text, 600)
	require.LessOrEqual(t, len(got), 700)
	require.True(t, strings.HasPrefix(got, "first line\nmiddle line\n"))
	require.True(t, strings.HasSuffix(got, "middle line\nlast line\n"))
	require.Regexp(t, `\n\[… 1\d{4} bytes left out …\]\nmiddle`, got)
	require.Equal(t, "short", tool.Bound("short", 600))
}
