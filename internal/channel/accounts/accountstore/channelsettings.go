package accountstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/channel/dbsqlc"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
)

// ChannelOverview is an account with its state.
type ChannelOverview struct {
	ChannelAccount

	ChangedBy   string // name of the user; empty: the environment, or a user who was deleted
	Connected   bool
	ConnectedAt *time.Time
	EventAt     *time.Time
	Lag         *time.Duration
	Error       string // of the current configuration
	ErrorAt     *time.Time
	Waiting     int           // messages that are still to be delivered
	Oldest      time.Duration // for which the oldest of them has waited
	Held        string        // the error of the last tried message that is still waiting, at most 300 characters
	Signs       int           // progress calls requested in the counted hour
	SignsBudget int           // how many of them may be made; 0: they are not counted
}

// ChannelOverview reads all accounts with their states.
func (s *Store) ChannelOverview(ctx context.Context) ([]ChannelOverview, error) {
	rows, err := dbsqlc.Q.ChannelOverview(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read channels: %w", err))
	}
	var out []ChannelOverview
	for _, r := range rows {
		a, err := accountOf(r.ChannelAccount)
		if err != nil {
			return nil, err
		}
		o := ChannelOverview{
			ChannelAccount: a, ChangedBy: r.ChangedName, Connected: r.Connected, ConnectedAt: r.ConnectedAt, EventAt: r.EventAt, Error: r.Error, ErrorAt: r.ErrorAt,
			Waiting: int(r.Waiting), Oldest: time.Duration(r.OldestS) * time.Second, Held: r.Held,
			Signs: int(r.Signs), SignsBudget: int(r.SignsBudget),
		}
		if r.LagMs != nil {
			o.Lag = new(time.Duration(*r.LagMs) * time.Millisecond)
		}
		out = append(out, o)
	}
	return out, nil
}

// AddChannelAccount creates an account. It returns Conflict if the account exists.
func (s *Store) AddChannelAccount(ctx context.Context, a ChannelAccount, by chat.UserID) error {
	settings, err := json.Marshal(a.Settings)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	var n int64
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, a.Secrets); err != nil {
			return err
		}
		n, err = dbsqlc.Q.ChannelAccountAdd(ctx, tx, dbsqlc.ChannelAccountAddParams{
			Channel: a.Channel, Account: a.Account, Enabled: a.Enabled, Settings: settings, Secrets: a.Secrets, ChangedBy: int64(by),
		})
		return err
	})
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "there is such a channel already; change that one, or give this one another name")
	}
	return pg.Classify(err)
}

// ReplaceChannelAccount changes the configuration of an account. An account that was changed since a.Revision, or is gone,
// is a Conflict.
func (s *Store) ReplaceChannelAccount(ctx context.Context, a ChannelAccount, by chat.UserID) error {
	settings, err := json.Marshal(a.Settings)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	var n int64
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, a.Secrets); err != nil {
			return err
		}
		n, err = dbsqlc.Q.ChannelAccountReplace(ctx, tx, dbsqlc.ChannelAccountReplaceParams{
			Channel: a.Channel, Account: a.Account, Enabled: a.Enabled, Settings: settings, Secrets: a.Secrets, ChangedBy: int64(by), Revision: a.Revision,
		})
		return err
	})
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "somebody else changed this channel meanwhile; look at it again and make your change anew")
	}
	return pg.Classify(err)
}

// EnableChannelAccount switches an account on or off.
func (s *Store) EnableChannelAccount(ctx context.Context, channel, account string, enabled bool, by chat.UserID) error {
	n, err := dbsqlc.Q.ChannelAccountEnable(ctx, s.db.Pool, dbsqlc.ChannelAccountEnableParams{Channel: channel, Account: account, Enabled: enabled, ChangedBy: int64(by)})
	if err == nil && n == 0 {
		return fault.Errorf(fault.NotFound, "there is no such channel")
	}
	return pg.Classify(err)
}

// DeleteChannelAccount removes an account. Messages waiting for it fail.
func (s *Store) DeleteChannelAccount(ctx context.Context, channel, account string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.ChannelAccountDelete(ctx, tx, dbsqlc.ChannelAccountDeleteParams{Channel: channel, Account: account})
		if err == nil && n == 0 {
			return fault.Errorf(fault.NotFound, "there is no such channel")
		}
		return err
	})
}

// ChannelLastDirect returns the address of the user who last wrote to an account in a direct chat. It returns false if there is none.
func (s *Store) ChannelLastDirect(ctx context.Context, channel, account string) (chat.Address, bool, error) {
	body, err := dbsqlc.Q.ChannelLastDirect(ctx, s.db.Pool, dbsqlc.ChannelLastDirectParams{Channel: channel, Account: account})
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.Address{}, false, nil
	}
	if err != nil {
		return chat.Address{}, false, pg.Classify(err)
	}
	var to chat.Address
	if err := json.Unmarshal(body, &to); err != nil {
		return chat.Address{}, false, fmt.Errorf("read a place of %s %s: %w", channel, account, err)
	}
	return to, true, nil
}
