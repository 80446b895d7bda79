package registrystore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/extension/registry"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// Order is a request to install an entry.
type Order struct {
	Shared  bool // for all users, which administrators do
	Entry   int64
	Number  int  // of the version; 0: the newest
	Replace bool // something else that is installed under the name
}

// RegistryInstall copies a version of an entry that the viewer finds, all or nothing. Another version of the same entry takes the place of the one
// before. It returns Conflict if something else is installed under the name and is not to be replaced, and TooLarge if the limits of the owner are
// reached.
func (s *Store) RegistryInstall(ctx context.Context, v Viewer, o Order) (done registry.Install, err error) {
	owner := v.owner(o.Shared)
	err = s.change(ctx, owner, func(tx *pg.Tx) error {
		held, err := dbsqlc.Q.RegistryEntryHold(ctx, tx, o.Entry)
		if err != nil {
			return fmt.Errorf("hold entry %d: %w", o.Entry, err)
		}
		e, err := s.find(ctx, tx, v, o.Entry)
		switch {
		case err != nil:
			return err
		case held == 0:
			return noEntry(o.Entry)
		case e.Withdrawn == registry.ByAdministrator:
			return withdrawn(e.Name)
		case !e.Offered():
			return fault.Errorf(fault.Denied, "the owner of %s does not share it", e.Name)
		}
		if err := unlessTaken(ctx, tx, owner, e, o.Replace); err != nil {
			return err
		}
		if o.Number == 0 {
			o.Number = e.Version.Number
		}
		if done, err = s.put(ctx, tx, v, owner, e, o.Number); err != nil {
			return err
		}
		return checkLimits(ctx, tx, owner)
	})
	return done, err
}

// owner returns the owner of a change; 0: the installation.
func (v Viewer) owner(shared bool) chat.UserID {
	if shared {
		return 0
	}
	return v.User
}

// unlessTaken returns Conflict if something of another entry is installed under a name.
func unlessTaken(ctx context.Context, tx *pg.Tx, owner chat.UserID, e registry.Entry, replace bool) error {
	has, err := dbsqlc.Q.RegistryInstallNamed(ctx, tx, dbsqlc.RegistryInstallNamedParams{Owner: owner, Kind: string(e.Kind), Key: registry.Key(e.Name)})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("look for what is installed: %w", err)
	case !replace && (has.EntryID == nil || *has.EntryID != e.ID):
		return fault.Errorf(fault.Conflict, "another %s called %s is installed: uninstall that first", e.Kind, e.Name)
	}
	return nil
}

func (s *Store) put(ctx context.Context, tx *pg.Tx, v Viewer, owner chat.UserID, e registry.Entry, number int) (registry.Install, error) {
	version, err := dbsqlc.Q.RegistryVersionList(ctx, tx, dbsqlc.RegistryVersionListParams{EntryID: e.ID, Number: int32(number)})
	switch {
	case err != nil:
		return registry.Install{}, fmt.Errorf("read version %d: %w", number, err)
	case number == 0 || len(version) == 0: // 0 would read all versions
		return registry.Install{}, noVersion(number)
	}
	id, err := dbsqlc.Q.RegistryInstallPut(ctx, tx, dbsqlc.RegistryInstallPutParams{
		Owner: int64(owner), Kind: string(e.Kind), Key: registry.Key(e.Name), ChangedBy: int64(v.User), EntryID: e.ID, Number: int32(number),
	})
	if err != nil {
		return registry.Install{}, fmt.Errorf("install version %d of entry %d: %w", number, e.ID, err)
	}
	return s.installed(ctx, tx, v.User, id)
}

// RegistryInstalls lists the installs of a user, and those for all users, by name.
func (s *Store) RegistryInstalls(ctx context.Context, user chat.UserID) ([]registry.Install, error) {
	list, err := s.installs(ctx, s.db.Pool, user)
	return list, pg.Classify(err)
}

func (s *Store) installs(ctx context.Context, db pg.DBTX, user chat.UserID) (list []registry.Install, err error) {
	rows, err := dbsqlc.Q.RegistryInstallList(ctx, db, user)
	if err != nil {
		return nil, fmt.Errorf("list what user %d has installed: %w", user, err)
	}
	for _, r := range rows {
		list = append(list, registry.Install{
			ID: r.ID, Kind: registry.Kind(r.Kind), Name: r.Name, Description: r.Description, Shared: r.Shared, Enabled: r.Enabled, Entry: r.Entry, Owner: r.Owner,
			Number: int(r.Number), Newest: int(r.Newest), Digest: r.Digest, Size: int(r.Size), Files: int(r.Files), InstalledAt: r.InstalledAt,
		})
	}
	return list, nil
}

func (s *Store) installed(ctx context.Context, db pg.DBTX, user chat.UserID, id int64) (registry.Install, error) {
	all, err := s.installs(ctx, db, user)
	if err != nil {
		return registry.Install{}, err
	}
	for _, one := range all {
		if one.ID == id {
			return one, nil
		}
	}
	return registry.Install{}, notInstalled(id)
}

func notInstalled(id int64) error {
	return fault.Errorf(fault.NotFound, "there is nothing installed with the number %d", id)
}

// EnableRegistryInstall switches an install on or off.
func (s *Store) EnableRegistryInstall(ctx context.Context, v Viewer, shared bool, id int64, enabled bool) (done registry.Install, err error) {
	owner := v.owner(shared)
	err = s.change(ctx, owner, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.RegistryInstallEnable(ctx, tx, dbsqlc.RegistryInstallEnableParams{ID: id, Owner: owner, Enabled: enabled, ChangedBy: int64(v.User)})
		switch {
		case err != nil:
			return fmt.Errorf("switch %d: %w", id, err)
		case n == 0:
			return notInstalled(id)
		}
		done, err = s.installed(ctx, tx, v.User, id)
		return err
	})
	return done, err
}

// RegistryUninstall removes a copy. The published entry stays.
func (s *Store) RegistryUninstall(ctx context.Context, v Viewer, shared bool, id int64) error {
	owner := v.owner(shared)
	return s.change(ctx, owner, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.RegistryInstallDelete(ctx, tx, dbsqlc.RegistryInstallDeleteParams{ID: id, Owner: owner})
		if err == nil && n == 0 {
			return notInstalled(id)
		}
		return err
	})
}

// RegistryTake removes the copies of a digest from all users, even if their entry is gone, and returns how many there were.
// It returns Denied if the viewer is no administrator.
func (s *Store) RegistryTake(ctx context.Context, v Viewer, digest string) (taken int, err error) {
	if !v.Admin {
		return 0, fault.Errorf(fault.Denied, "only administrators take something from everybody")
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.RegistryInstallsDelete(ctx, tx, dbsqlc.RegistryInstallsDeleteParams{Digest: &digest})
		taken = int(n)
		return err
	})
	return taken, err
}

// RegistryInstallBundle returns a copy of the user's, or one for all users, as an archive.
func (s *Store) RegistryInstallBundle(ctx context.Context, user chat.UserID, id int64) (registry.Packed, error) {
	r, err := dbsqlc.Q.RegistryInstallBundle(ctx, s.db.Pool, dbsqlc.RegistryInstallBundleParams{ID: id, Owner: user})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return registry.Packed{}, notInstalled(id)
	case err != nil:
		return registry.Packed{}, pg.Classify(fmt.Errorf("read what is installed: %w", err))
	}
	return registry.Packed{Kind: registry.Kind(r.Kind), Name: r.Name, Digest: r.Digest, Zip: r.Bundle}, nil
}

// RegistryInForce lists the copies of a kind in force for a user: the user's, and of other names those for all users. 0: only the latter.
func (s *Store) RegistryInForce(ctx context.Context, user chat.UserID, kind registry.Kind) (list []registry.Copy, err error) {
	rows, err := dbsqlc.Q.RegistryInForce(ctx, s.db.Pool, dbsqlc.RegistryInForceParams{Owner: user, Kind: string(kind)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list what counts for user %d: %w", user, err))
	}
	for _, r := range rows {
		list = append(list, registry.Copy{ID: r.ID, Name: r.Name, Description: r.Description, Digest: r.Digest, Zip: r.Packed})
	}
	return list, nil
}
