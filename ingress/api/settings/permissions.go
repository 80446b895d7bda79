package settings

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/policy"
	"xbot/internal/user/settings"
)

// Catalog returns the tools of a user.
type Catalog interface {
	Person(ctx context.Context, user chat.UserID) (*tool.Registry, error)
}

// Policy is the tools that there are and their rules of the installation.
type Policy struct {
	Tools       Catalog
	Authorizers permission.Authorizers
	// Live is the document in force in this process, which gets a change at once; nil: it is seen within a second.
	Live *policy.Live
}

// ToolPermission is the permission of a tool for the user.
type ToolPermission struct {
	Name    string           `json:"name"`
	Class   chat.ToolClass   `json:"class" enum:"read,idempotent,exec,agent,once"`
	Summary string           `json:"summary" doc:"First sentence of the tool's description."`
	Acts    bool             `json:"acts" doc:"Calls change something outside of the conversation: presets are about them."`
	Pattern chat.PatternKind `json:"pattern,omitempty" enum:"command,path,host" doc:"What rules for some calls of the tool name; none: a rule is for all of them."`
	Rule    chat.Rule        `json:"rule" enum:"allow,ask,deny" doc:"The rule of calls that match no pattern."`
	Own     bool             `json:"own" doc:"The rule was set for this tool; else it follows from the presets and the installation."`
}

// Permissions is a user's rules for tools, and what follows from them.
type Permissions struct {
	Preset  chat.Preset      `json:"preset,omitempty" enum:"read_only,ask,auto" doc:"Chosen for all conversations; none: that of the installation."`
	Default chat.Preset      `json:"default" enum:"read_only,ask,auto" doc:"That of the installation."`
	Tools   []ToolPermission `json:"tools"`
	Rules   []chat.ToolRule  `json:"rules" doc:"Rules for some calls of a tool, which precede the rule of the tool, and rules for tools by a pattern of names, which follow it."`
}

func (a *Endpoints) registerPermissions(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "list-permissions", Method: http.MethodGet, Path: "/api/permissions", Summary: "Get my default permission mode", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body Permissions }, error) {
			out, err := a.permissions(ctx)
			return &struct{ Body Permissions }{out}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "choose-preset", Method: http.MethodPut, Path: "/api/permissions", Summary: "Set my default permission mode", Description: "Applies to future tool calls in conversations without a permission mode of their own.", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			Body struct {
				Preset string `json:"preset" enum:"read_only,ask,auto," doc:"Empty: that of the installation."`
			}
		}) (*struct{ Body Permissions }, error) {
			if err := a.Settings.SetUserSetting(ctx, auth.User(ctx).ID, settings.Preset, in.Body.Preset); err != nil {
				return nil, a.Problem(err)
			}
			out, err := a.permissions(ctx)
			return &struct{ Body Permissions }{out}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "set-permission", Method: http.MethodPut, Path: "/api/permissions/{tool}", Summary: "Set the permission rule of a tool, or of some of its calls", Description: "Applies to future tool calls.", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			Tool string `path:"tool" maxLength:"200" doc:"Name of the tool, or a pattern of names: mcp_github_*."`
			Body struct {
				Rule    chat.Rule `json:"rule" enum:"allow,ask,deny"`
				Pattern string    `json:"pattern,omitempty" maxLength:"500" doc:"The calls that it is for: the beginning of a command (git status), a path (docs/**), a host (*.example.com). Empty: all calls."`
			}
		}) (*struct{ Body chat.ToolRule }, error) {
			rule, err := a.setRule(ctx, in.Tool, in.Body.Pattern, in.Body.Rule)
			return &struct{ Body chat.ToolRule }{rule}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{OperationID: "remove-permission", Method: http.MethodDelete, Path: "/api/permissions/{tool}", Summary: "Delete a permission rule", Description: "Applies to future tool calls.", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			Tool    string `path:"tool" maxLength:"200" doc:"Name of the tool, or the pattern of names."`
			Pattern string `query:"pattern" maxLength:"500" doc:"That of the rule; empty: the rule for all calls."`
		}) (*struct{}, error) {
			return nil, a.Problem(a.removeRule(ctx, in.Tool, in.Pattern))
		})
}

// permissions reads the rules of a user, and what follows from them in a conversation without a preset.
func (a *Endpoints) permissions(ctx context.Context) (Permissions, error) {
	user := auth.User(ctx)
	rules, err := a.Permissions.Permissions(ctx, user.ID)
	if err != nil {
		return Permissions{}, err
	}
	preset, err := a.Settings.UserSetting(ctx, user.ID, settings.Preset)
	if err != nil {
		return Permissions{}, err
	}
	installation, err := a.Policy.Authorizers.Defaults(ctx)
	if err != nil {
		return Permissions{}, err
	}
	permits := chat.UserPermissions{Admin: user.Admin, Own: chat.Preset(preset), Rules: rules}
	tools, err := a.Policy.Tools.Person(ctx, user.ID)
	if err != nil {
		return Permissions{}, err
	}
	authorizer, err := a.Policy.Authorizers.With(ctx, permits, tools)
	if err != nil {
		return Permissions{}, err
	}
	out := Permissions{Preset: permits.Own, Default: installation.Preset(permits.Admin), Tools: []ToolPermission{}, Rules: []chat.ToolRule{}}
	wide := map[string]bool{}
	for _, r := range rules {
		if r.Pattern == "" && tools.Has(r.Tool) {
			wide[r.Tool] = true
		} else {
			out.Rules = append(out.Rules, r)
		}
	}
	for _, spec := range tools.Specs() {
		out.Tools = append(out.Tools, ToolPermission{
			Name: spec.Name, Class: spec.Class, Summary: summary(spec), Acts: spec.Acts(), Pattern: spec.Pattern,
			Rule: authorizer.Tool(spec.Name), Own: wide[spec.Name],
		})
	}
	return out, nil
}

// setRule stores a rule of a user, in its normal form.
func (a *Endpoints) setRule(ctx context.Context, name, pattern string, rule chat.Rule) (chat.ToolRule, error) {
	if permission.IsPattern(name) {
		return a.setPatternRule(ctx, name, pattern, rule)
	}
	tools, err := a.Policy.Tools.Person(ctx, auth.User(ctx).ID)
	if err != nil {
		return chat.ToolRule{}, err
	}
	t, ok := tools.Get(name)
	if !ok {
		return a.setSamplingRule(ctx, tools, name, pattern, rule)
	}
	spec := t.Spec()
	kept, err := permission.CheckPattern(spec.Name, spec.Pattern, pattern)
	if err != nil {
		return chat.ToolRule{}, err
	}
	out := chat.ToolRule{Tool: spec.Name, Pattern: kept, Rule: rule}
	if rule == chat.RuleAllow {
		out.Pin = spec.Remote.Pin()
	}
	return out, a.Permissions.SetPermission(ctx, auth.User(ctx).ID, out)
}

// setSamplingRule keeps a rule for the requests of an MCP server to the model, mcp_SERVER_sampling, which are no tool.
func (a *Endpoints) setSamplingRule(ctx context.Context, tools *tool.Registry, name, pattern string, rule chat.Rule) (chat.ToolRule, error) {
	out, ok := permission.SamplingRule(tools.Specs(), name, rule)
	switch {
	case !ok:
		return out, noTool(name)
	case pattern != "":
		return out, fault.Errorf(fault.Invalid, "rules for %s are for all requests; leave the pattern out", name)
	}
	return out, a.Permissions.SetPermission(ctx, auth.User(ctx).ID, out)
}

// setPatternRule stores a rule for all tools whose names fit, including future ones.
func (a *Endpoints) setPatternRule(ctx context.Context, name, pattern string, rule chat.Rule) (chat.ToolRule, error) {
	if pattern != "" {
		return chat.ToolRule{}, fault.Errorf(fault.Invalid, "a rule for several tools is for all of their calls; leave the pattern out")
	}
	out := chat.ToolRule{Tool: name, Rule: rule}
	if err := permission.CheckName(name); err != nil {
		return out, err
	}
	return out, a.Permissions.SetPermission(ctx, auth.User(ctx).ID, out)
}

// removeRule takes a rule back, also one for a tool that is not there any more.
func (a *Endpoints) removeRule(ctx context.Context, name, pattern string) error {
	user := auth.User(ctx).ID
	tools, err := a.Policy.Tools.Person(ctx, user)
	if err != nil {
		return err
	}
	rules, err := a.Permissions.Permissions(ctx, user)
	if err != nil {
		return err
	}
	own := tools.Name(name)
	if !tools.Has(own) && !slices.ContainsFunc(rules, func(r chat.ToolRule) bool { return r.Tool == own }) {
		return noTool(name)
	}
	return a.Permissions.RemovePermission(ctx, user, own, pattern)
}

func noTool(name string) error { return fault.Errorf(fault.NotFound, "there is no tool %q", name) }

// summary returns the first sentence of the description of a tool.
func summary(spec tool.Spec) string {
	line, _, _ := strings.Cut(spec.Description, "\n")
	if first, _, more := strings.Cut(line, ". "); more {
		return first + "."
	}
	return line
}
