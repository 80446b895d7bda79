package servicestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/lexical"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
)

// ConsumerTranscript returns messages of a conversation of a consumer, the oldest first. There are none in a session that is no such conversation.
func (s *Store) ConsumerTranscript(ctx context.Context, key chat.SessionKey, q service.TranscriptQuery) ([]service.TranscriptEntry, error) {
	rows, err := dbsqlc.Q.ServiceSaid(ctx, s.db.Pool, dbsqlc.ServiceSaidParams{
		SessionKey: key, Before: cmp.Or(int64(q.Before), math.MaxInt64), Unseen: q.Unseen, N: int32(q.N),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read what was said in %s: %w", key, err))
	}
	out := make([]service.TranscriptEntry, len(rows))
	for i, r := range rows {
		one := service.TranscriptEntry{ID: r.ID, At: r.CreatedAt, Role: r.Role, Text: r.Content}
		switch {
		case r.Role == chat.RoleUser:
			one.Source = r.Source
		case r.Origin == chat.OriginPerson:
			one.Source = service.ByPerson
		}
		out[len(rows)-1-i] = one
	}
	return out, nil
}

// AdminTranscript is ConsumerTranscript for the administrator of the service, by the id of the conversation. It returns NotFound if there is none, or it is of
// another administrator's service, or they are no administrator.
func (s *Store) AdminTranscript(ctx context.Context, admin chat.UserID, conversation string, q service.TranscriptQuery) ([]service.TranscriptEntry, error) {
	none := fault.Errorf(fault.NotFound, "there is no conversation %.40q with a service of yours", conversation)
	if !service.IsConversation(conversation) {
		return nil, none
	}
	key, err := dbsqlc.Q.ServiceOfAdmin(ctx, s.db.Pool, dbsqlc.ServiceOfAdminParams{ID: conversation, AdminID: admin})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, none
	}
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look whose conversation %s is: %w", conversation, err))
	}
	return s.ConsumerTranscript(ctx, key, q)
}

// ConversationsOfAdmin lists conversations with the services of an administrator, those that were used last first; none for other users.
func (s *Store) ConversationsOfAdmin(ctx context.Context, admin chat.UserID, q service.ListQuery) ([]service.Listed, error) {
	rows, err := dbsqlc.Q.ServiceConversationsOfAdmin(ctx, s.db.Pool, dbsqlc.ServiceConversationsOfAdminParams{
		AdminID: admin, Service: chat.Clean(q.Service), Q: chat.Clean(q.Text), Words: lexical.Parse(chat.Clean(q.Text)).TSQuery(), N: int32(q.N),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list conversations with the services of user %d: %w", admin, err))
	}
	out := make([]service.Listed, len(rows))
	for i, r := range rows {
		out[i] = service.Listed{ID: r.ID, Service: r.ServiceName, Source: service.Source(r.Source), Title: r.Title, At: r.LastInteractionAt, Messages: int(r.Messages)}
	}
	return out, nil
}

// ItemsOfAdmin lists what consumers asked an administrator, the newest first; no status: any. Other users have none.
func (s *Store) ItemsOfAdmin(ctx context.Context, admin chat.UserID, status service.ItemStatus, n int) ([]service.Item, error) {
	rows, err := dbsqlc.Q.ServiceInboxOfAdmin(ctx, s.db.Pool, dbsqlc.ServiceInboxOfAdminParams{AdminID: admin, Status: string(status), N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the inbox of user %d: %w", admin, err))
	}
	out := make([]service.Item, len(rows))
	for i, r := range rows {
		out[i] = service.Item{
			ID: r.ID, Service: r.ServiceID, ServiceName: r.ServiceName, Conversation: r.Conversation, Title: r.Title, Message: r.Message,
			Status: service.ItemStatus(r.Status), AnsweredBy: r.AnsweredBy, CreatedAt: r.CreatedAt,
		}
	}
	return out, nil
}
