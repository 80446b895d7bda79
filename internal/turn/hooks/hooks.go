package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
)

// HookScene returns the data for hooks about the turn of an event; NotFound if the turn is gone.
func (s *Store) HookScene(ctx context.Context, turn chat.TurnID) (hook.Scene, error) {
	r, err := dbsqlc.Q.HookScene(ctx, s.db.Pool, turn)
	if err != nil {
		return hook.Scene{}, pg.Classify(fmt.Errorf("read the scene of turn %s: %w", turn, err))
	}
	return hook.Scene{
		Channel: r.Channel, Chat: r.Chat, Sender: r.Sender, Cwd: r.Cwd, ChatType: r.ChatType, Role: r.Role, Instance: r.Instance, Model: r.Model,
		First: r.First, Reset: r.Reset, State: r.State,
	}, nil
}

// HookExecTarget returns where the commands of a conversation run; NotFound if it is gone.
func (s *Store) HookExecTarget(ctx context.Context, key chat.SessionKey) (hook.ExecTarget, error) {
	r, err := dbsqlc.Q.HookPlace(ctx, s.db.Pool, key)
	return hook.ExecTarget{User: r.UserID, Runner: r.Runner, Cwd: r.Cwd, CwdRunner: r.CwdRunner}, pg.Classify(err)
}

// HookClaimed lists what a turn has claimed that hooks have not got before.
func (s *Store) HookClaimed(ctx context.Context, turn chat.TurnID) ([]hook.Claimed, error) {
	rows, err := dbsqlc.Q.HookClaimed(ctx, s.db.Pool, string(turn))
	out := make([]hook.Claimed, len(rows))
	for i, r := range rows {
		out[i] = hook.Claimed{ID: r.ID, Text: r.Content, Origin: r.Origin, Key: r.Key}
	}
	return out, pg.Classify(err)
}

// HookEnd returns the last answer of a turn, and the notice with it.
func (s *Store) HookEnd(ctx context.Context, turn chat.TurnID) (answer, notice string, err error) {
	row, err := dbsqlc.Q.HookEnd(ctx, s.db.Pool, turn)
	return row.Answer, row.Notice, pg.Classify(err)
}

// HookBatch lists the calls of a step.
func (s *Store) HookBatch(ctx context.Context, turn chat.TurnID, step int) ([]chat.ToolCall, error) {
	calls, err := conversation.CallsOfStep(ctx, s.db.Pool, turn, step)
	return calls, pg.Classify(err)
}

// RecordHook stores the outcome of an event's hooks and acts on it, in one transaction and once: fresh is false if an outcome
// was recorded before, which stays in force. First, it deletes some outdated records.
func (s *Store) RecordHook(ctx context.Context, r hook.Record) (fresh bool, err error) {
	if err := s.forgetHooks(ctx); err != nil {
		return false, err
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		var upto chat.MessageID
		for _, id := range r.Messages {
			upto = max(upto, id)
		}
		notes := make([]string, 0, len(r.Outcome.Notes))
		for _, n := range r.Outcome.Notes {
			notes = append(notes, chat.Clean(n))
		}
		n, err := dbsqlc.Q.HookRecord(ctx, tx, dbsqlc.HookRecordParams{
			ID: r.ID, SessionKey: r.Session, TurnID: r.Turn, Event: string(r.Event), Decision: string(r.Outcome.Decision),
			Reason: chat.Clean(r.Outcome.Reason), Context: chat.Clean(r.Outcome.Context), Notes: notes, MessageUpto: int64(upto),
		})
		if err != nil {
			return fmt.Errorf("record what hooks said to %s: %w", r.ID, err)
		}
		if fresh = n == 1; !fresh {
			return nil
		}
		return actOnHook(ctx, tx, r)
	})
	return fresh, err
}

// forgetHooks deletes some outdated outcomes: more than are recorded, so that they do not pile up. It runs in a separate
// transaction, which holds no other locks while it waits.
func (s *Store) forgetHooks(ctx context.Context) error {
	if s.HooksKeep <= 0 {
		return nil
	}
	if err := dbsqlc.Q.HookForget(ctx, s.db.Pool, s.HooksKeep.Seconds()); err != nil {
		return pg.Classify(fmt.Errorf("forget what hooks said long ago: %w", err))
	}
	return nil
}

// HookOutcome returns the recorded outcome of an event; ok is false if there is none.
func (s *Store) HookOutcome(ctx context.Context, id string) (out hook.Outcome, ok bool, err error) {
	row, err := dbsqlc.Q.HookGet(ctx, s.db.Pool, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return out, false, nil
	}
	return hook.Outcome{Decision: hook.Decision(row.Decision), Reason: row.Reason, Context: row.Context, Notes: row.Notes}, err == nil, pg.Classify(err)
}

func actOnHook(ctx context.Context, t *pg.Tx, r hook.Record) error {
	denied := r.Outcome.Decision == hook.Deny
	switch {
	case r.Event == hook.PreToolUse:
		return ruleOfHook(ctx, t, r)
	case r.Event == hook.PermissionRequest && denied:
		return calls.FinishCall(ctx, t, r.Call, refusedByHook(r.Outcome.Reason))
	case r.Call != "":
		return noteOfHook(ctx, t, r)
	case denied && r.Event.Denies():
		return refuseClaimed(ctx, t, r)
	case r.Outcome.Context != "" && r.Event.AddsContext():
		m := chat.Message{
			Session: r.Session, Turn: r.Turn, Role: chat.RoleUser, Origin: chat.OriginHook,
			Content: chat.Clean("[context from a hook, " + string(r.Event) + "]\n" + r.Outcome.Context),
		}
		return conversation.AppendMessage(ctx, t, &m, "")
	}
	return nil
}

// refusedByHook returns the result of a call that hooks forbid.
func refusedByHook(reason string) chat.ToolResult {
	reason = cmp.Or(reason, i18n.Say(i18n.English, i18n.HookNoReason))
	return chat.ToolResult{Content: i18n.Say(i18n.English, i18n.HookRefusedCall, reason), IsError: true}
}

// ruleOfHook stores in a call the outcome of the hooks before it.
func ruleOfHook(ctx context.Context, t *pg.Tx, r hook.Record) error {
	p := dbsqlc.HookRuleParams{ID: r.Call, Hook: chat.HookPassed}
	switch r.Outcome.Decision {
	case hook.Deny:
		p.Hook = chat.HookDenied
	case hook.Defer:
		p.Hook, p.Rule, p.Reason = chat.HookDeferred, string(chat.RuleAsk), chat.Clean(r.Outcome.Reason)
	case hook.Ask:
		p.Rule, p.Reason = string(chat.RuleAsk), chat.Clean(r.Outcome.Reason)
	}
	if r.Outcome.Context != "" && p.Hook != chat.HookDenied {
		p.Note = chat.Clean(i18n.Say(i18n.English, i18n.HookSays, r.Outcome.Context))
	}
	if r.Changed != nil && p.Hook != chat.HookDenied {
		if err := changedByHook(ctx, t, r, &p); err != nil {
			return err
		}
	}
	row, err := dbsqlc.Q.HookRule(ctx, t, p)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it has its result: the turn was stopped
	}
	if err != nil {
		return fmt.Errorf("note what hooks said before call %s: %w", r.Call, err)
	}
	if p.Hook == chat.HookDenied {
		return calls.FinishCall(ctx, t, r.Call, refusedByHook(r.Outcome.Reason))
	}
	if r.Changed != nil {
		t.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
	}
	return nil
}

// changedByHook stores a call as changed by a hook, and marks its approval with the name of the hook.
func changedByHook(ctx context.Context, t *pg.Tx, r hook.Record, p *dbsqlc.HookRuleParams) error {
	lang, err := conversation.LangOfTurn(ctx, t, r.Turn)
	if err != nil {
		return err
	}
	p.Arguments, p.Summary = new(r.Changed.Arguments), new(chat.Clean(r.Changed.Summary))
	p.Judged, p.Always, p.Digest = r.Changed.Ruling.Judged, append([]chat.ToolRule{}, r.Changed.Ruling.Always...), r.Changed.Ruling.Digest
	p.Rule = cmp.Or(p.Rule, string(r.Changed.Rule))
	p.Reason = strings.TrimSpace(i18n.Say(lang, i18n.HookChangedAsks, chat.Clean(r.Changed.By)) + " " + p.Reason)
	p.Note += i18n.Say(i18n.English, i18n.HookChanged, chat.Clean(r.Changed.By))
	return nil
}

// noteOfHook adds the context from hooks to the result of a call.
func noteOfHook(ctx context.Context, t *pg.Tx, r hook.Record) error {
	if r.Outcome.Context == "" || !r.Event.AddsContext() {
		return nil
	}
	note := "\n\n" + i18n.Say(i18n.English, i18n.HookSays, r.Outcome.Context)
	row, err := dbsqlc.Q.HookNote(ctx, t, dbsqlc.HookNoteParams{ID: r.Call, Note: chat.Clean(note)})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("add what hooks said to call %s: %w", r.Call, err)
	}
	t.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
	return nil
}

// refuseClaimed hides from the model the messages that hooks refuse, and appends a notice.
func refuseClaimed(ctx context.Context, t *pg.Tx, r hook.Record) error {
	ids := make([]int64, len(r.Messages))
	for i, id := range r.Messages {
		ids[i] = int64(id)
	}
	rows, err := dbsqlc.Q.HookRefuse(ctx, t, dbsqlc.HookRefuseParams{TurnID: string(r.Turn), Ids: ids})
	if err != nil {
		return fmt.Errorf("take out what hooks refuse: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	lang, err := conversation.LangOfTurn(ctx, t, r.Turn)
	if err != nil {
		return err
	}
	say := i18n.HookRefusedMessage
	if r.Event != hook.UserPromptSubmit {
		say = i18n.HookRefusedTold
	}
	return conversation.AppendNotice(ctx, t, r.Session, r.Turn, i18n.Say(lang, say, cmp.Or(chat.Clean(r.Outcome.Reason), i18n.Say(lang, i18n.HookNoReason))))
}

// HookUnanswered reports whether anything that a turn has claimed is left for the model.
func (s *Store) HookUnanswered(ctx context.Context, turn chat.TurnID) (bool, error) {
	left, err := dbsqlc.Q.HookUnanswered(ctx, s.db.Pool, string(turn))
	return left, pg.Classify(err)
}

// DeferredCall is a call that waits for an administrator.
type DeferredCall struct {
	chat.ToolCall

	Session chat.SessionKey
	Owner   string // name of the owner of its conversation
}

// DeferredCalls lists the calls that wait for an administrator, the longest first; at most a hundred.
func (s *Store) DeferredCalls(ctx context.Context) ([]DeferredCall, error) {
	rows, err := dbsqlc.Q.HookDeferred(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list deferred calls: %w", err))
	}
	out := make([]DeferredCall, len(rows))
	for i, r := range rows {
		out[i] = DeferredCall{Session: r.SessionKey, Owner: r.UserName, ToolCall: chat.ToolCall{
			ID: r.ID, Name: r.Name, Class: r.Class, Arguments: r.Arguments, State: r.State, Summary: r.Summary,
			Approval: &chat.Approval{State: r.Approval, Reason: r.Reason, AskedAt: *r.AskedAt, Deferred: true},
		}}
	}
	return out, nil
}
