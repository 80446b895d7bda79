package hook

import "slices"

// Set holds the handlers of a conversation: those of the administrator, then those of its project. The zero value
// has none. It is immutable.
type Set struct {
	handlers []Handler
	faults   []Fault
}

// Merge merges files, in the order of their layers. Commands need the administrator's permission: a project cannot permit
// its commands.
func Merge(home Config, projects ...Config) Set {
	var s Set
	for _, c := range append([]Config{home}, projects...) {
		s.faults = append(s.faults, c.Faults...)
		for _, h := range c.Handlers {
			if h.Kind == KindCommand && !home.Commands {
				s.faults = append(s.faults, Fault{
					Source: h.Source, Place: h.Place, Event: h.Event,
					Text: "commands are off: the administrator's hooks.json has to say \"enable_command_hooks\": true",
				})
				continue
			}
			s.handlers = append(s.handlers, h)
		}
	}
	return s
}

// Handlers lists all handlers.
func (s Set) Handlers() []Handler { return slices.Clone(s.handlers) }

// Faults lists all mistakes in the files.
func (s Set) Faults() []Fault { return slices.Clone(s.faults) }

// Wants reports whether one of the events has handlers, or has to be refused because its hooks have a fault.
func (s Set) Wants(events ...Event) bool {
	for _, e := range events {
		if slices.ContainsFunc(s.handlers, func(h Handler) bool { return h.Event == e }) || s.broken(e) != nil {
			return true
		}
	}
	return false
}

// Matches is like Wants for one payload.
func (s Set) Matches(p Payload) bool {
	return s.broken(p.Event) != nil || len(s.For(p)) > 0
}

// For lists the handlers that are asked about a payload.
func (s Set) For(p Payload) []Handler {
	var out []Handler
	for _, h := range s.handlers {
		if h.Event == p.Event && h.Matches(p) {
			out = append(out, h)
		}
	}
	return out
}

// MayChange reports whether a synchronous handler, which may change or refuse the call, sees calls of a tool before they run, for some arguments.
func (s Set) MayChange(tool string) bool {
	p := Payload{Event: PreToolUse, ToolName: tool}
	return s.broken(p.Event) != nil || slices.ContainsFunc(s.handlers, func(h Handler) bool {
		return h.Event == p.Event && !h.Async && h.matcher.match(p.subject()) && (h.when.tool == "" || h.when.tool == tool)
	})
}

// rounds splits the handlers into those that are asked one after the other: where arguments may be changed, those of projects before the
// administrator's.
func (s Set) rounds(e Event) []Set {
	if !traits[e].rules {
		return []Set{s}
	}
	var projects, home Set
	for _, h := range s.handlers {
		if h.Layer == LayerHome {
			home.handlers = append(home.handlers, h)
		} else {
			projects.handlers = append(projects.handlers, h)
		}
	}
	return []Set{projects, home}
}

// broken returns the fault for which an event is refused; nil if there is none.
func (s Set) broken(e Event) *Fault {
	if !e.Closed() {
		return nil
	}
	i := slices.IndexFunc(s.faults, func(f Fault) bool { return f.Event == e || f.Event == "" })
	if i < 0 {
		return nil
	}
	return &s.faults[i]
}
