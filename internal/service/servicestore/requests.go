package servicestore

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
)

// Request is one of a consumer as it is recorded: without any text.
type Request struct {
	ID           string // recorded again it is there once
	Service      string
	Key          string
	Conversation string // its id; empty: it was about none
	Endpoint     string // method and path with the names of its parameters
	Source       service.Source
	Status       int
	Latency      time.Duration // of a stream until its end
	Turn         chat.TurnID   // that answered; empty: none is known
	At           time.Time
}

// RecordRequests keeps requests. Those of services that do not exist any more are left out, and those that were kept before.
func (s *Usage) RecordRequests(ctx context.Context, all []Request) error {
	var p dbsqlc.ServiceRequestsAddParams
	for _, r := range all {
		p.Ids = append(p.Ids, r.ID)
		p.Services, p.Keys, p.Conversations = append(p.Services, r.Service), append(p.Keys, r.Key), append(p.Conversations, r.Conversation)
		p.Endpoints, p.Sources, p.Statuses = append(p.Endpoints, r.Endpoint), append(p.Sources, string(r.Source)), append(p.Statuses, int32(r.Status))
		p.Latencies, p.Turns, p.Times = append(p.Latencies, r.Latency.Milliseconds()), append(p.Turns, string(r.Turn)), append(p.Times, r.At)
	}
	if err := dbsqlc.Q.ServiceRequestsAdd(ctx, s.db.Pool, p); err != nil {
		return pg.Classify(fmt.Errorf("record %d requests of consumers: %w", len(all), err))
	}
	return nil
}

// ServiceRequests lists the newest requests of a service.
func (s *Usage) ServiceRequests(ctx context.Context, of string, limit int) ([]Request, error) {
	rows, err := dbsqlc.Q.ServiceRequestList(ctx, s.db.Pool, dbsqlc.ServiceRequestListParams{ServiceID: of, N: int32(limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list requests of %s: %w", of, err))
	}
	out := make([]Request, len(rows))
	for i, r := range rows {
		out[i] = Request{
			ID: r.ID, Service: of, Key: r.KeyID, Conversation: r.ConversationID, Endpoint: r.Endpoint, Source: service.Source(r.Source), Status: int(r.Status),
			Latency: time.Duration(r.LatencyMs) * time.Millisecond, Turn: chat.TurnID(r.TurnID), At: r.At,
		}
	}
	return out, nil
}
