package choice

import (
	"context"
	"sync"

	"xbot/internal/chat"
)

// wished is the key of what a context has read.
type wished struct{}

// wishes are those that were read in a context.
type wishes struct {
	mu   sync.Mutex
	read map[chat.SessionKey]chat.Wish
}

// Once returns a context in which what decides who answers in a session is read once: everything that is prepared in it
// sees the same. It is for one preparation, not for what takes its time.
func Once(ctx context.Context) context.Context {
	return context.WithValue(ctx, wished{}, &wishes{read: map[chat.SessionKey]chat.Wish{}})
}

// Wanted returns what decides who answers in a session, from the store, or as it was read before in this context.
func Wanted(ctx context.Context, store interface {
	ModelWanted(ctx context.Context, key chat.SessionKey) (chat.Wish, error)
}, key chat.SessionKey) (chat.Wish, error) {
	known, ok := ctx.Value(wished{}).(*wishes)
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
