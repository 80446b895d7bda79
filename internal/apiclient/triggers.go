package apiclient

import (
	"context"
	"net/http"
	"net/url"

	"xbot/internal/chat"
)

// MadeTrigger is a trigger with what is shown once.
type MadeTrigger struct {
	Trigger chat.Trigger `json:"trigger"`
	Secret  string       `json:"secret"`
	Example string       `json:"example"` // shell commands that call the trigger; they hold the secret
}

// Triggers lists the triggers of the user.
func (c *Automation) Triggers(ctx context.Context) ([]chat.Trigger, error) {
	var list struct {
		Triggers []chat.Trigger `json:"triggers"`
	}
	err := c.do(ctx, http.MethodGet, "/api/triggers", nil, nil, &list)
	return list.Triggers, err
}

// AddTrigger makes a trigger.
func (c *Automation) AddTrigger(ctx context.Context, d chat.TriggerDraft) (MadeTrigger, error) {
	var made MadeTrigger
	err := c.do(ctx, http.MethodPost, "/api/triggers", nil, d, &made)
	return made, err
}

// ChangeTrigger replaces what may be changed of a trigger.
func (c *Automation) ChangeTrigger(ctx context.Context, id string, d chat.TriggerDraft) (chat.Trigger, error) {
	var now chat.Trigger
	err := c.do(ctx, http.MethodPut, triggerPath(id, ""), nil, d, &now)
	return now, err
}

// RenewTrigger gives a trigger another secret. Calls that are signed with the one before are refused from then on.
func (c *Automation) RenewTrigger(ctx context.Context, id string) (MadeTrigger, error) {
	var made MadeTrigger
	err := c.do(ctx, http.MethodPost, triggerPath(id, "/secret"), nil, nil, &made)
	return made, err
}

// TriggerFires lists the newest calls of a trigger, the newest first.
func (c *Automation) TriggerFires(ctx context.Context, id string) ([]chat.Fire, error) {
	var list struct {
		Fires []chat.Fire `json:"fires"`
	}
	err := c.do(ctx, http.MethodGet, triggerPath(id, "/fires"), nil, nil, &list)
	return list.Fires, err
}

// RemoveTrigger removes a trigger with what is known of its calls.
func (c *Automation) RemoveTrigger(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, triggerPath(id, ""), nil, nil, nil)
}

func triggerPath(id, below string) string { return "/api/triggers/" + url.PathEscape(id) + below }
