package server

import (
	"context"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/document/pdf"
	"xbot/internal/document/webpage"
	"xbot/internal/document/websearch"
	"xbot/internal/extension/plugin/extend"
	"xbot/internal/extension/registry/installed"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/host/logs"
	"xbot/internal/host/safehttp"
	"xbot/internal/llm/choice"
	"xbot/internal/sandbox/guestfs"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/tool"
	"xbot/internal/tool/agent"
	"xbot/internal/tool/ask"
	"xbot/internal/tool/authorize"
	"xbot/internal/tool/cards"
	"xbot/internal/tool/clientcontrol"
	toolcontext "xbot/internal/tool/context"
	"xbot/internal/tool/conversation"
	toolcron "xbot/internal/tool/cron"
	"xbot/internal/tool/feishu"
	"xbot/internal/tool/feishu/bitable"
	"xbot/internal/tool/feishu/docx"
	"xbot/internal/tool/feishu/drive"
	"xbot/internal/tool/feishu/wiki"
	"xbot/internal/tool/file"
	"xbot/internal/tool/find"
	toollogs "xbot/internal/tool/logs"
	"xbot/internal/tool/manage"
	toolmedia "xbot/internal/tool/media"
	"xbot/internal/tool/memory"
	toolservice "xbot/internal/tool/service"
	toolsettings "xbot/internal/tool/settings"
	"xbot/internal/tool/shell"
	toolskill "xbot/internal/tool/skill"
	"xbot/internal/tool/task"
	"xbot/internal/tool/todo"
	"xbot/internal/tool/toolset"
	tooltrigger "xbot/internal/tool/trigger"
	"xbot/internal/tool/web"
	"xbot/internal/tool/worktree"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/permission"
	policies "xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/subagents"
	"xbot/slash/account"
	"xbot/slash/admin"
)

// agents has the tools of models, and the places where their commands run.
type agents struct {
	core   *core
	boxes  *resolver.Resolver
	choice *choice.Choice // finds the model of a conversation
	tools  *toolset.Catalog
	added  extend.Extensions    // by plugins
	rules  map[string]chat.Rule // rules of the installation for tools, by the tool's own name, or a pattern of names
}

func newAgents(c *core, boxes *resolver.Resolver) (*agents, error) {
	c.useProjects(boxes)
	added := newExtensions(c, boxes)
	a := &agents{
		core: c, boxes: boxes, added: added, tools: newCatalog(c, boxes, added),
		choice: &choice.Choice{Server: c.models.model, Store: c.stores.Settings, Runners: boxes, Models: c.models.catalogue, Idle: c.models.llm.RetryTimeout},
	}
	var err error
	a.rules, err = readRules(c.permissions, a.tools.Builtin)
	return a, err
}

// guests finds the rooms of consumers.
func (a *agents) guests() guestfs.Finder {
	return guestfs.Finder{Store: a.core.stores.Services, Boxes: a.boxes}
}

// newCatalog lists the tools of the models of each conversation.
func newCatalog(c *core, boxes *resolver.Resolver, more ...toolset.Source) *toolset.Catalog {
	stores := c.stores
	out := &toolset.Catalog{ActiveTools: stores.ActiveTools, Settings: stores.Settings, Profiles: c.agentProfiles(), Sources: append([]toolset.Source{
		web.NewSearches(websearch.New(c.models.toolKeys)), c.mcp.offered, c.skillTool(boxes),
		clientcontrol.NewSource(clientcontrol.New(stores.ClientActions, stores.Conversations, c.db.bus)), c.feishuTools(),
		cards.NewSource(cards.New(stores.Cards)), c.mediaTools(), toolservice.NewSource(stores.Services, stores.Services, toolservice.NewOwn(stores.Services, stores.Turns)),
	}, more...)}
	out.Builtin = tool.New(append(builtinTools(c, boxes), find.New(out, &toolset.Finder{Embedder: c.memory.embedder, Log: c.proc.log}))...)
	return out
}

// feishuTools work with the documents of users who have connected their account of Feishu.
func (c *core) feishuTools() toolset.Source {
	s := feishu.New(c.mcp.connected, c.public().Transport)
	return feishu.NewSource(s, slices.Concat(bitable.Tools(s), docx.Tools(s), wiki.Tools(s), drive.Tools(s))...)
}

// builtinTools are the tools of all models.
func builtinTools(c *core, boxes *resolver.Resolver) []tool.Tool {
	stores := c.stores
	work, roles := engine.Background{Store: stores.Turns}, c.roles(boxes)
	return append(
		slices.Concat(c.lettaTools(), c.soulTools()),
		shell.New(), ask.New(), ask.NewPlan(stores.Conversations), file.NewRead(c.documents()), file.NewCreate(), file.NewReplace(stores.Calls), file.NewGlob(), file.NewGrep(),
		file.NewCd(stores.Conversations, stores.Calls), todo.NewWrite(stores.Conversations), todo.NewList(stores.Conversations, stores.Search), memory.NewWrite(c.notes()), memory.NewList(c.notes(), stores.Turns),
		web.NewDownload(c.public(), "xbot/"+c.proc.version), web.NewFetch(
			webpage.New(c.public(), "xbot/"+c.proc.version, c.documents()), webpage.NewForStrangers("xbot/"+c.proc.version, c.documents()),
		),
		task.NewStatus(work), task.NewRead(work, boxes), task.NewWait(work),
		task.NewKill(work, task.Killer{Kills: work, Boxes: boxes}),
		toolcontext.NewOffloadRecall(stores.Conversations), toolcontext.NewEdit(stores.Conversations), toolcontext.NewRecallMasked(stores.Conversations),
		toolcron.New(c.jobs), toolcron.NewPublish(c.jobs, intake.Callers{
			Conversations: stores.Conversations, Inbox: stores.Inbox, Users: stores.Users, Policies: c.db.policies,
		}),
		agent.New(stores.Agents, roles), worktree.New(stores.Conversations, stores.Calls, subagents.Worktrees{Names: stores.Agents}),
		agent.NewCreateChat(stores.Agents, roles, stores.Agents), agent.NewSendMessage(stores.Agents, roles, stores.Agents),
		tooltrigger.New(c.triggers), manage.New(c.mcp.servers, c.mcp.connections), authorize.New(c.mcp.connected), conversation.NewHistory(stores.Search, stores.Turns), toollogs.New(logs.Reader{Home: c.proc.home}, stores.Turns),
		toolsettings.New(toolsettings.Commands{
			Own: account.SettingsCommand{Preferences: c.preferences(), Owners: stores.Users}, Policy: admin.Config{Documents: stores.Settings},
		}, intake.Callers{Conversations: stores.Conversations, Inbox: stores.Inbox, Users: stores.Users, Policies: c.db.policies}),
	)
}

// skills finds those of the installation, and those where commands run.
func (c *core) skills(boxes *resolver.Resolver) prompt.Skills {
	return prompt.Skills{
		Home: c.proc.home, Sandboxes: boxes, Installed: c.installed(), Disabled: disabledSkills{c.db.policies}, Own: c.stores.Prompts,
		Consents: c.consents(),
	}
}

// consents returns the folders to which users have agreed; nil before the runners are set up.
func (c *core) consents() prompt.Consents {
	if c.mcp.projects == nil {
		return nil
	}
	return c.mcp.projects
}

// installed finds the skills and roles that users have installed from the registry.
func (c *core) installed() installed.Installed {
	return installed.Installed{Store: c.stores.Registry}
}

// disabledSkills reads the policy.
type disabledSkills struct{ live *policies.Live }

func (d disabledSkills) DisabledSkills(ctx context.Context) ([]string, error) {
	p, err := d.live.Get(ctx)
	if err != nil {
		return nil, err
	}
	return p.DisabledSkills, nil
}

func (c *core) skillTool(boxes *resolver.Resolver) toolset.Source {
	known := c.skills(boxes)
	server := known.Server()
	return toolskill.NewSource(toolskill.New(known, toolskill.Copies{Dir: server.Dir}), server)
}

// documents reads PDFs.
func (c *core) documents() pdf.Reader {
	return pdf.Reader{Cache: filepath.Join(c.proc.home, "cache", "pdf")}
}

// roles knows what subagents are made of.
func (c *core) roles(boxes *resolver.Resolver) subagents.Roles {
	stores := c.stores
	return subagents.Roles{
		Agents: stores.Agents, Conversations: stores.Conversations, Settings: stores.Settings, Policies: c.db.policies, Models: c.models.catalogue,
		Files: prompt.Roles{Home: c.proc.home, Profiles: c.agentProfiles(), Sandboxes: boxes, Own: stores.Roles, Installed: c.installed()},
	}
}

// public reaches addresses that models and outsiders name.
func (c *core) public() *http.Client {
	allow, err := safehttp.ParseAllow(c.permissions.HTTPAllow)
	if err != nil {
		panic(err) // settings were checked when they were loaded
	}
	return safehttp.New(allow)
}

// authorizers find who decides what may run.
func (a *agents) authorizers() permission.Authorizers {
	return permission.Authorizers{Rules: a.rules, Policies: a.core.db.policies, People: a.core.stores.Permissions}
}

// readRules reads the rules of the installation. A rule for a tool that does not exist is refused: it would protect
// nothing. A pattern may mean tools that are yet to come.
func readRules(cfg config.Permissions, tools *tool.Registry) (map[string]chat.Rule, error) {
	written, err := cfg.ByTool()
	if err != nil {
		return nil, err
	}
	rules := make(map[string]chat.Rule, len(written))
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if permission.IsPattern(name) {
			if err := permission.CheckName(name); err != nil {
				return nil, fault.Errorf(fault.Invalid, "XBOT_TOOL_RULES: %w", err)
			}
			rules[name] = written[name]
			continue
		}
		own, ok := toolNamed(tools, name)
		if !ok {
			return nil, fault.Errorf(fault.Invalid, "XBOT_TOOL_RULES names %q, which is not a tool; the tools are %s", name, strings.Join(names(tools), ", "))
		}
		rules[own] = written[name]
	}
	return rules, nil
}

// sometimes are the tools that only some conversations have, except those of MCP servers.
var sometimes = slices.Concat([]string{chat.SkillTool, web.SearchTool, clientcontrol.Name}, cards.Names, toolmedia.Names)

// toolNamed is the tool's own name for one that a user wrote. The tools of MCP servers and plugins are not known yet.
func toolNamed(tools *tool.Registry, name string) (own string, ok bool) {
	if t, found := tools.Get(name); found {
		return t.Spec().Name, true
	}
	if i := slices.IndexFunc(sometimes, func(known string) bool { return strings.EqualFold(known, name) }); i >= 0 {
		return sometimes[i], true
	}
	return name, strings.HasPrefix(name, "mcp_") || strings.HasPrefix(name, "feishu_") || strings.HasPrefix(name, "plugin_")
}

func names(tools *tool.Registry) []string {
	out := slices.Clone(sometimes)
	for _, spec := range tools.Specs() {
		out = append(out, spec.Name)
	}
	return out
}
