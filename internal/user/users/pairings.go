package users

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

const (
	// PairingLife is how long a code waits for an administrator; in this time its recipient gets no further notice.
	PairingLife = 24 * time.Hour
	// MaxPairings is how many people may wait on one channel and account.
	MaxPairings = 10
	// codeAlphabet leaves out what is easily mistaken: 0 and O, 1 and I.
	codeAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	codeLength   = 8
)

// NewCode returns a random code of 8 characters (40 bits), to be read aloud or typed.
func NewCode() string {
	raw := make([]byte, codeLength)
	_, _ = rand.Read(raw) // never fails
	for i, b := range raw {
		raw[i] = codeAlphabet[int(b)%len(codeAlphabet)]
	}
	return string(raw)
}

// ReadCode makes the code out of what a person typed: in any case, with spaces or hyphens.
func ReadCode(text string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(text)))
}

// Pairing is a person who wrote for the first time and waits for an administrator's approval.
type Pairing struct {
	Code      string    `json:"code"`
	Channel   string    `json:"channel"`
	Account   string    `json:"account,omitempty"`
	Peer      string    `json:"peer" doc:"Their id on the channel."`
	Name      string    `json:"name,omitempty" doc:"The user's display name on the platform, unverified."`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

func pairingOf(r dbsqlc.Pairing) Pairing {
	return Pairing{Code: r.Code, Channel: r.Channel, Account: r.Account, Peer: r.Peer, Name: r.Name, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt}
}

// Pair records that a person asks for access and returns their code, the same one for PairingLife. It is RateLimited while
// MaxPairings others wait on the channel and account.
func (s *Store) Pair(ctx context.Context, channel, account, peer, name string) (code string, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := tx.LockName(ctx, "pairings\x1f"+channel+"\x1f"+account); err != nil {
			return fmt.Errorf("lock pairings: %w", err)
		}
		if err := dbsqlc.Q.PairingPrune(ctx, tx, dbsqlc.PairingPruneParams{Channel: channel, Account: account}); err != nil {
			return fmt.Errorf("prune pairings: %w", err)
		}
		known, err := dbsqlc.Q.PairingOf(ctx, tx, dbsqlc.PairingOfParams{Channel: channel, Account: account, Peer: peer})
		if err == nil {
			code = known.Code
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("look for a pairing: %w", err)
		}
		waiting, err := dbsqlc.Q.PairingCount(ctx, tx, dbsqlc.PairingCountParams{Channel: channel, Account: account})
		if err != nil {
			return fmt.Errorf("count pairings: %w", err)
		}
		if waiting >= MaxPairings {
			return fault.Errorf(fault.RateLimited, "%d people wait to be let in on this channel already", waiting)
		}
		code = NewCode()
		return dbsqlc.Q.PairingAdd(ctx, tx, dbsqlc.PairingAddParams{
			Code: code, Channel: channel, Account: account, Peer: peer, Name: CleanName(name), Seconds: PairingLife.Seconds(),
		})
	})
	return code, err
}

// Pairings lists the pairings that wait, the oldest first.
func (s *Store) Pairings(ctx context.Context) ([]Pairing, error) {
	rows, err := dbsqlc.Q.PairingList(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list pairings: %w", err))
	}
	out := make([]Pairing, len(rows))
	for i, r := range rows {
		out[i] = pairingOf(r)
	}
	return out, nil
}

// EndPairing lets the person with a code write in direct messages, or refuses them: then they may ask again. It never gives
// access in a group. NotFound for a code that is unknown, used or expired.
func (s *Store) EndPairing(ctx context.Context, code string, approve bool, by chat.UserID) (Pairing, error) {
	var out Pairing
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.PairingTake(ctx, tx, ReadCode(code))
		if errors.Is(err, pgx.ErrNoRows) {
			return i18n.Fault(fault.NotFound, i18n.PairUnknown, chat.FirstWords(code, 20))
		}
		if err != nil {
			return fmt.Errorf("take pairing: %w", err)
		}
		out = pairingOf(row)
		if !approve {
			return nil
		}
		return dbsqlc.Q.GrantAdd(ctx, tx, dbsqlc.GrantAddParams{Channel: row.Channel, Account: row.Account, Peer: row.Peer, Name: row.Name, GrantedBy: new(int64(by))})
	})
	return out, err
}

// Grant is a peer who may write in direct messages in addition to the allow lists of the policy.
type Grant struct {
	Channel   string    `json:"channel"`
	Account   string    `json:"account,omitempty"`
	Peer      string    `json:"peer"`
	Name      string    `json:"name,omitempty"`
	GrantedBy string    `json:"granted_by,omitempty" doc:"Name of the administrator; empty if deleted."`
	CreatedAt time.Time `json:"created_at"`
}

// Grants lists them, the oldest first.
func (s *Store) Grants(ctx context.Context) ([]Grant, error) {
	rows, err := dbsqlc.Q.GrantList(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list grants: %w", err))
	}
	out := make([]Grant, len(rows))
	for i, r := range rows {
		out[i] = Grant{Channel: r.Channel, Account: r.Account, Peer: r.Peer, Name: r.Name, GrantedBy: r.GrantedBy, CreatedAt: r.CreatedAt}
	}
	return out, nil
}

// Granted reports whether a person was approved, and whether they were notified.
func (s *Store) Granted(ctx context.Context, channel, account, peer string) (granted, told bool, err error) {
	told, err = dbsqlc.Q.GrantOf(ctx, s.db.Pool, dbsqlc.GrantOfParams{Channel: channel, Account: account, Peer: peer})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, pg.Classify(fmt.Errorf("look for a grant: %w", err))
	}
	return true, told, nil
}

// NotifyGranted records that a person is notified of their approval; first is true for one caller only.
func (s *Store) NotifyGranted(ctx context.Context, channel, account, peer string) (first bool, err error) {
	n, err := dbsqlc.Q.GrantTell(ctx, s.db.Pool, dbsqlc.GrantTellParams{Channel: channel, Account: account, Peer: peer})
	return n == 1, pg.Classify(err)
}

// DeleteGrant revokes an approval. What the person wrote stays. NotFound if there is no approval.
func (s *Store) DeleteGrant(ctx context.Context, channel, account, peer string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.GrantDelete(ctx, tx, dbsqlc.GrantDeleteParams{Channel: channel, Account: account, Peer: peer})
		if err == nil && n == 0 {
			return fault.Errorf(fault.NotFound, "nobody with the id %q was let in on %s", peer, channel)
		}
		return err
	})
}
