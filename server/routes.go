package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"xbot/ingress/api"
	"xbot/ingress/api/account"
	apiagents "xbot/ingress/api/agents"
	"xbot/ingress/api/automation"
	"xbot/ingress/api/connections"
	"xbot/ingress/api/endpoint"
	"xbot/ingress/api/events"
	"xbot/ingress/api/files"
	apiinbox "xbot/ingress/api/inbox"
	"xbot/ingress/api/inspect"
	"xbot/ingress/api/mcpservers"
	"xbot/ingress/api/memory"
	"xbot/ingress/api/messages"
	apimodels "xbot/ingress/api/models"
	"xbot/ingress/api/people"
	"xbot/ingress/api/plugins"
	apiregistry "xbot/ingress/api/registry"
	"xbot/ingress/api/runners"
	apiservices "xbot/ingress/api/services"
	"xbot/ingress/api/sessions"
	apisettings "xbot/ingress/api/settings"
	"xbot/ingress/auth"
	"xbot/ingress/channels"
	"xbot/ingress/consumer"
	"xbot/ingress/download"
	"xbot/ingress/httpserver"
	"xbot/ingress/mcp"
	"xbot/ingress/oauthcallback"
	"xbot/ingress/oidc"
	openai "xbot/ingress/openai/people"
	"xbot/ingress/panels"
	"xbot/ingress/replystream"
	"xbot/ingress/temporalui"
	"xbot/ingress/webhooks"
	"xbot/internal/document/webpicture"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/plugin/weblink"
	"xbot/internal/fault"
	"xbot/internal/host/filelink"
	"xbot/internal/host/localstack"
	"xbot/internal/host/logs"
	"xbot/internal/host/safehttp"
	"xbot/internal/service/publisher"
	"xbot/internal/service/servicestore"
	"xbot/internal/tool/task"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/prompt"
	"xbot/server/tokencount"
	"xbot/web"
)

// routes maps paths to handlers.
func (in *ingressPart) routes() httpserver.Routes {
	stores := in.core.stores
	a := in.api()
	r := httpserver.Routes{
		API: a.Handler(), OpenAPI: openAPI(), Page: web.Handler(), Hosts: in.auth.Hosts, Refuser: a,
		Runners: in.hub, Internal: in.internal(), Ready: in.core,
		Files:   &download.Links{Signer: a.Files.Links, Accounts: stores.Users, Sandboxes: in.agents.boxes, Log: in.core.proc.log},
		Metrics: in.auth.RequireOperator(in.core.proc.tele.Handler(), a.Refuse), Channels: in.setup,
		Hooks: (&webhooks.Hooks{Store: stores.Triggers, Key: in.core.db.key, Log: in.core.proc.log, Outages: in.core.temporal.outages}).Handler(),
		MCP: (&mcp.Server{
			Base: a.Base, Answers: stores.Answers, Turns: stores.Turns, Sessions: &a.Sessions, Messages: &a.Messages,
			Bus: in.core.db.bus, Key: in.core.db.key, Closing: in.closing,
		}).Handler(),
	}
	r.Others = map[string]http.Handler{
		weblink.Prefix: &panels.Files{
			Signer: a.Tools.Plugins.Widgets.Links, Plugins: in.core.mcp.plugins, Archives: stores.Plugins, Accounts: stores.Users,
			Log: in.core.proc.log,
		},
		oauth.Root: (&oauthcallback.Connect{
			Accounts: in.core.mcp.connected, Visitors: in.auth, Origins: in.auth.Hosts, People: stores.Users,
			Servers: in.core.mcp.connections, Log: in.core.proc.log,
		}).Handler(),
	}
	r.Others[web.ServicePath] = web.Service(publicServices{stores.Services}, in.core.files.origins...)
	r.Others[openai.Root] = (&openai.People{
		Base: a.Base, AnswerStore: stores.Answers, Attachments: stores.Attachments, Services: stores.Services, Turns: stores.Turns, Sessions: &a.Sessions, Dispatch: in.dispatch, Answers: &replystream.Source{
			Answers: stores.Answers, Conversations: stores.Conversations, Bus: in.core.db.bus, Closing: in.closing,
		},
		Catalogue: in.core.models.catalogue, Policies: in.core.db.policies, Key: in.core.db.key, Pictures: in.pictures(), Files: &a.Files,
	}).Handler()
	if in.oidc.Issuer != "" {
		r.Others[oidc.Root] = in.signOn().Handler()
	}
	if in.ui.target != nil {
		ui := temporalui.Proxy{Target: in.ui.target, Header: localstack.UITokenHeader, Token: in.ui.token, Cookie: auth.CookieName, Access: uiAccess{in.auth}}
		r.Temporal = in.auth.RequireUnder(temporalui.Root, temporalui.WithCodec(in.core.temporal.codec, ui), a.Refuse)
	}
	return r
}

// publicServices reads the public data of services.
type publicServices struct{ services *servicestore.Store }

// PublicService finds a service. It is Denied while the service is withdrawn.
func (p publicServices) PublicService(ctx context.Context, id string) (web.PublicService, error) {
	s, err := p.services.Service(ctx, id)
	if err != nil {
		return web.PublicService{}, err
	}
	if !s.Open() {
		return web.PublicService{Origins: s.Origins}, fault.Errorf(fault.Denied, "the service is withdrawn")
	}
	return web.PublicService{ID: s.ID, Name: s.Name, Description: s.Description, Welcome: s.Welcome, Questions: s.Questions, Origins: s.Origins}, nil
}

// signOn signs users in by the OpenID Connect provider of the settings.
func (in *ingressPart) signOn() *oidc.SignOn {
	c := in.oidc
	return &oidc.SignOn{
		Settings: oidc.Settings{
			Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret, Scopes: c.Scopes, GroupsClaim: c.GroupsClaim,
			AllowedGroups: c.AllowedGroups, AdminGroups: c.AdminGroups,
		},
		Public: in.at.people(), Accounts: in.core.stores.Users, Links: in.auth, Key: in.core.db.key, Log: in.core.proc.log,
	}
}

// consumers is the API by which programs and people outside use services.
func (in *ingressPart) consumers() *consumer.API {
	stores := in.core.stores
	in.core.proc.tele.Registry.MustRegister(tokencount.New(stores.ServiceUsage, in.core.proc.log))
	return consumer.New(consumer.Config{
		Messages: stores.Answers, Attachments: stores.Attachments, Conversations: stores.Conversations, ServiceUsage: stores.ServiceUsage, Services: stores.Services, Turns: stores.Turns, Dispatch: in.dispatch, Answers: &replystream.Source{
			Answers: stores.Answers, Conversations: stores.Conversations, Bus: in.core.db.bus, Closing: in.closing,
		},
		Files: in.agents.consumerFiles(), Addresses: in.auth, Key: in.core.db.key, Log: in.core.proc.log, Outages: in.core.temporal.outages, Tally: newRequestCount(in.core.proc.tele.Registry),
		Pictures: in.pictures(),
	})
}

// pictures fetches the pictures that messages name by address. No rule of tools is asked about them, and consumers are outsiders: they come from
// the public internet alone, even if the operator lets tools fetch from other addresses.
func (in *ingressPart) pictures() *webpicture.Fetcher {
	return webpicture.New(safehttp.New(safehttp.Allow{}), "xbot/"+in.core.proc.version)
}

// uiAccess opens the Temporal UI to administrators.
type uiAccess struct{ auth *auth.Auth }

// Allowed reports whether the user is an administrator.
func (uiAccess) Allowed(r *http.Request) bool { return auth.User(r.Context()).Admin }

// Base is where a browser finds the UI.
func (v uiAccess) Base(r *http.Request) string { return v.auth.Under(r.Context(), temporalui.Root) }

// api puts the endpoints together.
func (in *ingressPart) api() *api.API {
	stores := in.core.stores
	base := in.endpointBase()
	return &api.API{
		Base: base,
		Account: account.Endpoints{
			Base: base, Memory: stores.Memory, Users: stores.Users, Links: stores.Links, Settings: stores.Settings,
			Notices: stores.Notices, Gateway: in.gateway, Usage: in.views.usage, Preferences: in.core.preferences(),
		},
		People: people.Endpoints{Base: base, Users: stores.Users},
		Sessions: sessions.Endpoints{
			Base: base, Search: stores.Search, Shares: stores.Shares, Calls: stores.Calls, Turns: stores.Turns, Runners: in.views.runners, Words: in.views.words, Models: in.core.models.catalogue, Contexts: in.views.contexts,
			Killer: task.Killer{Kills: engine.Background{Store: stores.Turns}, Sandboxes: in.agents.boxes},
		},
		Messages: messages.Endpoints{
			Base: base, Attachments: stores.Attachments, Dispatch: in.dispatch, Gateway: in.gateway, History: in.views.history,
			Voice: in.core.transcriber(), Ratings: stores.Ratings,
		},
		Streams: events.Endpoints{Base: base, ClientActions: stores.ClientActions, Bus: in.core.db.bus, Closing: in.closing},
		Files: files.Endpoints{
			Base: base, Attachments: stores.Attachments, Calls: stores.Calls, Sandboxes: in.agents.boxes,
			Links: filelink.New(in.core.db.key), Documents: in.core.documents(),
		},
		Settings: apisettings.Endpoints{
			Base: base, Leases: stores.Leases, Permissions: stores.Permissions, Links: stores.Links, Settings: stores.Settings, Quota: stores.Quota, Turns: stores.Turns,
			Policy: apisettings.Policy{Tools: in.agents.tools, Authorizers: in.agents.authorizers(), Live: in.core.db.policies},
			Channels: apisettings.Channels{
				Accounts: in.core.platforms.accounts, Live: in.core.platforms.channels,
				Trial: &channels.Trial{Accounts: in.core.platforms.accounts, Live: in.core.platforms.channels},
			},
			Tracing: apisettings.Tracing{Settings: in.core.traces.settings, Resource: in.core.traces.resource},
		},
		Models: apimodels.Endpoints{
			Base: base, Settings: stores.Settings, Models: in.core.models.catalogue, Subscriptions: in.core.models.subscriptions,
			Keys: in.core.models.toolKeys,
		},
		Agents: apiagents.Endpoints{
			Base: base, RoleStore: stores.Roles, Prompts: stores.Prompts, Roles: prompt.Roles{Home: in.core.proc.home, Own: stores.Roles}, Policies: in.core.db.policies, Tools: in.agents.tools, Models: in.core.models.catalogue, Template: in.core.template,
		},
		Automation: automation.Endpoints{Base: base, TriggerStore: stores.Triggers, Jobs: in.core.jobs, Triggers: in.core.triggers, Hooks: in.hooks},
		Memory:     memory.Endpoints{Base: base, Memory: in.core.remembered()},
		Inspect:    inspect.Endpoints{Base: base, Inspection: stores.Inspection, Logs: logs.Reader{Home: in.core.proc.home}},
		Runners:    runners.Endpoints{Base: base, Runners: in.views.runners},
		Tools:      in.toolEndpoints(base),
		Voice:      in.voice(base),
	}
}

// endpointBase has what all endpoints share.
func (in *ingressPart) endpointBase() *endpoint.Base {
	base := &endpoint.Base{
		Agents: in.core.stores.Agents, Conversations: in.core.stores.Conversations, Auth: in.auth, Log: in.core.proc.log,
		Outages: in.core.temporal.outages, Usual: in.core.usual(), Info: endpoint.Info{
			Version:   in.core.proc.version,
			Namespace: in.core.temporal.namespace, TemporalUI: in.ui.target != nil, StartedAt: time.Now(),
			Database: databaseName(in.core.db.dsn), Home: in.core.proc.home, URL: in.at.http.URL, Copy: in.core.copy,
		},
	}
	if in.oidc.Issuer != "" {
		base.Info.SignOn = in.oidc.ProviderName
	}
	return base
}

// toolEndpoints puts the endpoints of tools, services and plugins together.
func (in *ingressPart) toolEndpoints(base *endpoint.Base) api.Tools {
	stores := in.core.stores
	return api.Tools{
		MCPServers: mcpservers.Endpoints{
			Base: base, Servers: in.core.mcp.servers, Connections: in.core.mcp.connections, Source: in.core.mcp.offered,
			Projects: in.core.agreements(), Sandboxes: in.agents.boxes,
		},
		Connections: connections.Endpoints{Base: base, Accounts: in.core.mcp.connected},
		Registry: apiregistry.Endpoints{
			Base: base, Roles: stores.Roles, Registry: stores.Registry, Disabled: in.core.skills(in.agents.boxes),
		},
		Services: apiservices.Endpoints{
			Base: base, Services: stores.Services, ServiceUsage: stores.ServiceUsage, Media: stores.Media,
			Desk: publisher.Publisher{
				Memory: stores.Memory, Prompts: stores.Prompts, Services: stores.Services,
				Models: in.core.models.catalogue,
			},
			Prices: in.core.models.catalogue,
		},
		Inbox:   apiinbox.Endpoints{Base: base, Services: stores.Services, Quota: stores.Quota},
		Plugins: plugins.Endpoints{Base: base, Plugins: in.core.mcp.plugins, Widgets: plugins.NewWidgets(in.agents.added, weblink.New(in.core.db.key))},
	}
}

// openAPI answers with the document of the API.
func openAPI() http.Handler {
	body, err := json.Marshal(api.Document())
	if err != nil {
		panic(err) // made of our own types
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(body) // the client is gone if this fails
	})
}

// requestCount counts the requests of consumers for Prometheus. Its labels are as many as there are services: never a key or a conversation.
type requestCount struct {
	answered *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newRequestCount(r prometheus.Registerer) requestCount {
	c := requestCount{
		answered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "xbot_service_requests_total", Help: "Requests of the consumers of services with a good key, by status: 2xx, 3xx, 4xx, 429, 5xx.",
		}, []string{"service", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "xbot_service_request_seconds", Help: "How long requests of consumers took, a stream until it ended.", Buckets: []float64{.01, .05, .25, 1, 5, 30, 120, 600},
		}, []string{"service"}),
	}
	r.MustRegister(c.answered, c.seconds)
	return c
}

// Requested counts one.
func (c requestCount) Requested(service string, status int, took time.Duration) {
	class := strconv.Itoa(status/100) + "xx"
	if status == http.StatusTooManyRequests {
		class = strconv.Itoa(status)
	}
	c.answered.WithLabelValues(service, class).Inc()
	c.seconds.WithLabelValues(service).Observe(took.Seconds())
}
