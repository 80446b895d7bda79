package storage

import (
	"maps"
	"slices"

	"xbot/internal/fault"
)

// Backends are the configured back ends of object storage, by their names.
type Backends map[string]Store

// Names returns the names in order.
func (b Backends) Names() []string { return slices.Sorted(maps.Keys(b)) }

// Get returns a back end. Unavailable: files are in it, and it is not configured.
func (b Backends) Get(name string) (Store, error) {
	s, ok := b[name]
	if !ok {
		return nil, fault.Errorf(fault.Unavailable, "files of this conversation are in storage %q, which is not configured: set its settings again, or move the files first", name)
	}
	return s, nil
}
