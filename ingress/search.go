package ingress

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/store"
)

const (
	// searchLines is how many messages /search lists.
	searchLines = 10
	// searchWords bounds what is shown of a message, in characters.
	searchWords = 120
)

// Searched finds messages.
type Searched interface {
	SessionOwner(ctx context.Context, key chat.SessionKey) (store.User, error)
	Search(ctx context.Context, owner chat.UserID, q string, limit int) ([]chat.Found, error)
	SearchIn(ctx context.Context, owner chat.UserID, key chat.SessionKey, q string, limit int) ([]chat.Found, error)
}

// SearchCommand returns /search: messages of all conversations of whoever the conversation belongs to, so that in a group
// nothing is found of what a person said elsewhere. Who writes in the conversation of another person, which a scope may have
// them share, finds what was said in that one.
func SearchCommand(messages Searched) Command {
	return Command{
		Name: "search", Usage: "WORDS…", Help: i18n.HelpSearch, Group: GroupConversation,
		Run: func(ctx context.Context, in Inbound, args string) (string, error) {
			if strings.TrimSpace(args) == "" {
				return "", i18n.Fault(fault.Invalid, i18n.SearchUsage)
			}
			found, err := found(ctx, messages, in, args)
			if err != nil {
				return "", err
			}
			return foundText(in.Lang, args, found), nil
		},
	}
}

func found(ctx context.Context, messages Searched, in Inbound, q string) ([]chat.Found, error) {
	owner, err := messages.SessionOwner(ctx, in.Session)
	switch {
	case err != nil:
		return nil, err
	case guest(owner, in):
		return messages.SearchIn(ctx, owner.ID, in.Session, q, searchLines+1)
	}
	return messages.Search(ctx, owner.ID, q, searchLines+1)
}

// guest reports whether who writes shares the conversation of another person: their other ones are not theirs to see.
func guest(owner store.User, in Inbound) bool { return !owner.Group && owner.ID != in.User }

func foundText(lang i18n.Lang, q string, found []chat.Found) string {
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
		day := f.At.UTC().Format("2006-01-02")
		lines = append(lines, fmt.Sprintf("* **%s** · %s · m%d: %s", title, day, f.Message, chat.FirstWords(f.Snippet, searchWords)))
	}
	if len(found) > searchLines {
		lines = append(lines, i18n.Say(lang, i18n.SearchMore, searchLines))
	}
	return strings.Join(lines, "\n")
}
