// Package registrystore stores published skills and roles, and the copies that users have installed.
package registrystore

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/extension/registry"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// Limits of a user, or of the installation.
const (
	maxEntries  = 100
	maxInstalls = 100
	maxVersions = 20        // of one entry; the oldest go
	maxBytes    = 128 << 20 // of all archives
)

// Page limits the entries of one list.
const Page = 50

// maxWords limits the words of a search.
const maxWords = 8

// Store stores entries and installs. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// Viewer is the user of a request to the registry.
type Viewer struct {
	User  chat.UserID
	Admin bool // finds entries that administrators have withdrawn, too
}

// RegistryEntries lists the entries that a viewer finds, by name, at most Page of them. more reports whether there are others.
func (s *Store) RegistryEntries(ctx context.Context, v Viewer, q registry.Query) (list []registry.Entry, more bool, err error) {
	words := strings.Fields(strings.ToLower(chat.Clean(q.Words)))
	rows, err := dbsqlc.Q.RegistryEntryList(ctx, s.db.Pool, dbsqlc.RegistryEntryListParams{
		Viewer: v.User, Admin: v.Admin, Own: q.Own, Kind: string(q.Kind), Key: chat.Clean(q.Key), Words: append([]string{}, words[:min(len(words), maxWords)]...), Passed: int32(max(q.Offset, 0)), Most: Page + 1,
	})
	if err != nil {
		return nil, false, pg.Classify(fmt.Errorf("list what was published: %w", err))
	}
	for _, r := range rows[:min(len(rows), Page)] {
		list = append(list, entry(r))
	}
	return list, len(rows) > Page, nil
}

func entry(r dbsqlc.RegistryEntryListRow) registry.Entry {
	return registry.Entry{
		ID: r.ID, Kind: registry.Kind(r.Kind), Name: r.Name, Description: r.Description, Tags: r.Tags, Owner: r.Owner, Own: r.Own,
		Visibility: registry.Visibility(r.Visibility), Withdrawn: registry.Withdrawal(r.Withdrawn), Installed: int(r.Installed),
		Version: registry.Version{Number: int(r.Number), Digest: r.Digest, Size: int(r.Size), Files: int(r.Files), Notes: r.Notes, PublishedAt: r.PublishedAt},
	}
}

// RegistryEntry returns an entry. It returns NotFound if the viewer finds none of this id.
func (s *Store) RegistryEntry(ctx context.Context, v Viewer, id int64) (registry.Entry, error) {
	e, err := s.find(ctx, s.db.Pool, v, id)
	return e, pg.Classify(err)
}

func (s *Store) find(ctx context.Context, db pg.DBTX, v Viewer, id int64) (registry.Entry, error) {
	if id == 0 {
		return registry.Entry{}, noEntry(id) // the query takes 0 for all
	}
	rows, err := dbsqlc.Q.RegistryEntryList(ctx, db, dbsqlc.RegistryEntryListParams{Viewer: v.User, ID: id, Admin: v.Admin, Words: []string{}, Most: 1})
	switch {
	case err != nil:
		return registry.Entry{}, fmt.Errorf("read entry %d of the registry: %w", id, err)
	case len(rows) == 0:
		return registry.Entry{}, noEntry(id)
	}
	return entry(rows[0]), nil
}

func noEntry(id int64) error {
	return fault.Errorf(fault.NotFound, "there is no entry %d in the registry", id)
}

// RegistryVersions lists the versions of an entry that a viewer finds, the newest first.
func (s *Store) RegistryVersions(ctx context.Context, v Viewer, id int64) (list []registry.Version, err error) {
	if _, err := s.RegistryEntry(ctx, v, id); err != nil {
		return nil, err
	}
	rows, err := dbsqlc.Q.RegistryVersionList(ctx, s.db.Pool, dbsqlc.RegistryVersionListParams{EntryID: id})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read versions of entry %d: %w", id, err))
	}
	for _, r := range rows {
		list = append(list, registry.Version{Number: int(r.Number), Digest: r.Digest, Size: int(r.Size), Files: int(r.Files), Notes: r.Notes, PublishedAt: r.PublishedAt})
	}
	return list, nil
}

// RegistryBundle returns a version of an entry that a viewer finds; number 0: the newest.
func (s *Store) RegistryBundle(ctx context.Context, v Viewer, id int64, number int) (registry.Packed, error) {
	e, err := s.RegistryEntry(ctx, v, id)
	if err != nil {
		return registry.Packed{}, err
	}
	if number == 0 {
		number = e.Version.Number
	}
	rows, err := dbsqlc.Q.RegistryVersionList(ctx, s.db.Pool, dbsqlc.RegistryVersionListParams{EntryID: id, Number: int32(number)})
	switch {
	case err != nil:
		return registry.Packed{}, pg.Classify(fmt.Errorf("read version %d of entry %d: %w", number, id, err))
	case number == 0 || len(rows) == 0: // 0 would read all versions
		return registry.Packed{}, noVersion(number)
	}
	return registry.Packed{Kind: e.Kind, Name: rows[0].Name, Digest: rows[0].Digest, Zip: rows[0].Bundle}, nil
}

func noVersion(number int) error {
	return fault.Errorf(fault.NotFound, "there is no version %d of it any more", number)
}

// change runs a change of the entries and installs of a user, one at a time; 0: of the installation.
func (s *Store) change(ctx context.Context, owner chat.UserID, do func(tx *pg.Tx) error) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.RegistryLock(ctx, tx, fmt.Sprint(owner)); err != nil {
			return fmt.Errorf("lock the registry of user %d: %w", owner, err)
		}
		return do(tx)
	})
}

// checkLimits returns TooLarge if an owner exceeds the limits.
func checkLimits(ctx context.Context, tx *pg.Tx, owner chat.UserID) error {
	has, err := dbsqlc.Q.RegistryTotals(ctx, tx, owner)
	switch {
	case err != nil:
		return fmt.Errorf("measure the registry of user %d: %w", owner, err)
	case has.Entries > maxEntries:
		return fault.Errorf(fault.TooLarge, "more than %d entries are not kept: delete one first", maxEntries)
	case has.Installs > maxInstalls:
		return fault.Errorf(fault.TooLarge, "more than %d skills and roles are not installed: uninstall one first", maxInstalls)
	case has.Bytes > maxBytes:
		return fault.Errorf(fault.TooLarge, "what is published and installed takes more than %d MB: delete or uninstall something first", maxBytes>>20)
	}
	return nil
}
