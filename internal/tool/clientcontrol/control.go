// Package clientcontrol holds the tool with which a model shows something on the page or in the terminal that a message came from. The request is
// a row, keyed by the call. The event stream of that client sends it, the client answers at the API, and the call waits a few seconds
// for the answer. All of it holds across processes: the call, the stream and the answer may be in different ones, and share the row.
package clientcontrol

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed tui_control.md
var doc string

// Name is the tool's.
const Name = "tui_control"

// Actions is the store of actions for clients and of their answers.
type Actions interface {
	OpenClientAction(ctx context.Context, in chat.SessionKey, a chat.ClientAction, lasts time.Duration) (at chat.ClientActionStanding, ok bool, err error)
	ClientActionStanding(ctx context.Context, in chat.SessionKey, call chat.CallID) (at chat.ClientActionStanding, ok bool, err error)
	CloseClientAction(ctx context.Context, in chat.SessionKey, call chat.CallID) error
}

// Conversations returns the owner of a conversation. It returns NotFound if there is none.
type Conversations interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Feed signals the event streams of a conversation to look for actions. A signal may get lost.
type Feed interface {
	Act(key chat.SessionKey)
}

// How long a call waits, from when it asked.
const (
	lasts      = 10 * time.Second       // for the answer
	listens    = 4 * time.Second        // for a client to be there: one that was reloaded comes back in that time
	lookEvery  = 150 * time.Millisecond // for the answer
	tellsEvery = 1500 * time.Millisecond
)

// maxValue bounds a value, in bytes. A path has no more on Linux.
const maxValue = 4096

type params struct {
	Action string `json:"action" jsonschema:"open|theme|layout"`
	What   string `json:"what,omitempty"`
	Value  string `json:"value,omitempty"`
}

type control struct {
	actions       Actions
	conversations Conversations
	feed          Feed
}

// New returns the tool tui_control.
func New(actions Actions, conversations Conversations, feed Feed) tool.Tool {
	return tool.Define(Name, chat.ClassIdempotent, doc, control{actions, conversations, feed}, tool.Inward, tool.Optional("settings"))
}

func (control) Summary(p params) string {
	return strings.Join(strings.Fields(p.Action+" "+p.What+" "+p.Value), " ")
}

// Run asks the client and reports the outcome. A second run of the call finds the row of the first one.
func (c control) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	action, err := c.check(ctx, call, p)
	if err != nil {
		return tool.FromError(err)
	}
	at, ok, err := c.actions.OpenClientAction(ctx, call.Session, action, lasts)
	switch {
	case err != nil:
		return chat.ToolResult{}, err
	case !ok:
		return tool.Fail("the message came from no page or terminal that can be asked; tell the user where they find it"), nil
	}
	if at, err = c.wait(ctx, call, at); err != nil {
		return chat.ToolResult{}, err
	}
	return resultOf(at), nil
}

// check returns what the client is asked for. The request has to make sense; the client itself reports what it does not have.
func (c control) check(ctx context.Context, call tool.Call, p params) (chat.ClientAction, error) {
	a := chat.ClientAction{Call: call.ID, Action: strings.TrimSpace(p.Action), What: strings.TrimSpace(p.What), Value: strings.TrimSpace(p.Value)}
	switch {
	case len(a.Value) > maxValue || strings.ContainsFunc(a.Value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return a, fault.Errorf(fault.Invalid, "value must be one line of at most %d bytes", maxValue)
	case a.Action == "open" && !slices.Contains([]string{"conversation", "settings", "files", "todos"}, a.What):
		return a, fault.Errorf(fault.Invalid, "open takes what: conversation, settings, files or todos")
	case a.Action == "open" && a.What == "conversation":
		return a, c.own(ctx, call, chat.SessionKey(a.Value))
	case a.Action == "theme":
		a.What = ""
		return a, oneOf(a.Value, "theme takes value: ", "light", "dark", "system")
	case a.Action == "layout" && !slices.Contains([]string{"details", "context", "sidebar", "input"}, a.What):
		return a, fault.Errorf(fault.Invalid, "layout takes what: details, context, sidebar or input")
	case a.Action == "layout":
		return a, oneOf(a.Value, "layout takes value: ", "show", "hide")
	case a.Action != "open":
		return a, fault.Errorf(fault.Invalid, "action must be open, theme or layout")
	}
	return a, nil
}

func oneOf(value, what string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return fault.Errorf(fault.Invalid, "%s%s", what, strings.Join(known, ", "))
}

// own refuses a conversation that is not the user's. It does not reveal whether there is one.
func (c control) own(ctx context.Context, call tool.Call, key chat.SessionKey) error {
	_, owner, err := c.conversations.Session(ctx, key)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) || err == nil && owner != call.User {
		return fault.Errorf(fault.NotFound, "the user has no conversation %.200q", key)
	}
	return err
}

// wait looks until the client has answered, or it is certain that it will not. It signals the feed repeatedly, because
// signals may get lost, and a client that reconnects looks without a signal.
func (c control) wait(ctx context.Context, call tool.Call, at chat.ClientActionStanding) (chat.ClientActionStanding, error) {
	looks, tells := time.NewTicker(lookEvery), time.NewTicker(tellsEvery)
	defer looks.Stop()
	defer tells.Stop()
	c.feed.Act(call.Session)
	for at.State == chat.ActionOpen || at.State == chat.ActionTaken {
		if at.Age >= lasts || !at.Sent && at.Age >= listens {
			if err := c.actions.CloseClientAction(ctx, call.Session, call.ID); err != nil {
				return at, err
			}
		}
		select {
		case <-ctx.Done():
			return at, ctx.Err()
		case <-tells.C:
			c.feed.Act(call.Session)
		case <-looks.C:
		}
		now, ok, err := c.actions.ClientActionStanding(ctx, call.Session, call.ID)
		if err != nil || !ok {
			return at, err
		}
		at = now
	}
	return at, nil
}

// reasons are a client's reasons for a refusal, in the words for the model.
var reasons = map[string]string{
	"not_supported": "it has no such thing",
	"not_found":     "there is nothing of that name",
	"not_now":       "it would disturb what the user is doing",
}

// resultOf returns the result of an action whose wait is over.
func resultOf(at chat.ClientActionStanding) chat.ToolResult {
	switch {
	case at.State == chat.ActionDone:
		return tool.Text("Done.")
	case at.State == chat.ActionRefused:
		return tool.Fail("the client refused: %s", reasons[at.Reason])
	case at.Sent:
		return tool.Fail("the client was told and has not answered within %s; whether it was done is unknown", lasts)
	}
	return tool.Fail("no page or terminal of the user shows this conversation now; nothing was done")
}
