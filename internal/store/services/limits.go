package services

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// Send is a message of a consumer that is to be admitted.
type Send struct {
	ID   string      // of the message on its way into inbox, unique among all; empty: the request sends none
	User chat.UserID // the consumer
}

// Admit counts a request of a key, and takes one of the places of the key for the message that it sends. RateLimited says which limit is
// reached, and when to ask again. The same message again takes no other place. In one round trip, and exact among all processes.
func (s *Store) Admit(ctx context.Context, by Caller, send Send) error {
	l := by.Service.Limits
	v, err := s.db.Q.ServiceAdmit(ctx, s.db.Pool, dbsqlc.ServiceAdmitParams{
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

// FreeSend gives the place of a message back that was not accepted after all.
func (s *Store) FreeSend(ctx context.Context, id string) error {
	return pg.Classify(s.db.Q.ServiceSendFree(ctx, s.db.Pool, id))
}
