package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/quota"
)

// BeginStep opens a step, or finds the one that an earlier attempt left: done is true if its decision is stored or its turn is
// closed, and then the model must not be called. If as many calls of the tenant run as allowed, it returns RateLimited with the
// time to ask again; otherwise the call has a lease, which KeepLease renews and the end of the step releases.
func (s *Store) BeginStep(ctx context.Context, step chat.Step) (failures int, stored chat.Decision, done bool, err error) {
	most, err := s.stores.Quota.Caps(ctx)
	if err != nil {
		return 0, chat.Decision{}, false, err
	}
	row, err := dbsqlc.Q.StepBegin(ctx, s.db.Pool, dbsqlc.StepBeginParams{
		TurnID: step.Turn, Step: int32(step.N), Lease: pg.Interval(quota.LeaseTime),
		MostGlobal: int32(most.LLM.Global), MostPersonal: int32(most.LLM.Personal), MostSubagent: int32(most.LLM.Subagent),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, chat.Decision{Finish: chat.FinishClosed}, true, nil
	}
	if err != nil {
		return 0, chat.Decision{}, false, pg.Classify(fmt.Errorf("begin step: %w", err))
	}
	if row.State == "done" {
		stored, err = s.storedDecision(ctx, s.db.Pool, row.TurnID, row.Step, row.Finish, row.Fault)
		return 0, stored, true, err
	}
	if row.WaitMs > 0 {
		return 0, chat.Decision{}, false, quota.Full(row.WaitMs)
	}
	return int(row.Failures), chat.Decision{}, false, nil
}

func (s *Store) storedDecision(ctx context.Context, db pg.DBTX, turn chat.TurnID, step int32, finish, kind string) (chat.Decision, error) {
	calls, err := conversation.CallsOfStep(ctx, db, turn, int(step))
	if err != nil {
		return chat.Decision{}, pg.Classify(err)
	}
	return chat.Decision{Finish: finish, Fault: kind, Calls: calls}, nil
}

// CommitStep writes an answer: the assistant message, its calls, the usage and the end of the step, in one transaction that
// requires turn and step to be open. A late attempt changes nothing and gets the stored decision. The given rule of a call is the
// installation's; if the user has a separate rule, it is stored with the call and returned instead.
func (s *Store) CommitStep(ctx context.Context, step chat.Step, a chat.Answer) (chat.Decision, error) {
	out, err := s.commitStep(ctx, step, a)
	if err != nil {
		s.lastPrompt.Store([sha256.Size]byte{}) // it may have been deleted: the next attempt writes it
	}
	if promptGone(err) {
		out, err = s.commitStep(ctx, step, a)
	}
	if err == nil {
		s.lately.forget(step.Turn)
	}
	return out, err
}

func (s *Store) commitStep(ctx context.Context, step chat.Step, a chat.Answer) (chat.Decision, error) {
	out := chat.Decision{Finish: a.Finish, Calls: a.Calls, Usage: a.Usage}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		locked, err := s.lockStep(ctx, tx, step)
		if err != nil || !locked.open {
			out = locked.stored
			return err
		}
		hash := sha256.Sum256([]byte(a.Prompt))
		if err := s.savePrompt(ctx, tx, hash, a.Prompt); err != nil {
			return err
		}
		if locked.unfrozen {
			if err := s.freezeAgain(ctx, tx, step.Turn); err != nil {
				return err
			}
		}
		if err := appendAnswer(ctx, tx, step, a); err != nil {
			return err
		}
		if why := wordless(a); why != "" {
			if err := tellTurn(ctx, tx, step, func(l i18n.Lang) string { return i18n.Say(l, why) }); err != nil {
				return err
			}
		}
		return closeStep(ctx, tx, locked, step, a, "", hash[:])
	})
	return out, err
}

// promptGone reports whether an unreferenced prompt was deleted between being found and being referred to. A second attempt writes it
// again.
func promptGone(err error) bool {
	violated, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (violated.ConstraintName == "steps_prompt_hash_fkey" || violated.ConstraintName == "turns_system_hash_fkey")
}

// savePrompt stores a prompt by its hash. The one that was committed last is not written again.
func (s *Store) savePrompt(ctx context.Context, tx *pg.Tx, hash [sha256.Size]byte, body string) error {
	if body == "" || s.lastPrompt.Load() == hash {
		return nil
	}
	if err := dbsqlc.Q.PromptSave(ctx, tx, dbsqlc.PromptSaveParams{Hash: hash[:], Body: body}); err != nil {
		return fmt.Errorf("save prompt: %w", err)
	}
	tx.AfterCommit(func() { s.lastPrompt.Store(hash) })
	return nil
}

// FailStep ends a step with a notice to the user instead of an answer.
func (s *Store) FailStep(ctx context.Context, step chat.Step, call chat.ModelCall, kind fault.Kind, say func(i18n.Lang) string) (chat.Decision, error) {
	return s.endStep(ctx, step, call, chat.Decision{Finish: chat.FinishError, Fault: string(kind)}, say)
}

// EndStep ends a step with a notice to the user, before the model was asked.
func (s *Store) EndStep(ctx context.Context, step chat.Step, finish string, say func(i18n.Lang) string) (chat.Decision, error) {
	return s.endStep(ctx, step, chat.ModelCall{}, chat.Decision{Finish: finish}, say)
}

func (s *Store) endStep(ctx context.Context, step chat.Step, call chat.ModelCall, out chat.Decision, say func(i18n.Lang) string) (chat.Decision, error) {
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		locked, err := s.lockStep(ctx, tx, step)
		if err != nil || !locked.open {
			out = locked.stored
			return err
		}
		if err := tellTurn(ctx, tx, step, say); err != nil {
			return err
		}
		return closeStep(ctx, tx, locked, step, chat.Answer{Finish: out.Finish, Call: call}, fault.Kind(out.Fault), nil)
	})
	return out, err
}

// tellTurn appends a notice to the user of a turn.
func tellTurn(ctx context.Context, tx *pg.Tx, step chat.Step, say func(i18n.Lang) string) error {
	lang, err := conversation.LangOfTurn(ctx, tx, step.Turn)
	if err != nil {
		return err
	}
	return conversation.AppendNotice(ctx, tx, step.Session, step.Turn, chat.Clean(say(lang)))
}

// wordless returns the notice for an answer without text and calls, of which platforms send nothing; empty if it is not one, or its
// end needs no reason.
func wordless(a chat.Answer) i18n.ID {
	if len(a.Calls) > 0 || strings.TrimSpace(a.Text) != "" || a.Shown != nil && strings.TrimSpace(*a.Shown) != "" || a.Silent {
		return ""
	}
	switch a.Finish {
	case "content_filter":
		return i18n.ModelFiltered
	case "length":
		return i18n.ModelCutShort
	}
	return ""
}

// CountFailure records that the provider failed once more and notifies the user of the retry. It returns the
// number of failures so far. Crashes and outages of the installation are not counted.
func (s *Store) CountFailure(ctx context.Context, step chat.Step, retry func(failures int, lang i18n.Lang) (chat.Retry, bool)) (int, error) {
	failures := 0
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		locked, err := s.lockStep(ctx, tx, step)
		if err != nil {
			return err
		}
		if !locked.open {
			return fault.Errorf(fault.Conflict, "the step was closed meanwhile")
		}
		n, err := dbsqlc.Q.StepCountFailure(ctx, tx, dbsqlc.StepCountFailureParams{TurnID: step.Turn, Step: int32(step.N)})
		if err != nil {
			return fmt.Errorf("count failure: %w", err)
		}
		failures = int(n)
		lang, err := conversation.LangOfTurn(ctx, tx, step.Turn)
		if err != nil {
			return err
		}
		if event, again := retry(failures, lang); again {
			tx.Emit(step.Session, chat.EventRetry, event)
		}
		return nil
	})
	return failures, err
}

// lockedStep is a step whose rows are locked.
type lockedStep struct {
	stored   chat.Decision // its decision, if it is not open
	open     bool
	unfrozen bool // its turn has no prompt
	waits    bool // its turn waits for the provider
}

// lockStep locks turn and step. open is false if either is closed; then the stored decision is returned. A step whose
// beginning Postgres lost in a crash is opened again; unfrozen is true if the turn has no prompt, perhaps for the same reason.
func (s *Store) lockStep(ctx context.Context, tx *pg.Tx, step chat.Step) (out lockedStep, err error) {
	key := dbsqlc.StepLockParams{TurnID: step.Turn, Step: int32(step.N)}
	row, err := dbsqlc.Q.StepLock(ctx, tx, key)
	if errors.Is(err, pgx.ErrNoRows) {
		if err := dbsqlc.Q.StepReopen(ctx, tx, dbsqlc.StepReopenParams{TurnID: step.Turn, Step: int32(step.N)}); err != nil {
			return lockedStep{}, fmt.Errorf("open the step again: %w", err)
		}
		row, err = dbsqlc.Q.StepLock(ctx, tx, key)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return lockedStep{stored: chat.Decision{Finish: chat.FinishClosed}}, nil // the turn is closed or gone
	}
	if err != nil {
		return lockedStep{}, fmt.Errorf("lock step: %w", err)
	}
	if row.State == "done" {
		out.stored, err = s.storedDecision(ctx, tx, row.TurnID, row.Step, row.Finish, row.Fault)
		return out, err
	}
	if chat.TurnState(row.TurnState) != chat.TurnRunning { // sqlc does not know the types of a CTE's columns
		return lockedStep{stored: chat.Decision{Finish: chat.FinishClosed}}, nil
	}
	return lockedStep{open: true, unfrozen: row.Unfrozen, waits: row.Waits}, nil
}

func appendAnswer(ctx context.Context, t *pg.Tx, step chat.Step, a chat.Answer) error {
	m := chat.Message{
		Session: step.Session, Turn: step.Turn, Step: step.N, Role: chat.RoleAssistant,
		Content: a.Text, Reasoning: a.Reasoning, ToolCalls: a.Calls,
		Model: a.Model, FinishReason: a.Finish, Usage: &a.Usage, Silent: a.Silent,
	}
	if a.Shown != nil {
		a.Shown = new(chat.Clean(*a.Shown))
	}
	if err := conversation.AppendShown(ctx, t, &m, "", a.Opaque, a.Shown); err != nil {
		return err
	}
	for n, c := range a.Calls {
		err := dbsqlc.Q.CallInsert(ctx, t, dbsqlc.CallInsertParams{
			ID: c.ID, SessionKey: step.Session, TurnID: step.Turn, Step: int32(step.N), N: int32(n), MessageID: m.ID,
			ProviderID: c.ProviderID, Name: c.Name, Class: c.Class, Arguments: c.Arguments, Summary: c.Summary, Questions: c.Questions, Plan: c.Plan,
			Hook: c.Hook, HookAfter: c.HookAfter, Rule: cmp.Or(c.Rule, chat.RuleAllow), Judged: c.Judged, Always: append([]chat.ToolRule{}, c.Always...), JudgedDigest: c.Digest, // null is for rows from before the column
		})
		if err != nil {
			return fmt.Errorf("insert tool call %d: %w", n, err)
		}
	}
	return nil
}

func closeStep(ctx context.Context, t *pg.Tx, locked lockedStep, step chat.Step, a chat.Answer, kind fault.Kind, prompt []byte) error {
	if a.Prompt == "" {
		prompt = nil
	}
	err := dbsqlc.Q.StepFinish(ctx, t, dbsqlc.StepFinishParams{
		TurnID: step.Turn, Step: int32(step.N), Finish: a.Finish, Fault: string(kind), PromptHash: prompt, Model: a.Model,
		ControlUpto: int64(a.Sent.ControlUpto), CompactionID: compactionOf(a.Sent), MessageUpto: int64(a.Sent.MessageUpto),
		Reminder: chat.Clean(a.Sent.Reminder), Fill: a.Sent.Fill, PrunedUpto: int64(a.Sent.PrunedUpto), PicturesFrom: a.Sent.PicturesFrom, PicturesSkipped: int32(a.Sent.PicturesSkipped), RequestHash: a.Sent.Hash, RequestBytes: int32(a.Sent.Bytes), EstimatedTokens: int32(a.Sent.Tokens),
		PromptTokens: int32(a.Usage.PromptTokens), CachedTokens: int32(a.Usage.CachedTokens), CompletionTokens: int32(a.Usage.CompletionTokens),
		Called: a.Call.Model, ResponseModel: chat.Clean(a.Call.ResponseModel), AskedAt: timeOf(a.Call.AskedAt), FirstTokenMs: millisecondsOf(a.Call.FirstToken),
		Attempts: int32(a.Call.Attempts),
	})
	if err != nil {
		return fmt.Errorf("finish step: %w", err)
	}
	if !locked.waits {
		return nil
	}
	return resumeTurn(ctx, t, step)
}

func timeOf(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

func millisecondsOf(d time.Duration) *int32 {
	if d <= 0 {
		return nil
	}
	return new(int32(min(d.Milliseconds(), math.MaxInt32)))
}

func compactionOf(s chat.Sent) *int64 {
	if s.Compaction == 0 {
		return nil
	}
	return new(int64(s.Compaction))
}
