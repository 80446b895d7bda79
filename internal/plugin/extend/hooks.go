package extend

import (
	"context"
	"encoding/json"

	"xbot/internal/hook"
	"xbot/internal/plugin/bridge"
)

var _ hook.Plugins = Extensions{}

// Hooks implements hook.Plugins. Where the plugins cannot be read, what is about to happen is not permitted.
func (e Extensions) Hooks(ctx context.Context) ([]hook.Handler, []hook.Fault) {
	working, err := e.Installed.Working(ctx)
	if err != nil {
		return nil, []hook.Fault{{Source: "plugins", Text: "they cannot be read: " + err.Error()}}
	}
	var handlers []hook.Handler
	for _, one := range working {
		for _, h := range one.Contributes.Hooks {
			if made, err := h.Handler(one.Plugin.ID); err == nil { // it was checked when it was read
				handlers = append(handlers, made)
			}
		}
	}
	return handlers, nil
}

// HookAsker asks plugins about events.
type HookAsker struct{ Bridge Asker }

var _ hook.Asker = HookAsker{}

// Ask asks the plugin of a handler. An event may be told twice after a crash, so it may be asked twice.
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
