package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/prompt"
)

func TestReminder_SaysNothingWithoutAReason(t *testing.T) {
	require.Empty(t, prompt.Reminder{}.Text())
	require.Empty(t, prompt.Reminder{Todos: []chat.Todo{{ID: "1", Text: "done", Done: true}}, Times: 1}.Text())
}

func TestReminder_TellsWhatMatters(t *testing.T) {
	text := prompt.Reminder{
		Todos: []chat.Todo{{ID: "1", Text: "write\nthe tests"}, {ID: "2", Text: "rest", Done: true}},
		Tasks: []chat.Task{{ID: "bg1", Command: "make all"}},
		Stale: []chat.Stale{{Path: "a.go"}, {Path: "b.go", Missing: true}},
		Loop:  chat.ToolCall{Name: "Read"}, Times: 3, Full: 78,
	}.Text()
	require.Equal(t, `<system-reminder>
The last 3 steps made the same call, Read, with the same result. Doing it once more will not help: try something else, or say what stops you.

Changed since you read them; read them again before you rely on them:
- a.go
- b.go (gone)

To-do list, 1 of 2 done, open:
- 1: write the tests

Running in the background; you are told when they end:
- bg1: make all

The context is 78 % full. Be brief, and read no more than you need.
</system-reminder>`, text)
}

func TestReminder_OfPlanModeSaysWhatRuns(t *testing.T) {
	require.Empty(t, prompt.Reminder{Proposes: true}.Text(), "other turns do not pay for it")
	require.Contains(t, prompt.Reminder{Plan: true, Proposes: true}.Text(), "propose what you will do with propose_plan")
	require.NotContains(t, prompt.Reminder{Plan: true}.Text(), "propose_plan", "a subagent has no such tool")
}

func TestReminder_NamesToolsThatTheProviderRefuses(t *testing.T) {
	require.Equal(t, `<system-reminder>
Not available, because the model provider refuses their definitions: a, b. Do without these tools, or tell the user what you need them for.
</system-reminder>`, prompt.Reminder{Refused: []string{"a", "b"}}.Text())
	require.Contains(t, prompt.Reminder{Refused: strings.Fields(strings.Repeat("x ", 23))}.Text(), "x and 3 more.")
}

func TestReminder_IsBounded(t *testing.T) {
	var r prompt.Reminder
	for i := range 500 {
		r.Todos = append(r.Todos, chat.Todo{ID: fmt.Sprint(i), Text: strings.Repeat("long ", 1000)})
		r.Tasks = append(r.Tasks, chat.Task{ID: chat.TaskID(i), Command: strings.Repeat("long ", 1000)})
	}
	text := r.Text()
	require.Less(t, len(text), 8_000)
	require.Contains(t, text, "and 480 more (todo_list)")
	require.Contains(t, text, "and 492 more (task_status)")
}
