package platform

import (
	"context"
	"errors"

	"xbot/internal/channel"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/fault"
)

// tried has the plugin try the settings of an account that is not open, without receiving for it. closed is the answer where it cannot.
func (a *account) tried(ctx context.Context, closed error) (channel.Identity, error) {
	lines := a.hub.connected()
	if lines == nil {
		return channel.Identity{}, closed
	}
	held, err := lines.Hold(ctx, a.plugin)
	if err != nil {
		return channel.Identity{}, fault.Errorf(fault.Unavailable, "%w", err)
	}
	defer held.Release()
	held.Hide(a.secrets()...)
	var who identity
	err = held.Ask(ctx, bridge.Request{Method: "channels/check", Timeout: openTime, Params: a.opening()}, &who)
	if refused, ok := errors.AsType[*bridge.RefusedError](err); ok && refused.Code == codeNoMethod {
		return channel.Identity{}, closed
	}
	return channel.Identity{ID: line(who.ID), Name: line(who.Name)}, channel.Certain(explained(err))
}

// codeNoMethod says that a plugin has no method of a name.
const codeNoMethod = -32601

// opening is an account with its settings.
type opening struct {
	named

	Settings map[string]string `json:"settings"`
}

func (a *account) opening() opening { return opening{a.named(), a.settings} }
