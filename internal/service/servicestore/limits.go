package servicestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service/dbsqlc"
)

// Send is a message of a consumer that is to be admitted.
type Send struct {
	ID   string      // of the message on its way into inbox, unique among all; empty: a request is to be counted
	User chat.UserID // the consumer
}

// Admit counts a request of a key. With a message it counts nothing, and takes one of the places of the key for the message that a counted
// request sends. RateLimited names the limit that is reached, and when to ask again. The same message again takes no other place. In one round
// trip, and exact among all processes.
func (s *Store) Admit(ctx context.Context, by Caller, send Send) error {
	l := by.Service.Limits
	v, err := dbsqlc.Q.ServiceAdmit(ctx, s.db.Pool, dbsqlc.ServiceAdmitParams{
		ServiceID: by.Service.ID, KeyID: by.Key, PerMinute: int32(l.RequestsPerMinute), Send: send.ID, Consumer: int64(send.User),
		Most: int32(l.Concurrent), Budget: l.TokensPerDay,
	})
	if err != nil {
		return pg.Classify(fmt.Errorf("admit a request with key %s: %w", by.Key, err))
	}
	if len(v) != 3 {
		return fmt.Errorf("admit a request with key %s: %d members", by.Key, len(v))
	}
	return refusal(v[0], time.Duration(v[1])*time.Millisecond, v[2])
}

// The verdicts of service_admit.
const (
	overRate     = 1
	overPlaces   = 2
	overTokens   = 3
	admittedCode = 0
)

func refusal(verdict int64, wait time.Duration, limit int64) error {
	switch verdict {
	case admittedCode:
		return nil
	case overRate:
		return fault.Limited(wait, "this key may send %d requests a minute; wait as many seconds as Retry-After says", limit)
	case overPlaces:
		return fault.Limited(wait, "%d messages of this key are being answered, and no more may be at once; send this one when one of them is done", limit)
	case overTokens:
		return fault.Limited(wait, "the service has used up its %d tokens of today; it answers again after midnight UTC, or when whoever runs it raises the limit", limit)
	}
	return fmt.Errorf("the database answered with the unknown verdict %d", verdict)
}

// FreeSend ends a request that was admitted with a message and did not have it accepted. The place of the message is given back, unless it
// was accepted, or another request was admitted with the same message and may still have it accepted.
func (s *Store) FreeSend(ctx context.Context, id string) error {
	err := dbsqlc.Q.ServiceSendDrop(ctx, s.db.Pool, id)
	if err == nil {
		err = dbsqlc.Q.ServiceSendFree(ctx, s.db.Pool, id)
	}
	return pg.Classify(err)
}

// BindSend records the consumer of a message that was admitted before its conversation began.
func (s *Store) BindSend(ctx context.Context, send Send) error {
	return pg.Classify(dbsqlc.Q.ServiceSendBind(ctx, s.db.Pool, dbsqlc.ServiceSendBindParams{ID: send.ID, UserID: send.User}))
}

// Retry is a request without an idempotency key, whose client counts its retries instead.
type Retry struct {
	Identity     string // a hash of the request; empty: nothing of it was read
	Named        bool   // the request names its conversation
	Conversation string
	Send         string // the message that it is
}

// NoteRequest records a request that is no retry: earlier requests of its form are not what its retries mean, and where it names no
// conversation its retries cannot be distinguished from those of another client that sent the same. One that was refused before it was read may have
// been of any form: for a while no retry of the key that names no conversation is taken for one.
func (s *Store) NoteRequest(ctx context.Context, by Caller, r Retry) error {
	if r.Identity == "" {
		return pg.Classify(dbsqlc.Q.ServiceRateUnread(ctx, s.db.Pool, by.Key))
	}
	return pg.Classify(dbsqlc.Q.ServiceRetryNote(ctx, s.db.Pool, dbsqlc.ServiceRetryNoteParams{KeyID: by.Key, Identity: r.Identity, Named: r.Named}))
}

// KeepRetry records which message a request is, before it is accepted. An earlier request like it is another one.
func (s *Store) KeepRetry(ctx context.Context, by Caller, r Retry) error {
	err := dbsqlc.Q.ServiceRetryKeep(ctx, s.db.Pool, dbsqlc.ServiceRetryKeepParams{
		KeyID: by.Key, Identity: r.Identity, ConversationID: r.Conversation, SendID: r.Send, Named: r.Named,
	})
	return pg.Classify(err)
}

// FindRetry finds the message that a retry means: the newest request of its form, of the last minutes, whose answer was not delivered. There
// is none where another client may have sent the same.
func (s *Store) FindRetry(ctx context.Context, by Caller, r Retry) (was Retry, found bool, err error) {
	row, err := dbsqlc.Q.ServiceRetryFind(ctx, s.db.Pool, dbsqlc.ServiceRetryFindParams{KeyID: by.Key, Identity: r.Identity, Named: r.Named})
	if errors.Is(err, pgx.ErrNoRows) {
		return Retry{}, false, nil
	}
	r.Conversation, r.Send = row.ConversationID, row.SendID
	return r, err == nil, pg.Classify(err)
}

// ForgetRetry records that the answer was delivered: a retry starts over.
func (s *Store) ForgetRetry(ctx context.Context, by Caller, r Retry) error {
	err := dbsqlc.Q.ServiceRetryForget(ctx, s.db.Pool, dbsqlc.ServiceRetryForgetParams{KeyID: by.Key, Identity: r.Identity, ConversationID: r.Conversation})
	return pg.Classify(err)
}
