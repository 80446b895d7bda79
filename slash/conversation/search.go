package conversation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

const (
	// searchLines is how many messages /search lists.
	searchLines = 10
	// searchWords bounds the shown text of a message, in characters.
	searchWords = 120
)

// Search is /search: messages of all conversations of the owner of the conversation, so that in a group nothing is found that a
// user wrote elsewhere. A writer in the conversation of another user, which a scope may have them share, finds the messages of
// that one.
type Search struct {
	Search SearchStore
	Turns  Turns
	Users  Users
}

var _ slashcommand.Runner = Search{}

// Spec describes the command.
func (Search) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "search", Usage: "WORDS…", Help: i18n.HelpSearch, Group: slashcommand.GroupConversation}
}

// Run lists the messages that it finds.
func (s Search) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	if strings.TrimSpace(args) == "" {
		return "", i18n.Fault(fault.Invalid, i18n.SearchUsage)
	}
	found, err := s.find(ctx, in, args)
	if err != nil {
		return "", err
	}
	zone, err := s.Turns.Zone(ctx, in.User)
	if err != nil {
		return "", err
	}
	return foundText(in.Lang, zone, args, found), nil
}

func (s Search) find(ctx context.Context, in slashcommand.Request, q string) ([]chat.Found, error) {
	owner, err := s.Users.SessionOwner(ctx, in.Session)
	switch {
	case err != nil:
		return nil, err
	case in.SharesConversation(owner.ID, owner.Group):
		return s.Search.SearchIn(ctx, owner.ID, in.Session, q, searchLines+1)
	}
	return s.Search.Search(ctx, owner.ID, q, searchLines+1)
}

func foundText(lang i18n.Lang, zone *time.Location, q string, found []chat.Found) string {
	q = chat.FirstWords(q, searchWords)
	if len(found) == 0 {
		return i18n.Say(lang, i18n.SearchNone, q)
	}
	lines := []string{i18n.Say(lang, i18n.SearchFound, q)}
	for _, f := range found[:min(len(found), searchLines)] {
		title := f.Title
		if title == "" {
			title = string(f.Session)
		}
		day := f.At.In(zone).Format("2006-01-02")
		lines = append(lines, fmt.Sprintf("* **%s** · %s · m%d: %s", title, day, f.Message, chat.FirstWords(f.Snippet, searchWords)))
	}
	if len(found) > searchLines {
		lines = append(lines, i18n.Say(lang, i18n.SearchMore, searchLines))
	}
	return strings.Join(lines, "\n")
}
