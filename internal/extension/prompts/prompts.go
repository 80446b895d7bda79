// Package prompts stores the texts of users in place of parts of the system prompt, with their versions.
package prompts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service/servicestore"
)

// maxVersions limits the versions of a section; the oldest go.
const maxVersions = 200

// Store stores prompts. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// OwnPrompts returns the current texts of a user in place of parts of the system prompt.
func (s *Store) OwnPrompts(ctx context.Context, user chat.UserID) (own chat.OwnPrompts, err error) {
	row, err := dbsqlc.Q.OwnPrompts(ctx, s.db.Pool, user)
	if err != nil {
		return own, pg.Classify(fmt.Errorf("read the prompts of user %d: %w", user, err))
	}
	own.Roles, own.Skills = row.Roles, row.Skills
	if err := json.Unmarshal(row.Sections, &own.Sections); err != nil {
		return own, fmt.Errorf("decode the prompts of user %d: %w", user, err)
	}
	return own, nil
}

// PromptsNow returns the newest version of each section that a user has changed, by section.
func (s *Store) PromptsNow(ctx context.Context, user chat.UserID) (map[string]chat.PromptVersion, error) {
	rows, err := dbsqlc.Q.PromptVersionList(ctx, s.db.Pool, dbsqlc.PromptVersionListParams{UserID: user, Newest: true})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the prompts of user %d: %w", user, err))
	}
	now := map[string]chat.PromptVersion{}
	for _, r := range rows {
		now[r.Section] = version(r)
	}
	return now, nil
}

func version(r dbsqlc.PromptVersionListRow) chat.PromptVersion {
	return chat.PromptVersion{
		Version: int(r.Version), Content: r.Content, Beside: r.Beside, Label: r.Label, Note: r.Note, ChangedAt: r.ChangedAt, ChangedBy: r.ChangedBy,
		Characters: int(r.Characters),
	}
}

// PromptVersions lists the versions of a section, the newest first, without their texts.
func (s *Store) PromptVersions(ctx context.Context, user chat.UserID, section string) ([]chat.PromptVersion, error) {
	rows, err := dbsqlc.Q.PromptVersionList(ctx, s.db.Pool, dbsqlc.PromptVersionListParams{UserID: user, Section: section})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list versions of prompt %s: %w", section, err))
	}
	list := make([]chat.PromptVersion, len(rows))
	for i, r := range rows {
		list[i] = version(r)
	}
	return list, nil
}

// PromptVersion returns a version with its text. It returns NotFound if the user has none of this number.
func (s *Store) PromptVersion(ctx context.Context, user chat.UserID, section string, n int) (chat.PromptVersion, error) {
	rows, err := dbsqlc.Q.PromptVersionList(ctx, s.db.Pool, dbsqlc.PromptVersionListParams{UserID: user, Section: section, Version: int32(n)})
	switch {
	case err != nil:
		return chat.PromptVersion{}, pg.Classify(fmt.Errorf("read version %d of prompt %s: %w", n, section, err))
	case len(rows) == 0 || int(rows[0].Version) != n: // the query takes 0 for all
		return chat.PromptVersion{}, unknown(n)
	}
	return version(rows[0]), nil
}

func unknown(n int) error {
	return fault.Errorf(fault.NotFound, "there is no version %d of this prompt", n)
}

// SetPrompt adds a version of a section, which was checked and is in force from then on. An unchanged text adds none. Conflict:
// there is a newer version than the one that it was made from.
func (s *Store) SetPrompt(ctx context.Context, user chat.UserID, section string, d chat.PromptDraft, by chat.UserID) error {
	return s.change(ctx, user, func(tx *pg.Tx) error {
		newest, err := newest(ctx, tx, user, section)
		switch {
		case err != nil:
			return err
		case newest.Content == d.Content && (newest.Beside == d.Beside || d.Content == ""):
			return nil
		case newest.Version != d.From:
			return fault.Errorf(fault.Conflict, "the prompt was changed meanwhile: version %d is in force and yours was made from %d; read it again", newest.Version, d.From)
		}
		n := newest.Version + 1
		err = dbsqlc.Q.PromptVersionAdd(ctx, tx, dbsqlc.PromptVersionAddParams{
			UserID: user, Section: section, Version: int32(n), Content: d.Content, Beside: d.Beside, Label: cmp.Or(d.Label, fmt.Sprintf("v%d", n)), Note: d.Note,
			ChangedBy: new(int64(by)), Keep: maxVersions,
		})
		if err != nil {
			return fmt.Errorf("write prompt %s: %w", section, err)
		}
		return nil
	})
}

// newest returns the version in force; the zero value if there is none.
func newest(ctx context.Context, tx *pg.Tx, user chat.UserID, section string) (out chat.PromptVersion, err error) {
	rows, err := dbsqlc.Q.PromptVersionList(ctx, tx, dbsqlc.PromptVersionListParams{UserID: user, Section: section, Newest: true})
	if err != nil {
		return out, fmt.Errorf("read prompt %s: %w", section, err)
	}
	if len(rows) > 0 {
		out = version(rows[0])
	}
	return out, nil
}

// NotePrompt sets the label or note of a version; nil: it stays. It returns NotFound if there is no such version.
func (s *Store) NotePrompt(ctx context.Context, user chat.UserID, section string, n int, label, note *string) error {
	rows, err := dbsqlc.Q.PromptVersionNote(ctx, s.db.Pool, dbsqlc.PromptVersionNoteParams{UserID: user, Section: section, Version: int32(n), Label: label, Note: note})
	if err == nil && rows == 0 {
		return unknown(n)
	}
	return pg.Classify(err)
}

// DeletePromptVersion removes a version. It returns Conflict if it is in force, or a service works with it.
func (s *Store) DeletePromptVersion(ctx context.Context, user chat.UserID, section string, n int) error {
	return s.change(ctx, user, func(tx *pg.Tx) error {
		newest, err := newest(ctx, tx, user, section)
		if err != nil {
			return err
		}
		if newest.Version == n {
			return fault.Errorf(fault.Conflict, "version %d is in force: go back to another one first", n)
		}
		if section == chat.PromptSystem {
			if err := servicestore.NotUsed(ctx, tx, user, servicestore.UsesPrompt, n); err != nil {
				return err
			}
		}
		rows, err := dbsqlc.Q.PromptVersionDelete(ctx, tx, dbsqlc.PromptVersionDeleteParams{UserID: user, Section: section, Version: int32(n)})
		if err == nil && rows == 0 {
			return unknown(n)
		}
		return err
	})
}

// change runs a change of a user's prompts, one at a time.
func (s *Store) change(ctx context.Context, user chat.UserID, do func(tx *pg.Tx) error) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.RoleLock(ctx, tx, fmt.Sprint(user)); err != nil {
			return fmt.Errorf("lock prompts: %w", err)
		}
		return do(tx)
	})
}
