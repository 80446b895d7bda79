package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/tool/agent"
	"xbot/internal/tool/ask"
	toolcontext "xbot/internal/tool/context"
	"xbot/internal/tool/conversation"
	"xbot/internal/tool/cron"
	"xbot/internal/tool/file"
	"xbot/internal/tool/find"
	toollogs "xbot/internal/tool/logs"
	notes "xbot/internal/tool/memory"
	"xbot/internal/tool/settings"
	"xbot/internal/tool/shell"
	"xbot/internal/tool/task"
	"xbot/internal/tool/todo"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/tooltest"
	tooltrigger "xbot/internal/tool/trigger"
	"xbot/internal/tool/web"
	"xbot/internal/tool/worktree"
	"xbot/internal/turn/prompt"
)

func allTools() *tool.Registry {
	memory := tooltest.NewMemory()
	return tool.New(
		shell.New(), ask.New(),
		file.NewRead(nil), file.NewCreate(), file.NewReplace(memory), file.NewGlob(), file.NewGrep(), file.NewCd(memory, memory),
		todo.NewWrite(memory), todo.NewList(memory, nil), notes.NewWrite(nil), notes.NewList(nil, nil), web.NewDownload(nil, ""), web.NewFetch(nil, nil), web.NewSearch(nil),
		task.NewStatus(nil), task.NewRead(nil, nil), task.NewWait(nil), task.NewKill(nil, task.Killer{}),
		toolcontext.NewOffloadRecall(nil), toolcontext.NewEdit(nil), toolcontext.NewRecallMasked(nil), cron.New(nil),
		agent.New(nil, nil), agent.NewCreateChat(nil, nil, nil), agent.NewSendMessage(nil, nil, nil), worktree.New(memory, memory, nil),
		tooltrigger.New(nil), toollogs.New(nil, nil), settings.New(settings.Commands{}, nil), find.New(nil, nil), conversation.NewHistory(nil, nil),
	)
}

// TestTools_CostFewTokens holds the tools to their share of the prompt budget, in the form in which an
// OpenAI-compatible provider gets them.
func TestTools_CostFewTokens(t *testing.T) {
	t.Parallel()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	total := 0
	for _, spec := range allTools().Specs() {
		if spec.Optional {
			continue // its name alone stands in prompts
		}
		text, err := json.Marshal(map[string]any{"type": "function", "function": map[string]any{
			"name": spec.Name, "description": spec.Description, "parameters": spec.Parameters,
		}})
		require.NoError(t, err)
		n, err := codec.Count(string(text))
		require.NoError(t, err)
		t.Logf("%-12s %4d tokens", spec.Name, n)
		total += n
	}
	t.Logf("%-12s %4d tokens", "total", total)
	require.Less(t, total, 3180)
}

func TestTools_HaveTheirClasses(t *testing.T) {
	t.Parallel()
	classes := map[string]chat.ToolClass{}
	for _, spec := range allTools().Specs() {
		classes[spec.Name] = spec.Class
	}
	require.Equal(t, map[string]chat.ToolClass{
		"AskUser": chat.ClassRead, "Cron": chat.ClassIdempotent,
		"Cd": chat.ClassIdempotent, "DownloadFile": chat.ClassIdempotent, "FileCreate": chat.ClassIdempotent, "FileReplace": chat.ClassIdempotent,
		"CreateChat": chat.ClassAgent, "SendMessage": chat.ClassAgent, "SubAgent": chat.ClassAgent, "Worktree": chat.ClassExec,
		"Glob": chat.ClassRead, "Grep": chat.ClassRead, "Read": chat.ClassRead,
		"context_edit": chat.ClassIdempotent, "recall_masked": chat.ClassRead,
		"task_kill": chat.ClassIdempotent, "task_read": chat.ClassRead, "task_status": chat.ClassRead, "task_wait": chat.ClassRead,
		"memory_list": chat.ClassRead, "memory_write": chat.ClassIdempotent,
		"Shell": chat.ClassExec, "todo_list": chat.ClassRead, "todo_write": chat.ClassIdempotent,
		"Fetch": chat.ClassRead, "WebSearch": chat.ClassRead, "ChatHistory": chat.ClassRead, "search_tools": chat.ClassIdempotent,
		"offload_recall": chat.ClassRead, "EventTrigger": chat.ClassIdempotent, "Logs": chat.ClassRead, "config": chat.ClassIdempotent,
	}, classes)
}

// TestTools_OnARunnerFailWithoutOne calls each tool that acts on a runner in a conversation without one.
func TestTools_OnARunnerFailWithoutOne(t *testing.T) {
	t.Parallel()
	registry, why := allTools(), fault.Errorf(fault.Denied, "connect a runner of your own")
	arguments := map[string]string{
		"Cd": `{"path":"a"}`, "DownloadFile": `{"url":"https://example.com/a.zip","output_path":"a.zip"}`, "FileCreate": `{"path":"a","content":"x"}`,
		"FileReplace": `{"path":"a","old_string":"x","new_string":"y"}`, "Glob": `{"pattern":"*"}`, "Grep": `{"pattern":"x"}`, "Read": `{"path":"a"}`,
		"Shell": `{"command":"ls"}`, "Worktree": `{"action":"status","instance":"a"}`,
	}
	for _, spec := range registry.Specs() {
		given, onRunner := arguments[spec.Name]
		require.Equal(t, onRunner, spec.OnRunner, spec.Name)
		if !onRunner {
			continue
		}
		result, err := registry.Run(t.Context(), spec.Name, tool.Call{ID: "t.0.0", Session: "agent:main:web:thread:test", User: 1, Arguments: given, Box: sandbox.None{Why: why}})
		require.NoError(t, err, spec.Name)
		require.True(t, result.IsError, spec.Name)
		require.Contains(t, result.Content, why.Error(), spec.Name)
	}
}

func TestTools_SummariseTheirCalls(t *testing.T) {
	t.Parallel()
	registry := allTools()
	for name, c := range map[string][2]string{
		"Shell":          {`{"command":"go test \\\n  ./..."}`, `go test \ ./...`},
		"Read":           {`{"path":"a.go","offset":10}`, "a.go:10"},
		"FileCreate":     {`{"path":"a.go","content":"x"}`, "a.go"},
		"FileReplace":    {`{"path":"a.go","old_string":"x","new_string":"y"}`, "a.go"},
		"Glob":           {`{"pattern":"**/*.go","path":"src"}`, "src/**/*.go"},
		"AskUser":        {`{"questions":[{"question":"Which one?"},{"question":"And why?"}]}`, "Which one? (+1)"},
		"Grep":           {`{"pattern":"func","include":"*.go"}`, "func in *.go"},
		"Cd":             {`{"path":".."}`, ".."},
		"CreateChat":     {`{"type":"group","members":["coder","reviewer:a"],"topic":"why"}`, "coder, reviewer:a: why"},
		"SendMessage":    {`{"to":"group:g1","message":"go on"}`, "group:g1: go on"},
		"Worktree":       {`{"action":"init","instance":"a"}`, "init a"},
		"Cron":           {`{"action":"add","when":"every 30m","message":"look\nat it"}`, "add every 30m look at it"},
		"DownloadFile":   {`{"url":"https://example.com/a.zip","output_path":"a.zip"}`, "https://example.com/a.zip"},
		"offload_recall": {`{"id":"[offload:ol_0123456789]","offset":8000}`, "ol_0123456789 from 8000"},
		"task_wait":      {`{"task_id":"bg1"}`, "bg1"},
		"memory_write":   {`{"path":"people/bob.md","content":"x"}`, "people/bob.md"},
		"context_edit":   {`{"action":"delete","target":"m12.1"}`, "delete m12.1"},
		"EventTrigger":   {`{"action":"add","name":"ci"}`, "add ci"},
		"config":         {`{"action":"set","name":"language","value":"zh"}`, "set language zh"},
		"recall_masked":  {`{"id":"[masked:mk_0a]","offset":8000}`, "mk_0a from 8000"},
	} {
		require.Equal(t, c[1], registry.Summary(name, c[0]), name)
	}
}

// TestTools_300OptionalOnesCostNoMoreThanTheirList prints what a prompt with 300 tools of servers takes: what is always shown, and the list
// of the others. The whole prompt of a greeting has 4 000 tokens; the program's own text takes about 300 of them.
func TestTools_300OptionalOnesCostNoMoreThanTheirList(t *testing.T) {
	t.Parallel()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	var served []tool.Spec
	for n := range 300 {
		server := []string{"github", "calendar", "mail", "browser", "database"}[n%5]
		served = append(served, tool.Spec{Name: fmt.Sprintf("mcp_%s_do_thing_%d", server, n), Group: server, Description: "Does a thing of many. " + strings.Repeat("More of it. ", 50)})
	}
	n, err := codec.Count(toolset.List(served, prompt.MaxOptional))
	require.NoError(t, err)
	t.Logf("the list of %d tools: %d tokens", len(served), n)
	require.Less(t, n, 520)
}
