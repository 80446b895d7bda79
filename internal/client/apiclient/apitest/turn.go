package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// Turn is a turn that a Script plays. Its methods are for the script's goroutine.
type Turn struct {
	ID      chat.TurnID
	Attempt int // of the current step, from 1

	session   *session
	about     chat.Turn
	step      int
	text      string
	reasoning string
	calls     []chat.ToolCall
	ended     bool
	stopping  chan struct{} // closed when a client asks for a stop
	stopOnce  sync.Once
}

func newTurn(s *session) *Turn {
	id := chat.TurnID(fmt.Sprintf("%s-turn-%d", s.about.Key, len(s.turns)+1))
	return &Turn{
		ID: id, Attempt: 1, session: s, stopping: make(chan struct{}),
		about: chat.Turn{ID: id, Session: s.about.Key, State: chat.TurnRunning, Model: "demo/demo", StartedAt: time.Now(),
			TemporalURL: "/temporal/namespaces/default/workflows/turn"},
	}
}

// Stopping is closed when a client has asked to stop the turn.
func (t *Turn) Stopping() <-chan struct{} { return t.stopping }

// Wait waits for a signal of the test, or for a stop, so that a test that has failed does not hang.
func (t *Turn) Wait(signal <-chan struct{}) {
	select {
	case <-signal:
	case <-t.stopping:
	}
}

// Allow reports that a user allows everything in the turn; nil ends that.
func (t *Turn) Allow(by *chat.Allowance) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.about.Allows = by
	t.session.durable(chat.EventTurn, t.about)
}

// acting is an action that a client is asked for.
type acting struct {
	call     chat.CallID
	taken    bool
	answered chan apiclient.ActionAnswer
}

// Act asks the clients that listen for an action and returns the answer of the one that takes it. An action that was asked for before is asked for
// again, as after a lost connection.
func (t *Turn) Act(a chat.ClientAction) (answer apiclient.ActionAnswer) {
	t.session.mu.Lock()
	if t.session.acting.call != a.Call {
		t.session.acting = acting{call: a.Call, answered: make(chan apiclient.ActionAnswer, 10)}
	}
	answered := t.session.acting.answered
	t.session.live(chat.EventAction, a)
	t.session.mu.Unlock()
	select {
	case answer = <-answered:
	case <-t.stopping:
	}
	return answer
}

// Taken sends the clients an action that another client has taken.
func (t *Turn) Taken(a chat.ClientAction) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.session.acting = acting{call: a.Call, taken: true, answered: make(chan apiclient.ActionAnswer, 10)}
	t.session.live(chat.EventAction, a)
}

func (s *Server) answerAction(w http.ResponseWriter, r *http.Request, session *session) {
	var in apiclient.ActionAnswer
	if !read(w, r, &in) {
		return
	}
	session.mu.Lock()
	defer session.mu.Unlock()
	at := &session.acting
	switch {
	case string(at.call) != r.PathValue("call"):
		problem(w, http.StatusNotFound, "There is no such action.")
		return
	case at.taken == (in.Outcome == "taking"):
		problem(w, http.StatusConflict, "This action was taken before, or was not taken.")
		return
	case in.Outcome == "taking":
		at.taken = true
	default:
		at.answered <- in
	}
	w.WriteHeader(http.StatusNoContent)
}

// Say streams a piece of the answer.
func (t *Turn) Say(piece string) { t.delta(chat.Delta{Text: piece}) }

// Think streams a piece of reasoning.
func (t *Turn) Think(piece string) { t.delta(chat.Delta{Reasoning: piece}) }

func (t *Turn) delta(d chat.Delta) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	d.Turn, d.Step, d.Attempt = t.ID, t.step, t.Attempt
	d.Offset, d.ReasoningOffset = len(t.text), len(t.reasoning)
	t.text += d.Text
	t.reasoning += d.Reasoning
	t.session.live(chat.EventDelta, d)
}

// Retry drops what the step has streamed and starts it again.
func (t *Turn) Retry(reason string) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.Attempt++
	t.text, t.reasoning = "", ""
	t.session.durable(chat.EventRetry, chat.Retry{
		Turn: t.ID, Step: t.step, Attempt: t.Attempt, Max: 5, DelayMS: 1000, Reason: reason,
		Text: fmt.Sprintf("⚠️ LLM request failed (%s), retrying %d/5 ...", reason, t.Attempt),
	})
}

// Calls ends the step with tool calls, in state open: name, arguments, summary of each.
func (t *Turn) Calls(calls ...chat.ToolCall) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	for i := range calls {
		calls[i].ID, calls[i].State = chat.NewCallID(t.ID, t.step, i), chat.CallOpen
	}
	t.calls = calls
	t.assistant(chat.Message{Content: t.text, Reasoning: t.reasoning, ToolCalls: calls, FinishReason: "tool_calls"})
	t.step, t.Attempt, t.text, t.reasoning = t.step+1, 1, "", ""
}

// Run shows the n-th call of the last step running; printed pieces are streamed as output.
func (t *Turn) Run(n int, pieces ...string) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	call := &t.calls[n]
	if call.State == chat.CallOpen {
		call.State, call.StartedAt = chat.CallRunning, new(time.Now())
		t.tool(*call)
	}
	for _, piece := range pieces {
		t.session.live(chat.EventOutput, chat.Output{Turn: t.ID, Call: call.ID, Offset: int64(len(call.Result)), Text: piece})
		call.Result += piece
	}
}

// Done ends the n-th call of the last step.
func (t *Turn) Done(n int, result string, failed bool) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	call := &t.calls[n]
	call.State, call.FinishedAt, call.Result, call.IsError = chat.CallDone, new(time.Now()), result, failed
	t.tool(*call)
}

// tool records the state of a call in the transcript and in the feed; the lock is held.
func (t *Turn) tool(call chat.ToolCall) {
	_, step, n, _ := call.ID.Split()
	for i := range t.session.messages {
		if m := &t.session.messages[i]; m.Turn == t.ID && m.Role == chat.RoleAssistant && m.Step == step {
			m.ToolCalls[n] = call
		}
	}
	t.session.durable(chat.EventTool, chat.ToolEvent{Turn: t.ID, Step: step, ToolCall: call})
}

// Answer ends the turn with the text so far.
func (t *Turn) Answer() {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.assistant(chat.Message{
		Content: t.text, Reasoning: t.reasoning, FinishReason: "stop", Usage: &chat.Usage{PromptTokens: 1200, CompletionTokens: 34},
	})
	t.end(chat.TurnDone)
}

// Fail ends the turn with a notice: failed, stopped or lost.
func (t *Turn) Fail(state chat.TurnState, notice string) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.session.message(chat.Message{Role: chat.RoleNotice, Turn: t.ID, Content: notice})
	t.end(state)
}

// Todos sets the to-do list.
func (t *Turn) Todos(todos ...chat.Todo) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.session.todos = todos
	t.session.durable(chat.EventTodos, todos)
}

// assistant appends the message of the current step; the lock is held.
func (t *Turn) assistant(m chat.Message) {
	m.Role, m.Turn, m.Step, m.Model = chat.RoleAssistant, t.ID, t.step, "demo/demo"
	t.about.Steps++
	var own chat.Message
	if err := json.Unmarshal(encode(m), &own); err != nil { // a copy that shares no calls with the script
		panic(err)
	}
	t.session.message(own)
}

// end closes the turn unless it is closed; the lock is held.
func (t *Turn) end(state chat.TurnState) {
	if t.ended {
		return
	}
	t.ended = true
	t.about.State, t.about.EndedAt = state, new(time.Now())
	t.about.Usage = chat.Usage{PromptTokens: 1200, CompletionTokens: 34}
	if t.session.running == t {
		t.session.running = nil
	}
	t.session.durable(chat.EventTurn, t.about)
}
