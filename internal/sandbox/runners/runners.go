package runners

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/sandbox/dbsqlc"
	"xbot/internal/turn/quota"
	"xbot/internal/user/users"
	"xbot/runner/wire"
)

// Runner is a runner as it can be listed.
type Runner struct {
	Name        string
	User        chat.UserID
	Owner       string // the user's name
	Online      bool   // an ingress holds its socket, and confirmed it within the last 45 s
	ConnectedAt *time.Time
	SeenAt      *time.Time
	CreatedAt   time.Time
	Info        *wire.Info // as last reported; nil if it never connected
}

// EnsureRunner makes a runner of the server's own, or gives the existing one a new token.
func (s *Store) EnsureRunner(ctx context.Context, user chat.UserID, name string, tokenHash []byte) (int64, error) {
	id, err := dbsqlc.Q.RunnerEnsure(ctx, s.db.Pool, dbsqlc.RunnerEnsureParams{UserID: user, Name: name, TokenHash: tokenHash})
	if err != nil {
		return 0, pg.Classify(fmt.Errorf("write runner %s: %w", name, err))
	}
	return id, nil
}

// CreateRunner makes a runner of a user; Conflict if they have one of the name, or as many as they may. The caller has checked the name.
func (s *Store) CreateRunner(ctx context.Context, user chat.UserID, name string, tokenHash []byte) error {
	return quota.Make(ctx, s.quota, s.db, quota.Making{Of: quota.Runners, Owner: user}, func(tx *pg.Tx) (bool, error) {
		return true, s.create(ctx, tx, user, name, tokenHash)
	})
}

// GrantRunner makes a runner for a user as an operator, however many they have; else it is CreateRunner.
func (s *Store) GrantRunner(ctx context.Context, user chat.UserID, name string, tokenHash []byte) error {
	return s.create(ctx, s.db.Pool, user, name, tokenHash)
}

func (s *Store) create(ctx context.Context, db pg.DBTX, user chat.UserID, name string, tokenHash []byte) error {
	_, err := dbsqlc.Q.RunnerCreate(ctx, db, dbsqlc.RunnerCreateParams{UserID: user, Name: name, TokenHash: tokenHash})
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.Errorf(fault.Conflict, "there is a runner named %q already: choose another name, or make a new token for that one", name)
	}
	if err != nil {
		return pg.Classify(fmt.Errorf("create runner %s: %w", name, err))
	}
	return nil
}

// RenewRunner gives a runner a new token: the old one becomes invalid. NotFound if the user has no such runner.
func (s *Store) RenewRunner(ctx context.Context, user chat.UserID, name string, tokenHash []byte) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.RunnerRenew(ctx, tx, dbsqlc.RunnerRenewParams{UserID: user, Name: name, TokenHash: tokenHash})
		if err := oneRunner(n, err, "renew", name); err != nil {
			return err
		}
		return tx.NotifyAccess(ctx)
	})
}

// RevokeRunner makes a runner's token useless. NotFound if the user has no such runner.
func (s *Store) RevokeRunner(ctx context.Context, user chat.UserID, name string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.RunnerRevoke(ctx, tx, dbsqlc.RunnerRevokeParams{UserID: user, Name: name})
		if err := oneRunner(n, err, "revoke", name); err != nil {
			return err
		}
		return tx.NotifyAccess(ctx)
	})
}

func oneRunner(n int64, err error, what, name string) error {
	if err != nil {
		return pg.Classify(fmt.Errorf("%s runner %s: %w", what, name, err))
	}
	if n == 0 {
		return i18n.Fault(fault.NotFound, i18n.RunnerUnknown, name)
	}
	return nil
}

// RunnerByToken finds the runner of a token by the token's SHA-256, and whether its owner is an administrator; Denied
// if the token is unknown or revoked.
func (s *Store) RunnerByToken(ctx context.Context, tokenHash []byte) (name string, user chat.UserID, admin bool, err error) {
	row, err := dbsqlc.Q.RunnerByToken(ctx, s.db.Pool, tokenHash)
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && subtle.ConstantTimeCompare(row.TokenHash, tokenHash) != 1) {
		return "", 0, false, fault.Errorf(fault.Denied, "this runner token is unknown or was revoked")
	}
	return row.Name, row.UserID, row.Role == users.RoleAdmin, pg.Classify(err)
}

// RunnersSeen records that connections made with these tokens are up, and returns the hashes of those that are still valid.
func (s *Store) RunnersSeen(ctx context.Context, tokenHashes [][]byte) ([][]byte, error) {
	good, err := dbsqlc.Q.RunnersSeen(ctx, s.db.Pool, tokenHashes)
	return good, pg.Classify(err)
}

// Runners lists the runners of all users.
func (s *Store) Runners(ctx context.Context) ([]Runner, error) {
	return s.runners(ctx, dbsqlc.RunnerListParams{})
}

// RunnersOf lists the runners of a user. With host it has the one of the server's own host, too, of any owner.
func (s *Store) RunnersOf(ctx context.Context, user chat.UserID, host bool) ([]Runner, error) {
	return s.runners(ctx, dbsqlc.RunnerListParams{Owner: new(int64(user)), Host: host})
}

func (s *Store) runners(ctx context.Context, which dbsqlc.RunnerListParams) ([]Runner, error) {
	rows, err := dbsqlc.Q.RunnerList(ctx, s.db.Pool, which)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list runners: %w", err))
	}
	out := make([]Runner, len(rows))
	for i, r := range rows {
		out[i] = Runner{
			Name: r.Name, User: r.UserID, Owner: r.Owner, Online: r.Online, ConnectedAt: r.ConnectedAt, SeenAt: r.SeenAt, CreatedAt: r.CreatedAt,
		}
		if r.Info == nil {
			continue
		}
		if err := json.Unmarshal(r.Info, &out[i].Info); err != nil {
			return nil, fmt.Errorf("decode what runner %s said of itself: %w", r.Name, err)
		}
	}
	return out, nil
}

// RunnerChoice returns which runner a user's commands ask for: the given one, else the user's active one, else none.
func (s *Store) RunnerChoice(ctx context.Context, user chat.UserID, asked string) (chat.RunnerChoice, error) {
	row, err := dbsqlc.Q.RunnerChoice(ctx, s.db.Pool, dbsqlc.RunnerChoiceParams{Owner: int64(user), Asked: asked})
	if err != nil {
		return chat.RunnerChoice{}, pg.Classify(fmt.Errorf("look up the runner of user %d: %w", user, err))
	}
	return chat.RunnerChoice{Name: row.Name, Known: row.Known, Sole: row.Sole, Admin: row.Role == users.RoleAdmin, Outside: row.Outside}, nil
}

// Connected records that an ingress holds the socket of a runner now, and the runner's info. The epoch grows
// with each connection.
func (s *Store) Connected(ctx context.Context, id, holder string, tokenHash []byte, info wire.Info) (int64, error) {
	said, err := json.Marshal(cleanInfo(info))
	if err != nil {
		return 0, fmt.Errorf("encode what runner %s said of itself: %w", id, err)
	}
	var epoch int64
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.RunnerConnected(ctx, tx, dbsqlc.RunnerConnectedParams{TokenHash: tokenHash, Info: said}); err != nil {
			return fmt.Errorf("note what runner %s said of itself: %w", id, err)
		}
		epoch, err = dbsqlc.Q.ConnectionOpen(ctx, tx, dbsqlc.ConnectionOpenParams{Name: id, Holder: holder})
		return err
	})
	return epoch, err
}

// cleanInfo makes the untrusted texts of a runner safe for the database and for terminals: each is one line.
func cleanInfo(i wire.Info) wire.Info {
	for _, field := range []*string{&i.Name, &i.Workspace, &i.Version, &i.OS, &i.Arch, &i.Boot, &i.Store, &i.Confinement, &i.Kind} {
		*field = oneLine(*field)
	}
	if i.LLM != nil {
		i.LLM = &wire.LLM{Provider: oneLine(i.LLM.Provider), Model: oneLine(i.LLM.Model)}
	}
	return i
}

func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, chat.Clean(text))
}

// Disconnected records that a connection ended, unless a newer one has taken its place.
func (s *Store) Disconnected(ctx context.Context, name string, epoch int64) error {
	return pg.Classify(dbsqlc.Q.ConnectionClose(ctx, s.db.Pool, dbsqlc.ConnectionCloseParams{Name: name, Epoch: epoch}))
}

// Holder returns which ingress holds the socket of a runner; ok is false if none does.
func (s *Store) Holder(ctx context.Context, name string) (holder string, epoch int64, ok bool, err error) {
	row, err := dbsqlc.Q.ConnectionHolder(ctx, s.db.Pool, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", 0, false, nil
	}
	if err != nil {
		return "", 0, false, pg.Classify(fmt.Errorf("look up the holder of runner %s: %w", name, err))
	}
	return row.Holder, row.Epoch, row.Connected, nil
}
