package conversation

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// switchPlans applies the plan mode of a conversation to its running turns. One whose plan was approved continues.
func switchPlans(ctx context.Context, t *pg.Tx, key chat.SessionKey, on bool) error {
	change := dbsqlc.Q.TurnPlanOff
	if on {
		change = dbsqlc.Q.TurnPlanOn
	}
	rows, err := change(ctx, t, key)
	if err != nil {
		return fmt.Errorf("switch the plan mode of the turns of %s: %w", key, err)
	}
	emitPlans(t, rows)
	return nil
}

// Planned records in a turn that a user has approved its plan, or has sent it back. If they have switched the mode off, it changes
// nothing.
func Planned(ctx context.Context, t *pg.Tx, turn chat.TurnID, approved bool) error {
	state := chat.PlanWanted
	if approved {
		state = chat.PlanApproved
	}
	rows, err := dbsqlc.Q.TurnPlan(ctx, t, dbsqlc.TurnPlanParams{ID: turn, Plan: state})
	if err != nil {
		return fmt.Errorf("note the plan of turn %s: %w", turn, err)
	}
	emitPlans(t, rows)
	return nil
}

func emitPlans(t *pg.Tx, rows []dbsqlc.Turn) {
	for _, row := range rows {
		if row.State == chat.TurnRunning {
			t.Emit(row.SessionKey, chat.EventTurn, TurnOf(row))
		}
	}
}
