// Package registry implements the catalog that users share: skills, and roles of subagents. A bundle is one of them as a zip archive, an entry
// has its published versions, and an install is the copy that a user works with. It reads untrusted archives and runs nothing.
package registry

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/fault"
)

// Kind is the kind of a bundle.
type Kind string

// The kinds.
const (
	Skill Kind = "skill"
	Role  Kind = "role"
)

// Visibility is the audience of an entry.
type Visibility string

// The visibilities.
const (
	Private   Visibility = "private"   // its owner
	Everybody Visibility = "everybody" // all users with an account
)

// Withdrawal records who has withdrawn an entry, so that no other user finds it.
type Withdrawal string

// The withdrawals.
const (
	InForce         Withdrawal = ""
	ByOwner         Withdrawal = "owner"         // users who have it keep it
	ByAdministrator Withdrawal = "administrator" // it was removed from all users who had it; its owner cannot undo this
)

// MaxNotes limits the notes of a version, in characters.
const MaxNotes = 1000

// Entry is a published skill or role, with its newest version.
type Entry struct {
	ID          int64      `json:"id"`
	Kind        Kind       `json:"kind" enum:"skill,role"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Tags        []string   `json:"tags" doc:"Tags from SKILL.md."`
	Owner       string     `json:"owner" doc:"Name of the user who published it."`
	Own         bool       `json:"own" doc:"Published by you."`
	Visibility  Visibility `json:"visibility" enum:"private,everybody"`
	Withdrawn   Withdrawal `json:"withdrawn" enum:",owner,administrator" doc:"Administrator who withdrew it; empty: not withdrawn."`
	Version     Version    `json:"version" doc:"The newest."`
	Installed   int        `json:"installed" doc:"Number of users who have installed it; the installation counts as one."`
}

// Offered reports whether a viewer of the entry may install it. Administrators also see private and withdrawn ones.
func (e Entry) Offered() bool {
	return e.Withdrawn != ByAdministrator && (e.Own || e.Visibility == Everybody && e.Withdrawn == InForce)
}

// Version is a published version. It never changes.
type Version struct {
	Number      int       `json:"number" doc:"1, 2, 3 …"`
	Digest      string    `json:"digest" doc:"SHA-256 of names, modes and contents of its files, hex."`
	Size        int       `json:"size" doc:"Of its files, in bytes."`
	Files       int       `json:"files" doc:"How many."`
	Notes       string    `json:"notes" doc:"Release notes by its owner."`
	PublishedAt time.Time `json:"published_at"`
}

// Install is a copy that a user works with, or all users.
type Install struct {
	ID          int64     `json:"id"`
	Kind        Kind      `json:"kind" enum:"skill,role"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Shared      bool      `json:"shared" doc:"Installed by an administrator for all users."`
	Enabled     bool      `json:"enabled"`
	Entry       int64     `json:"entry" doc:"The entry it was installed from; 0 if deleted."`
	Owner       string    `json:"owner" doc:"Name of the publisher; empty if the account or the entry was deleted."`
	Number      int       `json:"number" doc:"The version that is installed."`
	Newest      int       `json:"newest" doc:"The newest version that you could install; 0: none any more."`
	Digest      string    `json:"digest" doc:"As that of a version."`
	Size        int       `json:"size" doc:"Of its files, in bytes."`
	Files       int       `json:"files" doc:"How many."`
	InstalledAt time.Time `json:"installed_at"`
	Disabled    bool      `json:"disabled" doc:"The policy of the installation has switched off skills of this name."`
}

// Packed is a bundle as an archive.
type Packed struct {
	Kind   Kind
	Name   string
	Digest string
	Zip    []byte
}

// Copy is an install in force for a user.
type Copy struct {
	ID                int64
	Name, Description string
	Digest            string
	Zip               []byte // of a role; of a skill it is read when it is needed
}

// Query selects entries.
type Query struct {
	Words  string // each has to occur in the name, the description, the tags or the name of the owner
	Key    string // empty: all, else only those of this name, in small letters
	Kind   Kind   // empty: all
	Own    bool   // only those of the viewer
	Offset int    // entries that are skipped
}

// Terms are the visibility and the notes of a version, by its owner.
type Terms struct {
	Visibility Visibility // empty: as before, and of a new entry private
	Notes      string     // at most MaxNotes characters
}

// Check validates terms: Invalid, TooLarge.
func (t Terms) Check() error {
	switch {
	case t.Visibility != "" && t.Visibility != Private && t.Visibility != Everybody:
		return fault.Errorf(fault.Invalid, "the visibility %.20q is none: there are private and everybody", t.Visibility)
	case utf8.RuneCountInString(t.Notes) > MaxNotes:
		return fault.Errorf(fault.TooLarge, "the notes have more than %d characters", MaxNotes)
	}
	return nil
}

// MaxName limits a name, in bytes.
const MaxName = 64

var valid = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}_.-]*$`)

// ValidName reports whether a text can be the name of a published entry: one word, which users type after a slash.
func ValidName(name string) bool { return len(name) <= MaxName && valid.MatchString(name) }

// Key returns a name as it is compared.
func Key(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
