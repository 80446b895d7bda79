package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/channel/dbsqlc"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/edits"
)

// NextOutbound returns the next delivery of a session; ok is false if none waits.
func (s *Store) NextOutbound(ctx context.Context, key chat.SessionKey) (next chat.OutboundNext, ok bool, err error) {
	row, err := dbsqlc.Q.OutboundNext(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return next, false, nil
	}
	if err != nil {
		return next, false, pg.Classify(fmt.Errorf("read what is to be delivered: %w", err))
	}
	return chat.OutboundNext{ID: row.ID, Kind: row.Kind, Channel: row.Channel, Account: row.Account, Words: row.Words}, true, nil
}

// Outbound reads one delivery.
func (s *Store) Outbound(ctx context.Context, id int64) (chat.Outbound, error) {
	row, err := dbsqlc.Q.OutboundGet(ctx, s.db.Pool, id)
	if err != nil {
		return chat.Outbound{}, pg.Classify(fmt.Errorf("read delivery %d: %w", id, err))
	}
	o := row.Outbound
	out := chat.Outbound{
		ID: o.ID, Kind: o.Kind, Session: o.SessionKey, Channel: o.Channel, Account: o.Account, Text: row.Body, Answer: row.Answer, Open: o.State == "waiting",
		Nonce: fmt.Sprintf("%x", o.Nonce.Bytes), Before: int(row.Before), Tries: int(o.Tries), Written: o.CreatedAt,
	}
	if out.Place, err = calls.AddressOf(o.ID, o.Place); err != nil {
		return chat.Outbound{}, err
	}
	if out.Place.ReplyTo != "" {
		gone, err := edits.IsRecalled(ctx, s.db.Pool, edits.KeyIn(o.Channel, o.Account, out.Place))
		if err != nil {
			return chat.Outbound{}, err
		}
		if gone {
			out.Place.ReplyTo = "" // a message that was taken back is not quoted
		}
	}
	if out.Pieces, err = calls.PiecesOf(o.ID, o.Parts); err != nil {
		return chat.Outbound{}, err
	}
	if o.CallID != nil && o.Kind != chat.OutboundCard {
		if out.Asked, err = s.questionOf(ctx, *o.CallID); err == nil {
			out.Asked.InGroup = out.Place.ChatType != "" && out.Place.ChatType != chat.ChatDirect
		}
	}
	return out, err
}

// SavePieces records the state of the pieces of a delivery; trying means that one is about to be sent, which counts as a
// try. It is a Conflict once the delivery has ended, or if another attempt has tried since o was read: of two overlapping
// attempts one continues.
func (s *Store) SavePieces(ctx context.Context, o *chat.Outbound, trying bool) error {
	return s.savePieces(ctx, s.db.Pool, o, trying)
}

func (s *Store) savePieces(ctx context.Context, db pg.DBTX, o *chat.Outbound, trying bool) error {
	data, err := json.Marshal(o.Pieces)
	if err != nil {
		return fmt.Errorf("encode pieces: %w", err)
	}
	p := dbsqlc.OutboundTryParams{ID: o.ID, Parts: data, Tries: int32(o.Tries)}
	if trying {
		p.Tried = 1
	}
	n, err := dbsqlc.Q.OutboundTry(ctx, db, p)
	if err != nil {
		return pg.Classify(fmt.Errorf("note pieces of delivery %d: %w", o.ID, err))
	}
	if n == 0 {
		return fault.Errorf(fault.Conflict, "delivery %d has ended, or another attempt goes on with it", o.ID)
	}
	o.Tries += int(p.Tried)
	return nil
}

// NoteDelivery records why a delivery was not possible so far.
func (s *Store) NoteDelivery(ctx context.Context, id int64, reason string) error {
	err := dbsqlc.Q.OutboundFailing(ctx, s.db.Pool, dbsqlc.OutboundFailingParams{ID: id, Error: chat.Clean(reason)})
	return pg.Classify(err)
}

// EndDelivery records the end of a delivery, once. If an answer, question, card or notice may not have arrived, if the platform refused
// an answer, card or question, or if an answer or card was given up because of its age, it queues a notice for the user.
func (s *Store) EndDelivery(ctx context.Context, id int64, state, reason string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.OutboundEnd(ctx, tx, dbsqlc.OutboundEndParams{ID: id, State: state, Error: chat.Clean(reason)})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("end delivery %d: %w", id, err)
		}
		say, missed := missing(row, state)
		if !missed {
			return nil
		}
		var turn chat.TurnID
		if row.TurnID != nil {
			turn = *row.TurnID
		}
		lang, err := conversation.LangOfTurn(ctx, tx, turn)
		if err != nil {
			return err
		}
		text := i18n.Say(lang, say)
		if say == i18n.SentExpired { // after a day without the platform one sentence is enough for all of them
			said, err := dbsqlc.Q.OutboundSaysAlready(ctx, tx, dbsqlc.OutboundSaysAlreadyParams{SessionKey: row.SessionKey, Text: text})
			if err != nil || said {
				return err
			}
		}
		m := chat.Message{Session: row.SessionKey, Turn: turn, Role: chat.RoleNotice, Content: text}
		if err := conversation.AppendMessage(ctx, tx, &m, ""); err != nil {
			return err
		}
		return dbsqlc.Q.OutboundTellsOf(ctx, tx, dbsqlc.OutboundTellsOfParams{Delivery: &id, MessageID: new(int64(m.ID))})
	})
}

// missing returns the notice about a delivery that a user may have missed. There is none about such a notice itself: a connection that
// never answers would cause them without end.
func missing(row dbsqlc.OutboundEndRow, state string) (say i18n.ID, ok bool) {
	question, card := row.Kind == chat.OutboundQuestion, row.Kind == chat.OutboundCard
	switch {
	case row.Notice && state == chat.OutboundUncertain:
		return i18n.NoticeUnknown, true
	case !question && !card && !row.Answer:
		return "", false
	case state == chat.OutboundUncertain && question:
		return i18n.AskUnknown, true
	case state == chat.OutboundUncertain:
		return i18n.SentUnknown, true
	case state == chat.OutboundFailed && question:
		return i18n.AskRefused, true
	case state == chat.OutboundFailed:
		return i18n.SentRefused, true
	case state == chat.OutboundExpired && !question: // a question that expires was closed
		return i18n.SentExpired, true
	}
	return "", false
}

// Undelivered is a session with something to deliver.
type Undelivered struct {
	Session chat.SessionKey
	Channel string
}

// ToDeliver returns sessions with something to deliver whose Deliver workflow may not know it, each at most once a minute.
func (s *Store) ToDeliver(ctx context.Context) ([]Undelivered, error) {
	rows, err := dbsqlc.Q.OutboundToWake(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read what is not delivered: %w", err))
	}
	var out []Undelivered
	for _, r := range rows {
		out = append(out, Undelivered{r.SessionKey, r.Channel})
	}
	return out, nil
}

// questionOf reads the question of a call, with the message that asks it.
func (s *Store) questionOf(ctx context.Context, id chat.CallID) (*chat.Asking, error) {
	call, err := s.calls.Call(ctx, id)
	if err != nil {
		return nil, err
	}
	lang, err := conversation.LangOf(ctx, s.db.Pool, call.Turn)
	if err != nil {
		return nil, pg.Classify(err)
	}
	q, err := dbsqlc.Q.QuestionOfCall(ctx, s.db.Pool, string(id))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the question of call %s: %w", id, err))
	}
	pieces, err := calls.PiecesOf(q.ID, q.Parts)
	if err != nil {
		return nil, err
	}
	out := &chat.Asking{Call: call, Lang: string(lang)}
	if len(pieces) > 0 {
		out.Sent = pieces[0].ID
	}
	return out, nil
}
