// Package trigger holds the tool with which a model lets other programs call its user's conversations.
package trigger

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"xbot/internal/automation/trigger"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed eventtrigger.md
var doc string

// Store manages the triggers of users.
type Store interface {
	Add(ctx context.Context, owner chat.UserID, d chat.TriggerDraft, madeBy string) (trigger.Made, error)
	List(ctx context.Context, owner chat.UserID) ([]chat.Trigger, error)
	Enable(ctx context.Context, owner chat.UserID, word string, enabled bool) (chat.Trigger, error)
	Remove(ctx context.Context, owner chat.UserID, word string) (chat.Trigger, error)
	// OnPlatform reports whether a conversation takes place on a platform.
	OnPlatform(ctx context.Context, owner chat.UserID, key chat.SessionKey) (bool, error)
}

type params struct {
	Action   string `json:"action" jsonschema:"add|list|remove|enable|disable"`
	Name     string `json:"name,omitempty"`
	Source   string `json:"source,omitempty" jsonschema:"github|gitlab|generic"`
	Template string `json:"template,omitempty" jsonschema:"Go, over .EventType .Payload"`
	Here     bool   `json:"here,omitempty"`
	OneShot  bool   `json:"one_shot,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

type events struct{ book Store }

// New returns the tool EventTrigger. Its results hold no secrets: they stay in the conversation. A call that runs again finds the
// trigger that it made.
func New(book Store) tool.Tool {
	return tool.DefineQuick("EventTrigger", chat.ClassIdempotent, doc, events{book})
}

func (events) Summary(p params) string { return strings.TrimSpace(p.Action + " " + p.Name) }

func (e events) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	said, err := e.obey(ctx, call, p)
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Text(said), nil
}

func (e events) obey(ctx context.Context, call tool.Call, p params) (string, error) {
	action := strings.ToLower(strings.TrimSpace(p.Action))
	if action != "list" && strings.TrimSpace(p.Name) == "" {
		return "", fault.Errorf(fault.Invalid, "name is empty; give the name of the trigger")
	}
	switch action {
	case "add":
		return e.add(ctx, call, p)
	case "list":
		all, err := e.book.List(ctx, call.User)
		return listed(all), err
	case "remove":
		t, err := e.book.Remove(ctx, call.User, p.Name)
		return fmt.Sprintf("Trigger %s is removed.", t.Name), err
	case "enable", "disable":
		t, err := e.book.Enable(ctx, call.User, p.Name, action == "enable")
		return fmt.Sprintf("Trigger %s is %sd.", t.Name, action), err
	}
	return "", fault.Errorf(fault.Invalid, "action must be add, list, remove, enable or disable")
}

func (e events) add(ctx context.Context, call tool.Call, p params) (string, error) {
	d := chat.TriggerDraft{Name: p.Name, Source: chat.TriggerSource(strings.ToLower(strings.TrimSpace(p.Source))), Template: p.Template, OneShot: p.OneShot}
	if p.Here {
		d.Session = call.Session
	} else {
		on, err := e.book.OnPlatform(ctx, call.User, call.Session)
		if err != nil {
			return "", err
		}
		if on {
			d.AnswerIn = call.Session
		}
	}
	made, err := e.book.Add(ctx, call.User, d, string(call.ID))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Made trigger %s. Requests go to POST %s, signed as %s does. "+
		"It has a secret that only the user gets, on the page under Settings, Triggers: New secret. Tell them so.", made.Trigger.Name, made.Trigger.URL, made.Trigger.Source), nil
}

// listed returns the list of triggers for the model, one a line.
func listed(all []chat.Trigger) string {
	if len(all) == 0 {
		return "There are no triggers."
	}
	lines := make([]string, len(all))
	for i, t := range all {
		parts := []string{t.Name, string(t.Source), "POST " + t.URL, "calls " + string(t.Session), tool.Count(t.Fires, "call") + " so far"}
		if t.Off {
			parts = append(parts, "disabled")
		}
		if t.Refused != "" {
			parts = append(parts, "last refused: "+t.Refused)
		}
		lines[i] = strings.Join(parts, " · ")
	}
	return strings.Join(lines, "\n")
}
