package mcpservers

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/mcp/project"
	"xbot/internal/fault"
)

// MCPProjects lists folders that contain hooks, MCP servers or skills.
type MCPProjects struct {
	Projects []MCPProject `json:"projects"`
}

// MCPProject is a folder in which a conversation has worked, with its hooks, servers and skills.
type MCPProject struct {
	ID       int64              `json:"id"`
	Runner   string             `json:"runner"`
	Folder   string             `json:"folder"`
	Digest   string             `json:"digest" doc:"SHA-256 of the hooks, their programs and the servers when the folder was last read. Send it to agree. Empty: the folder cannot be used."`
	State    project.State      `json:"state" enum:"asks,agreed,changed,unusable" doc:"asks: no agreement, not used; agreed: used; changed: changed since the agreement, not used; unusable: see problem."`
	Problem  string             `json:"problem,omitempty"`
	MayAgree bool               `json:"may_agree" doc:"The policy permits agreements. If not, earlier agreements do not apply either."`
	SeenAt   time.Time          `json:"seen_at"`
	AgreedAt *time.Time         `json:"agreed_at,omitempty"`
	Servers  []MCPProjectServer `json:"servers" doc:"Those of its .mcp.json as it was seen last."`
	Hooks    []MCPProjectHook   `json:"hooks" doc:"Those of its hooks files, where the administrator has hooks of projects used."`
	Skills   []string           `json:"skills" doc:"Folders of skills. Skills are text for the model and may change without a new agreement."`
	Notes    []string           `json:"notes" doc:"Instruction files, which the model always reads."`
}

// MCPProjectHook is a hook of a folder, exactly as it would be called.
type MCPProjectHook struct {
	Event   hook.Event `json:"event" example:"PreToolUse"`
	Kind    hook.Kind  `json:"kind" enum:"command,http,mcp_tool,callback,plugin"`
	Command string     `json:"command,omitempty" doc:"Runs in the folder, in the sandbox. Files of the folder that it names are part of the digest."`
	Calls   string     `json:"calls,omitempty" doc:"The address, or the server and tool, that it calls."`
}

// MCPProjectServer is a server of a .mcp.json, exactly as it would be used.
type MCPProjectServer struct {
	Name      string            `json:"name"`
	Transport chat.MCPTransport `json:"transport,omitempty"`
	Command   string            `json:"command,omitempty" doc:"Runs in the folder, in the sandbox of the runner."`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty" doc:"Variables of the command, with their values: they may change what it does."`
	URL       string            `json:"url,omitempty" doc:"On the public internet alone."`
	Headers   []string          `json:"headers,omitempty" doc:"Names of headers."`
	Disabled  bool              `json:"disabled,omitempty"`
	Tools     int               `json:"tools" doc:"How many it offers, once it was agreed to."`
	Problem   string            `json:"problem,omitempty" doc:"Why it is not used."`
}

type (
	projectPath struct {
		ID int64 `path:"id" minimum:"1"`
	}
	projectConsent struct {
		ID   int64 `path:"id" minimum:"1"`
		Body struct {
			Digest string `json:"digest" minLength:"1" maxLength:"64" doc:"Of the file that you were shown."`
		}
	}
)

// registerProjects has the endpoints of folders with a .mcp.json.
func (a *Endpoints) registerProjects(h huma.API) {
	const root, one = "/api/mcp-projects", "/api/mcp-projects/{id}"
	huma.Register(h, endpoint.Operation("list-mcp-projects", http.MethodGet, root, "List folders of your conversations that contain hooks, MCP servers or skills",
		"Lists all commands and addresses. Nothing is used until you agree."), a.listProjects)
	huma.Register(h, endpoint.Operation("agree-to-mcp-project", http.MethodPost, one+"/agree", "Agree to the contents of a folder",
		"They are used until the hooks, the programs that hooks name, or the .mcp.json change. Send the digest that you were shown; 409: the folder has changed since. The tools of the servers are listed, for at most 20 seconds. "+
			"403: the policy lets only administrators agree. Tokens of the scopes read and chat cannot."), a.agree)
	huma.Register(h, endpoint.Removal("withdraw-mcp-project", one, "Withdraw your agreement to a folder", ""), a.withdraw)
}

func (a *Endpoints) listProjects(ctx context.Context, _ *struct{}) (*struct{ Body MCPProjects }, error) {
	u := auth.User(ctx)
	all, err := a.Projects.List(ctx, u.ID)
	if err != nil {
		return nil, a.Problem(err)
	}
	others, err := a.Servers.List(ctx, u.ID)
	out := make([]MCPProject, len(all))
	for i, p := range all {
		out[i] = shown(p, others)
	}
	return &struct{ Body MCPProjects }{MCPProjects{out}}, a.Problem(err)
}

func (a *Endpoints) agree(ctx context.Context, in *projectConsent) (*struct{ Body MCPProject }, error) {
	if _, err := a.Projects.Agree(ctx, auth.User(ctx).ID, in.ID, in.Body.Digest); err != nil {
		return nil, a.Problem(err)
	}
	all, err := a.listProjects(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range all.Body.Projects {
		if p.ID == in.ID {
			return &struct{ Body MCPProject }{p}, nil
		}
	}
	return nil, a.Problem(fault.Errorf(fault.NotFound, "there is no such folder any more"))
}

func (a *Endpoints) withdraw(ctx context.Context, in *projectPath) (*struct{}, error) {
	return nil, a.Problem(a.Projects.Withdraw(ctx, auth.User(ctx).ID, in.ID))
}

// shown returns a project for its user; others are the servers that they have otherwise.
func shown(p project.Seen, others []chat.MCPServer) MCPProject {
	out := MCPProject{
		ID: p.ID, Runner: p.Runner, Folder: p.Folder, Digest: p.Digest, Problem: p.Problem, MayAgree: p.MayAgree, SeenAt: p.SeenAt, AgreedAt: p.AgreedAt, State: p.State(),
		Servers: make([]MCPProjectServer, len(p.Entries)), Hooks: hooksOf(p.Bundle), Skills: list(p.Bundle.Skills), Notes: list(p.Bundle.Notes),
	}
	for i, e := range p.Entries {
		s := MCPProjectServer{
			Name: e.Name, Transport: e.Transport, Command: e.Command, Args: e.Args, Env: e.Env, URL: e.URL, Headers: slices.Sorted(maps.Keys(e.Headers)), Disabled: !e.Enabled, Problem: e.Problem,
		}
		if j := slices.IndexFunc(p.Servers, func(r mcpstore.Server) bool { return r.Name == e.Name }); j >= 0 && p.Agrees() {
			s.Tools, s.Problem = p.Servers[j].Tools, p.Servers[j].Problem
		}
		if slices.ContainsFunc(others, func(o chat.MCPServer) bool { return o.Name == e.Name }) {
			s.Problem = "a server of yours, or of the installation, has this name and takes its place"
		}
		out.Servers[i] = s
	}
	return out
}

// hooksOf returns the hooks of a folder.
func hooksOf(b project.Bundle) []MCPProjectHook {
	out := []MCPProjectHook{}
	for _, h := range b.Handlers() {
		one := MCPProjectHook{Event: h.Event, Kind: h.Kind, Command: h.Command, Calls: h.URL}
		if h.Kind == hook.KindMCP {
			one.Calls = h.Server + " " + h.Tool
		}
		out = append(out, one)
	}
	return out
}

// list returns an empty slice for nil, so that JSON has [] and not null.
func list(names []string) []string { return append([]string{}, names...) }
