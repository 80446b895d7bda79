// Package clientactions stores what models want users' clients to show, and the clients' answers.
package clientactions

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/tool/dbsqlc"
)

// Store keeps the actions. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// OpenClientAction asks the client for an action from which the newest message of the call's turn came, for as long as it lasts. The first one of
// a call wins. It returns the state of the action; ok is false if the message came from no client that could carry it out.
func (s *Store) OpenClientAction(ctx context.Context, in chat.SessionKey, a chat.ClientAction, lasts time.Duration) (at chat.ClientActionStanding, ok bool, err error) {
	err = dbsqlc.Q.ClientActionOpen(ctx, s.db.Pool, dbsqlc.ClientActionOpenParams{
		CallID: a.Call, SessionKey: in, Action: a.Action, What: a.What, Value: chat.Clean(a.Value), Lasts: pg.Interval(lasts),
	})
	if err != nil {
		return at, false, pg.Classify(fmt.Errorf("ask a client for an action: %w", err))
	}
	return s.ClientActionStanding(ctx, in, a.Call)
}

// ClientActionStanding returns the state of the action of a call; ok is false if there is none.
func (s *Store) ClientActionStanding(ctx context.Context, in chat.SessionKey, call chat.CallID) (at chat.ClientActionStanding, ok bool, err error) {
	rows, err := dbsqlc.Q.ClientActionStanding(ctx, s.db.Pool, dbsqlc.ClientActionStandingParams{CallID: call, SessionKey: in})
	if err != nil || len(rows) == 0 {
		return at, false, pg.Classify(err)
	}
	r := rows[0]
	return chat.ClientActionStanding{
		State: chat.ClientActionState(r.State), Reason: r.Reason, Sent: r.Sent, Age: time.Duration(r.Age * float64(time.Second)),
	}, true, nil
}

// SendClientActions returns what a client of a user has to carry out in a conversation now, and records that it was sent there. What is not
// answered yet is returned again: the client knows by the call what it has done, and by TakeClientAction whether it may.
func (s *Store) SendClientActions(ctx context.Context, in chat.SessionKey, user chat.UserID, client string) ([]chat.ClientAction, error) {
	rows, err := dbsqlc.Q.ClientActionsSend(ctx, s.db.Pool, dbsqlc.ClientActionsSendParams{SessionKey: in, UserID: user, Client: chat.Clean(client)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the actions for a client: %w", err))
	}
	out := make([]chat.ClientAction, len(rows))
	for i, r := range rows {
		out[i] = chat.ClientAction{Call: chat.CallID(r.CallID), Action: r.Action, What: r.What, Value: r.Value}
	}
	return out, nil
}

// TakeClientAction gives an action to the client that carries it out. It gets it once, however many processes have its id: Conflict, if it was
// taken before, or its call waits no more. It returns NotFound if there is none for this client of this user.
func (s *Store) TakeClientAction(ctx context.Context, in chat.SessionKey, user chat.UserID, client string, call chat.CallID) error {
	n, err := dbsqlc.Q.ClientActionTake(ctx, s.db.Pool, dbsqlc.ClientActionTakeParams{CallID: call, SessionKey: in, UserID: user, Client: chat.Clean(client)})
	switch {
	case err != nil:
		return pg.Classify(fmt.Errorf("give an action to a client: %w", err))
	case n == 1:
		return nil
	}
	state, err := s.clientActionOf(ctx, in, user, client, call)
	switch {
	case err != nil:
		return err
	case state == chat.ActionExpired || state == chat.ActionOpen:
		return fault.Errorf(fault.Conflict, "nobody waits for this action any more")
	}
	return fault.Errorf(fault.Conflict, "this action was taken before")
}

// clientActionOf returns the state of an action of a client.
func (s *Store) clientActionOf(ctx context.Context, in chat.SessionKey, user chat.UserID, client string, call chat.CallID) (chat.ClientActionState, error) {
	known, err := dbsqlc.Q.ClientActionOf(ctx, s.db.Pool, dbsqlc.ClientActionOfParams{CallID: call, SessionKey: in, UserID: user, Client: chat.Clean(client)})
	switch {
	case err != nil:
		return "", pg.Classify(fmt.Errorf("look for an action: %w", err))
	case len(known) == 0:
		return "", fault.Errorf(fault.NotFound, "there is no such action for this client")
	}
	return chat.ClientActionState(known[0]), nil
}

// AnswerClientAction stores the client's answer to an action that it has taken. The same answer again changes nothing. It returns NotFound if there is none for
// this client of this user. It returns Conflict if it was not taken, was answered otherwise, or its call waits no more.
func (s *Store) AnswerClientAction(ctx context.Context, in chat.SessionKey, user chat.UserID, client string, call chat.CallID, state chat.ClientActionState, reason string) error {
	client = chat.Clean(client)
	n, err := dbsqlc.Q.ClientActionAnswer(ctx, s.db.Pool, dbsqlc.ClientActionAnswerParams{
		CallID: call, SessionKey: in, UserID: user, Client: client, State: string(state), Reason: chat.Clean(reason),
	})
	if err != nil || n == 1 {
		return pg.Classify(err)
	}
	is, err := s.clientActionOf(ctx, in, user, client, call)
	switch {
	case err != nil:
		return err
	case is == chat.ActionOpen:
		return fault.Errorf(fault.Conflict, "take the action first")
	case is != state:
		return fault.Errorf(fault.Conflict, "nobody waits for this answer any more")
	}
	return nil
}

// CloseClientAction ends the wait for an answer: from now on the action is neither sent nor answered.
func (s *Store) CloseClientAction(ctx context.Context, in chat.SessionKey, call chat.CallID) error {
	err := dbsqlc.Q.ClientActionClose(ctx, s.db.Pool, dbsqlc.ClientActionCloseParams{CallID: call, SessionKey: in})
	if err != nil {
		return pg.Classify(fmt.Errorf("end the wait for a client: %w", err))
	}
	return nil
}
