package server

import (
	"xbot/ingress/gateway"
	"xbot/ingress/history"
	"xbot/ingress/hooks"
	"xbot/ingress/intake"
	"xbot/ingress/runners/manage"
	"xbot/internal/host/telemetry"
	"xbot/internal/store"
	"xbot/internal/tool"
	"xbot/internal/tool/cards"
	"xbot/internal/tool/clientcontrol"
	toolmedia "xbot/internal/tool/media"
	toolservice "xbot/internal/tool/service"
	toolskill "xbot/internal/tool/skill"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/web"
	"xbot/internal/turn/contextview"
	"xbot/internal/turn/slash"
)

// Tools describes the tools of models, without a server. Tools that users add are not among them.
func Tools() []tool.Spec {
	return newCatalog(described(), nil).Builtin.With(web.NewSearch(nil), toolskill.New(nil, nil), clientcontrol.New(nil, nil, nil)).With(cards.New(nil)...).With(toolmedia.New(nil, nil)...).With(toolservice.NewContact(nil), toolservice.NewOwn(nil, nil)).Specs()
}

// SlashCommands describes the slash commands, without a server.
func SlashCommands() []slash.Spec {
	a := &agents{core: described(), tools: toolset.Fixed()}
	known := a.commands(serving{
		history: &history.Editor{}, questions: &intake.Dispatch{}, links: &gateway.Gateway{}, contexts: &contextview.Viewer{},
		runners: &manage.Runners{}, hooks: &hooks.Admin{},
	})
	var specs []slash.Spec
	for _, c := range known.List() {
		specs = append(specs, c.Spec())
	}
	return specs
}

// described is a core that nothing can be done with but describe it.
func described() *core {
	return &core{
		proc: &process{tele: &telemetry.Telemetry{}}, db: &database{}, temporal: &orchestration{}, models: &models{}, stores: &store.Store{}, memory: &memories{},
		platforms: &platforms{}, mcp: &mcpServers{},
	}
}
