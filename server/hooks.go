package server

import (
	"context"
	"encoding/json"
	"path/filepath"

	"xbot/activities/hooks"
	"xbot/internal/automation/hook"
	"xbot/internal/automation/hook/ask"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/plugin/extend"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/sandbox"
)

// HooksFile returns where the administrator's hooks would be.
func HooksFile(home string) string { return filepath.Join(home, "hooks.json") }

// HookGrants returns the permissions of hooks by the installation. A build that adds functions lists them here, too.
func HookGrants(cfg config.Permissions, callbacks ask.Callbacks) hook.Grants {
	return hook.Grants{Host: cfg.HostHooks == "on", Callbacks: callbacks.Names()}
}

// hookFiles returns the hooks in force for conversations.
func (a *agents) hookFiles() *hook.Live {
	return &hook.Live{
		File: HooksFile(a.core.proc.home), Grants: HookGrants(a.core.permissions, ask.Standard(a.core.proc.log)), Projects: a.core.mcp.projects, Plugins: a.added, Log: a.core.proc.log,
	}
}

// hookDispatcher asks the handlers of hooks.
func (a *agents) hookDispatcher() *hook.Dispatcher {
	return &hook.Dispatcher{Log: a.core.proc.log, Kinds: map[hook.Kind]hook.Asker{
		hook.KindCommand:  ask.Command{Sandbox: ask.Sandbox{Finder: hookPlaces{a}, Host: a.boxes.Host()}, Host: ask.Host{Dir: a.core.proc.home}},
		hook.KindHTTP:     ask.NewHTTP(a.core.public(), a.core.proc.env, "xbot/"+a.core.proc.version),
		hook.KindMCP:      ask.MCP{Servers: hookServers{a}},
		hook.KindCallback: ask.Standard(a.core.proc.log),
		hook.KindPlugin:   extend.HookAsker{Bridge: a.added.Bridge},
	}}
}

// hooks asks the hooks of conversations.
func (a *agents) hooks(files *hook.Live, sizes hooks.Sizes, runners hooks.Runners) *hooks.Hooks {
	return &hooks.Hooks{
		Files: files, Dispatcher: a.hookDispatcher(), Calls: a.core.stores.Calls, Hooks: a.core.stores.Hooks, Tools: a.tools, Sizes: sizes,
		Runners: runners, Authorizers: a.authorizers(), Profiles: a.core.agentProfiles(),
	}
}

// hookServers call tools of MCP servers for hooks.
type hookServers struct{ agents *agents }

// CallTool implements ask.MCPServers. Hooks may get an event twice, so the call is one that may be repeated. A server with a command
// runs on the runner of the conversation. Without a runner, one of the installation runs on the server's host, as commands of hooks do.
func (h hookServers) CallTool(ctx context.Context, key chat.SessionKey, server string, shared bool, tool string, arguments json.RawMessage) (chat.ToolResult, error) {
	place, err := h.agents.core.stores.Hooks.HookExecTarget(ctx, key)
	if err != nil {
		return chat.ToolResult{}, err
	}
	user := place.User
	if shared {
		user = 0
	}
	found, err := h.agents.core.mcp.servers.InForce(ctx, user, server)
	if err != nil {
		return chat.ToolResult{}, err
	}
	at := mcp.At{Server: found.ID, Person: place.User}
	if found.Transport == chat.MCPStdio {
		at.Box, err = h.agents.boxes.Box(ctx, place.User, place.Runner)
		if fault.Is(err, fault.Denied) && shared {
			at.Box, at.Person, err = h.agents.boxes.Host(), 0, nil
		}
		if err != nil {
			return chat.ToolResult{}, err
		}
	}
	return h.agents.core.mcp.connections.Call(ctx, at, tool, chat.ClassIdempotent, arguments, nil)
}

// hookPlaces finds where the commands of hooks run: in the same place as the tools of their conversations.
type hookPlaces struct{ agents *agents }

// FindSandbox finds the sandbox and the working folder of a conversation.
func (h hookPlaces) FindSandbox(ctx context.Context, key chat.SessionKey) (sandbox.Sandbox, string, error) {
	place, err := h.agents.core.stores.Hooks.HookExecTarget(ctx, key)
	if err != nil {
		return nil, "", err
	}
	box, err := h.agents.boxes.Box(ctx, place.User, place.Runner)
	if err != nil {
		return nil, "", err
	}
	return box, chat.FolderOn(place.Cwd, place.CwdRunner, box.Name()), nil
}
