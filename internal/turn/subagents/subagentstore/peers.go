package subagentstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/inbox"
)

// SendPeer sends a message to another conversation of the same user, once for each call: the message and the row that begins a turn
// there are one transaction. NotFound, with the existing conversations: p.To is none of the user's. It returns Denied if the turn, or a
// chain of messages without a user's, has reached its limit.
func (s *Store) SendPeer(ctx context.Context, p chat.PeerMessage) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.SubagentLock(ctx, tx, string(p.Turn)); err != nil { // the calls of a turn count one after another
			return fmt.Errorf("lock the messages of turn %s: %w", p.Turn, err)
		}
		sent, err := dbsqlc.Q.PeerSent(ctx, tx, p.Call)
		if err != nil || sent {
			return err
		}
		to, err := dbsqlc.Q.SessionGet(ctx, tx, p.To)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && to.UserID != p.User {
			return noPeer(ctx, tx, p)
		}
		if err != nil {
			return fmt.Errorf("read session %s: %w", p.To, err)
		}
		hops, err := hopsOf(ctx, tx, p)
		if err != nil {
			return err
		}
		n, err := dbsqlc.Q.PeerInsert(ctx, tx, dbsqlc.PeerInsertParams{CallID: p.Call, TurnID: p.Turn, Sender: p.From, SessionKey: p.To, Hops: int32(hops)})
		if err != nil || n == 0 {
			return err
		}
		from, err := dbsqlc.Q.SessionGet(ctx, tx, p.From)
		if err != nil {
			return fmt.Errorf("read session %s: %w", p.From, err)
		}
		head := "[message from session:" + string(p.From)
		if from.Title != "" {
			head += " · " + chat.FirstWords(from.Title, TaskWords)
		}
		if _, err := inbox.Post(ctx, tx, chat.InternalMessage{Session: p.To, Key: string(p.Call), Origin: chat.OriginPeer, Text: head + "]\n" + p.Text}); err != nil {
			return err
		}
		return postWake(ctx, tx, p.To, "message of another conversation")
	})
}

// noPeer returns the error that lists the existing conversations.
func noPeer(ctx context.Context, t *pg.Tx, p chat.PeerMessage) error {
	rows, err := dbsqlc.Q.PeersOf(ctx, t, dbsqlc.PeersOfParams{UserID: p.User, Key: string(p.From)})
	if err != nil {
		return fmt.Errorf("list conversations: %w", err)
	}
	if len(rows) == 0 {
		return fault.Errorf(fault.NotFound, "this person has no other conversation")
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = "session:" + string(r.Key) + " · " + chat.FirstWords(r.Title, TaskWords)
	}
	return fault.Errorf(fault.NotFound, "this person has no conversation %.200q. The newest are:\n%s", string(p.To), strings.Join(lines, "\n"))
}

// hopsOf counts the messages between conversations that led to each other since a user wrote, including those through a job
// that a turn made.
func hopsOf(ctx context.Context, t *pg.Tx, p chat.PeerMessage) (int, error) {
	tree, err := dbsqlc.Q.SubagentTree(ctx, t, string(p.Turn))
	if err != nil {
		return 0, fmt.Errorf("find the tree of turn %s: %w", p.Turn, err)
	}
	row, err := dbsqlc.Q.PeerHops(ctx, t, dbsqlc.PeerHopsParams{Turns: []string{string(p.Turn), tree}, Turn: p.Turn})
	if err != nil {
		return 0, fmt.Errorf("count the messages before: %w", err)
	}
	switch {
	case row.Sent >= chat.MaxPeerMessages:
		return 0, fault.Errorf(fault.Denied, "this turn has sent %d messages to conversations, and no turn may send more", row.Sent)
	case row.Hops >= chat.MaxPeerHops:
		return 0, fault.Errorf(fault.Denied, "conversations have sent each other %d messages without a person: no more until one writes", row.Hops)
	}
	return int(row.Hops) + 1, nil
}
