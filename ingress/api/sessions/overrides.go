package sessions

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
)

// Change is a change of a session; a missing field or null stays as it is, and an empty one follows the agent and the
// policy again.
type Change struct {
	Title      *string     `json:"title,omitempty" maxLength:"200"`
	Pinned     *bool       `json:"pinned,omitempty"`
	Shelf      *string     `json:"shelf,omitempty" maxLength:"20" doc:"archived: hidden from the list until the next message; empty: listed."`
	Model      *string     `json:"model,omitempty" maxLength:"200" doc:"Id of a model, or another word for it." example:"openai/gpt-5"`
	Think      *string     `json:"think,omitempty" maxLength:"20" doc:"off, minimal, low, medium, high or xhigh."`
	Verbose    *string     `json:"verbose,omitempty" maxLength:"20" doc:"off, on or full."`
	Queue      *chat.Queue `json:"queue,omitempty" doc:"Queue settings; absent members follow the policy."`
	Send       *string     `json:"send,omitempty" maxLength:"20" doc:"on or off."`
	Activation *string     `json:"activation,omitempty" maxLength:"20" doc:"mention or always."`
	Plan       *bool       `json:"plan,omitempty" doc:"Plan mode: each turn proposes a plan before it acts. Takes effect immediately, including for the running turn."`
	Preset     *string     `json:"preset,omitempty" maxLength:"20" doc:"Permission mode: read_only, ask or auto; empty: my default."`
}

// overridesOf checks the settings that a conversation overrides.
func (a *Endpoints) overridesOf(ctx context.Context, key chat.SessionKey, in Change) (conversation.Overrides, error) {
	out := conversation.Overrides{Think: in.Think, Verbose: in.Verbose, Send: in.Send, Activation: in.Activation, Preset: in.Preset, Plan: in.Plan}
	for _, c := range []struct {
		name  string
		value *string
		known []string
	}{
		{"think", in.Think, chat.ThinkLevels}, {"verbose", in.Verbose, chat.Verbosities}, {"send", in.Send, []string{"on", "off"}},
		{"activation", in.Activation, []string{"mention", "always"}}, {"preset", in.Preset, []string{"read_only", "ask", "auto"}}, {"shelf", in.Shelf, []string{string(chat.Archived)}},
	} {
		if c.value != nil && *c.value != "" && !slices.Contains(c.known, *c.value) {
			return out, fault.Errorf(fault.Invalid, "%s must be one of %s, or empty", c.name, strings.Join(c.known, ", "))
		}
	}
	if out.Model = in.Model; in.Model != nil && *in.Model != "" {
		id, err := a.Words.Resolve(ctx, key, *in.Model)
		if err != nil {
			return out, err
		}
		out.Model = &id
	}
	return out, nil
}

// change changes a session. It reports faults before it changes anything.
func (a *Endpoints) change(ctx context.Context, key chat.SessionKey, in Change) error {
	overrides, err := a.overridesOf(ctx, key, in)
	if err != nil {
		return err
	}
	if in.Title != nil || in.Pinned != nil {
		if err := a.Conversations.UpdateSession(ctx, key, in.Title, in.Pinned); err != nil {
			return err
		}
	}
	if in.Shelf != nil {
		if err := a.Conversations.SetListState(ctx, key, chat.ListState(*in.Shelf)); err != nil {
			return err
		}
	}
	if overrides != (conversation.Overrides{}) {
		if err := a.Conversations.Override(ctx, key, overrides); err != nil {
			return err
		}
	}
	if in.Queue != nil {
		return a.Turns.SetQueue(ctx, key, *in.Queue)
	}
	return nil
}

// agentOf returns the agent that a new session asks for: the one that is named, else that of the key, else the one of
// the installation. One that the policy does not list is refused.
func (a *Endpoints) agentOf(ctx context.Context, named string, key session.Key) (policy.Agent, error) {
	p, err := a.Models.Policies.Get(ctx)
	if err != nil {
		return policy.Agent{}, err
	}
	if key.Agent != "" && named != "" && key.Agent != named {
		return policy.Agent{}, fault.Errorf(fault.Invalid, "the key is of the agent %s, not of %s", key.Agent, named)
	}
	if key.Agent != "" && named == "" {
		return p.Agent(key.Agent), nil
	}
	found := p.Agent(named)
	if named != "" && found.ID != named && named != policy.DefaultAgent {
		return policy.Agent{}, fault.Errorf(fault.Invalid, "there is no agent %q; the policy lists them under agents", named)
	}
	return found, nil
}
