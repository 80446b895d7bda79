package conversation

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// GroupStore lists and ends group chats of subagents.
type GroupStore interface {
	GroupsOf(ctx context.Context, key chat.SessionKey) ([]chat.Group, error)
	EndGroup(ctx context.Context, id chat.GroupID, of chat.SessionKey) (ended bool, err error)
}

// Groups is /groups: the chats among subagents.
type Groups struct{ Store GroupStore }

var _ slashcommand.Runner = Groups{}

// Spec describes the command.
func (Groups) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "groups", Usage: "[show ID|end [ID]]", Help: i18n.HelpGroups, Group: slashcommand.GroupConversation, Who: slashcommand.Owner}
}

// Run lists the chats, shows one, or ends some.
func (g Groups) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	verb, name, _ := strings.Cut(strings.TrimSpace(args), " ")
	id := chat.GroupID(strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "group:")))
	all, err := g.Store.GroupsOf(ctx, in.Session)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(all, func(one chat.Group) bool { return one.ID == id })
	switch verb = strings.ToLower(verb); {
	case verb == "end" && id == "":
		return g.end(ctx, in, slices.DeleteFunc(all, func(one chat.Group) bool { return one.Ended != "" }))
	case (verb == "" || verb == "list") && id == "":
		return listGroups(all, in.Lang), nil
	case verb != "show" && verb != "end" || id == "":
		return "", i18n.Fault(fault.Invalid, i18n.GroupsUsage)
	case at < 0:
		return "", i18n.Fault(fault.NotFound, i18n.GroupNone, markdown.Code(string(id)))
	case verb == "end":
		return g.end(ctx, in, all[at:at+1])
	}
	return showGroup(all[at], in.Lang), nil
}

// end ends chats. A second call reports that they are over.
func (g Groups) end(ctx context.Context, in slashcommand.Request, which []chat.Group) (string, error) {
	if len(which) == 0 {
		return i18n.Say(in.Lang, i18n.GroupsNone), nil
	}
	lines := make([]string, len(which))
	for i, one := range which {
		ended, err := g.Store.EndGroup(ctx, one.ID, in.Session)
		if err != nil {
			return "", err
		}
		say := i18n.GroupIsOver
		if ended {
			say = i18n.GroupEnds
		}
		lines[i] = i18n.Say(in.Lang, say, markdown.Code(string(one.ID)))
	}
	return strings.Join(lines, "\n"), nil
}

func listGroups(all []chat.Group, lang i18n.Lang) string {
	if len(all) == 0 {
		return i18n.Say(lang, i18n.GroupsNone)
	}
	rows := make([][]string, len(all))
	for i, one := range all {
		rows[i] = []string{
			markdown.Code(string(one.ID)), groupState(one, lang), strconv.Itoa(one.Total), membersOf(one), markdown.Escaped(chat.FirstWords(one.Topic, topicWords)),
		}
	}
	return markdown.Table(i18n.Say(lang, i18n.GroupsHead), rows)
}

const (
	// topicWords bounds the shown part of a topic in a list, in characters.
	topicWords = 120
	// shownLines is how many lines of a chat a user is shown, and shownLine how much of each, in characters.
	shownLines = 20
	shownLine  = 600
)

func showGroup(one chat.Group, lang i18n.Lang) string {
	head := i18n.Say(lang, i18n.GroupShown, markdown.Code(string(one.ID)), groupState(one, lang), membersOf(one), "> "+markdown.Escaped(chat.FirstWords(one.Topic, shownLine)))
	if len(one.Lines) == 0 {
		return head + "\n\n" + i18n.Say(lang, i18n.GroupQuiet)
	}
	parts := []string{head}
	for _, l := range one.Lines[max(0, len(one.Lines)-shownLines):] {
		said := markdown.Escaped(chat.FirstWords(l.Said, shownLine))
		switch l.Outcome {
		case "passed":
			said = i18n.Say(lang, i18n.GroupPassed)
		case "stopped", "failed", "lost":
			said = strings.TrimSpace(i18n.Say(lang, i18n.GroupMute) + " " + said)
		}
		parts = append(parts, "**"+markdown.Escaped(cmp.Or(l.Speaker, i18n.Say(lang, i18n.GroupMaker)))+"**: "+said)
	}
	return strings.Join(parts, "\n\n")
}

func membersOf(one chat.Group) string {
	names := make([]string, len(one.Members))
	for i, m := range one.Members {
		names[i] = markdown.Escaped(m.Name)
	}
	return strings.Join(names, ", ")
}

func groupState(one chat.Group, lang i18n.Lang) string {
	return i18n.Say(lang, i18n.ID(string(i18n.GroupOpen)+one.Ended))
}
