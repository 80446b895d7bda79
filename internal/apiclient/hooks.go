package apiclient

import (
	"context"
	"net/http"
	"net/url"

	"xbot/internal/chat"
	"xbot/internal/hook"
)

// Hooks is the hooks of the installation, and what they have deferred.
type Hooks struct {
	Hooks []struct {
		Event  hook.Event `json:"event"`
		Label  string     `json:"label"`
		Source string     `json:"source"`
		Place  string     `json:"place"`
	} `json:"hooks"`
	Faults   []hook.Fault `json:"faults"`
	Deferred []Deferred   `json:"deferred"`
}

// Deferred is a call that waits for an administrator.
type Deferred struct {
	chat.ToolCall

	Session chat.SessionKey `json:"session"`
	Owner   string          `json:"owner"`
}

// Hooks returns the hooks of the installation; for administrators.
func (c *Automation) Hooks(ctx context.Context) (Hooks, error) {
	var out Hooks
	return out, c.do(ctx, http.MethodGet, "/api/hooks", nil, nil, &out)
}

// Deferred lists the calls that wait for an administrator, the longest first; for administrators.
func (c *Automation) Deferred(ctx context.Context) ([]Deferred, error) {
	var out struct {
		Deferred []Deferred `json:"deferred"`
	}
	err := c.do(ctx, http.MethodGet, "/api/hooks/deferred", nil, nil, &out)
	return out.Deferred, err
}

// DecideDeferred lets a call run that a hook has deferred, or denies it; for administrators.
func (c *Automation) DecideDeferred(ctx context.Context, id chat.CallID, a Answer) error {
	in := struct {
		Decision string `json:"decision"`
		Note     string `json:"note,omitempty"`
	}{"deny", a.Note}
	if a.Allow {
		in.Decision = "allow"
	}
	var out chat.ToolCall
	return c.do(ctx, http.MethodPost, "/api/hooks/deferred/"+url.PathEscape(string(id)), nil, in, &out)
}
