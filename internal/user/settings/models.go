package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
	"xbot/runner/wire"
)

// ModelWanted returns what decides which model answers in a session.
func (s *Store) ModelWanted(ctx context.Context, key chat.SessionKey) (chat.ModelCriteria, error) {
	row, err := dbsqlc.Q.ModelWanted(ctx, s.db.Pool, key)
	if err != nil {
		return chat.ModelCriteria{}, pg.Classify(fmt.Errorf("look up whose model answers in %s: %w", key, err))
	}
	w := chat.ModelCriteria{
		User: chat.UserID(row.UserID), Admin: row.Admin, Runner: row.Runner, Agent: row.Agent, Channel: row.Channel, Account: row.Account,
		Chat: row.Chat, Activation: row.Activation, ChatType: row.ChatType, Scene: row.Scene, Model: row.Model, Think: row.Think, Send: row.Send, OfTurn: chat.OfTurn{Plan: chat.PlanState(row.Plan)},
		PersonModels: chat.PersonModels{Own: row.Own, Usual: row.Usual, UsualThink: row.UsualThink, Subscriptions: row.Subscriptions, Services: row.Services, ToolSources: row.ToolSources, OfGroup: row.OfGroup,
			MemoryChoices: chat.MemoryChoices{NoMemory: row.NoMemory, NoSoul: row.NoSoul, NotesLocked: row.NotesLocked},
		},
	}
	if err := json.Unmarshal(row.Options, &w.Options); err != nil {
		return chat.ModelCriteria{}, fmt.Errorf("decode the options of the turn in %s: %w", key, err)
	}
	if row.Topmost {
		w.Root, w.Above = row.ChatType, chat.Location{Channel: row.Channel, Account: row.Account, ChatType: row.ChatType, Scene: row.Scene}
		return w, nil
	}
	above, err := dbsqlc.Q.ModelAbove(ctx, s.db.Pool, key)
	if err != nil {
		return chat.ModelCriteria{}, pg.Classify(fmt.Errorf("look up where %s takes place: %w", key, err))
	}
	w.Root = chat.ChatType(above.Root)
	if err := json.Unmarshal(above.Place, &w.Above); err != nil {
		return chat.ModelCriteria{}, fmt.Errorf("decode the place of %s: %w", key, err)
	}
	return w, nil
}

// ModelOffered returns the model that a runner offered when it last connected; nil if none.
func (s *Store) ModelOffered(ctx context.Context, user chat.UserID, runner string) (*wire.LLM, error) {
	said, err := dbsqlc.Q.ModelOffered(ctx, s.db.Pool, dbsqlc.ModelOfferedParams{UserID: user, Name: runner})
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && said == nil) {
		return nil, nil
	}
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look up the model of runner %s: %w", runner, err))
	}
	var info wire.Info
	if err := json.Unmarshal(said, &info); err != nil {
		return nil, fmt.Errorf("decode what runner %s said of itself: %w", runner, err)
	}
	return info.LLM, nil
}
