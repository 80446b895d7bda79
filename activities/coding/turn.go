package coding

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/window"
)

// turn is the state of the turn that is answered.
type turn struct {
	ask     Ask
	session chat.Session
	owner   chat.UserID
	bound   *codingagent.Binding // nil: a new thread begins
	runs    []codingagent.Run
	at      int // index of the followed run; len(runs): a new one begins
	window  chat.Window
	rest    []message // messages that the newest process did not take, for the next one
}

// message is a message of a user in the turn.
type message struct {
	id       chat.MessageID
	text     string
	pictures []chat.PictureRef
}

func (m message) key() string { return fmt.Sprintf("steer/%d", m.id) }

func (a *Agents) open(ctx context.Context, ask Ask) (*turn, error) {
	t := &turn{ask: ask}
	var err error
	if t.session, t.owner, err = a.Store.Conversations.Session(ctx, ask.Step.Session); err != nil {
		return nil, err
	}
	if t.bound, err = a.Store.CodingAgents.CodingThread(ctx, ask.Step.Session); err != nil {
		return nil, err
	}
	if t.runs, err = a.Store.CodingAgents.CodingRuns(ctx, ask.Step.Turn); err != nil {
		return nil, err
	}
	if t.window, err = a.Store.Conversations.Window(ctx, ask.Step.Session); err != nil {
		return nil, err
	}
	t.at, err = t.first(ctx, a.Store)
	return t, err
}

// first returns the index of the process to follow first in this step: the newest one whose questions an earlier step has stored, else the first
// one. Processes after it were begun by an earlier attempt of this step, whose answers are not stored; they are followed in their order.
func (t *turn) first(ctx context.Context, store Store) (int, error) {
	for at := len(t.runs) - 1; at > 0; at-- {
		asked, err := t.calls(ctx, store, t.runs[at].Round)
		if err != nil || len(asked) > 0 {
			return at, err
		}
	}
	return 0, nil
}

// current returns the process to follow. It returns false if a new one has to be started.
func (t *turn) current() (codingagent.Run, bool) {
	if t.at == len(t.runs) {
		return codingagent.Run{}, false
	}
	return t.runs[t.at], true
}

// next moves on to the process after f's. If that is a new one, its request is the messages that f's process has not read.
func (t *turn) next(f *follower) {
	b := f.bound()
	t.bound, t.rest = &b, f.unreadMessages()
	t.at++
}

// begin records a new process, for the messages of the turn or for those that the one before did not take.
func (t *turn) begin(ctx context.Context, store Store, on runner) (codingagent.Run, error) {
	info, err := on.Info(ctx)
	if err != nil {
		return codingagent.Run{}, err
	}
	set, round := t.ask.Settings, len(t.runs)
	run := codingagent.Run{Turn: t.ask.Step.Turn, Round: round, Runner: on.Name()}
	run.Request = codingagent.RunRequest{Agent: set.Agent, Program: set.Program, Turn: codingagent.Turn{
		Key: string(run.ID()), Dir: cmp.Or(chat.FolderOn(t.session.Cwd, t.session.CwdRunner, on.Name()), info.Workspace),
		Model: set.Model, Effort: set.Effort, Profile: set.Profile, Personality: set.Personality,
		Sandbox: set.Sandbox, Approvals: set.Approvals, AddDirs: set.AddDirs,
		Confined: info.Confined() && set.Sandbox != codingagent.FullAccess,
	}}
	after := chat.MessageID(0)
	if b := t.bound; b != nil {
		after = b.Upto
		if b.Agent == set.Agent && (b.Runner == "" || b.Runner == run.Runner) && (b.Dir == "" || b.Dir == run.Request.Dir) {
			run.Request.Thread = b.Thread
		}
	}
	said := t.rest
	if len(said) == 0 {
		said = t.unansweredMessages(after)
	}
	var texts []string
	if set.Prefix != "" {
		texts = append(texts, set.Prefix)
	}
	if round == 0 {
		if earlier := t.history(run.Request.Thread != "", said); earlier != "" {
			texts = append(texts, earlier)
		}
	}
	for _, m := range said {
		texts, run.Upto = append(texts, m.text), max(run.Upto, m.id)
	}
	run.Request.Text = strings.Join(texts, "\n\n")
	if run.Request.Pictures, err = t.pictures(ctx, store, beside(run.Request.Text), said...); err != nil {
		return codingagent.Run{}, err
	}
	run, err = store.CodingAgents.BeginCodingRun(ctx, t.ask.Step.Session, run)
	if err == nil {
		t.runs, t.rest = append(t.runs, run), nil
	}
	return run, err
}

// unansweredMessages returns the messages without an answer that the agent has not been given.
func (t *turn) unansweredMessages(after chat.MessageID) []message {
	var out []message
	for _, l := range slices.Backward(window.View(t.window)) {
		if l.Message.Role == chat.RoleAssistant {
			break
		}
		if l.Message.Role == chat.RoleUser && (l.Message.ID > after || l.Message.Turn == t.ask.Step.Turn) {
			out = append(out, t.messageOf(l))
		}
	}
	slices.Reverse(out)
	return out
}

// since returns the messages of the turn after another one.
func (t *turn) since(after chat.MessageID) []message {
	var out []message
	for _, l := range window.View(t.window) {
		if l.Message.Role == chat.RoleUser && l.Message.Turn == t.ask.Step.Turn && l.Message.ID > after {
			out = append(out, t.messageOf(l))
		}
	}
	return out
}

// messageOf returns a message as a model reads it.
func (t *turn) messageOf(l chat.Line) message {
	var texts []string
	for _, m := range prompt.Compose("", nil, chat.Window{Session: t.window.Session, Lines: []chat.Line{l}}, chat.Sent{}).Messages {
		texts = append(texts, m.Content)
	}
	return message{id: l.Message.ID, text: strings.Join(texts, "\n"), pictures: l.Message.Pictures}
}

// calls returns the calls of Inquiring of one process, by the name of their request.
func (t *turn) calls(ctx context.Context, store Store, round int) (map[string]chat.ToolCall, error) {
	out := map[string]chat.ToolCall{}
	for _, l := range t.window.Lines {
		if l.Message.Turn != t.ask.Step.Turn {
			continue
		}
		for _, c := range l.Message.ToolCalls {
			if c.Name != Inquiring {
				continue
			}
			call, err := store.Calls.Call(ctx, c.ID)
			if err != nil {
				return nil, err
			}
			if strings.HasPrefix(call.ProviderID, roundOf(round)) {
				out[call.ProviderID] = call.ToolCall
			}
		}
	}
	return out, nil
}
