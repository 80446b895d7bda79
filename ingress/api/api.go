// Package api is the HTTP API that the page, the terminal and scripts share. Handlers are typed with huma, so that the
// OpenAPI 3.1 document at /api/openapi.json comes from the same code. Errors are RFC 9457 problem documents.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress"
	"xbot/ingress/auth"
	"xbot/ingress/temporalui"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/contextview"
	"xbot/internal/cron"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/filelink"
	"xbot/internal/llm/catalogue"
	"xbot/internal/logs"
	"xbot/internal/memory/view"
	"xbot/internal/sandbox"
	"xbot/internal/session"
	"xbot/internal/store"
	"xbot/internal/trigger"
)

// API serves the endpoints under /api/.
type API struct {
	Store    *store.Store
	Bus      *feed.Bus
	Dispatch *ingress.Dispatch
	Gateway  *ingress.Gateway
	Auth     *auth.Auth
	Killer   TaskKiller
	Info     Info
	Policy   Policy
	Channels Channels
	Triggers *trigger.Store
	Jobs     *cron.Jobs
	Logs     logs.Reader
	Boxes    sandbox.Boxes   // runners of the users
	Links    filelink.Signer // signs links to files
	Fleet    *ingress.Fleet
	History  *ingress.History
	Meter    *ingress.Meter
	Memory   view.View
	Contexts *contextview.Viewer
	Models   *catalogue.Live
	Minds    *ingress.Minds
	Hooks    *ingress.Hooks
	Log      *slog.Logger
	Closing  <-chan struct{} // closed when the server stops: streams end
	// PingEvery is the pause between looks at the client of a stream and at what it may see; 0 means 15 s.
	PingEvery time.Duration
}

// Info is what clients are told of the server.
type Info struct {
	Version    string
	Model      string // provider/model
	Demo       bool
	Namespace  string
	TemporalUI bool // whether the UI is mounted under /temporal/
	StartedAt  time.Time
	Database   string // where it is, without who opens it
	Home       string // the data folder
}

// Handler returns the routes. Those of login are open, all others need a user.
func (a *API) Handler() http.Handler {
	open, closed := http.NewServeMux(), http.NewServeMux()
	config := a.config()
	public := humago.New(open, config)
	private := humago.New(closed, config)
	a.registerLogin(public)
	a.registerPrivate(private)
	closed.HandleFunc("GET /api/sessions/{key}/ws", a.socket)
	closed.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		a.Refuse(w, r, fault.Errorf(fault.NotFound, "there is no %s %s here; see /api/openapi.json", r.Method, r.URL.Path))
	})
	open.Handle("/api/", a.Auth.Require(closed, a.Refuse))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // what people wrote is for them alone
		open.ServeHTTP(w, r)
	})
}

// registerPrivate has all endpoints that need a user.
func (a *API) registerPrivate(h huma.API) {
	for _, register := range []func(huma.API){
		a.registerAccount,
		a.registerSessions,
		a.registerMessages,
		a.registerTurns,
		a.registerTasks,
		a.registerSubagents,
		a.registerGroups,
		a.registerTodos,
		a.registerEvents,
		a.registerApprovals,
		a.registerPermissions,
		a.registerFiles,
		a.registerOutputs,
		a.registerResults,
		a.registerRunners,
		a.registerCommands,
		a.registerQueue,
		a.registerHistory,
		a.registerUsage,
		a.registerMemory,
		a.registerProfile,
		a.registerLimits,
		a.registerResets,
		a.registerSearch,
		a.registerContext,
		a.registerBridge,
		a.registerPairings,
		a.registerHooks,
		a.registerLinks,
		a.registerInspect,
		a.registerRuns,
		a.registerCron,
		a.registerExport,
		a.registerModels,
		a.registerAgents,
		a.registerPolicy,
		a.registerChannels,
		a.registerTriggers,
		a.registerLogs,
	} {
		register(h)
	}
}

// Document returns the OpenAPI document of all endpoints.
func Document() *huma.OpenAPI {
	mux := http.NewServeMux()
	a := &API{}
	h := humago.New(mux, a.config())
	a.registerLogin(h)
	a.registerPrivate(h)
	return h.OpenAPI()
}

func (a *API) config() huma.Config {
	c := huma.DefaultConfig("xbot", a.Info.Version)
	c.Info.Description = "Sessions, messages and events of xbot. Send a token (Authorization: Bearer …), or sign in (POST /api/login) and send the cookie together with the page key (X-Xbot-Page)."
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", "" // served as one document by the server
	c.CreateHooks = nil                                   // no $schema links in answers
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token":  {Type: "http", Scheme: "bearer"},
		"cookie": {Type: "apiKey", In: "cookie", Name: auth.CookieName},
		"page":   {Type: "apiKey", In: "header", Name: auth.PageHeader},
	}
	return c
}

var secured = []map[string][]string{{"token": {}}, {"cookie": {}, "page": {}}}

// own returns a session of the user. A session of somebody else looks like none.
func (a *API) own(ctx context.Context, key string) (chat.Session, error) {
	if _, err := session.Parse(chat.SessionKey(key)); err != nil {
		return chat.Session{}, a.problem(err)
	}
	s, owner, err := a.Store.Session(ctx, chat.SessionKey(key))
	if err == nil && owner != auth.User(ctx).ID {
		err = fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	return s, a.problem(err)
}

// withLink adds the address of a turn's run in the Temporal UI, for those who may open it.
func (a *API) withLink(ctx context.Context, t chat.Turn) chat.Turn {
	if a.Info.TemporalUI && auth.User(ctx).Admin && t.RunID != "" {
		id, _, err := wake.WorkflowOf(ctx, a.Store, t.Session)
		if err != nil {
			return t // a turn without its link is one all the same
		}
		t.TemporalURL = a.Auth.Under(ctx, temporalui.TemporalRoot) + strings.TrimPrefix(temporalui.RunPath(a.Info.Namespace, id, t.RunID), temporalui.TemporalRoot)
	}
	return t
}

// Key is the path parameter of a session, URL-escaped.
type Key struct {
	Key string `path:"key" maxLength:"200" doc:"Session key, URL-escaped." example:"agent:main:web:thread:8f2c"`
}
