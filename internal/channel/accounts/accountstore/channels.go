package accountstore

import (
	"context"
	"encoding/base64"
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

// ChannelAccount is the configuration of a bot on a platform.
type ChannelAccount struct {
	Channel  string
	Account  string
	Enabled  bool
	Settings map[string]string
	Secrets  []byte // sealed
	Revision int64
	Changed  time.Time
}

// ChannelAccounts reads all.
func (s *Store) ChannelAccounts(ctx context.Context) ([]ChannelAccount, error) {
	rows, err := dbsqlc.Q.ChannelAccounts(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read channels: %w", err))
	}
	var out []ChannelAccount
	for _, r := range rows {
		a, err := accountOf(r)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func accountOf(r dbsqlc.ChannelAccount) (ChannelAccount, error) {
	a := ChannelAccount{Channel: r.Channel, Account: r.Account, Enabled: r.Enabled, Secrets: r.Secrets, Revision: r.Revision, Changed: r.ChangedAt}
	if err := json.Unmarshal(r.Settings, &a.Settings); err != nil {
		return a, fmt.Errorf("read the settings of %s %s: %w", r.Channel, r.Account, err)
	}
	return a, nil
}

// SaveChannelAccount creates an account or replaces its configuration. by is 0 if the environment sets it.
func (s *Store) SaveChannelAccount(ctx context.Context, a ChannelAccount, by chat.UserID) error {
	settings, err := json.Marshal(a.Settings)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	p := dbsqlc.ChannelAccountSaveParams{Channel: a.Channel, Account: a.Account, Enabled: a.Enabled, Settings: settings, Secrets: a.Secrets}
	if by != 0 {
		p.ChangedBy = new(int64(by))
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, a.Secrets); err != nil {
			return err
		}
		_, err := dbsqlc.Q.ChannelAccountSave(ctx, tx, p)
		return err
	})
}

// ChannelHolder returns the process that holds the connection of an account, or held it last; empty: none has yet.
func (s *Store) ChannelHolder(ctx context.Context, channel, account string) (string, error) {
	holder, err := dbsqlc.Q.ChannelHolder(ctx, s.db.Pool, dbsqlc.ChannelHolderParams{Channel: channel, Account: account})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return holder, pg.Classify(err)
}

// HoldChannel takes or renews the lease of an account's connection. It returns false if another process holds it.
func (s *Store) HoldChannel(ctx context.Context, channel, account, holder string, lease time.Duration) (bool, error) {
	n, err := dbsqlc.Q.ChannelHold(ctx, s.db.Pool, dbsqlc.ChannelHoldParams{Channel: channel, Account: account, Holder: holder, Lease: pg.Interval(lease)})
	return n > 0, pg.Classify(err)
}

// ReleaseChannel releases the lease of an account's connection.
func (s *Store) ReleaseChannel(ctx context.Context, channel, account, holder string) error {
	return pg.Classify(dbsqlc.Q.ChannelRelease(ctx, s.db.Pool, dbsqlc.ChannelReleaseParams{Channel: channel, Account: account, Holder: holder}))
}

// ReportChannel records the state of an account; event and lag are zero if nothing arrived.
func (s *Store) ReportChannel(ctx context.Context, channel, account string, connected bool, event time.Time, lag time.Duration, problem string) error {
	p := dbsqlc.ChannelReportParams{Channel: channel, Account: account, Connected: connected, Error: chat.Clean(problem)}
	if !event.IsZero() {
		p.EventAt, p.LagMs = &event, new(int32(lag.Milliseconds()))
	}
	return pg.Classify(dbsqlc.Q.ChannelReport(ctx, s.db.Pool, p))
}

// SpendSign counts a progress call of an account and reports whether it may be made: budget is the number allowed per hour.
// The count outlives processes.
func (s *Store) SpendSign(ctx context.Context, channel, account string, budget int) (bool, error) {
	may, err := dbsqlc.Q.ChannelSign(ctx, s.db.Pool, dbsqlc.ChannelSignParams{Channel: channel, Account: account, Budget: int32(budget)})
	return may, pg.Classify(err)
}

// RecallChannel returns the value an adapter stored under a key, or nil if there is none.
func (s *Store) RecallChannel(ctx context.Context, channel, account, key string) ([]byte, error) {
	text, err := dbsqlc.Q.ChannelRecall(ctx, s.db.Pool, dbsqlc.ChannelRecallParams{Channel: channel, Account: account, Key: key})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && text == "" {
		return nil, nil
	}
	if err != nil {
		return nil, pg.Classify(err)
	}
	value, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "what the channel %s %s kept is damaged", channel, account)
	}
	return value, nil
}

// RememberChannel stores a value of an adapter under a key.
func (s *Store) RememberChannel(ctx context.Context, channel, account, key string, value []byte) error {
	text := base64.StdEncoding.EncodeToString(value)
	return pg.Classify(dbsqlc.Q.ChannelRemember(ctx, s.db.Pool, dbsqlc.ChannelRememberParams{Channel: channel, Account: account, Key: key, Value: text}))
}
