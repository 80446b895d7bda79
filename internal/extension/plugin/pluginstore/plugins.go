// Package pluginstore stores plugins, their files and the values that they store themselves.
package pluginstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
)

// MaxPlugins limits the plugins of an installation.
const MaxPlugins = 32

// Plugin is a stored plugin, without its files.
type Plugin struct {
	ID, Version string
	Digest      string // SHA-256 of its files, in hexadecimal
	Manifest    json.RawMessage
	Permissions []string // that it has
	ReadOnly    []string // tools, as models call them, that an administrator was shown to change nothing
	Enabled     bool
	Secrets     []byte // values of its settings, sealed; nil: there are none
	Revision    int64
	// Installation names its data folder: it stays the same for new versions, and changes after the plugin was removed and installed again.
	Installation int64
	Health
	InstalledAt time.Time
	ChangedAt   time.Time
	ChangedBy   string // name of the administrator; empty: an operator
}

// Health is the stored health of the processes of a plugin.
type Health struct {
	Problem   string // why it does not work; empty: no problem is known
	ProblemAt *time.Time
	Failure   string // the last failure of this version, also after it worked again; empty: none
	FailureAt *time.Time
}

// Change is a change of a plugin that is installed.
type Change struct {
	Enabled  *bool // nil: as it is
	Settings bool  // Secrets replaces the stored settings
	Secrets  []byte
	Revision int64 // that the change was made from; 0: any
}

// Store stores plugins. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// Plugins lists all, by their ids.
func (s *Store) Plugins(ctx context.Context) ([]Plugin, error) {
	out, err := list(ctx, s.db.Pool)
	return out, pg.Classify(err)
}

func list(ctx context.Context, from pg.DBTX) ([]Plugin, error) {
	rows, err := dbsqlc.Q.PluginList(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("list plugins: %w", err)
	}
	out := make([]Plugin, len(rows))
	for i, r := range rows {
		out[i] = Plugin{
			ID: r.ID, Version: r.Version, Digest: r.Digest, Manifest: r.Manifest, Permissions: r.Permissions, ReadOnly: r.ReadOnly, Enabled: r.Enabled, Secrets: r.Secrets, Revision: r.Revision, Installation: r.Installation,
			Health: Health{r.Problem, r.ProblemAt, r.Failure, r.FailureAt}, InstalledAt: r.InstalledAt, ChangedAt: r.ChangedAt, ChangedBy: r.ChangedBy,
		}
	}
	return out, nil
}

// PluginArchive returns the files of a plugin, and their digest. It returns NotFound if there is no such plugin.
func (s *Store) PluginArchive(ctx context.Context, id string) (digest string, archive []byte, err error) {
	r, err := dbsqlc.Q.PluginArchive(ctx, s.db.Pool, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil, missing(id)
	}
	if err != nil {
		return "", nil, pg.Classify(fmt.Errorf("read the files of plugin %s: %w", id, err))
	}
	return r.Digest, r.Archive, nil
}

func missing(id string) error {
	return fault.Errorf(fault.NotFound, "there is no plugin %s: xbot plugin list shows those that are installed", id)
}

// InstallPlugin stores a checked plugin, also in the place of another version, if check accepts it together with the installed
// ones. It is switched on. by is the administrator; 0: an operator.
func (s *Store) InstallPlugin(ctx context.Context, in Plugin, archive []byte, by chat.UserID, check Checker) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.PluginLock(ctx, tx); err != nil {
			return fmt.Errorf("wait for others who install a plugin: %w", err)
		}
		all, err := list(ctx, tx)
		if err != nil {
			return err
		}
		if in.Secrets, err = check.Beside(all); err != nil {
			return err
		}
		if err := secretstore.NoteKey(ctx, tx, in.Secrets); err != nil {
			return err
		}
		return dbsqlc.Q.PluginInstall(ctx, tx, dbsqlc.PluginInstallParams{
			ID: in.ID, Version: in.Version, Digest: in.Digest, Manifest: in.Manifest, Archive: archive, Permissions: pg.List(in.Permissions), ReadOnly: pg.List(in.ReadOnly), Secrets: in.Secrets, ChangedBy: pg.Nullable(by),
		})
	})
}

// Checker checks a plugin before it is installed.
type Checker interface {
	// Beside returns the sealed settings of the plugin, or an error if it cannot be installed together with the given ones.
	Beside(all []Plugin) (secrets []byte, err error)
}

// ChangePlugin changes a plugin; its processes end. It returns NotFound if there is none, and Conflict if it was changed concurrently.
func (s *Store) ChangePlugin(ctx context.Context, id string, c Change, by chat.UserID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, c.Secrets); err != nil {
			return err
		}
		n, err := dbsqlc.Q.PluginChange(ctx, tx, dbsqlc.PluginChangeParams{ID: id, Enabled: c.Enabled, SetSecrets: c.Settings, Secrets: c.Secrets, Revision: c.Revision, ChangedBy: pg.Nullable(by)})
		switch {
		case err != nil:
			return fmt.Errorf("change plugin %s: %w", id, err)
		case n == 0 && c.Revision != 0:
			return fault.Errorf(fault.Conflict, "the plugin %s was changed or removed meanwhile: read it again", id)
		case n == 0:
			return missing(id)
		}
		return nil
	})
}

// RemovePlugin removes a plugin, with all its values. It returns NotFound if there is none.
func (s *Store) RemovePlugin(ctx context.Context, id string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.PluginDelete(ctx, tx, id)
		if err == nil && n == 0 {
			return missing(id)
		}
		return err
	})
}

// SetPluginProblem stores why a plugin of a revision does not work; empty: it does.
func (s *Store) SetPluginProblem(ctx context.Context, id string, revision int64, problem string) error {
	return pg.Classify(dbsqlc.Q.PluginProblem(ctx, s.db.Pool, dbsqlc.PluginProblemParams{ID: id, Revision: revision, Problem: chat.Clean(problem)}))
}

// SetPluginFailure stores the last failure of a plugin of a revision.
func (s *Store) SetPluginFailure(ctx context.Context, id string, revision int64, failure string) error {
	return pg.Classify(dbsqlc.Q.PluginFailure(ctx, s.db.Pool, dbsqlc.PluginFailureParams{ID: id, Revision: revision, Failure: chat.Clean(failure)}))
}
