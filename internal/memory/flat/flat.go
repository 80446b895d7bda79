// Package flat remembers notes as they were written: small files for each user, whole while there is room, one of which is
// rewritten when a conversation is memorized, and a log of what conversations were about.
package flat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/memory"
)

// Limit is how much of its notes a prompt holds, in characters. Of those that do not fit it has the names.
const Limit = 8_000

// Store keeps notes and the log, durably.
type Store interface {
	Memories(ctx context.Context, user chat.UserID, agent string) ([]chat.Note, error)
	MemoryWritten(ctx context.Context, w chat.MemoryOwner, key string) (result string, found bool, err error)
	// Memorize writes all of m or nothing. fresh is false where its key was written before. It returns Conflict if a note has changed.
	Memorize(ctx context.Context, w chat.MemoryOwner, m chat.Memorized) (fresh bool, err error)
}

// Provider recalls all notes of a user. It holds nothing.
type Provider struct{ Store Store }

var _ memory.Provider = Provider{}

// Recall returns the notes: what was memorized, then the newest whole, then the names of those that do not fit.
func (p Provider) Recall(ctx context.Context, q memory.Query) (string, error) {
	notes, err := p.Store.Memories(ctx, q.User, q.Agent)
	if err != nil {
		return "", fmt.Errorf("read memory: %w", err)
	}
	return Render(notes), nil
}

// Close implements memory.Provider.
func (Provider) Close() error { return nil }

// Render is notes as a prompt holds them, at most Limit characters.
func Render(notes []chat.Note) string {
	sorted := slices.Clone(notes)
	slices.SortStableFunc(sorted, func(a, b chat.Note) int {
		if first := (a.Path == Path); first != (b.Path == Path) {
			return map[bool]int{true: -1, false: 1}[first]
		}
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	const reserve = 400 // for the line with names
	var out, names []string
	left := Limit - reserve
	for _, n := range sorted {
		text := fmt.Sprintf("<note path=%q>\n%s\n</note>", n.Path, strings.TrimSpace(n.Content))
		if size := utf8.RuneCountInString(text) + 1; size <= left {
			out, left = append(out, text), left-size
			continue
		}
		names = append(names, n.Path)
	}
	if len(names) > 0 {
		out = append(out, named(names, reserve+left))
	}
	return strings.Join(out, "\n")
}

// named returns one line of names, as many as there is room for; memory_list shows all.
func named(names []string, room int) string {
	line := "More notes, which memory_list shows:"
	const end = 24 // for the number of those that are not named
	for i, name := range names {
		next := " " + name
		if i < len(names)-1 {
			next += ","
		}
		if utf8.RuneCountInString(line+next)+end > room {
			return strings.TrimSuffix(line, ",") + fmt.Sprintf(" and %d more", len(names)-i)
		}
		line += next
	}
	return line
}
