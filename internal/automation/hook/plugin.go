package hook

import (
	"context"
	"time"

	"xbot/internal/fault"
)

// KindPlugin is the kind of handlers of plugins of the installation.
const KindPlugin Kind = "plugin"

// PluginHook is a hook in the manifest of a plugin.
type PluginHook struct {
	Event       Event
	Matcher, If string
	OnError     Decision
	Timeout     time.Duration
}

// Plugins returns the handlers of plugins.
type Plugins interface {
	// Hooks returns the handlers of the plugins that are switched on, or a fault if they are unknown.
	Hooks(ctx context.Context) ([]Handler, []Fault)
}

// ForPlugin returns a handler of a plugin, in the layer of the administrator, who has permitted it.
func ForPlugin(id string, in PluginHook) (Handler, error) {
	if !in.Event.Known() {
		return Handler{}, fault.Errorf(fault.Invalid, "there is no event %q; the events are %s", cut(string(in.Event), 40), list(Events()))
	}
	h := Handler{Event: in.Event, Layer: LayerHome, Source: "plugin " + id, Place: string(in.Event), Kind: KindPlugin, Callback: id, Timeout: in.Timeout, OnError: Allow}
	if in.Event.Closed() {
		h.OnError = Deny
	}
	var err error
	switch h.matcher, err = newMatcher(in.Matcher); {
	case err != nil:
		return Handler{}, fault.Errorf(fault.Invalid, "%s: the matcher is no list of names and no regular expression: %w", in.Event, err)
	case in.Matcher != "" && in.Matcher != "*" && traits[in.Event].subject == "":
		return Handler{}, fault.Errorf(fault.Invalid, "%s has nothing to match: leave the matcher out", in.Event)
	}
	switch h.when, err = newCondition(in.If); {
	case err != nil:
		return Handler{}, fault.Errorf(fault.Invalid, "%s: %q is no condition such as Shell(git push*): %w", in.Event, cut(in.If, 80), err)
	case in.If != "" && !in.Event.OfTool():
		return Handler{}, fault.Errorf(fault.Invalid, "%s is about no call of a tool, so there is nothing to compare", in.Event)
	}
	switch in.OnError {
	case "":
	case Allow, Ask, Deny:
		if h.OnError = in.OnError; !in.Event.Closed() {
			return Handler{}, fault.Errorf(fault.Invalid, "%s: only hooks of PreToolUse have on_error", in.Event)
		}
	default:
		return Handler{}, fault.Errorf(fault.Invalid, "%s: on_error is one of allow, ask and deny", in.Event)
	}
	return h, nil
}

// With returns the set with further handlers of the administrator's layer, which follow the existing ones.
func (s Set) With(handlers []Handler, faults []Fault) Set {
	if len(handlers) == 0 && len(faults) == 0 {
		return s
	}
	return Set{handlers: append(s.Handlers(), handlers...), faults: append(s.Faults(), faults...)}
}
