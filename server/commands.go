package server

import (
	"context"
	"slices"
	"time"

	"xbot/ingress/gateway"
	"xbot/ingress/history"
	"xbot/ingress/hooks"
	"xbot/ingress/intake"
	"xbot/ingress/runners/manage"
	"xbot/ingress/temporalui"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/extension/skill"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/usage"
	"xbot/internal/turn/contextview"
	"xbot/internal/turn/slash"
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

// commands is the registry of slash commands, in their display order. Both halves of the server load it.
func (a *agents) commands(s serving) *slash.Registry {
	own := slash.NewRegistry(a.callers(), slices.Concat(a.conversationCommands(s), a.accountCommands(s))...)
	return a.withAdded(own)
}

// conversationCommands are about a conversation and its model.
func (a *agents) conversationCommands(s serving) []slash.Command {
	stores, models := a.core.stores, choice.Catalog{Choice: a.choice}
	return []slash.Command{
		conversation.New{Models: words{a.core.models.catalogue}, Answering: models, Sessions: stores.Conversations},
		conversation.Reset{Answering: models, Sessions: stores.Conversations},
		conversation.Continue{Sessions: stores.Conversations},
		conversation.Search{Search: stores.Search, Turns: stores.Turns, Users: stores.Users},
		conversation.Rewind{Sessions: stores.Conversations},
		conversation.Retry{Sessions: stores.Branches},
		conversation.Edit{Sessions: stores.Branches},
		conversation.Branch{Sessions: stores.Branches},
		conversation.Fork{Sessions: s.history},
		conversation.Archive{Sessions: stores.Conversations},
		conversation.Approve{Questions: s.questions},
		conversation.Deny{Questions: s.questions},
		conversation.Permissions{Conversations: stores.Conversations, Permissions: stores.Permissions, Authorizers: a.authorizers()},
		model.Plan{Conversations: stores.Conversations, Settings: stores.Settings},
		conversation.Export{Base: s.base},
		model.Model{Known: models, Sessions: stores.Conversations},
		model.Models{Known: models},
		model.Think{Known: models, Sessions: stores.Conversations},
		model.Verbose{Sessions: stores.Conversations},
		model.LLM{Words: words{a.core.models.catalogue}, Usual: a.core.usual(), Accounts: a.core.models.subscriptions, Settings: stores.Settings},
		model.SetLLM{People: stores.Conversations, Accounts: a.core.models.subscriptions},
		model.UnsetLLM{Accounts: a.core.models.subscriptions},
		slashcontext.Context{Viewer: s.contexts, Store: stores.Conversations},
		conversation.Session{
			Conversations: stores.Conversations, Routing: stores.Routing, Users: stores.Users, Answering: models,
			Threads: stores.CodingAgents, Places: s.runners,
		},
	}
}

// accountCommands are about the user, the folder, background work and the installation.
func (a *agents) accountCommands(s serving) []slash.Command {
	stores := a.core.stores
	return []slash.Command{
		queue.Send{Conversations: stores.Conversations, Routing: stores.Routing},
		queue.Activation{Conversations: stores.Conversations, Routing: stores.Routing},
		account.Link{Conversations: stores.Conversations, Links: stores.Links, Codes: s.links},
		account.Unlink{Conversations: stores.Conversations, Links: stores.Links, Policies: a.core.db.policies},
		admin.Pair{Store: stores.Users},
		admin.Inbox{Quota: stores.Quota, Services: stores.Services, People: a.callers()},
		slashcontext.Compact{},
		slashcontext.Usage{Usage: stores.Usage, Media: stores.Media, Users: stores.Users, Prices: s.prices},
		account.Memory{Memories: a.core.remembered(), Agents: a.core.agentProfiles(), Turns: stores.Turns, Users: stores.Users, Base: s.base},
		account.Profile{Memory: stores.Memory, Users: stores.Users},
		slashcontext.Prompt{Viewer: a.promptViewer()},
		account.Language{Settings: stores.Settings},
		account.SettingsCommand{Preferences: a.core.preferences(), Owners: stores.Users, Base: s.base, CardChannel: gateway.CardChannel},
		queue.Queue{Conversations: stores.Conversations, Turns: stores.Turns, Policies: a.core.db.policies},
		folder.Pwd{Sessions: stores.Conversations, Boxes: a.boxes, Agreements: a.core.agreements()},
		folder.Ls{Sessions: stores.Conversations, Boxes: a.boxes},
		folder.Cd{Conversations: stores.Conversations, Turns: stores.Turns, Boxes: a.boxes, Agreements: a.core.agreements()},
		folder.Contents{Agreements: a.core.agreements()},
		folder.Runner{Runners: s.runners, Users: stores.Users},
		conversation.Cron{Conversations: stores.Conversations, Cron: stores.Cron, Jobs: a.core.jobs},
		conversation.Subagents{Store: stores.Agents},
		conversation.Agents{Roles: a.core.roles(a.boxes)},
		conversation.Groups{Store: stores.Agents},
		slashregistry.App{
			Registry: stores.Registry, Roles: stores.Roles, Users: stores.Users, Disabled: a.core.skills(a.boxes), Base: s.base,
		},
		account.Status{
			CodingAgents: stores.CodingAgents, Conversations: stores.Conversations, Turns: stores.Turns,
			Users: stores.Users, Contexts: s.contexts, Policies: a.core.db.policies, Runners: s.runners, Runs: s.runs,
			Version: a.core.proc.version, Started: time.Now(),
		},
		account.Whoami{Conversations: stores.Conversations, Turns: stores.Turns, Users: stores.Users},
		admin.Version{Version: a.core.proc.version},
		account.Trigger{Triggers: a.core.triggers},
		conversation.Todos{Conversations: stores.Conversations, Search: stores.Search, Users: stores.Users},
		admin.Hooks{Files: s.hooks, Calls: s.hooks},
		admin.Config{Documents: stores.Settings},
		admin.Debug{Inspection: stores.Inspection, Turns: stores.Turns, Pool: a.core.db.pool, Metrics: a.core.proc.tele.Registry},
	}
}

// callers finds the rights of users in conversations, and what the policy lets them do.
func (a *agents) callers() intake.Callers {
	return intake.Callers{Conversations: a.core.stores.Conversations, Inbox: a.core.stores.Inbox, Users: a.core.stores.Users, Policies: a.core.db.policies}
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
	c := intake.NewCommands(in.agents.callers(), in.agents.commands(serving{
		base: in.at.people(), history: in.views.history, questions: in.dispatch, links: in.gateway, contexts: in.views.contexts,
		prices: in.views.usage.Prices, runners: in.views.runners, hooks: in.hooks, runs: runs{in},
	}))
	c.Models, c.Skills = words{in.core.models.catalogue}, skills{in.agents}
	return c
}

// skills knows which words mean one, or a prompt of an MCP server.
type skills struct{ agents *agents }

// HasSkill looks where the tools of the conversation act, for a second at most. While the database is away there are those of the server.
func (s skills) HasSkill(ctx context.Context, user chat.UserID, key chat.SessionKey, word string) bool {
	known := s.agents.core.skills(s.agents.boxes)
	found, err := known.In(ctx, user, nil, "")
	if user != 0 {
		scene, missing := s.agents.core.stores.Turns.Scene(ctx, key, "")
		if missing != nil { // it is yet to begin
			scene = chat.Scene{Session: key, User: user}
		}
		found, err = known.Seen(ctx, scene)
	}
	if err != nil {
		s.agents.core.proc.log.Warn("skills cannot be read", "error", err)
		known.Installed = nil // it is in the database
		if found, err = known.In(ctx, 0, nil, ""); err != nil {
			return false // it is unknown which skills the policy switches off
		}
	}
	_, is := skill.Pick(found, word)
	return is
}

// SkillOff reads the policy. While the database is away no skill is known to be switched off, and none can be loaded.
func (s skills) SkillOff(ctx context.Context, word string) bool {
	off, err := s.agents.core.skills(s.agents.boxes).Off(ctx, word)
	if err != nil {
		s.agents.core.proc.log.Warn("the policy cannot be read", "error", err)
	}
	return off
}

// PromptTool reads what servers listed last: those of whose conversation it is, who has its tools. While the database is away no word means a
// prompt.
func (s skills) PromptTool(ctx context.Context, user chat.UserID, key chat.SessionKey, word string) string {
	if scene, err := s.agents.core.stores.Turns.Scene(ctx, key, ""); err == nil {
		user = scene.User
	}
	tool, err := s.agents.core.mcp.offered.PromptTool(ctx, user, word)
	if err != nil {
		s.agents.core.proc.log.Warn("prompts of MCP servers cannot be read", "error", err)
	}
	return tool
}

// runs know the addresses of runs in the Temporal UI that this server shows.
type runs struct{ in *ingressPart }

// RunURL is the address of a run of the turns of a conversation, empty where there is no UI.
func (r runs) RunURL(ctx context.Context, key chat.SessionKey, run string) (string, error) {
	workflow, _, err := wake.WorkflowOf(ctx, r.in.core.stores.Agents, key)
	if err != nil || r.in.ui.target == nil {
		return "", err
	}
	return r.in.at.people() + temporalui.RunPath(r.in.core.temporal.namespace, workflow, run), nil
}

// words decides which words mean a model. While the database is away, none does.
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
