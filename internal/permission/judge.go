package permission

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/policy"
	"xbot/internal/tool"
)

// Judge decides about the calls of an installation. It is safe for concurrent use.
type Judge struct {
	Rules    map[string]chat.Rule // what the installation wants of tools, by the tool's own name (XBOT_TOOL_RULES)
	Policies Policies             // nil: everybody's preset is auto
	Tools    Tools
	People   People
}

// Policies is the policy document in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// Tools says what tools there are.
type Tools interface {
	Get(name string) (tool.Tool, bool)
	Subject(name, arguments string) string
}

// People says what the user of a conversation wants of its tools.
type People interface {
	Permits(ctx context.Context, key chat.SessionKey) (chat.Permits, error)
}

// Of returns who decides about the calls of a conversation, as its user wants it now.
func (j Judge) Of(ctx context.Context, key chat.SessionKey) (Decider, error) {
	permits, err := j.People.Permits(ctx, key)
	if err != nil {
		return Decider{}, err
	}
	return j.With(ctx, permits)
}

// With is Of where the wishes of the user are known.
func (j Judge) With(ctx context.Context, permits chat.Permits) (Decider, error) {
	installation, err := j.Installation(ctx)
	return Decider{permits: permits, installation: installation, tools: j.Tools}, err
}

// Installation is what holds for people who chose nothing.
func (j Judge) Installation(ctx context.Context) (Installation, error) {
	out := Installation{Rules: j.Rules}
	if j.Policies == nil {
		return out, nil
	}
	p, err := j.Policies.Get(ctx)
	if err != nil {
		return out, err
	}
	out.Administrators, out.Others = chat.Preset(p.Permissions.Administrators), chat.Preset(p.Permissions.Others)
	return out, nil
}

// Decider decides about the calls of one conversation.
type Decider struct {
	permits      chat.Permits
	installation Installation
	tools        Tools
}

// Call decides about a call.
func (d Decider) Call(name, arguments string) Verdict {
	return Decide(d.permits, d.installation, d.call(name, d.tools.Subject(name, arguments)))
}

// Tool is what holds for calls of a tool that no rule with a pattern means.
func (d Decider) Tool(name string) chat.Rule {
	wide := d.permits
	wide.Rules = nil
	for _, r := range d.permits.Rules {
		if r.Pattern == "" {
			wide.Rules = append(wide.Rules, r)
		}
	}
	return Decide(wide, d.installation, d.call(name, "")).Rule
}

// Preset is the one in force.
func (d Decider) Preset() chat.Preset { return d.installation.InForce(d.permits) }

// Narrow are the rules of the person that mean some calls of a tool.
func (d Decider) Narrow(name string) []chat.ToolRule { return rulesOf(d.permits.Rules, name).narrow }

// call is what is to be decided about. A tool that does not exist only says so.
func (d Decider) call(name, subject string) Call {
	c := Call{Tool: name, Subject: subject}
	if t, ok := d.tools.Get(name); ok {
		spec := t.Spec()
		c.Acts, c.Kind = spec.Acts(), spec.Pattern
	}
	return c
}
