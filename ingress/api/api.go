// Package api is the HTTP API that the page, the terminal and scripts share. Handlers are typed with huma, so that the
// OpenAPI 3.1 document at /api/openapi.json comes from the same code. Errors are RFC 9457 problem documents.
package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/api/account"
	"xbot/ingress/api/agents"
	"xbot/ingress/api/automation"
	"xbot/ingress/api/connections"
	"xbot/ingress/api/endpoint"
	"xbot/ingress/api/events"
	"xbot/ingress/api/files"
	"xbot/ingress/api/inbox"
	"xbot/ingress/api/inspect"
	"xbot/ingress/api/mcpservers"
	"xbot/ingress/api/memory"
	"xbot/ingress/api/messages"
	"xbot/ingress/api/models"
	"xbot/ingress/api/people"
	"xbot/ingress/api/plugins"
	"xbot/ingress/api/registry"
	"xbot/ingress/api/runners"
	"xbot/ingress/api/services"
	"xbot/ingress/api/sessions"
	"xbot/ingress/api/settings"
	"xbot/ingress/auth"
	"xbot/ingress/realtimeproxy"
	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

// API serves the endpoints under /api/.
type API struct {
	*endpoint.Base

	Account    account.Endpoints
	People     people.Endpoints
	Sessions   sessions.Endpoints
	Messages   messages.Endpoints
	Streams    events.Endpoints
	Files      files.Endpoints
	Settings   settings.Endpoints
	Models     models.Endpoints
	Agents     agents.Endpoints
	Automation automation.Endpoints
	Memory     memory.Endpoints
	Inspect    inspect.Endpoints
	Runners    runners.Endpoints
	Tools      Tools
	Voice      *realtimeproxy.Proxy // nil: no voice mode
}

// Tools are where tools, skills and roles come from, the access of tools for users, and the services that agents with some of them are
// published as.
type Tools struct {
	MCPServers  mcpservers.Endpoints
	Connections connections.Endpoints
	Registry    registry.Endpoints
	Plugins     plugins.Endpoints
	Services    services.Endpoints
	Inbox       inbox.Endpoints
}

// Register has the endpoints that need a user.
func (t *Tools) Register(h huma.API) {
	t.MCPServers.Register(h)
	t.Connections.Register(h)
	t.Registry.Register(h)
	t.Plugins.Register(h)
	t.Services.Register(h)
	t.Inbox.Register(h)
}

// Handler returns the routes. Those of login, and of shared links, are open; all others need a user.
func (a *API) Handler() http.Handler {
	open, closed := http.NewServeMux(), http.NewServeMux()
	public := humago.New(open, a.config(jsonlimit.Open))
	private := humago.New(closed, a.config(jsonlimit.Default))
	a.Account.RegisterLogin(public)
	a.Sessions.RegisterShared(public)
	a.register(private)
	closed.HandleFunc("GET /api/sessions/{key}/ws", a.Streams.Socket)
	closed.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		a.Refuse(w, r, fault.Errorf(fault.NotFound, "there is no %s %s here; see /api/openapi.json", r.Method, r.URL.Path))
	})
	if a.Voice != nil {
		open.Handle(realtimeproxy.Path, a.Voice.Handler())
	}
	open.Handle("/api/", a.Auth.Require(closed, a.Refuse))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // data of users is for them alone
		open.ServeHTTP(w, r)
	})
}

// register has all endpoints that need a user.
func (a *API) register(h huma.API) {
	for _, resource := range []interface{ Register(h huma.API) }{
		&a.Account, &a.People, &a.Sessions, &a.Messages, &a.Streams, &a.Files, &a.Settings, &a.Models, &a.Agents, &a.Automation, &a.Memory, &a.Inspect, &a.Runners, &a.Tools,
	} {
		resource.Register(h)
	}
}

// Document returns the OpenAPI document of all endpoints.
func Document() *huma.OpenAPI { return DocumentWith(nil) }

// DocumentWith is Document with a registry of schemas of the caller's; nil: the usual one.
func DocumentWith(schemas huma.Registry) *huma.OpenAPI {
	a := &API{Base: &endpoint.Base{}}
	config := a.config(jsonlimit.Default)
	if schemas != nil {
		config.Components.Schemas = schemas
	}
	h := humago.New(http.NewServeMux(), config)
	a.Account.RegisterLogin(h)
	a.Sessions.RegisterShared(h)
	a.register(h)
	return h.OpenAPI()
}

func (a *API) config(bodies jsonlimit.Limits) huma.Config {
	c := huma.DefaultConfig("xbot", a.Info.Version)
	c.Info.Description = "Sessions, messages and events of xbot. Send a token (Authorization: Bearer …), or sign in (POST /api/login) and send the cookie together with the page key (X-Xbot-Page)."
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", "" // served as one document by the server
	c.CreateHooks = nil                                   // no $schema links in answers
	c.Formats = endpoint.Formats(bodies)
	c.Transformers = []huma.Transformer{endpoint.ShortProblem}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token":  {Type: "http", Scheme: "bearer"},
		"cookie": {Type: "apiKey", In: "cookie", Name: auth.CookieName},
		"page":   {Type: "apiKey", In: "header", Name: auth.PageHeader},
	}
	return c
}
