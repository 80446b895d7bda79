package choice

import (
	"context"
	"sync"

	"xbot/internal/chat"
)

// criteriaKey is the key of what a context has read.
type criteriaKey struct{}

// criteriaCache holds the criteria that were read in a context.
type criteriaCache struct {
	mu   sync.Mutex
	read map[chat.SessionKey]chat.ModelCriteria
}

// Once returns a context in which what decides who answers in a session is read once: everything that is prepared in it
// sees the same. It is for one preparation, not for what takes its time.
func Once(ctx context.Context) context.Context {
	return context.WithValue(ctx, criteriaKey{}, &criteriaCache{read: map[chat.SessionKey]chat.ModelCriteria{}})
}

// Wanted returns what decides who answers in a session, from the store, or as it was read before in this context.
func Wanted(ctx context.Context, store interface {
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error)
}, key chat.SessionKey) (chat.ModelCriteria, error) {
	known, ok := ctx.Value(criteriaKey{}).(*criteriaCache)
	if !ok {
		return store.ModelWanted(ctx, key)
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	if w, ok := known.read[key]; ok {
		return w, nil
	}
	w, err := store.ModelWanted(ctx, key)
	if err == nil {
		known.read[key] = w
	}
	return w, err
}
