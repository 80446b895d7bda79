package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/edits"
	"xbot/internal/turn/inbox"
	"xbot/internal/turn/subagents/subagentstore"
	"xbot/internal/user/notices"
)

// maxReleases limits how often a claimed message goes back to the inbox because its run vanished before any step.
const maxReleases = 3

// FinishTurn closes a running turn: open calls get a result, open steps end, the user gets the required notices, and
// stops for the turn are consumed. It does not change a turn that is closed already. It reports whether messages wait.
func (s *Store) FinishTurn(ctx context.Context, key chat.SessionKey, turn chat.TurnID, state chat.TurnState, say i18n.ID, args ...any) (pending bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.TurnLock(ctx, tx, turn)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // the session was deleted, and the turn with it
		}
		if err != nil {
			return fmt.Errorf("lock turn: %w", err)
		}
		if row.State == chat.TurnRunning {
			if err := s.closeTurn(ctx, tx, row, state, say, args...); err != nil {
				return err
			}
		}
		pending, err = dbsqlc.Q.InboxHasPending(ctx, tx, key)
		if err != nil {
			return fmt.Errorf("look for queued messages: %w", err)
		}
		return nil
	})
	return pending, err
}

func (s *Store) closeTurn(ctx context.Context, t *pg.Tx, row dbsqlc.Turn, state chat.TurnState, say i18n.ID, args ...any) error {
	if err := dbsqlc.Q.KillNoteOfTurn(ctx, t, row.ID); err != nil { // nothing waits for them any more
		return fmt.Errorf("note the kill of open commands and coding agents: %w", err)
	}
	if err := subagentstore.AbandonSubagents(ctx, t, row); err != nil {
		return err
	}
	if err := pairOpenCalls(ctx, t, row.ID, state); err != nil {
		return err
	}
	if state == chat.TurnStopped {
		silent, err := edits.EndedTurn(ctx, t, row.ID)
		if err != nil {
			return err
		}
		if silent { // no user sees its reply
			say = ""
		}
	}
	if say == i18n.Stopped {
		var err error
		if say, err = stopSentence(ctx, t, row); err != nil {
			return err
		}
	}
	if say != "" {
		if err := tellClosed(ctx, t, row, state, say, args...); err != nil {
			return err
		}
	}
	closed, err := dbsqlc.Q.TurnClose(ctx, t, dbsqlc.TurnCloseParams{ID: row.ID, SessionKey: row.SessionKey, State: string(state), Traced: s.traces.Targets()})
	if err != nil {
		return fmt.Errorf("close turn: %w", err)
	}
	t.EndTurn(row.SessionKey, row.ID)
	t.AfterCommit(s.traces.Wake)
	if err := freePlace(ctx, t, row.SessionKey); err != nil {
		return err
	}
	t.Emit(row.SessionKey, chat.EventTurn, conversation.TurnOf(closed))
	if err := notices.NotifyTurnEnd(ctx, t, conversation.TurnOf(closed)); err != nil {
		return err
	}
	return subagentstore.ReportSubagent(ctx, t, closed)
}

// freePlace wakes the track of services' jobs, so that the next run gets the place of one whose turn has ended.
func freePlace(ctx context.Context, t *pg.Tx, key chat.SessionKey) error {
	if _, _, ok := service.Of(key); !ok {
		return nil
	}
	ran, err := dbsqlc.Q.TrackRunIn(ctx, t, key)
	if err != nil {
		return fmt.Errorf("look for the run of a job: %w", err)
	}
	if ran {
		t.WakeTrack()
	}
	return nil
}

// tellClosed appends the notice about a closed turn. It is not sent if the stop that ended the turn was answered already, and the notice
// adds nothing to that answer.
func tellClosed(ctx context.Context, t *pg.Tx, row dbsqlc.Turn, state chat.TurnState, say i18n.ID, args ...any) error {
	lang, err := conversation.LangOfTurn(ctx, t, row.ID)
	if err != nil {
		return err
	}
	plain := i18n.Say(lang, say, args...)
	text, err := killedSentence(ctx, t, row.ID, state, lang, plain)
	if err != nil {
		return err
	}
	if say == i18n.Stopped && text == plain {
		answered, err := dbsqlc.Q.StopAnswered(ctx, t, dbsqlc.StopAnsweredParams{SessionKey: row.SessionKey, TurnID: &row.ID})
		if err != nil {
			return fmt.Errorf("look for the answer to the stop: %w", err)
		}
		if answered {
			m := chat.Message{Session: row.SessionKey, Turn: row.ID, Role: chat.RoleNotice, Content: text}
			return conversation.AppendUnsent(ctx, t, &m)
		}
	}
	return conversation.AppendNotice(ctx, t, row.SessionKey, row.ID, text)
}

// killedSentence adds to the notice about a stopped turn how many of its commands may still run because their runner has not got
// the kill.
func killedSentence(ctx context.Context, t *pg.Tx, turn chat.TurnID, state chat.TurnState, lang i18n.Lang, text string) (string, error) {
	if state != chat.TurnStopped {
		return text, nil
	}
	n, err := dbsqlc.Q.KillCountUnsent(ctx, t, turn)
	if err != nil {
		return "", fmt.Errorf("count the commands that are still to be killed: %w", err)
	}
	if n == 0 {
		return text, nil
	}
	return i18n.Row(lang, text, i18n.Say(lang, i18n.StillKilled, n)), nil
}

// pairOpenCalls gives every call without a result one that states what is known of it.
func pairOpenCalls(ctx context.Context, t *pg.Tx, turn chat.TurnID, state chat.TurnState) error {
	open, err := dbsqlc.Q.CallListOpen(ctx, t, turn)
	if err != nil {
		return fmt.Errorf("list open calls: %w", err)
	}
	for _, c := range open {
		id, failed := i18n.CallUnknown, true
		switch {
		case c.Approval == chat.ApprovalOpen && (len(c.Questions) > 0 || c.Plan != nil):
			id, failed = i18n.InquiryStopped, false
		case c.Class == chat.ClassClient:
			id = i18n.CallClient
		case c.State == chat.CallOpen:
			id = i18n.CallNotRun
		case state == chat.TurnStopped:
			id = i18n.CallInterrupt
		}
		if err := calls.FinishCall(ctx, t, c.ID, chat.ToolResult{Content: i18n.Say(i18n.English, id), IsError: failed}); err != nil {
			return err
		}
	}
	return nil
}

// StopRequested reports whether a stop waits for the turn, or the turn is gone with its session.
func (s *Store) StopRequested(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (bool, error) {
	yes, err := dbsqlc.Q.InboxStopOrGone(ctx, s.db.Pool, dbsqlc.InboxStopOrGoneParams{SessionKey: key, TurnID: &turn})
	return yes, pg.Classify(err)
}

// Settled is how a turn whose run is gone was closed.
type Settled string

// The outcomes of SettleTurn.
const (
	SettledReleased Settled = "released" // no step had begun: its message waits again
	SettledStopped  Settled = "stopped"  // a user had asked to stop it
	SettledLost     Settled = "lost"     // the user was notified; open calls have unknown outcomes
	SettledBefore   Settled = "before"   // it was closed already
)

// SettleTurn closes a turn whose workflow run is closed or missing, in one conditional transaction.
func (s *Store) SettleTurn(ctx context.Context, turn chat.TurnID) (Settled, error) {
	var out Settled
	err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
		out, err = s.settleTurn(ctx, tx, turn)
		return err
	})
	return out, err
}

func (s *Store) settleTurn(ctx context.Context, t *pg.Tx, turn chat.TurnID) (Settled, error) {
	row, err := dbsqlc.Q.TurnLock(ctx, t, turn)
	if errors.Is(err, pgx.ErrNoRows) {
		return SettledBefore, nil
	}
	if err != nil {
		return "", fmt.Errorf("lock turn: %w", err)
	}
	if row.State != chat.TurnRunning {
		return SettledBefore, nil
	}
	stop, err := dbsqlc.Q.InboxStopFor(ctx, t, dbsqlc.InboxStopForParams{SessionKey: row.SessionKey, TurnID: &turn})
	if err != nil {
		return "", fmt.Errorf("look for a stop: %w", err)
	}
	if stop {
		return SettledStopped, s.closeTurn(ctx, t, row, chat.TurnStopped, i18n.Stopped)
	}
	begun, err := dbsqlc.Q.StepAnyBegun(ctx, t, turn)
	if err != nil {
		return "", fmt.Errorf("look for steps: %w", err)
	}
	releases, err := dbsqlc.Q.InboxReleases(ctx, t, &turn)
	if err != nil {
		return "", fmt.Errorf("count releases: %w", err)
	}
	if begun || releases >= maxReleases {
		say, err := lostSentence(ctx, t, turn)
		if err != nil {
			return "", err
		}
		return SettledLost, s.closeTurn(ctx, t, row, chat.TurnLost, say)
	}
	return SettledReleased, releaseClaim(ctx, t, row)
}

// lostSentence returns the notice about a turn whose run is gone. If the turn only waited for the user's answer, the notice explains
// that nothing was running, and how to be asked again. After a backup is restored without Temporal's database, all running turns end
// in this way.
func lostSentence(ctx context.Context, t *pg.Tx, turn chat.TurnID) (i18n.ID, error) {
	open, err := dbsqlc.Q.CallListOpen(ctx, t, turn)
	if err != nil {
		return "", fmt.Errorf("list open calls: %w", err)
	}
	asked := false
	for _, c := range open {
		if c.State != chat.CallOpen {
			return i18n.Gone, nil
		}
		asked = asked || c.Approval == chat.ApprovalOpen
	}
	if !asked {
		return i18n.Gone, nil
	}
	return i18n.QuestionGone, nil
}

// releaseClaim undoes a claim: the message waits again, and the empty turn and its copy of the message are deleted. Group messages
// recorded before it stay.
func releaseClaim(ctx context.Context, t *pg.Tx, row dbsqlc.Turn) error {
	released, err := dbsqlc.Q.InboxRelease(ctx, t, &row.ID)
	if err != nil {
		return fmt.Errorf("release the claim: %w", err)
	}
	if err := conversation.ReleaseReplaced(ctx, t, row.SessionKey, row.ID); err != nil {
		return err
	}
	kept, err := dbsqlc.Q.TurnKeepOverheard(ctx, t, &row.ID)
	if err != nil {
		return fmt.Errorf("keep what was overheard: %w", err)
	}
	if err := dbsqlc.Q.TurnDelete(ctx, t, row.ID); err != nil {
		return fmt.Errorf("remove the empty turn: %w", err)
	}
	t.EndTurn(row.SessionKey, row.ID)
	if err := freePlace(ctx, t, row.SessionKey); err != nil {
		return err
	}
	t.Emit(row.SessionKey, chat.EventTurn, chat.Turn{ID: row.ID, Session: row.SessionKey, State: chat.TurnReleased, RunID: row.RunID, StartedAt: row.StartedAt})
	for _, r := range kept { // clients have just dropped them with the turn
		t.Emit(row.SessionKey, chat.EventMessage, conversation.MessageOf(r))
	}
	if err := edits.Untell(ctx, t, row.ID); err != nil {
		return err
	}
	returned, err := edits.Returned(ctx, t, row.SessionKey)
	if err != nil {
		return err
	}
	for _, r := range released {
		if r.Kind == calls.KindBackground {
			continue // the visible queue has only messages of users
		}
		t.Emit(row.SessionKey, chat.EventQueued, chat.Queued{
			Inbox: r.ID, ClientMessageID: r.PlatformID, Text: conversation.WordsOf(r.Body, r.Options), Mode: r.Mode, Sender: r.Sender, Throttled: r.Throttled,
		})
	}
	for _, r := range returned {
		if _, err := inbox.EmitDropped(ctx, t, row.SessionKey, r.ID, r.Body, outcomeRecalled, i18n.Recalled); err != nil {
			return err
		}
	}
	return nil
}
