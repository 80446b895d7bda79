package server

import (
	"context"

	"xbot/ingress/runners"
	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/store"
)

// kills keeps in Postgres the kills that runners have not heard of.
type kills struct{ store *store.Store }

var (
	_ sandbox.Kills = kills{}
	_ runners.Kills = kills{}
)

// NoteKill writes a kill down.
func (k kills) NoteKill(ctx context.Context, call chat.CallID, runner sandbox.RunnerID) error {
	return k.store.NoteKill(ctx, call, string(runner))
}

// KillSent notes that a runner took a kill.
func (k kills) KillSent(ctx context.Context, call chat.CallID) error {
	return k.store.KillSent(ctx, call)
}

// OpenKills lists the kills that runners have not heard of.
func (k kills) OpenKills(ctx context.Context, ids []sandbox.RunnerID) (map[sandbox.RunnerID][]chat.CallID, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	open, err := k.store.OpenKills(ctx, names)
	if err != nil {
		return nil, err
	}
	found := make(map[sandbox.RunnerID][]chat.CallID, len(open))
	for name, calls := range open {
		found[sandbox.RunnerID(name)] = calls
	}
	return found, nil
}
