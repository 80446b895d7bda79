package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/quota"
	"xbot/internal/user/users"
)

const (
	// maxMemorizeError limits the stored reason of a failed try, in bytes.
	maxMemorizeError = 500
	// MemorizeAfter is how long the relay assumes that the workflow of a job runs, before it checks again.
	MemorizeAfter = 15 * time.Second
)

// removedPart is a conversation, or a part of one, that is removed from the context.
type removedPart struct {
	session chat.SessionKey
	key     string         // makes it unique within the session
	trigger string         // one of chat.Memorize*
	upto    chat.MessageID // its last message
	newest  chat.ControlID
}

// addMemorizeJob records that a conversation is to be written into memory, from the end of the last job, or else from where the
// model's view began. It does not wait: the relay starts the work. Call it before the session is reset. If the policy of its
// agent disables memorizing, it records nothing.
func addMemorizeJob(ctx context.Context, t *pg.Tx, l removedPart) error {
	if wanted, err := memorizes(ctx, t, l.session); err != nil || !wanted {
		return err
	}
	err := dbsqlc.Q.MemorizeJobAdd(ctx, t, dbsqlc.MemorizeJobAddParams{
		SessionKey: l.session, Key: l.key, Trigger: l.trigger, Upto: int64(l.upto), Newest: int64(l.newest),
		Anybody: l.trigger == chat.MemorizeSubagent, // it talks only with its parent
	})
	if err != nil {
		return fmt.Errorf("note what is to be memorized: %w", err)
	}
	return nil
}

// memorizes reports whether the user and the policy allow writing this conversation into memory. It reads the document on the
// connection of the transaction: waiting for another connection of the pool could be a deadlock.
func memorizes(ctx context.Context, t *pg.Tx, key chat.SessionKey) (bool, error) {
	s, err := dbsqlc.Q.SessionAgent(ctx, t, key)
	if err != nil {
		return false, fmt.Errorf("look up the agent of %s: %w", key, err)
	}
	if s.Off {
		return false, nil
	}
	newest, err := dbsqlc.Q.PolicyNewest(ctx, t, 0)
	if errors.Is(err, pgx.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the policy: %w", err)
	}
	var p policy.Policy
	if err := json.Unmarshal(newest.Body, &p); err != nil {
		return false, fmt.Errorf("decode policy %d: %w", newest.ID, err)
	}
	return p.Remembers(p.Agent(s.Agent)).Memorize, nil
}

// MemorizeSubagent records that the conversation of a subagent that may use memory is to be written into memory: when it
// answers once and has answered, or when it is unloaded.
func MemorizeSubagent(ctx context.Context, t *pg.Tx, agent dbsqlc.Subagent) error {
	var profile chat.Profile
	if err := json.Unmarshal(agent.Profile, &profile); err != nil {
		return fmt.Errorf("decode the profile of subagent %s: %w", agent.SessionKey, err)
	}
	if !profile.Memory {
		return nil
	}
	newest, err := dbsqlc.Q.ResetNewest(ctx, t, agent.SessionKey)
	if err != nil {
		return fmt.Errorf("look for the newest message: %w", err)
	}
	return addMemorizeJob(ctx, t, removedPart{
		session: agent.SessionKey, key: fmt.Sprintf("subagent/%d", newest.MessageID), trigger: chat.MemorizeSubagent, upto: chat.MessageID(newest.MessageID),
		newest: math.MaxInt64, // any that exists by then
	})
}

// MemorizesToStart returns jobs whose workflow may be missing.
func (s *Store) MemorizesToStart(ctx context.Context) ([]chat.MemorizeID, error) {
	ids, err := dbsqlc.Q.MemorizeJobToStart(ctx, s.db.Pool, pg.Interval(MemorizeAfter))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for what is to be memorized: %w", err))
	}
	return ids, nil
}

// MemorizeJob reads a job. It returns NotFound if its session was deleted.
func (s *Store) MemorizeJob(ctx context.Context, id chat.MemorizeID) (chat.MemorizeJob, error) {
	r, err := dbsqlc.Q.MemorizeJobGet(ctx, s.db.Pool, id)
	if err != nil {
		return chat.MemorizeJob{}, pg.Classify(fmt.Errorf("read memorize job %d: %w", id, err))
	}
	out := chat.MemorizeJob{
		ID: r.ID, Session: r.SessionKey, User: r.UserID, UserName: r.UserName, Trigger: r.Trigger, State: r.State, Tries: int(r.Tries),
		Done: chat.MessageID(r.DoneUpto), Upto: chat.MessageID(r.Upto), Newest: chat.ControlID(r.Newest),
	}
	if r.CompactionID != nil {
		out.Compaction = new(chat.ControlID(*r.CompactionID))
	}
	if r.PartUpto != nil {
		out.Part = chat.MessageID(*r.PartUpto)
	}
	return out, nil
}

// MemorizeWindow returns the rest of a job: the conversation as it was when it was removed from the context, with the
// summary of its beginning if no part is done yet.
func (s *Store) MemorizeWindow(ctx context.Context, j chat.MemorizeJob) (chat.Window, error) {
	p := span{from: j.Done, last: j.Upto, newest: j.Newest}
	if j.Compaction != nil {
		c, err := dbsqlc.Q.ControlMessage(ctx, s.db.Pool, *j.Compaction)
		if err != nil {
			return chat.Window{}, pg.Classify(fmt.Errorf("read compaction %d: %w", *j.Compaction, err))
		}
		if c == j.Done {
			p.compaction = j.Compaction
		}
	}
	w, err := s.window(ctx, j.Session, p)
	return w, pg.Classify(err)
}

// MemorizeSpan returns when the messages of a part were written.
func (s *Store) MemorizeSpan(ctx context.Context, key chat.SessionKey, after, upto chat.MessageID) (from, to time.Time, err error) {
	r, err := dbsqlc.Q.MemorizeJobSpan(ctx, s.db.Pool, dbsqlc.MemorizeJobSpanParams{SessionKey: key, After: int64(after), Upto: int64(upto)})
	return r.Since, r.Until, pg.Classify(err)
}

// MemorizePart sets where the next part of a job ends, and returns where it does: the end that an earlier attempt has set
// stays, unless the part is to be shorter. It returns Unavailable if another attempt is further.
func (s *Store) MemorizePart(ctx context.Context, j chat.MemorizeJob, upto chat.MessageID, shorter bool) (chat.MessageID, error) {
	got, err := dbsqlc.Q.MemorizeJobPart(ctx, s.db.Pool, dbsqlc.MemorizeJobPartParams{ID: j.ID, Done: int64(j.Done), Part: int64(upto), Shorter: shorter})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.Errorf(fault.Unavailable, "another attempt to memorize is further")
	}
	return chat.MessageID(got), pg.Classify(err)
}

// Memorized records that a part of a job is in memory.
func (s *Store) Memorized(ctx context.Context, j chat.MemorizeJob, upto chat.MessageID) error {
	return pg.Classify(dbsqlc.Q.MemorizeJobAdvance(ctx, s.db.Pool, dbsqlc.MemorizeJobAdvanceParams{ID: j.ID, Done: int64(j.Done), Upto: int64(upto)}))
}

// MemorizeTried counts a failure and returns how many there were in a row, or 0 if the job has ended.
func (s *Store) MemorizeTried(ctx context.Context, id chat.MemorizeID, why string) (int, error) {
	n, err := dbsqlc.Q.MemorizeJobTried(ctx, s.db.Pool, dbsqlc.MemorizeJobTriedParams{ID: id, Error: short(why)})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return int(n), pg.Classify(err)
}

// EndMemorize ends a job, once. If it changed memory, the next turn of the conversation reads memory again; if it
// failed permanently, the user gets a notice.
func (s *Store) EndMemorize(ctx context.Context, j chat.MemorizeJob, state, why string, changed bool) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		key, err := dbsqlc.Q.MemorizeJobEnd(ctx, tx, dbsqlc.MemorizeJobEndParams{ID: j.ID, State: state, Error: short(why)})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("end memorize job %d: %w", j.ID, err)
		}
		if changed {
			if err := dbsqlc.Q.MemoryPartDrop(ctx, tx, key); err != nil {
				return fmt.Errorf("drop the memory of the prompt: %w", err)
			}
		}
		if state != chat.MemorizeFailed || j.Trigger == chat.MemorizeSubagent { // no user reads there
			return nil
		}
		lang, err := users.LanguageOf(ctx, tx, j.User, key, "")
		if err != nil {
			return err
		}
		m := chat.Message{Session: key, Role: chat.RoleNotice, Origin: chat.OriginContext, Content: i18n.Say(lang, i18n.MemorizeFailed, i18n.Reason(lang, why))}
		return AppendMessage(ctx, tx, &m, "")
	})
}

func short(why string) string {
	why = chat.Clean(why)
	if len(why) > maxMemorizeError {
		why = chat.Clean(why[:maxMemorizeError])
	}
	return why
}

// HoldMemorize takes a lease for the model calls of a job: one job of a tenant at a time, and only while answers leave a
// lease free. It returns RateLimited if it has to wait.
func (s *Store) HoldMemorize(ctx context.Context, j chat.MemorizeJob) error {
	most, err := s.quota.Caps(ctx)
	if err != nil {
		return err
	}
	held := true
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := users.Lock(ctx, tx, j.User); err != nil {
			return fmt.Errorf("lock memory: %w", err)
		}
		held, err = dbsqlc.Q.MemorizeJobHold(ctx, tx, dbsqlc.MemorizeJobHoldParams{
			ID: j.ID, Lease: pg.Interval(quota.LeaseTime), MostGlobal: int32(most.LLM.Global), MostPersonal: int32(most.LLM.Personal), MostSubagent: int32(most.LLM.Subagent),
		})
		return err
	})
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if !held {
		return quota.Full(2000)
	}
	return nil
}

// KeepMemorize renews the lease of HoldMemorize.
func (s *Store) KeepMemorize(ctx context.Context, id chat.MemorizeID) error {
	return pg.Classify(dbsqlc.Q.MemorizeJobKeep(ctx, s.db.Pool, dbsqlc.MemorizeJobKeepParams{ID: id, Lease: pg.Interval(quota.LeaseTime)}))
}

// ReleaseMemorize releases the lease.
func (s *Store) ReleaseMemorize(ctx context.Context, id chat.MemorizeID) error {
	return pg.Classify(dbsqlc.Q.MemorizeJobRelease(ctx, s.db.Pool, id))
}

// MemorizeJobs returns the newest n jobs of a user.
func (s *Store) MemorizeJobs(ctx context.Context, user chat.UserID, n int) ([]chat.MemorizeNote, error) {
	rows, err := dbsqlc.Q.MemorizeJobList(ctx, s.db.Pool, dbsqlc.MemorizeJobListParams{UserID: user, N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list what was memorized: %w", err))
	}
	out := make([]chat.MemorizeNote, len(rows))
	for i, r := range rows {
		out[i] = chat.MemorizeNote{ID: r.ID, Session: r.SessionKey, Title: r.Title, Trigger: r.Trigger, State: r.State, Error: r.Error, At: r.CreatedAt}
	}
	return out, nil
}
