package extend

import (
	"context"
	"encoding/json"
	"errors"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// maxWidgetAnswer limits the answer of a plugin to a panel, in bytes.
const maxWidgetAnswer = 256 << 10

// Panel is a widget of a plugin that is switched on.
type Panel struct {
	Plugin installed.Plugin
	Widget plugin.Widget
}

// Panels lists the widgets of all plugins, in their order.
func (e Extensions) Panels(ctx context.Context) ([]Panel, error) {
	working, err := e.Installed.Working(ctx)
	if err != nil {
		return nil, err
	}
	var out []Panel
	for _, one := range working {
		for _, w := range one.Contributes.Widgets {
			out = append(out, Panel{one, w})
		}
	}
	return out, nil
}

// Panel finds a widget. It returns NotFound if there is none, or its plugin is switched off.
func (e Extensions) Panel(ctx context.Context, plugin, widget string) (Panel, error) {
	all, err := e.Panels(ctx)
	if err != nil {
		return Panel{}, err
	}
	for _, p := range all {
		if p.Plugin.Plugin.ID == plugin && p.Widget.Name == widget {
			return p, nil
		}
	}
	return Panel{}, fault.Errorf(fault.NotFound, "there is no such panel: its plugin may be switched off")
}

// WidgetAsk is a request of a panel to its plugin.
type WidgetAsk struct {
	User   chat.UserID
	Lang   i18n.Lang
	Params json.RawMessage
}

// AskWidget asks a plugin for the answer to a panel, any JSON of at most 256 kB. It returns Invalid if it refused, with its message, and Conflict if the answer
// is too large, or the outcome is unknown.
func (e Extensions) AskWidget(ctx context.Context, at Panel, ask WidgetAsk) (json.RawMessage, error) {
	params := struct {
		Name     string          `json:"name"`
		Params   json.RawMessage `json:"params"`
		Person   string          `json:"person"`
		Language string          `json:"language"`
	}{at.Widget.Name, ask.Params, person(ask.User), string(ask.Lang)}
	if params.Params == nil {
		params.Params = json.RawMessage("null")
	}
	id := at.Plugin.Plugin.ID
	var out json.RawMessage
	err := e.Bridge.Ask(ctx, bridge.Request{Plugin: id, Method: "widgets/ask", Params: params}, &out)
	if err == nil && len(out) > maxWidgetAnswer {
		return nil, fault.Errorf(fault.Conflict, "the plugin %s answered with more than %d kB", id, maxWidgetAnswer>>10)
	}
	if _, refused := errors.AsType[*bridge.RefusedError](err); refused {
		return nil, fault.Errorf(fault.Invalid, "%s", err)
	}
	if _, unknown := errors.AsType[*bridge.UnknownError](err); unknown {
		return nil, fault.Errorf(fault.Conflict, "%s", err)
	}
	return out, err
}
