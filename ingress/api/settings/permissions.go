package settings

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/policy"
	"xbot/internal/tool"
)

// Catalog says what tools there are.
type Catalog interface {
	Specs() []tool.Spec
	Get(name string) (tool.Tool, bool)
}

// Policy is the tools that there are and what the installation wants of them.
type Policy struct {
	Tools Catalog
	Rules map[string]chat.Rule // by the tool's own name; others are allowed
	// Live is the document in force in this process, which is told of a change; nil: it is seen within a second.
	Live *policy.Live
}

// Permission is what may happen when a tool is to be run for the user.
type Permission struct {
	Name    string         `json:"name"`
	Class   chat.ToolClass `json:"class" enum:"read,idempotent,exec,once"`
	Summary string         `json:"summary" doc:"First sentence of what the model reads of the tool."`
	Rule    chat.Rule      `json:"rule" enum:"allow,ask,deny"`
}

// PermissionsBody lists permissions.
type PermissionsBody struct {
	Tools []Permission `json:"tools"`
}

func (a *Endpoints) registerPermissions(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "list-permissions", Method: http.MethodGet, Path: "/api/permissions", Summary: "What my tools may do without asking", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body PermissionsBody }, error) {
			rules, err := a.Store.Permissions(ctx, auth.User(ctx).ID)
			if err != nil {
				return nil, a.Problem(err)
			}
			out := PermissionsBody{Tools: []Permission{}}
			for _, spec := range a.Policy.Tools.Specs() {
				out.Tools = append(out.Tools, permission(spec, cmp.Or(rules[spec.Name], a.Policy.Rules[spec.Name])))
			}
			return &struct{ Body PermissionsBody }{out}, nil
		})
	huma.Register(h, huma.Operation{OperationID: "set-permission", Method: http.MethodPut, Path: "/api/permissions/{tool}", Summary: "Allow, ask or deny a tool", Description: "It applies to calls that the model makes from now on.", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			Tool string `path:"tool" maxLength:"200" doc:"Name of the tool."`
			Body struct {
				Rule chat.Rule `json:"rule" enum:"allow,ask,deny"`
			}
		}) (*struct{ Body Permission }, error) {
			t, ok := a.Policy.Tools.Get(in.Tool)
			if !ok {
				return nil, a.Problem(fault.Errorf(fault.NotFound, "there is no tool %q", in.Tool))
			}
			rule := in.Body.Rule
			if err := a.Store.SetPermission(ctx, auth.User(ctx).ID, t.Spec().Name, rule); err != nil {
				return nil, a.Problem(err)
			}
			return &struct{ Body Permission }{permission(t.Spec(), rule)}, nil
		})
}

func permission(spec tool.Spec, rule chat.Rule) Permission {
	summary, _, _ := strings.Cut(spec.Description, "\n")
	if first, _, more := strings.Cut(summary, ". "); more {
		summary = first + "."
	}
	return Permission{Name: spec.Name, Class: spec.Class, Summary: summary, Rule: cmp.Or(rule, chat.RuleAllow)}
}
