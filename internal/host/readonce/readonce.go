// Package readonce caches reads while something is prepared, so that all its parts see the same and nothing is read twice.
package readonce

import (
	"context"
	"sync"
)

// cacheKey is the key of what a context has read.
type cacheKey struct{}

// cache holds the reads of a context.
type cache struct {
	mu   sync.Mutex
	read map[any]any
}

// Context returns a context in which Get reads each key once. It is for one preparation, not for what takes its time.
func Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, cacheKey{}, &cache{read: map[any]any{}})
}

// Get returns the value of a key, as it was read before in this context, or from read. A key belongs to one type of values: its own type is one
// that only its package knows. A failed read is made again.
func Get[T any](ctx context.Context, key any, read func() (T, error)) (T, error) {
	c, ok := ctx.Value(cacheKey{}).(*cache)
	if !ok {
		return read()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.read[key].(T); ok {
		return known, nil
	}
	value, err := read()
	if err == nil {
		c.read[key] = value
	}
	return value, err
}
