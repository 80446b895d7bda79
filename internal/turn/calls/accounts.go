package calls

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/question"
)

// Connected answers, in the transaction that stores an account, all calls of its user that wait for it and ask for no more than
// account.Asked, and returns their number. It wakes their turns.
func Connected(ctx context.Context, tx *pg.Tx, user chat.UserID, account chat.OAuthAccount) (answered int, err error) {
	if err := dbsqlc.Q.OAuthAccountMeet(ctx, tx, dbsqlc.OAuthAccountMeetParams{UserID: int64(user), Provider: account.Provider}); err != nil {
		return 0, fmt.Errorf("wait for who asks for an account: %w", err)
	}
	waiting, err := dbsqlc.Q.OAuthCallsWaiting(ctx, tx, dbsqlc.OAuthCallsWaitingParams{UserID: user, Provider: account.Provider, Asked: append([]string{}, account.Asked...)})
	if err != nil {
		return 0, fmt.Errorf("find the calls that wait for an account: %w", err)
	}
	for _, call := range waiting {
		said := connectedAs(call.Provider, account.Label)
		said.Session, said.User, said.UserName, said.Call = call.SessionKey, user, call.Person, call.ID
		counts, err := AnswerWaiting(ctx, tx, said)
		if err != nil {
			return 0, err
		}
		if counts {
			answered++
		}
	}
	return answered, nil
}

// AnswerWaiting answers a call and wakes its turn. counts is false, and nothing changes, if the call does not wait for this user.
func AnswerWaiting(ctx context.Context, tx *pg.Tx, a Answer) (counts bool, err error) {
	row, err := AnswerCall(ctx, tx, a)
	switch {
	case fault.Is(err, fault.Conflict), fault.Is(err, fault.NotFound), fault.Is(err, fault.Denied):
		return false, nil
	case err != nil:
		return false, err
	}
	tx.WakeTurn(row.SessionKey, "", "")
	return true, nil
}

// allowByAccount answers a call at once that asks for an account which was connected after its model had asked.
func allowByAccount(ctx context.Context, tx *pg.Tx, row dbsqlc.ToolCall) (bool, error) {
	if len(row.Questions) == 0 || row.Questions[0].Connect == nil {
		return false, nil
	}
	ask := row.Questions[0].Connect
	session, err := dbsqlc.Q.SessionGet(ctx, tx, row.SessionKey)
	if err != nil {
		return false, fmt.Errorf("read the session of call %s: %w", row.ID, err)
	}
	if err := dbsqlc.Q.OAuthAccountMeet(ctx, tx, dbsqlc.OAuthAccountMeetParams{UserID: int64(session.UserID), Provider: ask.Provider}); err != nil {
		return false, fmt.Errorf("wait for who connects an account: %w", err)
	}
	found, err := dbsqlc.Q.OAuthAccountOfCall(ctx, tx, dbsqlc.OAuthAccountOfCallParams{Call: row.ID, Provider: ask.Provider, Scopes: append([]string{}, ask.Scopes...)})
	if err != nil || len(found) == 0 {
		return false, err
	}
	said := connectedAs(found[0].Provider, found[0].Label)
	said.Session, said.User, said.UserName, said.Call = row.SessionKey, found[0].UserID, found[0].Person, row.ID
	_, err = AnswerCall(ctx, tx, said)
	return err == nil, err
}

func connectedAs(provider, label string) Answer {
	return Answer{Allow: true, Connected: true, Answers: chat.Answers{"q1": {question.ConnectedAs(i18n.English, provider, label)}}}
}
