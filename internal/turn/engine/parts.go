package engine

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/user/users"
)

// Scene returns the input for the system prompt of a turn, and the prompt if it was rendered before. Without a
// turn it returns the input for the next one.
func (s *Store) Scene(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (chat.Scene, error) {
	row, err := dbsqlc.Q.PromptScene(ctx, s.db.Pool, dbsqlc.PromptSceneParams{SessionKey: key, TurnID: turn})
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.Scene{}, fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	if err != nil {
		return chat.Scene{}, pg.Classify(fmt.Errorf("read the scene of a prompt: %w", err))
	}
	out := chat.Scene{
		Session: key, Turn: turn, Channel: row.Channel, User: row.UserID, UserName: row.UserName, Admin: row.Role == users.RoleAdmin,
		Language: row.Language, Cwd: row.Cwd, CwdRunner: row.CwdRunner, Runner: row.Runner,
		Group: row.InGroup, Subject: row.Subject, Outside: row.Outside,
		UserPrompt: chat.UserPrompt{Profile: row.Profile, Timezone: row.Timezone}, Held: map[string]chat.Part{},
	}
	if row.CompactionID != nil {
		out.Compaction = *row.CompactionID
	}
	if row.System != nil {
		out.System, out.Frozen = *row.System, true
	}
	if err := json.Unmarshal(row.Permits, &out.Permits); err != nil {
		return chat.Scene{}, fmt.Errorf("decode the permissions of user %d: %w", row.UserID, err)
	}
	if err := json.Unmarshal(row.Own, &out.Own); err != nil {
		return chat.Scene{}, fmt.Errorf("decode the prompts of user %d: %w", row.UserID, err)
	}
	var parts []chat.Part
	if err := json.Unmarshal(row.Parts, &parts); err != nil {
		return chat.Scene{}, fmt.Errorf("decode the parts of %s: %w", key, err)
	}
	for _, p := range parts {
		out.Held[p.Key] = p
	}
	return out, nil
}

// FreezeSystem stores the system prompt of a turn, and with the session the parts that were read for it. The first prompt
// that is stored stays and is returned.
func (s *Store) FreezeSystem(ctx context.Context, step chat.Step, system string, parts []chat.Part) (string, error) {
	hash := sha256.Sum256([]byte(system))
	p := dbsqlc.PromptFreezeParams{
		Hash: hash[:], TurnID: step.Turn, Body: system, SessionKey: step.Session, Keys: []string{}, Sources: []string{}, Bodies: []string{}, Lazily: true,
	}
	for _, part := range parts {
		p.Keys, p.Sources, p.Bodies = append(p.Keys, part.Key), append(p.Sources, part.Source), append(p.Bodies, part.Body)
	}
	stands, err := dbsqlc.Q.PromptFreeze(ctx, s.db.Pool, p)
	if promptGone(err) {
		stands, err = dbsqlc.Q.PromptFreeze(ctx, s.db.Pool, p)
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows): // the turn is closed: its next write fails
		return system, nil
	case err != nil:
		return "", pg.Classify(fmt.Errorf("keep the system prompt: %w", err))
	case [sha256.Size]byte(stands) == hash:
		s.lately.keep(p)
		return system, nil
	}
	system, err = dbsqlc.Q.PromptBody(ctx, s.db.Pool, stands)
	return system, pg.Classify(err)
}

// maxRecentPrompts limits the prompts that stay in memory until a step of their turn has ended.
const maxRecentPrompts = 128

// recentPrompts are the prompts that were committed without waiting for the disk, of turns without an ended step since. Postgres
// can lose them in a crash until a step of their turn has ended.
type recentPrompts struct {
	mu      sync.Mutex
	prompts []dbsqlc.PromptFreezeParams // the newest last
}

func (l *recentPrompts) keep(p dbsqlc.PromptFreezeParams) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(p.TurnID)
	if len(l.prompts) == maxRecentPrompts {
		l.prompts = slices.Delete(l.prompts, 0, 1)
	}
	l.prompts = append(l.prompts, p)
}

func (l *recentPrompts) of(turn chat.TurnID) (dbsqlc.PromptFreezeParams, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.prompts, func(p dbsqlc.PromptFreezeParams) bool { return p.TurnID == turn })
	if i < 0 {
		return dbsqlc.PromptFreezeParams{}, false
	}
	return l.prompts[i], true
}

func (l *recentPrompts) forget(turn chat.TurnID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(turn)
}

func (l *recentPrompts) drop(turn chat.TurnID) {
	l.prompts = slices.DeleteFunc(l.prompts, func(p dbsqlc.PromptFreezeParams) bool { return p.TurnID == turn })
}

// freezeAgain stores the prompt of a turn once more, with the end of a step, if Postgres lost it in a crash.
func (s *Store) freezeAgain(ctx context.Context, tx *pg.Tx, turn chat.TurnID) error {
	p, ok := s.lately.of(turn)
	if !ok {
		return nil // another process has it, or none was stored
	}
	p.Lazily = false
	if _, err := dbsqlc.Q.PromptFreeze(ctx, tx, p); err != nil {
		return fmt.Errorf("keep the system prompt again: %w", err)
	}
	return nil
}
