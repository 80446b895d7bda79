package registrystore

import (
	"cmp"
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

// RegistryPublish publishes a bundle: a new version of the owner's entry under its name, or a new entry. The same bundle again changes
// only its visibility. A withdrawn entry stays withdrawn. It returns Denied if an administrator has withdrawn it, and TooLarge if the limits of the owner are reached.
func (s *Store) RegistryPublish(ctx context.Context, owner chat.UserID, b registry.Bundle, t registry.Terms) (e registry.Entry, err error) {
	if err := t.Check(); err != nil {
		return e, err
	}
	packed, err := b.Zip()
	if err != nil {
		return e, err
	}
	err = s.change(ctx, owner, func(tx *pg.Tx) error {
		id, number, err := s.place(ctx, tx, owner, b, t)
		if err != nil {
			return err
		}
		if number > 0 {
			if err := dbsqlc.Q.RegistryVersionAdd(ctx, tx, dbsqlc.RegistryVersionAddParams{
				EntryID: id, Number: number, Name: b.Name, Description: b.Description, Tags: append([]string{}, b.Tags...), Digest: b.Digest(), Bundle: packed,
				Size: int32(b.Size()), Files: int32(len(b.Files)), Notes: chat.Clean(t.Notes), Keep: maxVersions,
			}); err != nil {
				return fmt.Errorf("publish a version: %w", err)
			}
		}
		if err := checkLimits(ctx, tx, owner); err != nil {
			return err
		}
		e, err = s.find(ctx, tx, Viewer{User: owner}, id)
		return err
	})
	return e, err
}

// place finds or makes the entry of a bundle, and returns the number of its new version, or 0 if it is the newest already.
func (s *Store) place(ctx context.Context, tx *pg.Tx, owner chat.UserID, b registry.Bundle, t registry.Terms) (id int64, number int32, err error) {
	key := registry.Key(b.Name)
	was, err := dbsqlc.Q.RegistryEntryNamed(ctx, tx, dbsqlc.RegistryEntryNamedParams{UserID: owner, Kind: string(b.Kind), Key: key})
	if errors.Is(err, pgx.ErrNoRows) {
		seen := cmp.Or(t.Visibility, registry.Private)
		id, err = dbsqlc.Q.RegistryEntryAdd(ctx, tx, dbsqlc.RegistryEntryAddParams{UserID: owner, Kind: string(b.Kind), Key: key, Visibility: string(seen), ChangedBy: new(int64(owner))})
		if err != nil {
			return 0, 0, fmt.Errorf("make an entry: %w", err)
		}
		return id, 1, nil
	}
	switch {
	case err != nil:
		return 0, 0, fmt.Errorf("look for the entry: %w", err)
	case was.Withdrawn == string(registry.ByAdministrator):
		return 0, 0, withdrawn(b.Name)
	}
	newest, err := dbsqlc.Q.RegistryVersionList(ctx, tx, dbsqlc.RegistryVersionListParams{EntryID: was.ID, Number: was.Newest})
	if err != nil {
		return 0, 0, fmt.Errorf("read the newest version: %w", err)
	}
	now := dbsqlc.RegistryEntrySetParams{ID: was.ID, Visibility: cmp.Or(string(t.Visibility), was.Visibility), Withdrawn: was.Withdrawn, Newest: was.Newest, ChangedBy: int64(owner)}
	if len(newest) == 0 || newest[0].Digest != b.Digest() {
		now.Newest++
		number = now.Newest
	}
	return was.ID, number, dbsqlc.Q.RegistryEntrySet(ctx, tx, now)
}

func withdrawn(name string) error {
	return fault.Errorf(fault.Denied, "an administrator has withdrawn %s: ask them to let it back in", name)
}

// Revision is a change of an entry; absent members stay.
type Revision struct {
	Visibility *registry.Visibility // by its owner alone
	Withdrawn  *bool
}

// ReviseRegistryEntry changes the visibility of an entry. An administrator who withdraws another user's entry removes it from all users who have
// installed it, in the same transaction, and only administrators restore it. It returns NotFound if the viewer finds none, and Denied if it is another user's, or an
// administrator has withdrawn it.
func (s *Store) ReviseRegistryEntry(ctx context.Context, v Viewer, id int64, r Revision) (e registry.Entry, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if e, err = s.find(ctx, tx, v, id); err != nil {
			return err
		}
		was, err := lock(ctx, tx, id)
		if err != nil {
			return err
		}
		now, err := revised(was, v, r)
		if err != nil || now.Visibility == was.Visibility && now.Withdrawn == was.Withdrawn {
			return err
		}
		if err := dbsqlc.Q.RegistryEntrySet(ctx, tx, now); err != nil {
			return fmt.Errorf("change entry %d: %w", id, err)
		}
		e.Visibility, e.Withdrawn = registry.Visibility(now.Visibility), registry.Withdrawal(now.Withdrawn)
		if e.Withdrawn == registry.ByAdministrator {
			if _, err := dbsqlc.Q.RegistryInstallsDelete(ctx, tx, dbsqlc.RegistryInstallsDeleteParams{EntryID: &id}); err != nil {
				return fmt.Errorf("take entry %d from those who have it: %w", id, err)
			}
			e.Installed = 0
		}
		return nil
	})
	return e, err
}

// lock locks an entry against other changes until the transaction ends.
func lock(ctx context.Context, tx *pg.Tx, id int64) (dbsqlc.RegistryEntry, error) {
	e, err := dbsqlc.Q.RegistryEntryLock(ctx, tx, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return e, noEntry(id)
	case err != nil:
		return e, fmt.Errorf("lock entry %d: %w", id, err)
	}
	return e, nil
}

func revised(was dbsqlc.RegistryEntry, v Viewer, r Revision) (now dbsqlc.RegistryEntrySetParams, err error) {
	now = dbsqlc.RegistryEntrySetParams{ID: was.ID, Visibility: was.Visibility, Withdrawn: was.Withdrawn, Newest: was.Newest, ChangedBy: int64(v.User)}
	own := was.UserID == v.User
	if !own && !v.Admin {
		return now, fault.Errorf(fault.Denied, "only its owner and administrators change it")
	}
	if r.Visibility != nil {
		if now.Visibility, err = seen(was, own, *r.Visibility); err != nil {
			return now, err
		}
	}
	if r.Withdrawn == nil {
		return now, nil
	}
	byAdmin := was.Withdrawn == string(registry.ByAdministrator)
	switch {
	case byAdmin && !v.Admin:
		return now, withdrawn(was.Key)
	case !*r.Withdrawn:
		now.Withdrawn = string(registry.InForce)
	case own && !byAdmin:
		now.Withdrawn = string(registry.ByOwner)
	default:
		now.Withdrawn = string(registry.ByAdministrator)
	}
	return now, nil
}

// seen returns the visibility that an owner gives an entry. It cannot change while an administrator has withdrawn the entry.
func seen(was dbsqlc.RegistryEntry, own bool, to registry.Visibility) (string, error) {
	switch err := (registry.Terms{Visibility: to}).Check(); {
	case err != nil:
		return "", err
	case !own:
		return "", fault.Errorf(fault.Denied, "only its owner says who finds it")
	case was.Withdrawn == string(registry.ByAdministrator):
		return "", withdrawn(was.Key)
	}
	return string(cmp.Or(to, registry.Visibility(was.Visibility))), nil
}

// DeleteRegistryEntry removes an entry of the owner with its versions. Installed copies stay. It returns Denied if an administrator has withdrawn it, and
// it stays, so that it is not published again.
func (s *Store) DeleteRegistryEntry(ctx context.Context, owner chat.UserID, id int64) error {
	return s.change(ctx, owner, func(tx *pg.Tx) error {
		was, err := lock(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case was.UserID != owner:
			return noEntry(id)
		case was.Withdrawn == string(registry.ByAdministrator):
			return withdrawn(was.Key)
		}
		_, err = dbsqlc.Q.RegistryEntryDelete(ctx, tx, dbsqlc.RegistryEntryDeleteParams{ID: id, UserID: owner})
		return err
	})
}
