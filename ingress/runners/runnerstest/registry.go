package runnerstest

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"xbot/ingress/runners"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Registry is a connection table in memory, shared by the servers of one test.
type Registry struct {
	mu      sync.Mutex
	tokens  map[[sha256.Size]byte]runners.Identity
	holders map[sandbox.RunnerID]holder
	epoch   int64
	kills   map[chat.CallID]sandbox.RunnerID // open ones
}

type holder struct {
	addr  string
	epoch int64
}

var (
	_ runners.Registry = (*Registry)(nil)
	_ runners.Kills    = (*Registry)(nil)
	_ sandbox.Kills    = (*Registry)(nil)
)

// NewRegistry makes an empty registry.
func NewRegistry() *Registry {
	return &Registry{tokens: map[[sha256.Size]byte]runners.Identity{}, holders: map[sandbox.RunnerID]holder{}, kills: map[chat.CallID]sandbox.RunnerID{}}
}

// Add makes a token authenticate a runner.
func (r *Registry) Add(token string, who runners.Identity) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens[sha256.Sum256([]byte(token))] = who
}

// Revoke makes a token unknown.
func (r *Registry) Revoke(token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tokens, sha256.Sum256([]byte(token)))
}

// Authenticate finds the runner of a token.
func (r *Registry) Authenticate(_ context.Context, tokenHash []byte) (runners.Identity, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	who, ok := r.tokens[[sha256.Size]byte(tokenHash)]
	if !ok {
		return runners.Identity{}, fault.Errorf(fault.Denied, "this token is not known: make a new one")
	}
	return who, nil
}

// Good returns the tokens that are known.
func (r *Registry) Good(_ context.Context, tokenHashes [][]byte) (good [][]byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, hash := range tokenHashes {
		if _, ok := r.tokens[[sha256.Size]byte(hash)]; ok {
			good = append(good, hash)
		}
	}
	return good, nil
}

// Connected notes a connection under a new epoch.
func (r *Registry) Connected(_ context.Context, c runners.Connection) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.epoch++
	r.holders[c.ID] = holder{addr: c.Holder, epoch: r.epoch}
	return r.epoch, nil
}

// Disconnected removes a connection unless a newer one is there.
func (r *Registry) Disconnected(_ context.Context, id sandbox.RunnerID, epoch int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holders[id].epoch == epoch {
		delete(r.holders, id)
	}
	return nil
}

// Holder returns which process holds a runner's socket.
func (r *Registry) Holder(_ context.Context, id sandbox.RunnerID) (string, int64, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, ok := r.holders[id]
	return h.addr, h.epoch, ok, nil
}

// NoteKill keeps a kill.
func (r *Registry) NoteKill(_ context.Context, call chat.CallID, runner sandbox.RunnerID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kills[call] = runner
	return nil
}

// KillSent forgets a kill.
func (r *Registry) KillSent(_ context.Context, call chat.CallID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.kills, call)
	return nil
}

// OpenKills lists kills that were not sent.
func (r *Registry) OpenKills(_ context.Context, ids []sandbox.RunnerID) (map[sandbox.RunnerID][]chat.CallID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	open := map[sandbox.RunnerID][]chat.CallID{}
	for call, runner := range r.kills {
		if slices.Contains(ids, runner) {
			open[runner] = append(open[runner], call)
		}
	}
	return open, nil
}
