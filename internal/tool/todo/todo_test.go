package todo_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool/todo"
	"xbot/internal/tool/tooltest"
)

func TestTodoWrite_ReplacesTheListOfTheSession(t *testing.T) {
	t.Parallel()
	box, memory := tooltest.New(t), tooltest.NewMemory()
	call := box.Call("turn.0.0", `{"todos":[{"id":"1","text":"look\n around","done":true},{"text":"act"}]}`)
	result, err := todo.NewWrite(memory).Run(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, "1 of 2 done\n[x] 1. look around\n[ ] 2. act", result.Content)
	require.Equal(t, []chat.Todo{{ID: "1", Text: "look around", Done: true}, {ID: "2", Text: "act"}}, memory.Lists[call.Session])
	require.Equal(t, "1 of 2 done: act", todo.NewWrite(memory).Summary(call.Arguments))

	call.Arguments = ""
	shown, err := todo.NewList(memory, memory).Run(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, result, shown)

	call.Arguments = `{"todos":[]}`
	result, err = todo.NewWrite(memory).Run(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, "The to-do list is empty.", result.Content)
	require.Empty(t, memory.Lists[call.Session])
}

func TestTodoList_ShowsWhatIsLeftInOtherConversationsWhereItIsAsked(t *testing.T) {
	t.Parallel()
	box, memory := tooltest.New(t), tooltest.NewMemory()
	require.NoError(t, memory.SetTodos(t.Context(), "agent:main:web:thread:other", []chat.Todo{{ID: "1", Text: "water the plants"}}))
	list := todo.NewList(memory, memory)
	alone, err := list.Run(t.Context(), box.Call("turn.0.0", "{}"))
	require.NoError(t, err)
	require.NotContains(t, alone.Content, "plants")
	all, err := list.Run(t.Context(), box.Call("turn.0.1", `{"all":true}`))
	require.NoError(t, err)
	require.Equal(t, "The to-do list is empty.\n\nuntitled (agent:main:web:thread:other)\n[ ] 1. water the plants", all.Content)
}

func TestTodoWrite_RefusesWhatAListCannotHold(t *testing.T) {
	t.Parallel()
	box, memory := tooltest.New(t), tooltest.NewMemory()
	many := strings.Repeat(`{"text":"x"},`, 101)
	for arguments, want := range map[string]string{
		`{"todos":[{"id":"1","text":"a"},{"id":"1","text":"b"}]}`:         "two entries have the id 1",
		`{"todos":[{"text":" "}]}`:                                        "todos[0].text is empty",
		`{"todos":[{"id":"` + strings.Repeat("x", 51) + `","text":"a"}]}`: "todos[0].id is longer than 50 characters",
		`{"todos":[` + strings.TrimSuffix(many, ",") + `]}`:               "the list has 101 entries, at most 100",
		`{"todos":[{"id":"1"}]}`:                                          "todos[0]: the argument text is missing",
		`{}`:                                                              "the argument todos is missing",
	} {
		result, err := todo.NewWrite(memory).Run(t.Context(), box.Call("turn.0.0", arguments))
		require.NoError(t, err)
		require.True(t, result.IsError)
		require.Contains(t, result.Content, want)
		require.Empty(t, memory.Lists)
	}
}

type brokenList struct{}

func (brokenList) Todos(context.Context, chat.SessionKey) ([]chat.Todo, error) {
	return nil, fault.Errorf(fault.Unavailable, "the database is away")
}

func (brokenList) SetTodos(context.Context, chat.SessionKey, []chat.Todo) error {
	return fmt.Errorf("write: %w", fault.Errorf(fault.Unavailable, "the database is away"))
}

func TestTodo_HandsBackWhatTheModelCannotMend(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	_, err := todo.NewWrite(brokenList{}).Run(t.Context(), box.Call("turn.0.0", `{"todos":[]}`))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	_, err = todo.NewList(brokenList{}, nil).Run(t.Context(), box.Call("turn.0.0", ""))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}
