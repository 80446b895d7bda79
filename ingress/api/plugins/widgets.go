package plugins

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/time/rate"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/extension/plugin/extend"
	"xbot/internal/extension/plugin/weblink"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// maxAsk bounds the body of a request of a panel, in bytes.
const maxAsk = 64 << 10

// Widgets has the dependencies of the endpoints of panels.
type Widgets struct {
	Panels extend.Extensions
	Links  weblink.Signer

	pace *pace
}

// NewWidgets returns the dependencies of the endpoints of panels.
func NewWidgets(panels extend.Extensions, links weblink.Signer) Widgets {
	return Widgets{Panels: panels, Links: links, pace: &pace{by: map[chat.UserID]*asker{}}}
}

// PanelList lists panels.
type PanelList struct {
	Panels []Panel `json:"panels"`
}

// Panel is one that can be opened.
type Panel struct {
	Plugin string            `json:"plugin" example:"feeds"`
	Widget string            `json:"widget" example:"news"`
	Title  map[string]string `json:"title" doc:"By language: en, zh."`
}

// PanelOpened is the address from which a browser loads a panel.
type PanelOpened struct {
	URL       string    `json:"url" doc:"Path of the panel's document on the server. Load it into a frame with sandbox=\"allow-scripts\". The URL gives access to the files of the panel only."`
	ExpiresAt time.Time `json:"expires_at"`
}

// PanelAsk is a request of a panel to its plugin.
type PanelAsk struct {
	Language string          `json:"language,omitempty" enum:"en,zh" doc:"Of the answer; left out: en."`
	Params   json.RawMessage `json:"params,omitempty" doc:"Any JSON."`
}

// PanelAnswer is the answer of the plugin.
type PanelAnswer struct {
	Result json.RawMessage `json:"result" doc:"Any JSON, at most 256 kB."`
}

type (
	// WidgetPath names the panel of a request.
	WidgetPath struct {
		Plugin string `path:"plugin" maxLength:"24" example:"feeds"`
		Widget string `path:"widget" maxLength:"32" example:"news"`
	}
	widgetAsk struct {
		WidgetPath

		Body PanelAsk
	}
)

func (a *Endpoints) registerWidgets(h huma.API) {
	const one = "/api/plugins/{plugin}/widgets/{widget}"
	huma.Register(h, endpoint.Operation("list-panels", http.MethodGet, "/api/panels", "List panels of plugins", "Lists the panels that plugins add to the page."), a.panels)
	huma.Register(h, endpoint.Operation("open-panel", http.MethodPost, one+"/open", "Open a panel", "Returns the path of its document, valid for 12 hours."), a.open)
	huma.Register(h, huma.Operation{
		OperationID: "ask-panel", Method: http.MethodPost, Path: one, Summary: "Send a panel's request to its plugin", Description: "Sends a request of the panel to its plugin. 400: the plugin refused it, with the plugin's message. 409: the response exceeds 256 kB, or the outcome is unknown. 429: too many requests at once.", Security: endpoint.Secured, MaxBodyBytes: maxAsk,
	}, a.ask)
}

func (a *Endpoints) panels(ctx context.Context, _ *struct{}) (*struct{ Body PanelList }, error) {
	all, err := a.Widgets.Panels.Panels(ctx)
	out := PanelList{Panels: []Panel{}}
	for _, p := range all {
		out.Panels = append(out.Panels, Panel{p.Plugin.Plugin.ID, p.Widget.Name, map[string]string{"en": p.Widget.Title.English, "zh": p.Widget.Title.Chinese}})
	}
	return &struct{ Body PanelList }{out}, a.Problem(err)
}

func (a *Endpoints) open(ctx context.Context, in *WidgetPath) (*struct{ Body PanelOpened }, error) {
	p, err := a.Widgets.Panels.Panel(ctx, in.Plugin, in.Widget)
	if err != nil {
		return nil, a.Problem(err)
	}
	expires := time.Now().Add(weblink.Life)
	url, err := a.Widgets.Links.URL(weblink.Link{Plugin: p.Plugin.Plugin.ID, Digest: p.Plugin.Digest, User: auth.User(ctx).ID, Expires: expires}, p.Widget.Entry)
	if err != nil {
		return nil, a.Problem(err)
	}
	return &struct{ Body PanelOpened }{PanelOpened{url, expires}}, nil
}

func (a *Endpoints) ask(ctx context.Context, in *widgetAsk) (*struct{ Body PanelAnswer }, error) {
	p, err := a.Widgets.Panels.Panel(ctx, in.Plugin, in.Widget)
	if err != nil {
		return nil, a.Problem(err)
	}
	user := auth.User(ctx).ID
	leave, err := a.Widgets.pace.enter(user)
	if err != nil {
		return nil, a.Problem(err)
	}
	defer leave()
	lang := i18n.English
	if in.Body.Language == string(i18n.Chinese) {
		lang = i18n.Chinese
	}
	result, err := a.Widgets.Panels.AskWidget(ctx, p, extend.WidgetAsk{User: user, Lang: lang, Params: in.Body.Params})
	return &struct{ Body PanelAnswer }{PanelAnswer{result}}, a.Problem(err)
}

// How much panels of one user may ask of one server.
const (
	asksAtOnce  = 4
	asksASecond = 5
	asksBurst   = 20
	maxAskers   = 10_000 // users that are remembered
)

// pace bounds what panels ask.
type pace struct {
	mu sync.Mutex
	by map[chat.UserID]*asker
}

type asker struct {
	rate *rate.Limiter
	busy int
}

// enter counts a request until leave is called. Limited: the user has to wait.
func (p *pace) enter(user chat.UserID) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.by[user]
	if a == nil {
		if len(p.by) >= maxAskers {
			p.forget()
		}
		a = &asker{rate: rate.NewLimiter(asksASecond, asksBurst)}
		p.by[user] = a
	}
	if a.busy >= asksAtOnce || !a.rate.Allow() {
		return nil, fault.Limited(time.Second, "panels have asked too much at once: wait a second")
	}
	a.busy++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		a.busy--
	}, nil
}

// forget forgets those who ask nothing at the moment. The caller holds mu.
func (p *pace) forget() {
	for user, a := range p.by {
		if a.busy == 0 {
			delete(p.by, user)
		}
	}
}
