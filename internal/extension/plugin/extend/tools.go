// Package extend is what plugins add to xbot: tools, hooks, texts of prompts and slash commands. It finds them by what the plugins say of
// themselves, without running any, and asks a plugin (package bridge) when one is used.
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

// Installed knows the plugins, and which of them are switched on and can be read.
type Installed interface {
	All(ctx context.Context) ([]installed.Plugin, error)
	Working(ctx context.Context) ([]installed.Plugin, error)
}

// Asker asks plugins.
type Asker interface {
	Ask(ctx context.Context, r bridge.Request, into any) error
}

// Extensions are those of all plugins. They are safe for concurrent use.
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

// person is somebody as plugins know them: by an id that means nothing elsewhere; empty: nobody.
func person(user chat.UserID) string {
	if user == 0 {
		return ""
	}
	return strconv.FormatInt(int64(user), 10)
}

// Tools implements toolset.Source: everybody has the tools of all plugins. They are shown when they were searched for.
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

// Spec is what models and the scheduler know of it. An administrator has vouched for what the plugin says of its effects.
func (t pluginTool) Spec() tool.Spec {
	return tool.Spec{Name: plugin.ToolName(t.plugin, t.tool.Name), Class: t.class, Description: t.tool.Description, Parameters: t.tool.Parameters, Optional: true, Group: t.plugin}
}

// maxShown is how long an argument may be to stand for a call, in bytes.
const maxShown = 200

// Summary is the first short text among the arguments, by their names.
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

// Run asks the plugin. What it says is a result, and so is its failure: nothing but the end of ctx is an error.
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

// failed is what the model reads of a plugin that could not do what it was asked.
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
