package permission

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/turn/policy"
)

// Authorizers creates the authorizers of conversations. It is safe for concurrent use.
type Authorizers struct {
	Rules    map[string]chat.Rule // the installation's rules, by the tool's own name, or a pattern of names (XBOT_TOOL_RULES)
	Policies Policies             // nil: every user's preset is auto
	People   People
}

// Policies reads the policy document in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// Tools finds the tools of a conversation, and the subjects of their calls.
type Tools interface {
	Get(name string) (tool.Tool, bool)
	Subject(name, arguments string) string
}

// People reads the permissions that the user of a conversation has set, and pins them.
type People interface {
	UserPermissions(ctx context.Context, key chat.SessionKey) (chat.UserPermissions, error)
	// PinPermission pins the user's rule for a tool of an MCP server to the tool, if the rule has no pin yet.
	PinPermission(ctx context.Context, key chat.SessionKey, name, pin string) error
}

// Of returns the authorizer of the calls of a conversation with these tools, with its user's current permissions.
func (a Authorizers) Of(ctx context.Context, key chat.SessionKey, tools Tools) (Authorizer, error) {
	permits, err := a.People.UserPermissions(ctx, key)
	if err != nil {
		return Authorizer{}, err
	}
	return a.With(ctx, permits, tools)
}

// With is Of for known permissions of the user.
func (a Authorizers) With(ctx context.Context, permits chat.UserPermissions, tools Tools) (Authorizer, error) {
	installation, err := a.At(ctx, permits.At)
	return Authorizer{permits: permits, defaults: installation, tools: tools}, err
}

// Defaults returns the defaults for users who chose nothing.
func (a Authorizers) Defaults(ctx context.Context) (Defaults, error) {
	return a.At(ctx, chat.Location{})
}

// At returns the defaults for users who chose nothing, with the limit set by the scene of a location.
func (a Authorizers) At(ctx context.Context, at chat.Location) (Defaults, error) {
	out := Defaults{Rules: a.Rules}
	if a.Policies == nil {
		return out, nil
	}
	p, err := a.Policies.Get(ctx)
	if err != nil {
		return out, err
	}
	out.Administrators, out.Others = chat.Preset(p.Permissions.Administrators), chat.Preset(p.Permissions.Others)
	out.Scene = chat.Preset(p.SceneAt(at).Permissions)
	return out, nil
}

// Authorizer decides about the calls of one conversation.
type Authorizer struct {
	permits  chat.UserPermissions
	defaults Defaults
	tools    Tools
}

// Call decides about a call.
func (a Authorizer) Call(name, arguments string) Decision {
	d := Decide(a.permits, a.defaults, a.call(name, a.tools.Subject(name, arguments)))
	spec := tool.Spec{Name: name}
	if t, ok := a.tools.Get(name); ok {
		spec = t.Spec()
	}
	folder := ""
	if spec.Pattern == chat.PatternPath {
		folder = a.permits.Cwd
	}
	d.Digest = Digest(spec, arguments, folder)
	return d
}

// Pin pins the rule that allowed a call to its tool, if the rule is from before pins: it applies until the tool changes.
func (a Authorizers) Pin(ctx context.Context, key chat.SessionKey, d Decision, spec tool.Spec) error {
	if d.Unpinned == "" {
		return nil
	}
	return a.People.PinPermission(ctx, key, d.Unpinned, spec.Remote.Pin())
}

// Digest identifies a call that was checked by its arguments, its tool, the MCP server's description of the tool, and, for tools whose rules
// are about paths, the working folder of relative paths. A built-in tool is identified by its name only, so that pending approvals survive an
// upgrade.
func Digest(spec tool.Spec, arguments, folder string) string {
	sum := sha256.New()
	for _, part := range []string{spec.Name, spec.Remote.Pin(), arguments, folder} {
		fmt.Fprintf(sum, "%d %s\n", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Tool returns the rule for calls of a tool that no rule with a pattern matches, once no plan is required any more.
func (a Authorizer) Tool(name string) chat.Rule {
	wide := a.permits
	wide.Rules, wide.Planning = nil, false
	for _, r := range a.permits.Rules {
		if r.Pattern == "" {
			wide.Rules = append(wide.Rules, r)
		}
	}
	return Decide(wide, a.defaults, a.call(name, "")).Rule
}

// Preset returns the preset in force.
func (a Authorizer) Preset() chat.Preset { return a.defaults.InForce(a.permits) }

// Narrow returns the user's rules that match some calls of a tool.
func (a Authorizer) Narrow(name string) []chat.ToolRule {
	return rulesOf(a.permits.Rules, Call{Tool: name}).narrow
}

// call returns the input of a decision. A tool that does not exist has only its name.
func (a Authorizer) call(name, subject string) Call {
	c := Call{Tool: name, Subject: subject, Plans: true}
	if t, ok := a.tools.Get(name); ok {
		spec := t.Spec()
		c.Acts, c.Plans, c.Kind, c.Remote = spec.Acts(), spec.Plans(), spec.Pattern, spec.Remote
	}
	return c
}
