package agents

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/download"
	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
)

// ListedRole is a role that a user has, or could have.
type ListedRole struct {
	role.OwnRole

	Source   string `json:"source" enum:"own,program,installation" doc:"Author: you, the program, or the operator of the installation (a file)."`
	Replaced bool   `json:"replaced" doc:"One of your roles with this name replaces it."`
}

// PoolTool is a tool that a role can have.
type PoolTool struct {
	Name        string `json:"name"`
	Description string `json:"description" doc:"Its first sentence."`
}

// RolesBody lists roles.
type RolesBody struct {
	Roles []ListedRole `json:"roles" doc:"By name. Files of projects are not among them: /agents lists those of a conversation."`
	Tools []PoolTool   `json:"tools" doc:"The pool: the tools that a role can have."`
}

// RolePath names the role of a request.
type RolePath struct {
	ID int64 `path:"id" minimum:"1"`
}

type roleBody struct{ Body role.OwnRole }

func (a *Endpoints) registerRoles(h huma.API) {
	const root = "/api/roles"
	huma.Register(h, huma.Operation{
		OperationID: "list-roles", Method: http.MethodGet, Path: root, Summary: "List the roles of subagents, and the tools that a role can have", Security: endpoint.Secured,
	}, a.listRoles)
	huma.Register(h, huma.Operation{OperationID: "get-role", Method: http.MethodGet, Path: root + "/{id}", Summary: "Get one of your roles", Security: endpoint.Secured},
		func(ctx context.Context, in *struct{ RolePath }) (*roleBody, error) {
			own, err := a.RoleStore.OwnRole(ctx, auth.User(ctx).ID, in.ID)
			return &roleBody{own}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "export-role", Method: http.MethodGet, Path: root + "/{id}/file", Summary: "Export one of your roles as a Markdown file",
		Description: "Store the file in the folder .xbot/agents of a project, or agents of the server, to get the same role.", Security: endpoint.Secured, Responses: endpoint.AttachmentResponse("text/markdown"),
	}, func(ctx context.Context, in *struct{ RolePath }) (*huma.StreamResponse, error) {
		own, err := a.RoleStore.OwnRole(ctx, auth.User(ctx).ID, in.ID)
		if err != nil {
			return nil, a.Problem(err)
		}
		file, err := own.Role().File()
		return &huma.StreamResponse{Body: func(hctx huma.Context) {
			_, out := humago.Unwrap(hctx)
			download.SetHeader(out, own.Name+".md", "text/markdown; charset=utf-8")
			_, _ = out.Write(file) // a client that has gone needs none
		}}, a.Problem(err)
	})
}

func (a *Endpoints) listRoles(ctx context.Context, _ *struct{}) (*struct{ Body RolesBody }, error) {
	kept, err := a.RoleStore.RolesOf(ctx, auth.User(ctx).ID)
	if err != nil {
		return nil, a.Problem(err)
	}
	shared, err := a.Roles.Shared()
	if err != nil {
		return nil, a.Problem(err)
	}
	pool, err := a.pool(ctx)
	if err != nil {
		return nil, a.Problem(err)
	}
	body := RolesBody{Tools: pool}
	for _, own := range kept.Roles {
		body.Roles = append(body.Roles, ListedRole{OwnRole: own, Source: "own"})
	}
	rules, err := a.Policies.Get(ctx)
	if err != nil {
		return nil, a.Problem(err)
	}
	for _, r := range shared {
		if r.Conversations && !rules.ReadsConversations() {
			continue // no model can hand work to it
		}
		body.Roles = append(body.Roles, sharedRole(r, kept))
	}
	slices.SortStableFunc(body.Roles, func(a, b ListedRole) int { return strings.Compare(role.Key(a.Name), role.Key(b.Name)) })
	return &struct{ Body RolesBody }{body}, nil
}

// sharedRole returns a role of the program or the installation as a user has it.
func sharedRole(r role.Role, kept role.UserRoles) ListedRole {
	l := ListedRole{Source: "program", OwnRole: role.OwnRole{RoleDefinition: role.RoleDefinition{
		Name: r.Name, Description: r.Description, Prompt: r.Prompt, Tools: r.Tools, Model: r.Model + r.Tier, Enabled: kept.Has(r.Name),
	}}}
	if r.From != "" {
		l.Source = "installation"
	}
	if len(l.Tools) == 0 {
		l.Tools = []string{role.AllTools}
	}
	_, l.Replaced = role.Find(kept.InForce(), r.Name)
	for _, s := range kept.Switches {
		if s.Key == role.Key(r.Name) {
			l.ChangedAt, l.ChangedBy = s.ChangedAt, s.ChangedBy
		}
	}
	return l
}

// never are the tools that no subagent has.
var never = []string{"AskUser", chat.PlanTool, "logs", "config", "oauth_authorize"}

// pool lists the tools that a role can have.
func (a *Endpoints) pool(ctx context.Context) ([]PoolTool, error) {
	tools, err := a.Tools.Person(ctx, auth.User(ctx).ID)
	if err != nil {
		return nil, err
	}
	pool := []PoolTool{}
	for _, spec := range tools.Specs() {
		if !slices.Contains(never, spec.Name) {
			first, _, _ := strings.Cut(strings.TrimSpace(spec.Description), "\n")
			pool = append(pool, PoolTool{spec.Name, chat.FirstWords(first, 160)})
		}
	}
	slices.SortFunc(pool, func(a, b PoolTool) int { return strings.Compare(a.Name, b.Name) })
	return pool, nil
}

// checked returns a definition in the form that can be stored.
func (a *Endpoints) checked(ctx context.Context, d role.RoleDefinition) (role.RoleDefinition, error) {
	d = d.Clean()
	var names []string
	pool, err := a.pool(ctx)
	if err != nil {
		return d, err
	}
	for _, t := range pool {
		names = append(names, t.Name)
	}
	if err := d.Check(names); err != nil || d.Model == "" || slices.Contains(role.Tiers(), d.Model) {
		return d, err
	}
	known, err := a.Models.Get(ctx, auth.User(ctx).ID)
	if err != nil {
		return d, err
	}
	if _, ok := known.Resolve(d.Model); !ok {
		return d, fault.Errorf(fault.Invalid, "there is no model %.100q, or there are several: /models lists them", d.Model)
	}
	return d, nil
}
