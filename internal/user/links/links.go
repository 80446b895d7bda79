package links

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/memory/memorystore"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/dbsqlc"
	"xbot/internal/user/users"
)

// LinkLife is the time in which a code can be typed on another channel.
const LinkLife = 10 * time.Minute

// NewLinkCode stores a code (its SHA-256) by which a user shows on another channel who they are. It revokes the user's
// earlier codes. The session is notified of who used it; empty: none.
func (s *Store) NewLinkCode(ctx context.Context, user chat.UserID, key chat.SessionKey, hash []byte) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.LinkCodePrune(ctx, tx, user); err != nil {
			return fmt.Errorf("prune link codes: %w", err)
		}
		return dbsqlc.Q.LinkCodeAdd(ctx, tx, dbsqlc.LinkCodeAddParams{CodeHash: hash, UserID: user, Session: string(key), Seconds: LinkLife.Seconds()})
	})
}

// Link joins an identity to the user who made a code.
type Link struct {
	Hash                   []byte
	User                   chat.UserID // who typed it
	Channel, Account, Peer string      // the identity that typed it
	Name                   string      // what they are called there
	Lang                   i18n.Lang   // of the one who typed it
}

// Linked is the result of a Link.
type Linked struct {
	To    users.User // whose the identity is now
	Moved int        // conversations that moved with it
	Again bool       // it was theirs before
}

// UseLinkCode uses up a code: the identity, with the direct conversations that it owns, moves to the code's user, and the
// conversation in which the code was requested is notified. The memory of the former user moves as well once no identity and no
// sign-in belongs to them; everything else stays with them. It is Denied, and the code stays valid, if the identity is an
// administrator's: the person who gave them the code would get what they wrote. Two administrators are never joined.
func (s *Store) UseLinkCode(ctx context.Context, l Link) (Linked, error) {
	var out Linked
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		code, err := dbsqlc.Q.LinkCodeTake(ctx, tx, l.Hash)
		if errors.Is(err, pgx.ErrNoRows) {
			return i18n.Fault(fault.NotFound, i18n.LinkUnknown)
		}
		if err != nil {
			return fmt.Errorf("take link code: %w", err)
		}
		to, err := dbsqlc.Q.UserGet(ctx, tx, code.UserID)
		if err != nil {
			return fmt.Errorf("read the code's user: %w", err)
		}
		out.To = users.UserOf(to)
		if out.Again = to.ID == l.User; out.Again {
			return nil
		}
		from, err := dbsqlc.Q.UserGet(ctx, tx, l.User)
		if err != nil {
			return fmt.Errorf("read the user: %w", err)
		}
		if from.Role == users.RoleAdmin {
			return i18n.Fault(fault.Denied, i18n.LinkAdmin)
		}
		if out.Moved, err = moveIdentity(ctx, tx, l, to.ID); err != nil || code.SessionKey == "" {
			return err
		}
		return conversation.AppendNotice(ctx, tx, chat.SessionKey(code.SessionKey), "", i18n.Say(l.Lang, i18n.LinkTold, called(l)))
	})
	return out, err
}

func called(l Link) string {
	who := Identity{Channel: l.Channel, Account: l.Account, Peer: l.Peer}.String()
	if name := users.CleanName(l.Name); name != "" {
		who = name + " (" + who + ")"
	}
	return who
}

func moveIdentity(ctx context.Context, t *pg.Tx, l Link, to chat.UserID) (moved int, err error) {
	n, err := dbsqlc.Q.IdentityMove(ctx, t, dbsqlc.IdentityMoveParams{Channel: l.Channel, Account: l.Account, Peer: l.Peer, UserID: l.User, NewUserID: int64(to)})
	if err != nil {
		return 0, fmt.Errorf("move the identity: %w", err)
	}
	if n == 0 {
		return 0, i18n.Fault(fault.Invalid, i18n.LinkHere)
	}
	if err := dbsqlc.Q.TriggerLockOf(ctx, t, l.User); err != nil {
		return 0, fmt.Errorf("lock triggers: %w", err)
	}
	// inbox before sessions, in the order of the locks of a claim
	err = dbsqlc.Q.LinkMoveInbox(ctx, t, dbsqlc.LinkMoveInboxParams{UserID: l.User, NewUserID: int64(to), Channel: l.Channel, Account: l.Account, Peer: l.Peer})
	if err != nil {
		return 0, fmt.Errorf("move what was accepted: %w", err)
	}
	keys, err := dbsqlc.Q.LinkMoveSessions(ctx, t, dbsqlc.LinkMoveSessionsParams{UserID: l.User, NewUserID: int64(to), Channel: l.Channel, Peer: l.Peer, Account: l.Account})
	if err != nil {
		return 0, fmt.Errorf("move sessions: %w", err)
	}
	below, err := dbsqlc.Q.LinkMoveSubagents(ctx, t, dbsqlc.LinkMoveSubagentsParams{NewUserID: int64(to), Roots: pg.Texts(keys)})
	if err != nil {
		return 0, fmt.Errorf("move subagents: %w", err)
	}
	homes := pg.Texts(append(slices.Clone(keys), below...))
	if err := dbsqlc.Q.CronMove(ctx, t, dbsqlc.CronMoveParams{NewUserID: int64(to), Homes: homes}); err != nil {
		return 0, fmt.Errorf("move jobs: %w", err)
	}
	if err := dbsqlc.Q.TriggerMove(ctx, t, dbsqlc.TriggerMoveParams{UserID: l.User, NewUserID: int64(to)}); err != nil {
		return 0, fmt.Errorf("move triggers: %w", err)
	}
	return len(keys), memorystore.MoveMemories(ctx, t, l.User, to, homes)
}

// Rehome moves an accepted row to the user that its sender became by it, so that a repeated delivery is recognized.
func (s *Store) Rehome(ctx context.Context, id chat.InboxID, to chat.UserID) error {
	return pg.Classify(dbsqlc.Q.InboxSetUser(ctx, s.db.Pool, dbsqlc.InboxSetUserParams{ID: id, UserID: to}))
}

// Identity is a user on a channel.
type Identity struct {
	Channel string `json:"channel"`
	Account string `json:"account,omitempty"`
	Peer    string `json:"peer"`
}

// String is channel:account:peer, without the account where there is none.
func (i Identity) String() string {
	if i.Account == "" {
		return i.Channel + ":" + i.Peer
	}
	return i.Channel + ":" + i.Account + ":" + i.Peer
}

// Identities lists the identities of a user.
func (s *Store) Identities(ctx context.Context, user chat.UserID) ([]Identity, error) {
	rows, err := dbsqlc.Q.IdentityList(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list identities: %w", err))
	}
	out := make([]Identity, len(rows))
	for i, r := range rows {
		out[i] = Identity(r)
	}
	return out, nil
}
