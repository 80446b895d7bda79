// Package ratings stores the ratings of replies: whether a user found a reply helpful, with an optional comment.
package ratings

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// MaxComment is the maximum length of a comment, in bytes.
const MaxComment = 4000

// Rating is the rating of a reply by a user.
type Rating struct {
	Message chat.MessageID
	Helpful bool
	Comment string // empty: none
	RatedAt time.Time
}

// Traces exports ratings to the targets of traces.
type Traces interface {
	// Targets returns the targets that the environment of the process configures.
	Targets() []string
	// Wake reports, without blocking, that an export may be due.
	Wake()
}

// Store stores ratings. It is safe for concurrent use.
type Store struct {
	db     *pg.DB
	traces Traces
}

// New returns a store over a database.
func New(db *pg.DB, traces Traces) *Store { return &Store{db: db, traces: traces} }

// Rate stores the rating of a reply by a user, in place of an earlier one. It returns NotFound if the conversation has no such reply, and
// Invalid if the comment is too long.
func (s *Store) Rate(ctx context.Context, key chat.SessionKey, user chat.UserID, r Rating) error {
	r.Comment = chat.Clean(r.Comment)
	if len(r.Comment) > MaxComment {
		return fault.Errorf(fault.Invalid, "the comment has %d bytes; write at most %d", len(r.Comment), MaxComment)
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.RatingSet(ctx, tx, dbsqlc.RatingSetParams{
			MessageID: r.Message, UserID: user, SessionKey: key, Helpful: r.Helpful, Comment: r.Comment, Traced: s.traces.Targets(),
		})
		return s.changed(tx, n, err, "there is no reply %d in this conversation", r.Message)
	})
}

// Remove removes the rating of a reply by a user. It returns NotFound if there is none.
func (s *Store) Remove(ctx context.Context, key chat.SessionKey, user chat.UserID, message chat.MessageID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.RatingDelete(ctx, tx, dbsqlc.RatingDeleteParams{MessageID: message, UserID: user, SessionKey: key, Traced: s.traces.Targets()})
		return s.changed(tx, n, err, "you have not rated reply %d", message)
	})
}

func (s *Store) changed(tx *pg.Tx, n int64, err error, missing string, message chat.MessageID) error {
	if err != nil {
		return fmt.Errorf("change the rating of reply %d: %w", message, err)
	}
	if n == 0 {
		return fault.Errorf(fault.NotFound, missing, message)
	}
	tx.AfterCommit(s.traces.Wake)
	return nil
}

// List returns the ratings by a user in a conversation, in the order of the replies.
func (s *Store) List(ctx context.Context, key chat.SessionKey, user chat.UserID) ([]Rating, error) {
	rows, err := dbsqlc.Q.RatingList(ctx, s.db.Pool, dbsqlc.RatingListParams{SessionKey: key, UserID: user})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list ratings: %w", err))
	}
	out := make([]Rating, len(rows))
	for i, r := range rows {
		out[i] = Rating{Message: r.MessageID, Helpful: r.Helpful, Comment: r.Comment, RatedAt: r.RatedAt}
	}
	return out, nil
}

// Received is a rating of any user, as administrators see it.
type Received struct {
	Rating

	Session chat.SessionKey
	User    string // name
}

// Recent returns the newest ratings of all users, at most n, the newest first.
func (s *Store) Recent(ctx context.Context, n int) ([]Received, error) {
	rows, err := dbsqlc.Q.RatingRecent(ctx, s.db.Pool, int32(n))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list ratings: %w", err))
	}
	out := make([]Received, len(rows))
	for i, r := range rows {
		out[i] = Received{Session: r.SessionKey, User: r.UserName, Rating: Rating{Message: r.MessageID, Helpful: r.Helpful, Comment: r.Comment, RatedAt: r.RatedAt}}
	}
	return out, nil
}
