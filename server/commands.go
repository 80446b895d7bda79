package server

import (
	"context"
	"time"

	"xbot/ingress/gateway"
	"xbot/ingress/history"
	"xbot/ingress/hooks"
	"xbot/ingress/intake"
	"xbot/ingress/runners/manage"
	"xbot/ingress/temporalui"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/contextview"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/skill"
	"xbot/internal/slash"
	"xbot/internal/usage"
	"xbot/slash/account"
	"xbot/slash/admin"
	slashcontext "xbot/slash/context"
	"xbot/slash/conversation"
	"xbot/slash/folder"
	"xbot/slash/model"
	"xbot/slash/queue"
	slashregistry "xbot/slash/registry"
)

// serving is what the commands need that run at once, in the ingress. A process that only runs turns has none of it: it runs
// the commands of turns alone.
type serving struct {
	base      string // address of the page
	history   *history.Editor
	questions *intake.Dispatch
	links     *gateway.Gateway
	contexts  *contextview.Viewer
	prices    usage.Pricer
	runners   *manage.Runners
	hooks     *hooks.Admin
	runs      account.Runs
}

// commands is the registry of slash commands, in the order in which people are told of them. Both halves of the server load it.
func (a *agents) commands(s serving) *slash.Registry {
	models := choice.Catalog{Choice: a.choice}
	own := slash.NewRegistry(a.callers(),
		conversation.New{Models: words{a.catalogue}, Answering: models, Sessions: a.store},
		conversation.Reset{Answering: models, Sessions: a.store},
		conversation.Continue{Sessions: a.store},
		conversation.Search{Messages: a.store},
		conversation.Rewind{Sessions: a.store},
		conversation.Retry{Sessions: a.store},
		conversation.Edit{Sessions: a.store},
		conversation.Branch{Sessions: a.store},
		conversation.Fork{Sessions: s.history},
		conversation.Archive{Sessions: a.store},
		conversation.Approve{Questions: s.questions},
		conversation.Deny{Questions: s.questions},
		conversation.Permissions{Presets: a.store, Authorizers: a.authorizers()},
		model.Plan{Sessions: a.store},
		conversation.Export{Base: s.base},
		model.Model{Known: models, Sessions: a.store},
		model.Models{Known: models},
		model.Think{Known: models, Sessions: a.store},
		model.Verbose{Sessions: a.store},
		model.LLM{Words: words{a.catalogue}, Usual: a.usual(), Accounts: a.subscriptions, Settings: a.store},
		model.SetLLM{People: a.store, Accounts: a.subscriptions},
		model.UnsetLLM{Accounts: a.subscriptions},
		slashcontext.Context{Viewer: s.contexts, Store: a.store},
		conversation.Session{Store: a.store, Answering: models, Threads: a.store, Places: s.runners},
		queue.Send{Store: a.store},
		queue.Activation{Store: a.store},
		account.Link{Store: a.store, Codes: s.links},
		account.Unlink{Store: a.store, Policies: a.policies},
		admin.Pair{Store: a.store},
		admin.Inbox{Consumers: a.store, People: a.callers()},
		slashcontext.Compact{},
		slashcontext.Usage{Store: a.store, Prices: s.prices},
		account.Memory{Memories: a.remembered(), Agents: a.agentProfiles(), Users: a.store, Base: s.base},
		account.Profile{Store: a.store},
		slashcontext.Prompt{Viewer: a.promptViewer()},
		account.Language{Settings: a.store},
		account.SettingsCommand{Preferences: a.preferences(), Owners: a.store, Base: s.base, CardChannel: gateway.CardChannel},
		queue.Queue{Store: a.store, Policies: a.policies},
		folder.Pwd{Sessions: a.store, Boxes: a.boxes, Agreements: a.agreements()},
		folder.Ls{Sessions: a.store, Boxes: a.boxes},
		folder.Cd{Folders: a.store, Boxes: a.boxes, Agreements: a.agreements()},
		folder.Contents{Agreements: a.agreements()},
		folder.Runner{Runners: s.runners, Users: a.store},
		conversation.Cron{Store: a.store, Jobs: a.jobs},
		conversation.Subagents{Store: a.store},
		conversation.Agents{Roles: a.roles(a.boxes)},
		conversation.Groups{Store: a.store},
		slashregistry.App{Store: a.store, Disabled: a.skills(a.boxes), Base: s.base},
		account.Status{Store: a.store, Contexts: s.contexts, Policies: a.policies, Runners: s.runners, Runs: s.runs, Version: a.version, Started: time.Now()},
		account.Whoami{Store: a.store},
		admin.Version{Version: a.version},
		account.Trigger{Triggers: a.triggers},
		conversation.Todos{Store: a.store},
		admin.Hooks{Files: s.hooks, Calls: s.hooks},
		admin.Config{Documents: a.store},
		admin.Debug{Store: a.store, Pool: a.pool, Metrics: a.tele.Registry},
	)
	return a.withAdded(own)
}

// callers know who people are in conversations, and what the policy lets them do.
func (a *agents) callers() intake.Callers {
	return intake.Callers{People: a.store, Policies: a.policies}
}

// withAdded are commands with those of plugins, which are there where there is a server.
func (a *agents) withAdded(own *slash.Registry) *slash.Registry {
	if a.added.Installed == nil {
		return own
	}
	return own.Also(a.added)
}

// slashCommands reads texts as the commands of the server.
func (in *ingressPart) slashCommands() *intake.Commands {
	c := intake.NewCommands(in.callers(), in.commands(serving{
		base: in.at.people(), history: in.views.history, questions: in.dispatch, links: in.gateway, contexts: in.views.contexts,
		prices: in.views.usage.Prices, runners: in.views.runners, hooks: in.hooks, runs: runs{in},
	}))
	c.Models, c.Skills = words{in.catalogue}, skills{in.agents}
	return c
}

// skills knows which words mean one, or a prompt of an MCP server.
type skills struct{ *agents }

// HasSkill looks where the tools of the conversation act, for a second at most. While the database is away there are those of the server.
func (s skills) HasSkill(ctx context.Context, user chat.UserID, key chat.SessionKey, word string) bool {
	known := s.skills(s.boxes)
	found, err := known.In(ctx, user, nil, "")
	if user != 0 {
		scene, missing := s.store.Scene(ctx, key, "")
		if missing != nil { // it is yet to begin
			scene = chat.Scene{Session: key, User: user}
		}
		found, err = known.Seen(ctx, scene)
	}
	if err != nil {
		s.log.Warn("skills cannot be read", "error", err)
		known.Installed = nil // it is in the database
		if found, err = known.In(ctx, 0, nil, ""); err != nil {
			return false // what the policy switches off is not known
		}
	}
	_, is := skill.Pick(found, word)
	return is
}

// SkillOff reads the policy. While the database is away no skill is known to be switched off, and none can be loaded.
func (s skills) SkillOff(ctx context.Context, word string) bool {
	off, err := s.skills(s.boxes).Off(ctx, word)
	if err != nil {
		s.log.Warn("the policy cannot be read", "error", err)
	}
	return off
}

// PromptTool reads what servers listed last: those of whose conversation it is, who has its tools. While the database is away no word means a
// prompt.
func (s skills) PromptTool(ctx context.Context, user chat.UserID, key chat.SessionKey, word string) string {
	if scene, err := s.store.Scene(ctx, key, ""); err == nil {
		user = scene.User
	}
	tool, err := s.offered.PromptTool(ctx, user, word)
	if err != nil {
		s.log.Warn("prompts of MCP servers cannot be read", "error", err)
	}
	return tool
}

// runs know the addresses of runs in the Temporal UI that this server shows.
type runs struct{ *ingressPart }

// RunURL is the address of a run of the turns of a conversation, empty where there is no UI.
func (r runs) RunURL(ctx context.Context, key chat.SessionKey, run string) (string, error) {
	workflow, _, err := wake.WorkflowOf(ctx, r.store, key)
	if err != nil || r.ui.target == nil {
		return "", err
	}
	return r.at.people() + temporalui.RunPath(r.namespace, workflow, run), nil
}

// words says which words mean a model. While the database is away, none does.
type words struct{ models *catalogue.Live }

func (w words) Resolve(ctx context.Context, user chat.UserID, word string) (id string, ok bool) {
	known, err := w.models.Get(ctx, user)
	if err != nil {
		return "", false
	}
	return known.Resolve(word)
}

func (w words) Named(ctx context.Context, user chat.UserID, word string) []string {
	known, err := w.models.Get(ctx, user)
	if err != nil {
		return nil
	}
	return known.Named(word)
}

func (w words) Candidates(ctx context.Context, user chat.UserID, word string) []string {
	known, err := w.models.Get(ctx, user)
	if err != nil {
		return nil
	}
	return known.Candidates(word)
}
