// Package todo holds the tools with which a model keeps the to-do list of a session.
package todo

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// Limits of a list, which is sent to the page whole after each change.
const (
	maxTodos = 100
	maxText  = 500 // characters
	maxID    = 50  // characters
)

//go:embed todowrite.md
var writeDoc string

//go:embed todolist.md
var listDoc string

// List is the durable store of to-do lists. It notifies viewers of a session of changes.
type List interface {
	Todos(ctx context.Context, session chat.SessionKey) ([]chat.Todo, error)
	SetTodos(ctx context.Context, session chat.SessionKey, todos []chat.Todo) error
}

type writeParams struct {
	Todos []entry `json:"todos"`
}

type entry struct {
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
	Done bool   `json:"done,omitempty"`
}

type write struct{ list List }

// NewWrite returns the tool todo_write. It sets the whole list, so running it again changes nothing.
func NewWrite(list List) tool.Tool {
	return tool.DefineQuick("todo_write", chat.ClassIdempotent, writeDoc, write{list}, tool.Inward, tool.Planning)
}

func (write) Summary(p writeParams) string {
	done, next := 0, ""
	for _, e := range p.Todos {
		if e.Done {
			done++
		} else if next == "" {
			next = ": " + e.Text
		}
	}
	return fmt.Sprintf("%d of %d done%s", done, len(p.Todos), next)
}

func (w write) Run(ctx context.Context, call tool.Call, p writeParams) (chat.ToolResult, error) {
	todos, err := check(p.Todos)
	if err != nil {
		return tool.FromError(err)
	}
	if err := w.list.SetTodos(ctx, call.Session, todos); err != nil {
		return tool.FromError(fmt.Errorf("keep the to-do list: %w", err))
	}
	return tool.Text(describe(todos)), nil
}

// check gives entries without an id the number of their place, and refuses what a list cannot hold.
func check(entries []entry) ([]chat.Todo, error) {
	if len(entries) > maxTodos {
		return nil, fault.Errorf(fault.Invalid, "the list has %d entries, at most %d are kept; merge some", len(entries), maxTodos)
	}
	todos := make([]chat.Todo, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for i, e := range entries {
		id := strings.TrimSpace(e.ID)
		if id == "" {
			id = strconv.Itoa(i + 1)
		}
		text := tool.OneLine(e.Text, maxText)
		switch {
		case text == "":
			return nil, fault.Errorf(fault.Invalid, "todos[%d].text is empty", i)
		case len(id) > maxID:
			return nil, fault.Errorf(fault.Invalid, "todos[%d].id is longer than %d characters; use a number", i, maxID)
		case seen[id]:
			return nil, fault.Errorf(fault.Invalid, "two entries have the id %s; give each its own, or leave ids out", id)
		}
		seen[id] = true
		todos = append(todos, chat.Todo{ID: id, Text: text, Done: e.Done})
	}
	return todos, nil
}

// maxElsewhere bounds the lists of other conversations that are shown.
const maxElsewhere = 20

// OtherTodos reads the open to-do items in other conversations of a session's owner.
type OtherTodos interface {
	TodosElsewhere(ctx context.Context, session chat.SessionKey, most int) ([]chat.TodoList, error)
}

type listParams struct {
	All bool `json:"all,omitempty"`
}

type list struct {
	list  List
	other OtherTodos
}

// NewList returns the tool todo_list.
func NewList(l List, other OtherTodos) tool.Tool {
	return tool.DefineQuick("todo_list", chat.ClassRead, listDoc, list{l, other})
}

func (list) Summary(p listParams) string {
	if p.All {
		return "all conversations"
	}
	return ""
}

func (l list) Run(ctx context.Context, call tool.Call, p listParams) (chat.ToolResult, error) {
	todos, err := l.list.Todos(ctx, call.Session)
	if err != nil {
		return tool.FromError(fmt.Errorf("read the to-do list: %w", err))
	}
	text := describe(todos)
	if p.All {
		lists, err := l.other.TodosElsewhere(ctx, call.Session, maxElsewhere)
		if err != nil {
			return tool.FromError(err)
		}
		text += Left(lists)
	}
	return tool.Text(text), nil
}

// Left returns the open items of other conversations, as models and users read it.
func Left(lists []chat.TodoList) string {
	var out strings.Builder
	for _, l := range lists {
		fmt.Fprintf(&out, "\n\n%s (%s)", cmp.Or(l.Title, "untitled"), l.Session)
		for _, todo := range l.Todos {
			fmt.Fprintf(&out, "\n[ ] %s. %s", todo.ID, todo.Text)
		}
	}
	return out.String()
}

func describe(todos []chat.Todo) string {
	if len(todos) == 0 {
		return "The to-do list is empty."
	}
	var out strings.Builder
	done := 0
	for _, todo := range todos {
		mark := ' '
		if todo.Done {
			mark = 'x'
			done++
		}
		fmt.Fprintf(&out, "\n[%c] %s. %s", mark, todo.ID, todo.Text)
	}
	return fmt.Sprintf("%d of %d done%s", done, len(todos), out.String())
}
