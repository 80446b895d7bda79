package mcp

import (
	"context"
	"fmt"

	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// The states of an answer in addition to those of a turn (chat.TurnState).
const (
	stateQueued  = "queued"  // the message waits for its turn
	stateWaiting = "waiting" // xbot has asked a user
	stateDropped = "dropped" // no turn will have the message
	stateNone    = "none"    // nothing was asked
)

// Answer is the progress of an answer.
type Answer struct {
	Session   chat.SessionKey `json:"session"`
	Message   chat.InboxID    `json:"message,omitempty" jsonschema:"names what was sent, for read_answer"`
	Duplicate bool            `json:"duplicate,omitempty" jsonschema:"it had been sent before; nothing new was done"`
	Turn      chat.TurnID     `json:"turn,omitempty" jsonschema:"the turn that answers"`
	State     string          `json:"state" jsonschema:"queued, running, waiting (for an answer to question), done, stopped, failed, lost, dropped or none"`
	Text      string          `json:"text,omitempty" jsonschema:"the answer"`
	Notice    string          `json:"notice,omitempty" jsonschema:"what xbot itself says, such as why there is no answer"`
	Question  *Question       `json:"question,omitempty" jsonschema:"what xbot waits for"`
	Next      string          `json:"next,omitempty" jsonschema:"what to do now"`

	steps int // model calls of the turn so far
}

// Question is a question to a user before the work continues.
type Question struct {
	Call   chat.CallID    `json:"call" jsonschema:"the call of a tool that waits"`
	Tool   string         `json:"tool"`
	What   string         `json:"what,omitempty" jsonschema:"what it would do: a command, a path"`
	Reason string         `json:"reason,omitempty"`
	Plan   *chat.Plan     `json:"plan,omitempty" jsonschema:"what xbot proposes to do, for your user to approve"`
	Asks   []chat.Inquiry `json:"asks,omitempty" jsonschema:"questions of the model; none: whether the call may run"`
}

// progressSubject names the subject of a request: a turn, else a message, else the current work of the session.
type progressSubject struct {
	session chat.SessionKey
	message chat.InboxID
	turn    chat.TurnID
}

// settled reports whether the state stays the same until a user acts.
func (a Answer) settled() bool {
	return a.State != stateQueued && a.State != string(chat.TurnRunning)
}

// answer reads how far it has come.
func (s *Server) answer(ctx context.Context, q progressSubject) (Answer, error) {
	session, err := s.Own(ctx, q.session)
	if err != nil {
		return Answer{}, err
	}
	out := Answer{Session: session.Key, Message: q.message, State: stateNone}
	switch {
	case q.turn != "":
		out.Turn = q.turn
	case q.message != 0:
		err = s.ofMessage(ctx, &out)
	default:
		err = s.newest(ctx, session, &out)
	}
	if err == nil && out.Turn != "" && out.State == stateNone {
		err = s.ofTurn(ctx, &out)
	}
	if fault.Is(err, fault.NotFound) && out.Turn != "" && q.turn == "" { // its run vanished in the meantime: the message waits again
		out.Turn, out.State, err = "", stateQueued, nil
	}
	if err == nil && !out.settled() {
		err = s.question(ctx, &out)
	}
	out.Next = out.next()
	return out, err
}

// ofMessage finds the turn of a message, or what became of it without one.
func (s *Server) ofMessage(ctx context.Context, out *Answer) error {
	fate, err := s.Answers.Fate(ctx, out.Session, out.Message)
	if err != nil {
		return err
	}
	out.Turn = fate.Turn
	if fate.Command {
		if out.Text, err = s.Turns.CommandAnswer(ctx, out.Message); err != nil {
			return err
		}
	}
	switch {
	case out.Text != "" || fate.Command && fate.Turn == "" && fate.Outcome != "":
		out.State = string(chat.TurnDone)
	case fate.Turn != "":
	case fate.Outcome == "" && fate.Command:
		out.State = string(chat.TurnRunning)
	case fate.Outcome == "":
		out.State = stateQueued
	default:
		out.State, out.Notice = stateDropped, "the message gets no answer: "+fate.Outcome
	}
	return nil
}

// newest finds the current work of a session, else the last one.
func (s *Server) newest(ctx context.Context, session chat.Session, out *Answer) error {
	switch {
	case session.Running != "":
		out.Turn = session.Running
	case session.Queued > 0:
		out.State = stateQueued
	default:
		last, err := s.Conversations.Turns(ctx, session.Key, 1)
		if err != nil {
			return err
		}
		if len(last) > 0 {
			out.Turn = last[0].ID
		}
	}
	return nil
}

func (s *Server) ofTurn(ctx context.Context, out *Answer) error {
	said, err := s.Answers.TurnAnswer(ctx, out.Session, out.Turn)
	if err != nil {
		return err
	}
	out.State, out.steps = string(said.Turn.State), said.Turn.Steps
	if said.Turn.State == chat.TurnRunning {
		if said.Turn.Waits != nil {
			out.Notice = "the model cannot be reached now (" + said.Turn.Waits.Reason + "); xbot tries again"
		}
		return nil // its output so far is not the answer
	}
	out.Text, out.Notice = cut(said.Text, maxAnswerBytes), said.Notice
	if said.Silent {
		out.Text, out.Notice = "", "xbot chose not to answer"
	}
	return nil
}

// question adds the open question to the user.
func (s *Server) question(ctx context.Context, out *Answer) error {
	call, open, err := s.Turns.OpenQuestion(ctx, out.Session, auth.User(ctx).ID)
	if err != nil || !open {
		return err
	}
	out.State = stateWaiting
	out.Question = &Question{Call: call.ID, Tool: call.Name, What: call.Summary}
	if call.Approval != nil {
		out.Question.Reason, out.Question.Asks, out.Question.Plan = call.Approval.Reason, call.Approval.Questions, call.Approval.Plan
	}
	return nil
}

// next returns what the reader of the answer can do.
func (a Answer) next() string {
	switch {
	case a.State == stateWaiting && len(a.Question.Asks) > 0:
		return "ask your user, and send what they say with send_message to this session"
	case a.State == stateWaiting && a.Question.Plan != nil:
		return "ask your user, who decides: send approve, reject, or what should be different, with send_message to this session"
	case a.State == stateWaiting:
		return "ask your user, who decides: send /approve or /deny with send_message to this session, or decide on the page of xbot"
	case !a.settled():
		return "read_answer waits for it"
	}
	return ""
}

// progress returns the progress in one line.
func (a Answer) progress() string {
	switch {
	case a.Notice != "":
		return a.Notice
	case a.State == stateQueued:
		return "the message waits for its turn"
	}
	return fmt.Sprintf("xbot works on it (step %d)", a.steps)
}
