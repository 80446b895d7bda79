// Package view is memory as its user sees it: all of it, found by words, changed and forgotten. Nothing
// is read or written of it without a chat.MemoryOwner.
package view

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/lexical"
	"xbot/internal/turn/policy"
)

const (
	// page is how many entries of an archive or log are shown at once.
	page = 50
	// most is how many things one search or one forgetting finds.
	most = 200
)

// Conversations lists memorize jobs.
type Conversations interface {
	MemorizeJobs(ctx context.Context, user chat.UserID, n int) ([]chat.MemorizeNote, error)
}

// Memory is the store of the memory of users: notes, blocks, soul files, archive and log.
type Memory interface {
	ArchiveCount(ctx context.Context, w chat.MemoryOwner) (int, error)
	ArchiveGet(ctx context.Context, w chat.MemoryOwner, ids []chat.ArchivalID) ([]chat.ArchivalEntry, error)
	ArchiveList(ctx context.Context, w chat.MemoryOwner, before chat.ArchivalID, n int) ([]chat.ArchivalEntry, error)
	ArchiveSearch(ctx context.Context, w chat.MemoryOwner, query string, n int) ([]chat.ArchivalID, error)
	BlocksOfAll(ctx context.Context, w chat.MemoryOwner) ([]chat.BlockOf, error)
	// ForgetLog takes entries out of a log. It returns NotFound if one is not there.
	ForgetLog(ctx context.Context, w chat.MemoryOwner, ids []int64) error
	Memories(ctx context.Context, user chat.UserID, agent string) ([]chat.Note, error)
	// Memorize writes notes, blocks and soul files that are what they were, and takes out entries, or nothing of it. It returns Conflict if they are not.
	Memorize(ctx context.Context, w chat.MemoryOwner, m chat.Memorized) (fresh bool, err error)
	MemoryHistory(ctx context.Context, w chat.MemoryOwner, before int64, n int) ([]chat.HistoryEntry, error)
	MemoryLog(ctx context.Context, w chat.MemoryOwner, query string, since, until time.Time, n int) ([]chat.HistoryEntry, error)
	MemoryNames(ctx context.Context, user chat.UserID) ([]string, error)
	SoulFiles(ctx context.Context, w chat.MemoryOwner) ([]chat.SoulFile, error)
}

// Settings reads the memory settings of users.
type Settings interface {
	MemoryChoices(ctx context.Context, user chat.UserID) (chat.MemoryChoices, error)
}

// Policies returns the policy in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// View shows memory to users. It is safe for concurrent use.
type View struct {
	Conversations Conversations
	Memory        Memory
	Settings      Settings
	Policies      Policies // nil: there is no policy
}

// Look is the content of a memory, the newest part of long lists.
type Look struct {
	Items    []chat.Remembered   `json:"items" doc:"Notes, blocks and soul files, then the newest entries of archive and log."`
	Archived int                 `json:"archived" doc:"How many entries the archive has."`
	Names    []string            `json:"names" doc:"The memories that agents have of you."`
	Jobs     []chat.MemorizeNote `json:"jobs" doc:"Conversations memorized recently, or waiting for it."`
	Switches policy.Remembers    `json:"switches" doc:"Memory settings of the agent, by policy and user."`
}

// Look returns what a memory holds.
func (d View) Look(ctx context.Context, w chat.MemoryOwner) (Look, error) {
	out := Look{Items: []chat.Remembered{}, Names: []string{}, Jobs: []chat.MemorizeNote{}}
	items, err := d.promptMemories(ctx, w)
	if err != nil {
		return out, err
	}
	out.Items = append(out.Items, items...)
	for _, kind := range []string{chat.RememberedArchive, chat.RememberedLog} {
		entries, err := d.Older(ctx, w, kind, 0)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, entries...)
	}
	if out.Archived, err = d.Memory.ArchiveCount(ctx, w); err != nil {
		return out, err
	}
	names, err := d.Memory.MemoryNames(ctx, w.User)
	if err != nil {
		return out, err
	}
	out.Names = append(out.Names, names...)
	jobs, err := d.Conversations.MemorizeJobs(ctx, w.User, 10)
	out.Jobs = append(out.Jobs, jobs...)
	if err == nil {
		out.Switches, err = d.switches(ctx, w)
	}
	return out, err
}

func (d View) switches(ctx context.Context, w chat.MemoryOwner) (policy.Remembers, error) {
	p := &policy.Policy{}
	if d.Policies != nil {
		var err error
		if p, err = d.Policies.Get(ctx); err != nil {
			return policy.Remembers{}, err
		}
	}
	choices, err := d.Settings.MemoryChoices(ctx, w.User)
	return p.RemembersOf(w.Agent).Narrowed(choices), err
}

// promptMemories returns what prompts hold: notes, blocks and soul files.
func (d View) promptMemories(ctx context.Context, w chat.MemoryOwner) (out []chat.Remembered, err error) {
	blocks, err := d.Memory.BlocksOfAll(ctx, w)
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		out = append(out, chat.Remembered{
			ID: chat.RememberedBlock + "/" + string(b.Block) + suffix(b.Session), Kind: chat.RememberedBlock, Name: string(b.Block), Session: b.Session,
			Content: b.Content, At: b.UpdatedAt, Max: b.Block.Max(),
		})
	}
	notes, err := d.Memory.Memories(ctx, w.User, w.Agent)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		out = append(out, chat.Remembered{ID: chat.RememberedNote + "/" + n.Path, Kind: chat.RememberedNote, Name: n.Path, Content: n.Content, At: n.UpdatedAt})
	}
	files, err := d.Memory.SoulFiles(ctx, w)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		out = append(out, chat.Remembered{ID: chat.RememberedSoul + "/" + f.Name, Kind: chat.RememberedSoul, Name: f.Name, Content: f.Content, At: f.UpdatedAt})
	}
	return out, nil
}

func suffix(key chat.SessionKey) string {
	if key == "" {
		return ""
	}
	return "/" + string(key)
}

// Older returns the entries of an archive or log before one; 0: the newest.
func (d View) Older(ctx context.Context, w chat.MemoryOwner, kind string, before int64) ([]chat.Remembered, error) {
	if kind == chat.RememberedLog {
		entries, err := d.Memory.MemoryHistory(ctx, w, before, page)
		return logOf(entries), err
	}
	entries, err := d.Memory.ArchiveList(ctx, w, chat.ArchivalID(before), page)
	return archiveOf(entries), err
}

func archiveOf(entries []chat.ArchivalEntry) []chat.Remembered {
	out := make([]chat.Remembered, len(entries))
	for i, e := range entries {
		out[i] = chat.Remembered{ID: fmt.Sprintf("%s/%d", chat.RememberedArchive, e.ID), Kind: chat.RememberedArchive, Content: e.Content, At: e.At}
	}
	return out
}

func logOf(entries []chat.HistoryEntry) []chat.Remembered {
	out := make([]chat.Remembered, len(entries))
	for i, e := range entries {
		out[i] = chat.Remembered{ID: fmt.Sprintf("%s/%d", chat.RememberedLog, e.ID), Kind: chat.RememberedLog, Session: e.Session, Content: e.Entry, At: e.To}
	}
	return out
}

// Search returns what holds words: notes, blocks and soul files that hold all of them, entries of archive and log that hold the most
// telling ones, the best first.
func (d View) Search(ctx context.Context, w chat.MemoryOwner, q string) ([]chat.Remembered, error) {
	kept, err := d.promptMemories(ctx, w)
	if err != nil {
		return nil, err
	}
	words := lexical.Parse(q)
	out := slices.DeleteFunc(kept, func(r chat.Remembered) bool { return !words.Match(r.Content) })
	archive, log, err := d.found(ctx, w, q, page)
	return slices.Concat(out, archive, log), err
}

// found searches archive and log.
func (d View) found(ctx context.Context, w chat.MemoryOwner, q string, n int) (archive, log []chat.Remembered, err error) {
	ids, err := d.Memory.ArchiveSearch(ctx, w, q, n)
	if err != nil {
		return nil, nil, err
	}
	entries, err := d.Memory.ArchiveGet(ctx, w, ids)
	if err != nil {
		return nil, nil, err
	}
	if strings.TrimSpace(q) == "" {
		return archiveOf(entries), nil, nil
	}
	past, err := d.Memory.MemoryLog(ctx, w, q, time.Time{}, time.Now().Add(24*time.Hour), n)
	return archiveOf(entries), logOf(past), err
}

// Set writes a note, a block or a soul file that is was; empty: it is deleted, or the block is emptied. It returns Conflict if it was changed
// in the meantime. It returns Invalid if it is none of them, and TooLarge if it would be longer than it may.
func (d View) Set(ctx context.Context, w chat.MemoryOwner, id, was, content string) error {
	m := chat.Memorized{}
	kind, name, _ := strings.Cut(id, "/")
	switch {
	case kind == chat.RememberedNote && name != "" && path.Clean("/"+name) == "/"+name && len(name) <= maxPath:
		if len(content) > maxNote {
			return fault.Errorf(fault.TooLarge, "a note has at most %d bytes, and this one %d", maxNote, len(content))
		}
		m.Notes = []chat.NoteChange{{Path: name, Was: was, Content: content}}
	case kind == chat.RememberedBlock:
		block, session, _ := strings.Cut(name, "/")
		if (chat.Block(block) == chat.BlockWorking) != (session != "") {
			return fault.Errorf(fault.Invalid, "there is no block %q", name)
		}
		m.Session, m.Blocks = chat.SessionKey(session), []chat.BlockChange{{Block: chat.Block(block), Was: was, Content: content}}
	case kind == chat.RememberedSoul:
		m.Souls = []chat.SoulChange{{Name: name, Content: content, Version: chat.SoulVersion(was)}}
	default:
		return fault.Errorf(fault.Invalid, "%q is neither a note nor a block nor a soul file", id)
	}
	_, err := d.Memory.Memorize(ctx, w, m)
	return err
}

// Limits of notes: those of the tool that writes them.
const (
	maxPath = 200    // bytes
	maxNote = 20_000 // bytes
)

// Find returns what a person means who wants something forgotten: by its id, the name of a note or block, or by words that
// an entry, or a line of a note or block, holds all of. At most 200.
func (d View) Find(ctx context.Context, w chat.MemoryOwner, q string) ([]chat.Remembered, error) {
	kept, err := d.promptMemories(ctx, w)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(kept, func(r chat.Remembered) bool { return r.ID == q || r.Name == q && r.Session == "" }); i >= 0 {
		return kept[i : i+1], nil
	}
	if kind, n, ok := numbered(q); ok {
		return d.entry(ctx, w, kind, n)
	}
	words := lexical.Parse(q)
	var out []chat.Remembered
	for _, r := range kept {
		for line := range strings.Lines(r.Content) {
			if words.Match(line) {
				out = append(out, chat.Remembered{ID: r.ID, Kind: r.Kind, Name: r.Name, Session: r.Session, Content: strings.TrimRight(line, "\r\n"), At: r.At, Line: true})
			}
		}
	}
	archive, log, err := d.found(ctx, w, q, most)
	for _, r := range slices.Concat(archive, log) {
		if words.Match(r.Content) {
			out = append(out, r)
		}
	}
	return out[:min(len(out), most)], err
}

// numbered reads the id of an entry: archive/12, or log/3.
func numbered(q string) (kind string, n int64, ok bool) {
	kind, number, _ := strings.Cut(q, "/")
	n, err := strconv.ParseInt(number, 10, 64)
	return kind, n, err == nil && n > 0 && (kind == chat.RememberedArchive || kind == chat.RememberedLog)
}

// entry returns an entry by its number, if it is there.
func (d View) entry(ctx context.Context, w chat.MemoryOwner, kind string, n int64) ([]chat.Remembered, error) {
	if kind == chat.RememberedArchive {
		entries, err := d.Memory.ArchiveGet(ctx, w, []chat.ArchivalID{chat.ArchivalID(n)})
		return archiveOf(entries), err
	}
	entries, err := d.Memory.MemoryHistory(ctx, w, n+1, 1)
	if err != nil || len(entries) == 0 || entries[0].ID != n {
		return nil, err
	}
	return logOf(entries), nil
}

// Forget takes things out of memory, as Find has returned them: lines out of notes and blocks, which stay, whole notes, what
// blocks hold, entries. NotFound or Conflict: something is not there any more, and none of its kind was forgotten.
func (d View) Forget(ctx context.Context, w chat.MemoryOwner, what []chat.Remembered) error {
	var gone []chat.ArchivalID
	var log []int64
	lines := map[string][]string{}
	for _, r := range what {
		if kind, n, ok := numbered(r.ID); ok && kind == chat.RememberedArchive {
			gone = append(gone, chat.ArchivalID(n))
		} else if ok {
			log = append(log, n)
		} else if r.Line {
			lines[r.ID] = append(lines[r.ID], r.Content)
		} else if err := d.Set(ctx, w, r.ID, r.Content, ""); err != nil {
			return err
		}
	}
	if err := d.forgetLines(ctx, w, lines); err != nil {
		return err
	}
	if len(gone) > 0 {
		if _, err := d.Memory.Memorize(ctx, w, chat.Memorized{Delete: gone}); err != nil {
			return err
		}
	}
	if len(log) == 0 {
		return nil
	}
	return d.Memory.ForgetLog(ctx, w, log)
}

// forgetLines takes lines out of notes and blocks.
func (d View) forgetLines(ctx context.Context, w chat.MemoryOwner, lines map[string][]string) error {
	if len(lines) == 0 {
		return nil
	}
	kept, err := d.promptMemories(ctx, w)
	if err != nil {
		return err
	}
	for _, r := range kept {
		if len(lines[r.ID]) == 0 {
			continue
		}
		left := slices.DeleteFunc(strings.Split(r.Content, "\n"), func(line string) bool { return slices.Contains(lines[r.ID], strings.TrimRight(line, "\r")) })
		if err := d.Set(ctx, w, r.ID, r.Content, strings.TrimSpace(strings.Join(left, "\n"))); err != nil {
			return err
		}
	}
	return nil
}
