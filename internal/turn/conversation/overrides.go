package conversation

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Overrides has the settings of one conversation. nil leaves a value as it is; empty follows the scene, the agent and
// the policy again.
type Overrides struct {
	Model      *string // id of a model
	Think      *string // one of chat.ThinkLevels
	Verbose    *string // one of chat.Verbosities
	Send       *string // on, off
	Activation *string // mention, always
	Preset     *string // one of chat.Presets
	Plan       *bool   // plan mode, which holds at once: for the turn that runs, too
}

// Override changes the settings of a conversation, and emits them to its clients.
func (s *Store) Override(ctx context.Context, key chat.SessionKey, o Overrides) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error { return s.override(ctx, tx, key, o) })
}

// ChooseModel sets the model of a conversation as the command of a turn, empty for that of the agent, and answers the
// command. Repeated, it changes nothing.
func (s *Store) ChooseModel(ctx context.Context, turn chat.TurnID, model, say string) error {
	return s.AnswerCommand(ctx, turn, func(tx *pg.Tx, o chat.TurnCommand) (string, error) {
		return say, s.override(ctx, tx, o.Session, Overrides{Model: &model})
	})
}

func (s *Store) override(ctx context.Context, tx *pg.Tx, key chat.SessionKey, o Overrides) error {
	n, err := dbsqlc.Q.SessionOverride(ctx, tx, dbsqlc.SessionOverrideParams{
		Key: key, Model: cleaned(o.Model), Think: cleaned(o.Think), Verbosity: cleaned(o.Verbose), Send: cleaned(o.Send), Activation: cleaned(o.Activation), Preset: cleaned(o.Preset), Plan: o.Plan,
	})
	if err != nil {
		return fmt.Errorf("change what session %s decides for itself: %w", key, err)
	}
	if n == 0 {
		return fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	if o.Plan != nil {
		if err := switchPlans(ctx, tx, key, *o.Plan); err != nil {
			return err
		}
	}
	row, err := dbsqlc.Q.SessionGet(ctx, tx, key)
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	tx.Emit(key, chat.EventSession, s.SessionOf(row))
	return nil
}

// KeepFromChannel records that the send policy keeps the answers of a turn from the channel. The transcript has
// them.
func (s *Store) KeepFromChannel(ctx context.Context, turn chat.TurnID) error {
	if err := dbsqlc.Q.TurnKeepFrom(ctx, s.db.Pool, turn); err != nil {
		return pg.Classify(fmt.Errorf("note that the answers of turn %s stay here: %w", turn, err))
	}
	return nil
}

func cleaned(text *string) *string {
	if text == nil {
		return nil
	}
	return new(chat.Clean(*text))
}
