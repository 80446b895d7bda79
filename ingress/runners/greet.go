package runners

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

// Kills is the store of kills that an unreachable runner has not received yet.
type Kills interface {
	// OpenKills lists them by runner.
	OpenKills(ctx context.Context, runners []sandbox.RunnerID) (map[sandbox.RunnerID][]chat.CallID, error)
	// KillSent records that a runner took one.
	KillSent(ctx context.Context, call chat.CallID) error
}

// greet sends kills and folders to a runner that has connected, without delaying its requests.
func (h *Hub) greet(s *connection) {
	s.background(func() { h.sendKills(s) })
	if h.cfg.Syncer == nil {
		return
	}
	s.background(func() {
		ctx, cancel := s.lifetime()
		defer cancel()
		h.cfg.Syncer.Sync(ctx, h, s.who.ID)
	})
}

// lifetime returns a context that ends with the connection.
func (s *connection) lifetime() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-s.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// sendKills sends runners the kills they have not received, to each in the background, so that one that does not respond delays no other. A kill that
// fails is tried again in the next round.
func (h *Hub) sendKills(to ...*connection) {
	if h.cfg.Kills == nil || len(to) == 0 {
		return
	}
	ids := make([]sandbox.RunnerID, 0, len(to))
	for _, s := range to {
		ids = append(ids, s.who.ID)
	}
	ctx, cancel := context.WithTimeout(h.stopped, tableWait)
	defer cancel()
	open, err := h.cfg.Kills.OpenKills(ctx, ids)
	if err != nil {
		h.cfg.Log.Warn("kills for runners cannot be looked up", "error", err)
		return
	}
	for _, s := range to {
		if calls := open[s.who.ID]; len(calls) > 0 && s.killing.CompareAndSwap(false, true) {
			s.background(func() {
				defer s.killing.Store(false)
				h.sendKillsTo(s, calls)
			})
		}
	}
}

func (h *Hub) sendKillsTo(s *connection, calls []chat.CallID) {
	ctx, cancel := context.WithTimeout(h.stopped, tableWait)
	defer cancel()
	for _, call := range calls {
		if err := h.sendKill(ctx, s, call); err != nil {
			h.cfg.Log.Warn("a kill was not carried out; it is tried again", "runner", string(s.who.ID), "call", string(call), "error", err)
		}
	}
}

func (h *Hub) sendKill(ctx context.Context, s *connection, call chat.CallID) error {
	req, err := wire.NewRequest(wire.OpExecKill, wire.ExecID{ID: string(call)})
	if err != nil {
		return err
	}
	if _, err := s.Call(ctx, req, nil); err != nil && !wire.IsKind(err, wire.Invalid) { // which no repetition mends
		return err
	}
	h.cfg.Log.Info("kill delivered", "runner", string(s.who.ID), "call", string(call))
	return h.cfg.Kills.KillSent(ctx, call)
}
