package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/ingress/api"
	"xbot/ingress/api/account"
	"xbot/ingress/api/agents"
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
	"xbot/ingress/api/models"
	"xbot/ingress/api/people"
	"xbot/ingress/api/plugins"
	"xbot/ingress/api/registry"
	apirunners "xbot/ingress/api/runners"
	apiservices "xbot/ingress/api/services"
	"xbot/ingress/api/sessions"
	"xbot/ingress/api/settings"
	"xbot/ingress/auth"
	"xbot/ingress/callreview"
	"xbot/ingress/channels"
	"xbot/ingress/gateway"
	"xbot/ingress/history"
	"xbot/ingress/hooks"
	"xbot/ingress/intake"
	"xbot/ingress/mcp"
	"xbot/ingress/runners"
	"xbot/ingress/runners/manage"
	"xbot/ingress/spending"
	"xbot/ingress/wake"
	"xbot/internal/automation/cron"
	"xbot/internal/automation/hook"
	"xbot/internal/automation/trigger"
	"xbot/internal/channel"
	"xbot/internal/channel/accounts"
	"xbot/internal/channel/feishu"
	"xbot/internal/channel/onebot"
	"xbot/internal/chat"
	"xbot/internal/document/pdf"
	_ "xbot/internal/document/pdf/engine" // decodes PDFs
	"xbot/internal/document/pdf/pdftest"
	toolservers "xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/discovery"
	"xbot/internal/extension/mcp/project"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/plugin/extend"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/weblink"
	"xbot/internal/extension/toolkey"
	"xbot/internal/feed"
	"xbot/internal/host/filelink"
	"xbot/internal/host/logs"
	"xbot/internal/host/safehttp"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/demo"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/subscription"
	"xbot/internal/llm/usage"
	"xbot/internal/memory/view"
	"xbot/internal/pg"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
	"xbot/internal/service/publisher"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tool/file"
	"xbot/internal/tool/shell"
	"xbot/internal/tool/task"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/contextview"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/quota"
	"xbot/internal/turn/slash"
	"xbot/internal/user/preference"
	"xbot/internal/user/users"
	slashaccount "xbot/slash/account"
	"xbot/slash/admin"
	slashcontext "xbot/slash/context"
	"xbot/slash/conversation"
	"xbot/slash/folder"
	"xbot/slash/model"
	"xbot/slash/queue"
)

// limit bounds every wait.
const limit = time.Minute

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("xbot/internal/testing/pgtest.startWatchdog.func1")) // the server of the tests outlives them
}

// wakes records which sessions were woken. It stands in for Temporal.
type wakes struct {
	wake.Starts // of what no test has start

	mu   sync.Mutex
	rows []wake.Row
	err  error
}

func (w *wakes) StartFetch(context.Context, chat.InboxID) error { return nil }

func (w *wakes) Wake(_ context.Context, r wake.Row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows = append(w.rows, r)
	return w.err
}

// bundle is a server over a database of its own, with two people: alice, an administrator, and bob.
type bundle struct {
	t         *testing.T
	pool      *pgxpool.Pool
	store     *store.Store
	bus       *feed.Bus
	auth      *auth.Auth
	wakes     *wakes
	boxes     *boxes
	documents *documents
	links     filelink.Signer
	log       *bytes.Buffer
	url       string
	transport *http.Transport
	handler   http.Handler
	closing   chan struct{}
	base      *endpoint.Base
	hub       *runners.Hub
	docker    *containers
	machines  *manage.Runners
	home      string
	book      *accounts.Store
	ear       *ear
	answers   *answers
	starter   *starter // of plugins that are installed over HTTP
	alice     *person
	bob       *person
}

// person is a client with a token.
type person struct {
	*bundle
	user  users.User
	token string
}

// berlin is where everybody lives.
type berlin struct{}

func (berlin) ZoneOf(context.Context, chat.UserID) (cron.Zone, error) {
	return cron.Zone{Name: "Europe/Berlin", From: cron.FromServer}, nil
}

func setup(t *testing.T) *bundle {
	t.Helper()
	return setupUnder(t, nil)
}

// bare gives accounts nothing.
type bare struct{}

func (bare) Resources(string, string) channel.Resources { return channel.Resources{} }

// setupUnder serves under a policy of how much may run at once; nil: the defaults.
func setupUnder(t *testing.T, policies quota.Policies) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{
		t: t, pool: pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), bus: feed.New(slog.New(slog.DiscardHandler)),
		wakes: &wakes{}, boxes: &boxes{of: map[chat.UserID]sandbox.Sandbox{}}, documents: &documents{Reader: pdf.Reader{Cache: pdftest.Cache()}}, links: filelink.New(secret.Key{1}), log: &bytes.Buffer{}, closing: make(chan struct{}), ear: &ear{make(chan struct{}), make(chan struct{})},
	}
	b.store = store.New(b.pool, store.Options{Feed: b.bus, Policies: policies})
	b.auth = &auth.Auth{Accounts: b.store.Users, Key: secret.Key{1}}
	log := slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	woken := &wake.Dispatcher{Turns: b.wakes, Starts: b.wakes, Log: log}
	dispatch := &intake.Dispatch{Calls: b.store.Calls, Turns: b.store.Turns, Wakes: woken}
	tools := toolset.Fixed(shell.New(), file.NewRead(nil))
	b.base = &endpoint.Base{
		Agents: b.store.Agents, Conversations: b.store.Conversations, Auth: b.auth, Log: log,
		Info: endpoint.Info{Version: "1.2.3", Namespace: "default", TemporalUI: true, Database: "db.internal:5432/xbot", Home: "/srv/xbot", Copy: true},
	}
	base := b.base
	a := &api.API{
		Base: base, Account: account.Endpoints{Base: base, Memory: b.store.Memory, Users: b.store.Users, Links: b.store.Links, Settings: b.store.Settings, Notices: b.store.Notices}, People: people.Endpoints{Base: base, Users: b.store.Users}, Automation: automation.Endpoints{Base: base, TriggerStore: b.store.Triggers}, Memory: memory.Endpoints{Base: base}, Inspect: inspect.Endpoints{Base: base, Inspection: b.store.Inspection},
		Sessions: sessions.Endpoints{Base: base, Search: b.store.Search, Shares: b.store.Shares, Calls: b.store.Calls, Turns: b.store.Turns, Killer: task.Killer{Kills: engine.Background{Store: b.store.Turns}, Boxes: b.boxes}},
		Messages: messages.Endpoints{Base: base, Attachments: b.store.Attachments, Dispatch: dispatch, Voice: b.ear},
		Streams:  events.Endpoints{Base: base, ClientActions: b.store.ClientActions, Bus: b.bus, Closing: b.closing, PingEvery: 50 * time.Millisecond},
		Files:    files.Endpoints{Base: base, Attachments: b.store.Attachments, Calls: b.store.Calls, Boxes: b.boxes, Links: b.links, Documents: b.documents},
		Settings: settings.Endpoints{Base: base, Leases: b.store.Leases, Permissions: b.store.Permissions, Links: b.store.Links, Settings: b.store.Settings, Quota: b.store.Quota, Turns: b.store.Turns, Policy: settings.Policy{Tools: tools, Authorizers: permission.Authorizers{Rules: map[string]chat.Rule{"Read": chat.RuleAsk}, People: b.store.Permissions}}},
		Runners:  apirunners.Endpoints{Base: base},
	}
	b.hub = runners.New(runners.Config{Registry: manage.Registry{Runners: b.store.Runners}, Version: "1.2.3"})
	b.docker = &containers{}
	router := sandbox.NewRouter(sandbox.RouterConfig{Local: b.hub})
	a.Runners.Runners = &manage.Runners{
		Settings: b.store.Settings, Runners: b.store.Runners, Log: log,
		Resolver: resolver.New(resolver.Config{Choices: b.store.Runners, Router: router, Docker: b.docker}),
	}
	b.machines = a.Runners.Runners
	subscriptions := &subscription.Store{Rows: b.store.Subscriptions, Key: secret.Key{1}, Public: safehttp.NewTransport(safehttp.Allow{})}
	a.Sessions.Models = &catalogue.Live{
		Server: demo.Client{}, Limits: limits.Table{Model: "demo/demo"}, Policies: &policy.Live{Services: b.store.Services, Settings: b.store.Settings}, Subscriptions: subscriptions, Env: map[string]string{},
	}
	a.Models = models.Endpoints{Base: base, Settings: b.store.Settings, Models: a.Sessions.Models, Subscriptions: subscriptions, Keys: &toolkey.Store{Rows: b.store.ToolKeys, Key: secret.Key{1}, Public: subscriptions.Public, Env: map[string]string{"TAVILY_API_KEY": "tvly-of-the-environment"}}}
	servers := toolservers.NewConnections(toolservers.Config{Rows: b.store.MCPServers, Key: secret.Key{1}, Own: subscriptions.Public, Shared: &http.Transport{DisableKeepAlives: true}})
	finder := &discovery.Finder{Own: &http.Transport{DisableKeepAlives: true}, Shared: &http.Transport{DisableKeepAlives: true}, Redirect: "https://xbot.example" + oauth.Callback}
	t.Cleanup(func() { _ = servers.Close() }) // it has nothing to say
	connected := &oauth.Accounts{Calls: b.store.Calls, Conversations: b.store.Conversations, OAuth: b.store.OAuth, Users: b.store.Users, Key: secret.Key{1}, HTTP: http.DefaultTransport, Public: "https://xbot.example"}
	a.Tools.Connections = connections.Endpoints{Base: base, Accounts: connected}
	a.Tools.Registry = registry.Endpoints{Base: base, Roles: b.store.Roles, Registry: b.store.Registry}
	a.Tools.Services = apiservices.Endpoints{Base: base, Services: b.store.Services, ServiceUsage: b.store.ServiceUsage, Media: b.store.Media, Desk: publisher.Publisher{Memory: b.store.Memory, Prompts: b.store.Prompts, Services: b.store.Services, Models: a.Sessions.Models}, Prices: usage.Prices{"acme/one": {Input: 1, Cached: 0.5, Output: 2}}}
	a.Tools.Inbox = apiinbox.Endpoints{Base: base, Services: b.store.Services, Quota: b.store.Quota}
	b.starter = &starter{}
	known := &installed.Plugins{Rows: b.store.Plugins, Key: secret.Key{1}, Starter: b.starter}
	b.answers = &answers{}
	a.Tools.Plugins = plugins.Endpoints{Base: base, Plugins: known, Widgets: plugins.NewWidgets(extend.New(known, b.answers), weblink.New(secret.Key{1}))}
	a.Tools.MCPServers = mcpservers.Endpoints{
		Base: base, Servers: &toolservers.Servers{Rows: b.store.MCPServers, Key: secret.Key{1}, Providers: connected, Finder: finder}, Connections: servers, Source: toolservers.NewSource(b.store.MCPServers, servers), Boxes: b.boxes,
		Projects: project.Agreements{
			Projects: &project.Projects{Folders: b.store.Hooks, MCPServers: b.store.MCPServers, Key: secret.Key{1}, Boxes: b.boxes, Policies: &policy.Live{Services: b.store.Services, Settings: b.store.Settings}, Log: log}, Connections: servers,
		},
	}
	a.Account.Preferences = preference.Service{Memory: b.store.Memory, Notices: b.store.Notices, Settings: b.store.Settings, Models: a.Sessions.Models}
	base.Usual = choice.Usual{Models: a.Sessions.Models, Settings: b.store.Settings}
	a.Runners.Runners.Usual = base.Usual
	a.Sessions.Words = choice.Catalog{Choice: &choice.Choice{
		Server: demo.Client{}, Store: b.store.Settings, Runners: a.Runners.Runners.Resolver, Models: a.Sessions.Models,
	}}
	b.book = &accounts.Store{Channels: b.store.Channels, Key: secret.Key{1}, Drivers: []channel.Driver{feishu.Driver(), onebot.Driver()}, Base: "https://xbot.example"}
	live := &channel.Live{Source: b.book, Drivers: b.book.Drivers, Resources: bare{}}
	a.Settings.Policy.Live = &policy.Live{Services: b.store.Services, Settings: b.store.Settings}
	a.Settings.Channels = settings.Channels{Accounts: b.book, Live: live, Trial: &channels.Trial{Accounts: b.book, Live: live}}
	a.Automation.Triggers = &trigger.Store{Triggers: b.store.Triggers, Users: b.store.Users, Key: secret.Key{1}, Base: "https://xbot.example"}
	a.Automation.Jobs = &cron.Jobs{Conversations: b.store.Conversations, Cron: b.store.Cron, Services: b.store.Services, Zones: berlin{}}
	b.home = t.TempDir()
	a.Inspect.Logs = logs.Reader{Home: b.home}
	a.Agents = agents.Endpoints{
		Base: base, RoleStore: b.store.Roles, Prompts: b.store.Prompts, Roles: prompt.Roles{Home: b.home, Own: b.store.Roles}, Policies: &policy.Live{Services: b.store.Services, Settings: b.store.Settings}, Tools: tools, Models: a.Sessions.Models, Template: prompt.NewTemplate(filepath.Join(b.home, "prompt.md"), log),
	}
	a.Automation.Hooks = &hooks.Admin{Conversations: b.store.Conversations, Calls: b.store.Calls, Hooks: b.store.Hooks, Dispatch: dispatch, Files: &hook.Live{File: filepath.Join(b.home, "hooks.json"), Grants: hook.Grants{Callbacks: []string{"log"}}}}
	dispatch.Judge = &callreview.Judge{Tools: tools, Authorizers: permission.Authorizers{People: b.store.Permissions}, Hooks: a.Automation.Hooks}
	a.Sessions.Contexts = &contextview.Viewer{Conversations: b.store.Conversations, Usage: b.store.Usage, Answering: a.Sessions.Words}
	a.Memory.Memory = view.View{Conversations: b.store.Conversations, Memory: b.store.Memory, Settings: b.store.Settings}
	a.Account.Usage = &spending.Usage{Usage: b.store.Usage, Media: b.store.Media, Prices: usage.Prices{"demo/demo": {Input: 2, Cached: 0.5, Output: 10}}}
	a.Messages.History = &history.Editor{Conversations: b.store.Conversations, Branches: b.store.Branches, Turns: b.store.Turns, Dispatch: dispatch}
	a.Messages.Gateway = &gateway.Gateway{Stores: gateway.Stores{Conversations: b.store.Conversations, Routing: b.store.Routing, GroupMessages: b.store.GroupMessages, Edits: b.store.Edits, Calls: b.store.Calls, Users: b.store.Users, Links: b.store.Links, Notices: b.store.Notices, Services: b.store.Services, Turns: b.store.Turns}, Policies: &policy.Live{Services: b.store.Services, Settings: b.store.Settings}, Dispatch: dispatch, Log: log}
	a.Sessions.Runners, a.Account.Gateway = a.Runners.Runners, a.Messages.Gateway
	dispatch.Commands = b.commands(a)
	mux := http.NewServeMux()
	mux.Handle("/api/", a.Handler())
	mux.Handle("GET /api/runners/connect", b.hub)
	mux.Handle(mcp.Path, (&mcp.Server{Base: base, Answers: b.store.Answers, Turns: b.store.Turns, Sessions: &a.Sessions, Messages: &a.Messages, Bus: b.bus, Key: secret.Key{1}, Closing: b.closing}).Handler())
	b.handler = mux
	server := httptest.NewServer(mux)
	b.url, b.transport = server.URL, &http.Transport{}
	t.Cleanup(func() { b.hub.Close(); b.transport.CloseIdleConnections(); server.Close(); woken.Wait() })
	admin, err := b.store.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	member, err := b.store.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	b.alice, b.bob = b.person(admin), b.person(member)
	return b
}

func (b *bundle) person(u users.User) *person {
	b.t.Helper()
	token, hash := secret.NewToken()
	_, err := b.store.Users.CreateToken(b.t.Context(), u.ID, users.Token{Name: "test"}, hash)
	require.NoError(b.t, err)
	return &person{bundle: b, user: u, token: token}
}

// answer is what came back.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// do makes a request as the person; a nil person has no credentials.
func (b *bundle) do(p *person, method, path string, body any) answer {
	b.t.Helper()
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		reader = bytes.NewReader([]byte(body))
	default:
		data, err := json.Marshal(body)
		require.NoError(b.t, err)
		reader = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, reader)
	require.NoError(b.t, err)
	if p != nil {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	if reader != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return b.send(&http.Client{}, r)
}

func (b *bundle) send(c *http.Client, r *http.Request) answer {
	b.t.Helper()
	c.Transport = b.transport // with connections that stay open: of a request that is too large the server then reads the rest
	resp, err := c.Do(r)
	require.NoError(b.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	return answer{b.t, resp.StatusCode, resp.Header, data}
}

func (p *person) get(path string) answer { p.t.Helper(); return p.do(p, http.MethodGet, path, nil) }
func (p *person) post(path string, body any) answer {
	p.t.Helper()
	return p.do(p, http.MethodPost, path, body)
}
func (p *person) delete(path string) answer {
	p.t.Helper()
	return p.do(p, http.MethodDelete, path, nil)
}

// is checks the status and decodes the body into out, which may be nil.
func (a answer) is(status int, out any) {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s", a.body)
	if out != nil {
		require.NoError(a.t, json.Unmarshal(a.body, out), "%s", a.body)
	}
}

// problem checks that the answer is a problem document of a status, and returns its sentence.
func (a answer) problem(status int) string {
	a.t.Helper()
	var doc struct {
		Status        int
		Title, Detail string
	}
	a.is(status, &doc)
	require.Equal(a.t, "application/problem+json", a.header.Get("Content-Type"))
	require.Equal(a.t, status, doc.Status)
	require.Equal(a.t, http.StatusText(status), doc.Title)
	require.NotEmpty(a.t, doc.Detail)
	require.NotContains(a.t, doc.Detail, "SQLSTATE")
	return doc.Detail
}

// session creates a session of the person, with the key if there is one.
func (p *person) session(key chat.SessionKey) chat.Session {
	p.t.Helper()
	var s chat.Session
	p.post("/api/sessions", map[string]any{"key": key}).is(http.StatusCreated, &s)
	return s
}

func path(key chat.SessionKey, rest string) string {
	return "/api/sessions/" + url.PathEscape(string(key)) + rest
}

// say sends a message.
func (p *person) say(key chat.SessionKey, id, text string) answer {
	p.t.Helper()
	return p.post(path(key, "/messages"), map[string]string{"client_message_id": id, "text": text})
}

// claim opens a turn for the oldest message of a session, as its workflow does.
func (b *bundle) claim(key chat.SessionKey, turn chat.TurnID) {
	b.t.Helper()
	_, ok, err := b.store.Turns.Claim(b.t.Context(), key, turn, "run-"+string(turn), 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
}

// reply commits the answer of a turn's first step.
func (b *bundle) reply(key chat.SessionKey, turn chat.TurnID, text string) {
	b.t.Helper()
	step := chat.Step{Session: key, Turn: turn}
	_, _, _, err := b.store.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	_, err = b.store.Turns.CommitStep(b.t.Context(), step, chat.Answer{Text: text, Finish: "stop", Model: "demo/demo"})
	require.NoError(b.t, err)
}

func (b *bundle) finish(key chat.SessionKey, turn chat.TurnID) {
	b.t.Helper()
	_, err := b.store.Turns.FinishTurn(b.t.Context(), key, turn, chat.TurnDone, "")
	require.NoError(b.t, err)
}

// browser is a client with cookies that sends what a page of the server sends.
type browser struct {
	*bundle
	client *http.Client
	origin string
	key    string // that the page of the last login keeps
}

func (b *bundle) browser() *browser {
	b.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(b.t, err)
	return &browser{bundle: b, client: &http.Client{Jar: jar}, origin: b.url}
}

func (w *browser) do(method, path, body string) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, bytes.NewReader([]byte(body)))
	require.NoError(w.t, err)
	r.Header.Set("Content-Type", "application/json")
	if w.origin != "" {
		r.Header.Set("Origin", w.origin)
	}
	r.Header.Set(auth.PageHeader, w.key)
	a := w.send(w.client, r)
	if path == "/api/login" && a.status == http.StatusOK {
		var in account.SignedIn
		require.NoError(w.t, json.Unmarshal(a.body, &in))
		w.key = in.PageKey
	}
	return a
}

// signIn opens a fresh sign-in link of a person.
func (w *browser) signIn(p *person) {
	w.t.Helper()
	link, err := w.auth.NewLink(w.t.Context(), p.user.ID, w.url)
	require.NoError(w.t, err)
	_, token, _ := strings.Cut(link, "#token=")
	w.do(http.MethodPost, "/api/login", `{"token":"`+token+`"}`).is(http.StatusOK, nil)
}

// commands are some of the server's.
func (b *bundle) commands(a *api.API) *intake.Commands {
	return intake.NewCommands(intake.Callers{Conversations: b.store.Conversations, Inbox: b.store.Inbox, Users: b.store.Users}, slash.NewRegistry(intake.Callers{Conversations: b.store.Conversations, Inbox: b.store.Inbox, Users: b.store.Users},
		conversation.Session{Conversations: b.store.Conversations, Routing: b.store.Routing, Users: b.store.Users}, slashaccount.Link{Conversations: b.store.Conversations, Links: b.store.Links, Codes: a.Messages.Gateway}, admin.Pair{Store: b.store.Users},
		queue.Send{Conversations: b.store.Conversations, Routing: b.store.Routing}, queue.Activation{Conversations: b.store.Conversations, Routing: b.store.Routing},
		conversation.Approve{Questions: a.Messages.Dispatch}, conversation.Deny{Questions: a.Messages.Dispatch},
		folder.Runner{Runners: a.Runners.Runners, Users: b.store.Users}, conversation.Rewind{Sessions: b.store.Conversations}, conversation.Fork{Sessions: a.Messages.History},
		slashcontext.Usage{Usage: b.store.Usage, Media: b.store.Media, Users: b.store.Users, Prices: a.Account.Usage.Prices}, slashcontext.Context{Viewer: a.Sessions.Contexts, Store: b.store.Conversations},
		model.Model{Known: a.Sessions.Words, Sessions: b.store.Conversations}, model.Models{Known: a.Sessions.Words}, model.Think{Known: a.Sessions.Words, Sessions: b.store.Conversations},
		model.Verbose{Sessions: b.store.Conversations}, admin.Hooks{Files: a.Automation.Hooks, Calls: a.Automation.Hooks}, slashcontext.Compact{}, conversation.Search{Search: b.store.Search, Turns: b.store.Turns, Users: b.store.Users},
	))
}
