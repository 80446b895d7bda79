package users

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// minNameRunes is the least length of a name to sign in with.
const minNameRunes = 2

// Account is a user as administrators see them.
type Account struct {
	ID            chat.UserID `json:"id"`
	Name          string      `json:"name"`
	Role          string      `json:"role" enum:"admin,member"`
	CreatedAt     time.Time   `json:"created_at"`
	SeenAt        *time.Time  `json:"seen_at,omitempty" doc:"Time of the last activity; absent: never."`
	Channels      []string    `json:"channels" doc:"Platforms on which the bot knows them."`
	Conversations int         `json:"conversations"`
	HasPassword   bool        `json:"has_password" doc:"The user can sign in to the page with a password."`
	DisabledAt    *time.Time  `json:"disabled_at,omitempty" doc:"Time of disabling; absent if enabled."`
	DisabledBy    string      `json:"disabled_by,omitempty" doc:"The administrator who disabled the user; empty: an operator."`
	DeletingSince *time.Time  `json:"deleting_since,omitempty" doc:"Start of the user's deletion; absent if they are not being deleted."`
	Had           int         `json:"had,omitempty" doc:"For a user being deleted: the initial number of conversations."`
}

// Accounts lists users, disabled ones last, without groups.
func (s *Store) Accounts(ctx context.Context) ([]Account, error) {
	rows, err := dbsqlc.Q.AccountList(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list people: %w", err))
	}
	out := make([]Account, len(rows))
	for i, r := range rows {
		out[i] = Account{
			ID: r.ID, Name: r.Name, Role: r.Role, CreatedAt: r.CreatedAt, Channels: r.Channels, Conversations: int(r.Conversations),
			HasPassword: r.HasPassword, DisabledAt: r.DisabledAt, DisabledBy: r.DisabledBy, DeletingSince: r.DeletedAt, Had: int(r.Had),
		}
		if r.SeenAt.Unix() != 0 {
			out[i].SeenAt = new(r.SeenAt)
		}
	}
	return out, nil
}

// CreateUser adds a user with a unique name. A name that another user has, ignoring case, is a Conflict, and one that
// cannot be used to sign in is Invalid. They have no password yet.
func (s *Store) CreateUser(ctx context.Context, name, role string) (User, error) {
	var user User
	err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
		user, err = addAccount(ctx, tx, dbsqlc.AccountAddParams{Name: name, Role: role})
		return err
	})
	return user, err
}

func addAccount(ctx context.Context, t *pg.Tx, p dbsqlc.AccountAddParams) (User, error) {
	if err := CheckName(p.Name); err != nil {
		return User{}, err
	}
	row, err := dbsqlc.Q.AccountAdd(ctx, t, p)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fault.Errorf(fault.Conflict, "there is somebody named %q already; choose another name", p.Name)
	}
	if err != nil {
		return User{}, fmt.Errorf("add a person: %w", err)
	}
	return UserOf(row), nil
}

// CheckName returns what is wrong with a name to sign in with.
func CheckName(name string) error {
	switch {
	case CleanName(name) != name:
		return fault.Errorf(fault.Invalid, "a name is one line of at most %d characters, without spaces at its ends", maxNameRunes)
	case utf8.RuneCountInString(name) < minNameRunes:
		return fault.Errorf(fault.Invalid, "a name has at least %d characters", minNameRunes)
	case strings.Contains(name, ":"):
		return fault.Errorf(fault.Invalid, "a name has no colon")
	}
	return nil
}

// SetRole makes a user an administrator or a member, who loses the handovers of services that they have. The last administrator stays
// one: Conflict.
func (s *Store) SetRole(ctx context.Context, id chat.UserID, role string) error {
	return s.administer(ctx, id, role != RoleAdmin, func(tx *pg.Tx, _ dbsqlc.User) error {
		return dbsqlc.Q.AccountSetRole(ctx, tx, dbsqlc.AccountSetRoleParams{ID: id, Role: role})
	})
}

// Disable disables a user in one transaction: their logins, links, tokens and runners are gone, their background tasks are killed, and
// nothing of theirs begins any more. The relay stops running turns and waiting messages (DisabledWork). by is the administrator, nil for an
// operator. The last administrator stays: Conflict. Done twice it changes nothing the second time.
func (s *Store) Disable(ctx context.Context, id chat.UserID, by *chat.UserID) error {
	return s.administer(ctx, id, true, func(tx *pg.Tx, row dbsqlc.User) error {
		if row.DisabledAt != nil {
			return nil
		}
		return dbsqlc.Q.AccountDisable(ctx, tx, dbsqlc.AccountDisableParams{ID: id, ByUser: by})
	})
}

// Enable enables a disabled user. They need a new sign-in link or their password, new tokens and new runners. A user who is being deleted
// stays disabled: Conflict.
func (s *Store) Enable(ctx context.Context, id chat.UserID) error {
	var n int64
	err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
		n, err = dbsqlc.Q.AccountEnable(ctx, tx, id)
		return err
	})
	if err == nil && n == 0 {
		if d, err := s.Deletion(ctx, id); err == nil {
			return fault.Errorf(fault.Conflict, "%s is being deleted, which cannot be taken back", d.Name)
		}
		err = nobody(id)
	}
	return pg.Classify(err)
}

// SignsOn reports whether a user signs in by an OpenID Connect provider, and so needs no password.
func (s *Store) SignsOn(ctx context.Context, id chat.UserID) (bool, error) {
	yes, err := dbsqlc.Q.AccountSignsOn(ctx, s.db.Pool, id)
	return yes, pg.Classify(err)
}

// MayEnter is NotFound unless there is a user of that number, and a Conflict while they are disabled.
func (s *Store) MayEnter(ctx context.Context, id chat.UserID) error {
	row, err := dbsqlc.Q.UserGet(ctx, s.db.Pool, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows) || err == nil && row.Kind != KindPerson:
		return nobody(id)
	case err == nil && row.DisabledAt != nil:
		return fault.Errorf(fault.Conflict, "the account of %s is disabled; enable it first", row.Name)
	}
	return pg.Classify(err)
}

// administer changes a user; removes: they are no administrator afterwards. Changes run one by one: of two who remove each other, one stays.
func (s *Store) administer(ctx context.Context, id chat.UserID, removes bool, change func(tx *pg.Tx, row dbsqlc.User) error) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := tx.LockName(ctx, "administrators"); err != nil {
			return fmt.Errorf("lock the administrators: %w", err)
		}
		row, err := dbsqlc.Q.AccountLock(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nobody(id)
		}
		if err != nil {
			return fmt.Errorf("lock a person: %w", err)
		}
		if removes && row.Role == RoleAdmin && row.DisabledAt == nil {
			others, err := dbsqlc.Q.AccountOtherAdmin(ctx, tx, id)
			if err != nil {
				return fmt.Errorf("look for other administrators: %w", err)
			}
			if !others {
				return fault.Errorf(fault.Conflict, "%s is the last administrator; make somebody else one first", row.Name)
			}
		}
		if err := change(tx, row); err != nil {
			return err
		}
		if removes {
			if err := giveBack(ctx, tx, id); err != nil {
				return err
			}
		}
		return tx.NotifyAccess(ctx)
	})
}

func nobody(id chat.UserID) error { return fault.Errorf(fault.NotFound, "there is no person %d", id) }

// Disabled reports whether a user is disabled.
func Disabled(ctx context.Context, t *pg.Tx, id chat.UserID) (bool, error) {
	yes, err := dbsqlc.Q.AccountDisabled(ctx, t, id)
	if err != nil {
		return false, fmt.Errorf("look whether user %d is shut out: %w", id, err)
	}
	return yes, nil
}

// DisabledWork is a conversation of a disabled user, in which something runs or waits.
type DisabledWork struct {
	Session chat.SessionKey
	User    chat.UserID
	Channel string
	Turn    chat.TurnID // that runs and was not asked to stop; empty: only messages wait
}

// DisabledWork lists conversations that are to be stopped: all of disabled users, and of those who were enabled again what began
// before.
func (s *Store) DisabledWork(ctx context.Context) ([]DisabledWork, error) {
	rows, err := dbsqlc.Q.AccountWork(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for work of people who are shut out: %w", err))
	}
	out := make([]DisabledWork, len(rows))
	for i, r := range rows {
		out[i] = DisabledWork{Session: r.Key, User: r.UserID, Channel: r.Channel, Turn: chat.TurnID(r.TurnID)}
	}
	return out, nil
}
