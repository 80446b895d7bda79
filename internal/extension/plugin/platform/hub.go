// Package platform makes channels of plugins: a plugin with that permission is a platform, and its process connects the accounts that are
// configured. One process of this server receives for an account and holds it (channel.ConnectedAccount); others send through that one. All input
// from a plugin is checked: it is for its channels and for accounts that were opened with it alone.
package platform

import (
	"context"
	"sync"

	"xbot/internal/channel"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/extension/plugin/installed"
)

// Installed lists the plugins that are switched on and can be read.
type Installed interface {
	Working(ctx context.Context) ([]installed.Plugin, error)
}

// Lines returns processes of plugins.
type Lines interface {
	Hold(ctx context.Context, plugin string) (bridge.Line, error)
}

// Hub holds the open accounts of plugins. It is safe for concurrent use.
type Hub struct {
	Installed Installed

	mu    sync.Mutex
	lines Lines
	open  map[address]*session
}

// address is an account of a channel.
type address struct{ channel, account string }

var (
	_ channel.DriverSource = (*Hub)(nil)
	_ bridge.Peer          = (*Hub)(nil)
)

// Connect enables this process to open accounts.
func (h *Hub) Connect(lines Lines) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = lines
}

// Drivers implements channel.DriverSource with the channels of the plugins that are switched on.
func (h *Hub) Drivers(ctx context.Context) ([]channel.Driver, error) {
	working, err := h.Installed.Working(ctx)
	if err != nil {
		return nil, err
	}
	var out []channel.Driver
	for _, one := range working {
		for _, c := range one.Contributes.Channels {
			out = append(out, h.driver(one.Plugin.ID, one.Digest, c))
		}
	}
	return out, nil
}

func (h *Hub) driver(id, version string, c plugin.Channel) channel.Driver {
	d := channel.Driver{Name: c.Name, Version: version, IDs: channel.IDs(c.IDs)}
	for _, o := range c.Options {
		d.Options = append(d.Options, channel.Option{
			Name: o.Name, Label: o.Label, Help: o.Help, Secret: o.Secret, Required: o.Required, Choices: o.Choices, Default: o.Default,
		})
	}
	d.Open = func(name string, settings map[string]string, _ channel.Resources) (channel.Account, error) {
		a := &account{hub: h, plugin: id, channel: c, name: name, settings: map[string]string{}}
		for _, o := range c.Options {
			if a.settings[o.Name] = settings[o.Name]; a.settings[o.Name] == "" {
				a.settings[o.Name] = o.Default
			}
		}
		return a, nil
	}
	return d
}

// there reports whether a plugin still is the platform.
func (h *Hub) there(ctx context.Context, id, name string) (bool, error) {
	working, err := h.Installed.Working(ctx)
	if err != nil {
		return false, err
	}
	for _, one := range working {
		for _, c := range one.Contributes.Channels {
			if one.Plugin.ID == id && c.Name == name {
				return true, nil
			}
		}
	}
	return false, nil
}

func (h *Hub) connected() Lines {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lines
}

// add registers a session. It returns false if there is one.
func (h *Hub) add(at address, s *session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[at] != nil {
		return false
	}
	if h.open == nil {
		h.open = map[address]*session{}
	}
	h.open[at] = s
	return true
}

func (h *Hub) remove(at address) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, at)
}

// session returns the open session of an account, or nil if there is none.
func (h *Hub) session(at address) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open[at]
}
