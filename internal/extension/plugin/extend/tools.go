// Package extend adds the contributions of plugins to xbot: tools, hooks, texts of prompts and slash commands. It reads them from the
// manifests, without running a plugin, and asks a plugin (package bridge) when one is used.
package extend

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

// Installed lists the plugins, and the working ones among them.
type Installed interface {
	All(ctx context.Context) ([]installed.Plugin, error)
	Working(ctx context.Context) ([]installed.Plugin, error)
}

// Asker asks plugins.
type Asker interface {
	Ask(ctx context.Context, r bridge.Request, into any) error
}

// Extensions holds the extensions of all plugins. It is safe for concurrent use.
type Extensions struct {
	Installed Installed
	Bridge    Asker

	texts *texts
}

// New returns the extensions of the plugins that are installed.
func New(known Installed, bridge Asker) Extensions {
	return Extensions{Installed: known, Bridge: bridge, texts: &texts{kept: map[chat.SessionKey]keptText{}}}
}

var _ toolset.Source = Extensions{}

// person returns the id of a user for plugins, which has no meaning elsewhere; empty: no user.
func person(user chat.UserID) string {
	if user == 0 {
		return ""
	}
	return strconv.FormatInt(int64(user), 10)
}

// Tools implements toolset.Source: every user has the tools of all plugins. They are shown after a search for them.
func (e Extensions) Tools(ctx context.Context, _ toolset.Place) ([]tool.Tool, error) {
	working, err := e.Installed.Working(ctx)
	if err != nil {
		return nil, err
	}
	var out []tool.Tool
	for _, one := range working {
		for _, t := range one.Contributes.Tools {
			out = append(out, pluginTool{e.Bridge, one.Plugin.ID, t, t.Class(slices.Contains(one.ReadOnly, plugin.ToolName(one.Plugin.ID, t.Name)))})
		}
	}
	return out, nil
}

// pluginTool is a tool of a plugin.
type pluginTool struct {
	bridge Asker
	plugin string
	tool   plugin.Tool
	class  chat.ToolClass
}

// Spec describes the tool for models and the scheduler. An administrator has vouched for the plugin's claims about its effects.
func (t pluginTool) Spec() tool.Spec {
	return tool.Spec{Name: plugin.ToolName(t.plugin, t.tool.Name), Class: t.class, Description: t.tool.Description, Parameters: t.tool.Parameters, Optional: true, Group: t.plugin}
}

// maxShown limits an argument that identifies a call, in bytes.
const maxShown = 200

// Summary returns the first short text among the arguments, by their names.
func (t pluginTool) Summary(arguments string) string {
	object, err := tool.Object(arguments)
	if err != nil {
		return ""
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var text string
		if json.Unmarshal(object[name], &text) == nil && text != "" && len(text) <= maxShown {
			return tool.OneLine(text, maxShown)
		}
	}
	return ""
}

// Run asks the plugin. Its answer is a result, and so is its failure: only the end of ctx is an error.
func (t pluginTool) Run(ctx context.Context, call tool.Call) (chat.ToolResult, error) {
	object, err := tool.Object(call.Arguments)
	if err != nil {
		return tool.Fail("%s", err), nil
	}
	var out struct {
		Text  string `json:"text"`
		Error bool   `json:"error"`
	}
	err = t.bridge.Ask(ctx, bridge.Request{
		Plugin: t.plugin, Method: "tools/call", Repeat: t.class != chat.ClassOnce,
		Params: struct {
			Name      string                     `json:"name"`
			Arguments map[string]json.RawMessage `json:"arguments"`
			Call      string                     `json:"call"` // the same when the call is repeated
			Session   string                     `json:"session"`
			Person    string                     `json:"person"`
		}{t.tool.Name, object, string(call.ID), string(call.Session), person(call.User)},
	}, &out)
	if err != nil {
		return failed(ctx, err)
	}
	text := tool.Clean([]byte(out.Text))
	if out.Error {
		return tool.Fail("%s", text), nil
	}
	return tool.Text(text), nil
}

// failed returns the text for the model about a plugin that could not carry out a request.
func failed(ctx context.Context, err error) (chat.ToolResult, error) {
	if _, unknown := errors.AsType[*bridge.UnknownError](err); unknown {
		return tool.FailCommand(err.Error()), nil
	}
	if _, refused := errors.AsType[*bridge.RefusedError](err); refused {
		return tool.Fail("%s", err), nil
	}
	if ctx.Err() != nil || fault.KindOf(err) == fault.Internal {
		return chat.ToolResult{}, err
	}
	return tool.Fail("%s; nothing was done", err), nil
}
