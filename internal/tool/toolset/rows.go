package toolset

import (
	"sync"

	"xbot/internal/chat"
)

// maxRows is for how many users Rows keeps what it read.
const maxRows = 1024

// Rows caches the rows that a source has read for users until the version of a place changes. The zero value is ready for use. It is
// safe for concurrent use.
type Rows[T any] struct {
	mu      sync.Mutex
	version int64
	read    map[chat.UserID]T
}

// At returns what read returns for the user of a place: as it was read before at this version or a newer one, else by a call of read. At
// version 0 it always calls read. Callers must not change what the result refers to.
func (r *Rows[T]) At(at Place, read func() (T, error)) (T, error) {
	if at.Version == 0 {
		return read()
	}
	if rows, ok := r.known(at); ok {
		return rows, nil
	}
	rows, err := read()
	if err == nil {
		r.keep(at, rows)
	}
	return rows, err
}

func (r *Rows[T]) known(at Place) (T, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version < at.Version {
		r.version, r.read = at.Version, map[chat.UserID]T{}
	}
	rows, ok := r.read[at.User]
	return rows, ok
}

// keep caches rows, unless the version has changed since.
func (r *Rows[T]) keep(at Place, rows T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version > at.Version {
		return
	}
	if len(r.read) >= maxRows {
		clear(r.read)
	}
	r.read[at.User] = rows
}
