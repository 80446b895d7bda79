package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
)

// Scene returns what the system prompt of a turn is rendered for, and the prompt where it was rendered before. Without a
// turn it is what the next one would begin with.
func (s *Store) Scene(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (chat.Scene, error) {
	row, err := s.q.PromptScene(ctx, s.pool, dbsqlc.PromptSceneParams{SessionKey: key, TurnID: turn})
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.Scene{}, fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	if err != nil {
		return chat.Scene{}, classify(fmt.Errorf("read the scene of a prompt: %w", err))
	}
	out := chat.Scene{
		Session: key, Turn: turn, Channel: row.Channel, User: row.UserID, UserName: row.UserName, Admin: row.Role == roleAdmin,
		Language: row.Language, Cwd: row.Cwd, CwdRunner: row.CwdRunner, Runner: row.Runner,
		Group: row.InGroup, Subject: row.Subject,
		Profile: row.Profile, Timezone: row.Timezone, Held: map[string]chat.Part{},
	}
	if row.CompactionID != nil {
		out.Compaction = *row.CompactionID
	}
	if row.System != nil {
		out.System, out.Frozen = *row.System, true
	}
	if err := json.Unmarshal(row.Rules, &out.Rules); err != nil {
		return chat.Scene{}, fmt.Errorf("decode the rules of user %d: %w", row.UserID, err)
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

// FreezeSystem keeps the system prompt of a turn, and with the session the parts that were read for it. The first prompt
// that is kept stands and is returned.
func (s *Store) FreezeSystem(ctx context.Context, step chat.Step, system string, parts []chat.Part) (string, error) {
	hash := sha256.Sum256([]byte(system))
	p := dbsqlc.PromptFreezeParams{
		Hash: hash[:], TurnID: step.Turn, Body: system, SessionKey: step.Session, Keys: []string{}, Sources: []string{}, Bodies: []string{},
	}
	for _, part := range parts {
		p.Keys, p.Sources, p.Bodies = append(p.Keys, part.Key), append(p.Sources, part.Source), append(p.Bodies, part.Body)
	}
	stands, err := s.q.PromptFreeze(ctx, s.pool, p)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // the turn is closed: whoever goes on with it is refused at its next write
		return system, nil
	case err != nil:
		return "", classify(fmt.Errorf("keep the system prompt: %w", err))
	case [sha256.Size]byte(stands) == hash:
		return system, nil
	}
	system, err = s.q.PromptBody(ctx, s.pool, stands)
	return system, classify(err)
}
