package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// SessionFilter selects conversations; empty members match all.
type SessionFilter struct {
	User    string
	Channel string
	Agent   string
	Active  int // minutes since the last message of a user, at most
	Limit   int
	After   SessionPlace // the listing begins after it
}

// SessionPlace is a position in the list of conversations by last use.
type SessionPlace struct {
	Key       chat.SessionKey // empty: before all
	UpdatedAt time.Time
}

// InspectSessions lists conversations of all users, newest first.
func (s *Store) InspectSessions(ctx context.Context, f SessionFilter) ([]ops.SessionSummary, error) {
	rows, err := dbsqlc.Q.InspectSessions(ctx, s.db.Pool, dbsqlc.InspectSessionsParams{
		UserName: f.User, Channel: f.Channel, Agent: f.Agent, ActiveMinutes: int32(f.Active), N: int32(f.Limit),
		AfterKey: string(f.After.Key), AfterTime: f.After.UpdatedAt,
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list sessions: %w", err))
	}
	out := make([]ops.SessionSummary, len(rows))
	for i, r := range rows {
		room, _ := s.limits.Of(cmp.Or(r.ContextModel, s.limits.Model))
		out[i] = ops.SessionSummary{
			Key: r.Key, User: r.UserName, Title: r.Title, Model: r.Model,
			Routing: chat.Routing{Agent: r.Agent, Channel: r.Channel, ChatType: r.ChatType, Scene: r.Scene},
			Running: chat.TurnID(r.Running), Queued: int(r.Queued),
			Tally: ops.Tally{
				Turns: int(r.Turns), Messages: int(r.Messages), Compactions: int(r.Compactions),
				InputTokens: r.InputTokens, CachedTokens: r.CachedTokens, OutputTokens: r.OutputTokens, TotalTokens: r.InputTokens + r.OutputTokens,
			},
			ContextTokens: int(r.ContextUsed), ContextMax: room,
			CreatedAt: r.CreatedAt, UpdatedAt: r.LastInteractionAt,
		}
		if err := json.Unmarshal(r.Origin, &out[i].Origin); err != nil {
			return nil, fmt.Errorf("decode the origin of %s: %w", r.Key, err)
		}
	}
	return out, nil
}

// InspectInbox lists accepted messages that have no answer yet, oldest first.
func (s *Store) InspectInbox(ctx context.Context, limit int) ([]ops.Unanswered, error) {
	rows, err := dbsqlc.Q.InspectInbox(ctx, s.db.Pool, int32(limit))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list unanswered messages: %w", err))
	}
	now := time.Now()
	out := make([]ops.Unanswered, len(rows))
	for i, r := range rows {
		out[i] = ops.Unanswered{
			Inbox: r.ID, Session: r.SessionKey, User: r.UserName, Channel: r.Channel, Kind: r.Kind, Mode: r.Mode, State: ops.InboxWaiting, Releases: int(r.Releases),
			Words: chat.FirstWords(r.Body, chat.SummaryWords), AcceptedAt: r.AcceptedAt, AgeSeconds: max(0, int(now.Sub(r.AcceptedAt).Seconds())),
		}
		if r.TurnID != nil {
			out[i].Turn = *r.TurnID
		}
		switch {
		case r.HeldToldAt != nil:
			out[i].State = ops.InboxHeld
		case r.Running:
			out[i].State = ops.InboxRunning
		case r.Throttled:
			out[i].State = ops.InboxThrottled
		}
	}
	return out, nil
}

// undeliveredDays is the age limit of listed failed deliveries, in days.
const undeliveredDays = 7

// maxReason is the shown part of a platform's error, in characters.
const maxReason = 300

// InspectUndelivered lists deliveries that did not arrive on their platform within the last seven days, or may not have, and those that wait
// after a failed try or for a minute; newest first.
func (s *Store) InspectUndelivered(ctx context.Context, limit int) ([]ops.Undelivered, error) {
	rows, err := dbsqlc.Q.InspectUndelivered(ctx, s.db.Pool, dbsqlc.InspectUndeliveredParams{Days: undeliveredDays, N: int32(limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list what was not delivered: %w", err))
	}
	out := make([]ops.Undelivered, len(rows))
	for i, r := range rows {
		out[i] = ops.Undelivered{
			Delivery: r.ID, Session: r.SessionKey, User: r.UserName, Channel: r.Channel, Account: r.Account, Kind: r.Kind, Outcome: r.State,
			Reason: chat.FirstWords(r.Error, maxReason), WrittenAt: r.CreatedAt, EndedAt: r.EndedAt,
		}
	}
	return out, nil
}

// InboxWaiting returns how many accepted messages wait for a turn, and the age of the oldest.
func (s *Store) InboxWaiting(ctx context.Context) (messages int, oldest time.Duration, err error) {
	r, err := dbsqlc.Q.InspectWaiting(ctx, s.db.Pool)
	return int(r.Waiting), time.Duration(r.OldestSeconds * float64(time.Second)), pg.Classify(err)
}

// InspectCounts returns the counts.
func (s *Store) InspectCounts(ctx context.Context) (ops.Counts, error) {
	r, err := dbsqlc.Q.InspectCounts(ctx, s.db.Pool)
	if err != nil {
		return ops.Counts{}, pg.Classify(fmt.Errorf("count: %w", err))
	}
	return ops.Counts{
		Users: int(r.Users), Sessions: int(r.Sessions), Running: int(r.Running), Waiting: int(r.Waiting), Oldest: int(r.OldestSeconds), Tasks: int(r.Tasks),
		Runners: int(r.Runners), Bytes: r.Bytes, EventBytes: r.EventBytes, PromptBytes: r.PromptBytes,
	}, nil
}

// TurnsSince lists the users who began turns since a time, and the models of these turns, each by name.
func (s *Store) TurnsSince(ctx context.Context, since time.Time) (people, models []string, err error) {
	rows, err := dbsqlc.Q.InspectTurnsSince(ctx, s.db.Pool, since)
	if err != nil {
		return nil, nil, pg.Classify(fmt.Errorf("list who began turns: %w", err))
	}
	for _, r := range rows {
		people = append(people, r.Name)
		if r.Model != "" { // its first call has not ended
			models = append(models, r.Model)
		}
	}
	slices.Sort(people)
	slices.Sort(models)
	return slices.Compact(people), slices.Compact(models), nil
}
