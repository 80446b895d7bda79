// Package flat remembers notes as they were written: small files for each person, whole while there is room.
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

// Limit is how much of its notes a prompt holds, in characters. Of those that do not fit the names are told.
const Limit = 8_000

// Notes keeps the notes about people, for the agent of each session.
type Notes interface {
	Memories(ctx context.Context, user chat.UserID, session chat.SessionKey) ([]chat.Note, error)
}

// Provider recalls all notes of a person.
type Provider struct{ Notes Notes }

var _ memory.Provider = Provider{}

// Recall returns the notes, the newest whole, then the names of those that do not fit.
func (p Provider) Recall(ctx context.Context, q memory.Query) (string, error) {
	notes, err := p.Notes.Memories(ctx, q.User, q.Session)
	if err != nil {
		return "", fmt.Errorf("read memory: %w", err)
	}
	return Render(notes), nil
}

// Render is notes as a prompt holds them, at most Limit characters.
func Render(notes []chat.Note) string {
	sorted := slices.Clone(notes)
	slices.SortStableFunc(sorted, func(a, b chat.Note) int {
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

// named is one line of names, as many as there is room for; memory_list shows all.
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
