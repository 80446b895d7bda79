package extend

import (
	"context"
	"encoding/json"
	"slices"

	"xbot/internal/automation/hook"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
)

var _ hook.Plugins = Extensions{}

// Hooks implements hook.Plugins. If the plugins cannot be read, events that can be refused are refused, and also if one of
// the plugins that may have hooks is broken: it might have refused the event.
func (e Extensions) Hooks(ctx context.Context) ([]hook.Handler, []hook.Fault) {
	all, err := e.Installed.All(ctx)
	if err != nil {
		return nil, []hook.Fault{{Source: "plugins", Text: "they cannot be read: " + err.Error()}}
	}
	var handlers []hook.Handler
	var faults []hook.Fault
	for _, one := range all {
		broken := one.Fault
		if one.Enabled && broken == nil {
			for _, h := range one.Contributes.Hooks {
				made, err := h.Handler(one.Plugin.ID)
				if err != nil {
					broken = err
					continue
				}
				handlers = append(handlers, made)
			}
		}
		if one.Enabled && broken != nil && slices.Contains(one.Plugin.Permissions, string(plugin.Hooks)) {
			faults = append(faults, hook.Fault{Source: "plugin " + one.Plugin.ID, Text: "it is broken: " + broken.Error()})
		}
	}
	return handlers, faults
}

// HookAsker asks plugins about events.
type HookAsker struct{ Bridge Asker }

var _ hook.Asker = HookAsker{}

// Ask asks the plugin of a handler. An event may be repeated after a crash, so it may be asked twice.
func (a HookAsker) Ask(ctx context.Context, h hook.Handler, q hook.Question) (hook.Answer, error) {
	var out json.RawMessage
	params := struct {
		Payload json.RawMessage `json:"payload"`
	}{q.Body}
	if err := a.Bridge.Ask(ctx, bridge.Request{Plugin: h.Callback, Method: "hooks/handle", Params: params, Repeat: true, Timeout: h.Timeout}, &out); err != nil {
		return hook.Answer{}, err
	}
	var plain struct {
		Text *string `json:"text"` // of a script that writes no object
	}
	if json.Unmarshal(out, &plain) == nil && plain.Text != nil {
		return hook.ParseAnswer([]byte(*plain.Text))
	}
	return hook.ParseAnswer(out)
}
