package manage

import (
	"context"

	"xbot/ingress/runners"
	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/turn/calls"
)

// Kills keeps in Postgres the kills that runners have not heard of.
type Kills struct {
	Calls *calls.Store
}

var (
	_ sandbox.Kills = Kills{}
	_ runners.Kills = Kills{}
)

// NoteKill writes a kill down.
func (k Kills) NoteKill(ctx context.Context, call chat.CallID, runner sandbox.RunnerID) error {
	return k.Calls.NoteKill(ctx, call, string(runner))
}

// KillSent records that a runner took a kill.
func (k Kills) KillSent(ctx context.Context, call chat.CallID) error {
	return k.Calls.KillSent(ctx, call)
}

// OpenKills lists the kills that runners have not heard of.
func (k Kills) OpenKills(ctx context.Context, ids []sandbox.RunnerID) (map[sandbox.RunnerID][]chat.CallID, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	open, err := k.Calls.OpenKills(ctx, names)
	if err != nil {
		return nil, err
	}
	found := make(map[sandbox.RunnerID][]chat.CallID, len(open))
	for name, calls := range open {
		found[sandbox.RunnerID(name)] = calls
	}
	return found, nil
}
