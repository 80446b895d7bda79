package tooltest

import (
	"context"
	"sync"

	"xbot/internal/chat"
)

// Memory keeps in memory what tools keep in the store: working folders, intents and to-do lists.
type Memory struct {
	mu      sync.Mutex
	Cwds    map[chat.SessionKey]string
	Intents map[chat.CallID]string
	Lists   map[chat.SessionKey][]chat.Todo
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{
		Cwds:    map[chat.SessionKey]string{},
		Intents: map[chat.CallID]string{},
		Lists:   map[chat.SessionKey][]chat.Todo{},
	}
}

// SetCwd notes the working folder of a session.
func (m *Memory) SetCwd(_ context.Context, session chat.SessionKey, _, cwd string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Cwds[session] = cwd
	return nil
}

// Intent returns what a call noted, empty if nothing.
func (m *Memory) Intent(_ context.Context, id chat.CallID) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Intents[id], nil
}

// SetIntent notes what a call is about to do.
func (m *Memory) SetIntent(_ context.Context, id chat.CallID, intent string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Intents[id] = intent
	return nil
}

// Todos returns the list of a session.
func (m *Memory) Todos(_ context.Context, session chat.SessionKey) ([]chat.Todo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Lists[session], nil
}

// TodosElsewhere returns the lists of all other sessions.
func (m *Memory) TodosElsewhere(_ context.Context, session chat.SessionKey, _ int) (out []chat.TodoList, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, todos := range m.Lists {
		if key != session {
			out = append(out, chat.TodoList{Session: key, Todos: todos})
		}
	}
	return out, nil
}

// SetTodos replaces the list of a session.
func (m *Memory) SetTodos(_ context.Context, session chat.SessionKey, todos []chat.Todo) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Lists[session] = todos
	return nil
}
