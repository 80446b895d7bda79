package calls

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/question"
	"xbot/internal/user/notices"
	"xbot/internal/user/permissions"
)

// maxReason limits the reason that is shown with a question, in characters.
const maxReason = 500

// Ask opens the question to the user whether a call may run, once, and returns the call as it is afterwards: its
// approval is nil if the call needs none, and open only while an answer is awaited. If a user allows all calls of the turn, it
// is allowed at once in their name.
func (s *Store) Ask(ctx context.Context, id chat.CallID, q chat.Request) (chat.Call, error) {
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		turn, err := lockTurn(ctx, tx, id)
		if err != nil {
			return err
		}
		if q.Reason, err = reasonOf(ctx, tx, turn.ID, q); err != nil {
			return err
		}
		row, err := dbsqlc.Q.ApprovalOpen(ctx, tx, dbsqlc.ApprovalOpenParams{ID: id, Reason: chat.Clean(q.Reason), MaxReason: maxReason, Preview: chat.Clean(q.Preview)})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("ask about call %s: %w", id, err)
		}
		if allowed, err := allowByTurn(ctx, tx, turn, id); err != nil || allowed {
			return err
		}
		if allowed, err := allowByAccount(ctx, tx, row); err != nil || allowed {
			return err
		}
		tx.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
		if row.Hook == chat.HookDeferred {
			return nil // its user cannot answer it
		}
		if err := askParent(ctx, tx, row); err != nil {
			return err
		}
		if err := notices.NotifyQuestion(ctx, tx, row.TurnID); err != nil {
			return err
		}
		return sendQuestion(ctx, tx, id)
	})
	if err != nil {
		return chat.Call{}, err
	}
	return s.Call(ctx, id)
}

// ReopenCall makes a running call ask a user questions before it continues: it returns to its state before it began, and its turn asks and
// makes it again. It reports false for a call that has its result, or whose turn has ended.
func (s *Store) ReopenCall(ctx context.Context, id chat.CallID, questions []chat.Inquiry) (bool, error) {
	asks := false
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := lockTurn(ctx, tx, id); err != nil {
			return err
		}
		row, err := dbsqlc.Q.CallReopen(ctx, tx, dbsqlc.CallReopenParams{ID: id, Questions: questions})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("ask the questions of call %s: %w", id, err)
		}
		if err := dbsqlc.Q.QuestionForget(ctx, tx, string(id)); err != nil {
			return fmt.Errorf("forget what call %s has asked: %w", id, err)
		}
		asks = true
		tx.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
		return nil
	})
	return asks, err
}

// reasonOf returns the reason of an approval, starting with the change of the tool if there is one.
func reasonOf(ctx context.Context, tx *pg.Tx, turn chat.TurnID, q chat.Request) (string, error) {
	if q.Changed == "" || turn == "" {
		return q.Reason, nil
	}
	lang, err := conversation.LangOfTurn(ctx, tx, turn)
	return strings.TrimSpace(i18n.ToolChangedIn(lang, q.Changed) + " " + q.Reason), err
}

// Expire denies a call that was not answered in time. It does not change an earlier answer.
func (s *Store) Expire(ctx context.Context, id chat.CallID) error {
	return s.deny(ctx, id, chat.AnsweredByNobody, func(lang i18n.Lang) string { return i18n.Say(lang, i18n.Unanswered) })
}

// CloseAgentQuestion denies a call by which a coding agent asks, since the agent has ended, and wakes its turn. It does not change an
// earlier answer.
func (s *Store) CloseAgentQuestion(ctx context.Context, id chat.CallID, agent string) error {
	return s.deny(ctx, id, chat.AgentAnswerer+agent, func(lang i18n.Lang) string { return i18n.Say(lang, i18n.AgentEndedNote, agent) })
}

// deny denies an open call without a user. It wakes the turn unless the turn itself denies.
func (s *Store) deny(ctx context.Context, id chat.CallID, by string, note func(i18n.Lang) string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.CallGet(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // the session was deleted
		}
		if err != nil {
			return fmt.Errorf("read call %s: %w", id, err)
		}
		lang, err := conversation.LangOfTurn(ctx, tx, row.TurnID)
		if err != nil {
			return err
		}
		wakes := by != chat.AnsweredByNobody
		row, err = dbsqlc.Q.ApprovalExpire(ctx, tx, dbsqlc.ApprovalExpireParams{ID: id, Note: note(lang), AnsweredBy: by, Wakes: wakes})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("deny call %s: %w", id, err)
		}
		tx.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
		if wakes {
			tx.WakeTurn(row.SessionKey, "", "the agent that asked has ended")
		}
		return settleQuestion(ctx, tx, id)
	})
}

// Answer is a user's answer to the question whether a call may run.
type Answer struct {
	Session  chat.SessionKey
	User     chat.UserID
	UserName string
	Call     chat.CallID // empty: the open question of the session that has waited longest
	Key      string      // id of the message or of the button press, if there is one; the same again finds the answer that it gave
	Allow    bool
	Note     string
	Always   bool // with Allow: from now on such a call needs no permission; the call lists the rules that this sets
	// Changed goes with Allow: the call as changed by the user, which runs instead. The caller has judged it.
	Changed *chat.Change
	// Answers goes with Allow if the call asks questions, and only then.
	Answers chat.Answers
	// Shows is a call whose question the notice of AnswerInWords shows, in the chat where the message was written: later messages
	// answer it.
	Shows chat.CallID
	// Connected is true if the account that the call waits for was connected, which a user cannot claim.
	Connected bool
}

// ErrNothingAsked is the error of Answer if it names no call and no question is open.
var ErrNothingAsked error = fault.Errorf(fault.Conflict, "nothing in this conversation waits for permission")

// Answer records the answer, if the question is open, the user is the one who was asked (in a group: an administrator, and
// for questions of the model also the user that the turn answers) and the turn still runs. Answers that do not fit the questions
// are Invalid. A rule that it sets belongs to the session's owner. Once it returns, the answer counts, even if a process
// dies; the caller wakes the turn. Otherwise it returns Conflict with what happened before, or NotFound for an unrelated user.
func (s *Store) Answer(ctx context.Context, a Answer) (chat.ToolCall, error) {
	var out chat.ToolCall
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		var err error
		if a.Call == "" {
			var done bool
			if a.Call, a.Session, out, done, err = oldestOpenCall(ctx, tx, a); err != nil || done {
				return err
			}
		}
		row, err := AnswerCall(ctx, tx, a)
		if err != nil {
			return err
		}
		out = conversation.CallOf(row)
		return nil
	})
	return out, err
}

// wide refuses to answer a call that waits for an administrator, or that changes settings, if the request's token covers only conversations.
func wide(ctx context.Context, t *pg.Tx, a Answer) error {
	if !pg.Narrow(ctx) || a.Connected {
		return nil
	}
	row, err := dbsqlc.Q.CallGet(ctx, t, a.Call)
	switch {
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("read call %s: %w", a.Call, err)
	case err == nil && row.SessionKey == a.Session && row.Hook == chat.HookDeferred:
		return i18n.Fault(fault.Denied, i18n.HookDeferredText)
	case err == nil && row.SessionKey == a.Session && row.Name == chat.ConfigTool:
		return i18n.Fault(fault.Denied, i18n.ConfigNarrow)
	}
	return nil
}

// oldestOpenCall returns the call that an answer without a call is for, which may be one of a subagent; done is true if the same
// message has answered the returned call before.
func oldestOpenCall(ctx context.Context, t *pg.Tx, a Answer) (id chat.CallID, key chat.SessionKey, before chat.ToolCall, done bool, err error) {
	row, err := dbsqlc.Q.ApprovalByKey(ctx, t, dbsqlc.ApprovalByKeyParams{SessionKey: a.Session, AnswerKey: chat.Clean(a.Key), UserID: int64(a.User)})
	if err == nil {
		return row.ID, row.SessionKey, conversation.CallOf(row), true, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return "", "", before, false, fmt.Errorf("look for an earlier answer: %w", err)
	}
	row, err = oldestApproval(ctx, t, a.Session, a.User, a.Allow && a.Answers == nil)
	if errors.Is(err, pgx.ErrNoRows) && a.Allow { // a permission does not answer a question
		if row, err = oldestApproval(ctx, t, a.Session, a.User, false); err == nil {
			return "", "", before, false, i18n.Fault(fault.Invalid, i18n.InquiryOpen)
		}
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", before, false, nothingOpen(ctx, t, a)
	}
	if err != nil {
		return "", "", before, false, fmt.Errorf("find the open question: %w", err)
	}
	return row.ID, row.SessionKey, before, false, nil
}

// nothingOpen returns the error for an answer without an open question: a hook may have deferred the call that waits.
func nothingOpen(ctx context.Context, t *pg.Tx, a Answer) error {
	deferred, err := dbsqlc.Q.ApprovalDeferred(ctx, t, dbsqlc.ApprovalDeferredParams{SessionKey: a.Session, UserID: int64(a.User)})
	switch {
	case err != nil:
		return fmt.Errorf("look for deferred calls: %w", err)
	case deferred:
		return i18n.Fault(fault.Denied, i18n.HookDeferredText)
	}
	return ErrNothingAsked
}

// oldestApproval returns the call of a session that has waited longest for an answer that the user may give.
func oldestApproval(ctx context.Context, t *pg.Tx, key chat.SessionKey, user chat.UserID, permissions bool) (dbsqlc.ToolCall, error) {
	return dbsqlc.Q.ApprovalOldest(ctx, t, dbsqlc.ApprovalOldestParams{SessionKey: key, UserID: int64(user), Permissions: permissions})
}

// AnswerCall records a user's answer for a call.
func AnswerCall(ctx context.Context, t *pg.Tx, a Answer) (dbsqlc.ToolCall, error) {
	state := chat.ApprovalDenied
	if a.Allow {
		state = chat.ApprovalAllowed
	}
	if err := wide(ctx, t, a); err != nil {
		return dbsqlc.ToolCall{}, err
	}
	answers, err := fitAnswers(ctx, t, a)
	if err != nil {
		return dbsqlc.ToolCall{}, err
	}
	p := dbsqlc.ApprovalAnswerParams{
		ID: a.Call, SessionKey: a.Session, UserID: int64(a.User), Approval: state, Note: chat.Clean(a.Note), AnsweredBy: a.UserName, AnswerKey: chat.Clean(a.Key),
		Answers: answers,
	}
	if a.Changed != nil {
		p.Arguments, p.Summary, p.Plan = new(chat.Clean(a.Changed.Arguments)), new(chat.Clean(a.Changed.Summary)), a.Changed.Plan
		p.Digest = a.Changed.Digest
		if p.Plan == nil { // the result of a plan has the changes
			p.Told = i18n.Say(i18n.English, i18n.CallEdited)
		}
	}
	row, err := dbsqlc.Q.ApprovalAnswer(ctx, t, p)
	if errors.Is(err, pgx.ErrNoRows) {
		return answeredBefore(ctx, t, a)
	}
	if err != nil {
		return row, fmt.Errorf("answer for call %s: %w", a.Call, err)
	}
	if a.Allow && a.Always {
		for _, r := range conversation.CallOf(row).Always {
			added, err := permissions.AllowIn(ctx, t, a.Session, r)
			if err != nil {
				return row, fmt.Errorf("set the rule of %s: %w", row.Name, err)
			}
			if !added {
				return row, fault.Errorf(fault.Conflict, "there are %d rules, which is the most that are kept; allow it once, or remove some first", chat.MaxToolRules)
			}
		}
	}
	t.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
	if row.Plan != nil {
		if err := conversation.Planned(ctx, t, row.TurnID, a.Allow); err != nil {
			return row, err
		}
	}
	return row, settleQuestion(ctx, t, row.ID)
}

// answeredBefore finds an answer that was recorded earlier under the same key, or returns why the answer is not accepted.
func answeredBefore(ctx context.Context, t *pg.Tx, a Answer) (dbsqlc.ToolCall, error) {
	row, err := dbsqlc.Q.ApprovalByKey(ctx, t, dbsqlc.ApprovalByKeyParams{SessionKey: a.Session, AnswerKey: chat.Clean(a.Key), UserID: int64(a.User)})
	if err == nil && row.ID == a.Call {
		return row, nil
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return row, fmt.Errorf("look for an earlier answer: %w", err)
	}
	return row, whyNotAnswered(ctx, t, a)
}

// fitAnswers checks an answer against the questions of its call, if the answer could count: a late or unauthorized one gets
// that error instead.
func fitAnswers(ctx context.Context, t *pg.Tx, a Answer) (chat.Answers, error) {
	row, err := dbsqlc.Q.CallGet(ctx, t, a.Call)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && (row.SessionKey != a.Session || row.Approval != chat.ApprovalOpen) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read call %s: %w", a.Call, err)
	}
	if may, _, err := mayAnswer(ctx, t, a); err != nil || !may {
		return nil, err
	}
	switch asks := len(row.Questions) > 0; {
	case a.Changed != nil && asks:
		return nil, i18n.Fault(fault.Invalid, i18n.EditQuestions)
	case a.Changed != nil && row.Hook == chat.HookDeferred:
		return nil, i18n.Fault(fault.Invalid, i18n.EditHooked, row.Name)
	case a.Changed != nil && (row.Plan != nil) != (a.Changed.Plan != nil):
		return nil, i18n.Fault(fault.Invalid, i18n.EditGone, row.Name)
	case a.Changed != nil && a.Always:
		return nil, i18n.Fault(fault.Invalid, i18n.EditAlways)
	case !asks && a.Always && len(conversation.CallOf(row).Always) == 0:
		return nil, i18n.Fault(fault.Invalid, i18n.AlwaysNone)
	case !asks && len(a.Answers) > 0:
		return nil, i18n.Fault(fault.Invalid, i18n.InquiryNone)
	case !asks || !a.Allow:
		return nil, nil
	case row.Questions[0].Connect != nil && !a.Connected:
		return nil, i18n.Fault(fault.Invalid, i18n.OAuthByLink, row.Questions[0].Connect.Name)
	case a.Always:
		return nil, i18n.Fault(fault.Invalid, i18n.InquiryAlways)
	case len(a.Answers) == 0:
		answers, ok := question.Approve(row.Questions)
		if !ok {
			return nil, i18n.Fault(fault.Invalid, i18n.InquiryOpen)
		}
		return answers, nil
	}
	return question.Fit(row.Questions, a.Answers)
}

// mayAnswer reports whether the user may answer for the call, and whether they may know of it: they may know of a call that a hook
// has deferred without being allowed to decide it. It returns false for both if the call does not exist.
func mayAnswer(ctx context.Context, t *pg.Tx, a Answer) (may, concerned bool, err error) {
	row, err := dbsqlc.Q.ApprovalMay(ctx, t, dbsqlc.ApprovalMayParams{ID: a.Call, UserID: int64(a.User)})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("read session of call %s: %w", a.Call, err)
	}
	return row.May, row.May || row.Concerned, nil
}

// whyNotAnswered returns why an answer found no open question.
func whyNotAnswered(ctx context.Context, t *pg.Tx, a Answer) error {
	row, err := dbsqlc.Q.CallGet(ctx, t, a.Call)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read call %s: %w", a.Call, err)
	}
	may, concerned, mayErr := mayAnswer(ctx, t, a)
	if mayErr != nil {
		return mayErr
	}
	if err != nil || row.SessionKey != a.Session || !concerned {
		return fault.Errorf(fault.NotFound, "there is no call %q in this conversation", a.Call)
	}
	if !may && row.Approval == chat.ApprovalOpen {
		return i18n.Fault(fault.Denied, i18n.HookDeferredText)
	}
	switch row.Approval {
	case chat.ApprovalAllowed, chat.ApprovalDenied:
		if len(row.Questions) > 0 && row.Approval == chat.ApprovalAllowed {
			return fault.Errorf(fault.Conflict, "this was answered before, by %s: %s", row.AnsweredBy, question.Summary(row.Questions, row.Answers))
		}
		return fault.Errorf(fault.Conflict, "this was answered before: %s by %s", row.Approval, row.AnsweredBy)
	case chat.ApprovalVoid, chat.ApprovalOpen:
		return fault.Errorf(fault.Conflict, "the turn that asked has ended, so the answer came too late")
	}
	return fault.Errorf(fault.Conflict, "this call did not ask for permission")
}

// Answered lists the answered calls of a turn that the turn has not acted on yet.
func (s *Store) Answered(ctx context.Context, turn chat.TurnID) ([]chat.CallID, error) {
	ids, err := dbsqlc.Q.ApprovalAnswered(ctx, s.db.Pool, turn)
	return ids, pg.Classify(err)
}
