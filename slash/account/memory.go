package account

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/memory/view"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/slashcommand"
)

const (
	// memoryShown is how much /memory shows of one thing, in characters, and memoryListed how many things it lists.
	memoryShown  = 600
	memoryListed = 20
	// searchWords bounds the search words that are shown, in characters.
	searchWords = 120
	// memoryAll behind words means all memories that contain them.
	memoryAll = "--all"
	// memoryMinute is the format of times.
	memoryMinute = "2006-01-02 15:04 MST"
)

// Memories reads and changes the memories of users.
type Memories interface {
	Look(ctx context.Context, w chat.MemoryOwner) (view.Look, error)
	Older(ctx context.Context, w chat.MemoryOwner, kind string, before int64) ([]chat.Remembered, error)
	Search(ctx context.Context, w chat.MemoryOwner, q string) ([]chat.Remembered, error)
	Find(ctx context.Context, w chat.MemoryOwner, q string) ([]chat.Remembered, error)
	Set(ctx context.Context, w chat.MemoryOwner, id, was, text string) error
	Forget(ctx context.Context, w chat.MemoryOwner, items []chat.Remembered) error
}

// Agents know whose memory a conversation has.
type Agents interface {
	Of(ctx context.Context, key chat.SessionKey) (agentprofile.Profile, error)
}

// Memory is /memory: the memories of a user.
type Memory struct {
	Memories Memories
	Agents   Agents
	Turns    Turns
	Users    Users
	Base     string // address of the page
}

var _ slashcommand.Runner = Memory{}

// Spec describes the command.
func (Memory) Spec() slashcommand.Spec {
	return slashcommand.Spec{
		Name: "memory", Usage: "[search WORDS…|edit NAME TEXT…|forget ID|forget WORDS…|log|export]", Help: i18n.HelpMemory, Group: slashcommand.GroupYou,
	}
}

// whose returns the owner of the memory that a command is about: the owner of the conversation. Only they see the
// memories: another user who shares the conversation sees none.
func (m Memory) whose(ctx context.Context, in slashcommand.Request) (w chat.MemoryOwner, mayChange bool, err error) {
	owner, err := m.Users.SessionOwner(ctx, in.Session)
	if err != nil {
		return w, false, err
	}
	if in.SharesConversation(owner.ID, owner.Group) {
		return w, false, i18n.Fault(fault.Denied, i18n.MemoryGuest)
	}
	who, err := m.Agents.Of(ctx, in.Session)
	if err != nil {
		return w, false, err
	}
	w = chat.MemoryOwner{User: owner.ID, Agent: who.Memory()}
	if !owner.Group {
		return w, true, nil
	}
	user, err := m.Users.UserByID(ctx, in.User)
	return w, user.Admin, err
}

// Run runs the subcommand of the first word.
func (m Memory) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	w, mayChange, err := m.whose(ctx, in)
	if err != nil {
		return "", err
	}
	verb, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	rest = strings.TrimSpace(rest)
	verb = strings.ToLower(verb)
	if (verb == "edit" || verb == "forget") && !mayChange {
		return "", i18n.Fault(fault.Denied, i18n.MemoryGroup)
	}
	zone, err := m.Turns.Zone(ctx, in.User)
	if err != nil {
		return "", err
	}
	switch {
	case verb == "":
		return m.show(ctx, w, in.Lang, zone)
	case verb == "log" && rest == "":
		entries, err := m.Memories.Older(ctx, w, chat.RememberedLog, 0)
		return rememberedText(in.Lang, zone, i18n.Say(in.Lang, i18n.MemoryLog), entries), err
	case verb == "search" && rest != "":
		found, err := m.Memories.Search(ctx, w, rest)
		return rememberedText(in.Lang, zone, i18n.Say(in.Lang, i18n.MemoryFound, chat.FirstWords(rest, searchWords)), found), err
	case verb == "edit" && rest != "":
		return m.edit(ctx, w, in, rest)
	case verb == "forget" && rest != "":
		return m.forget(ctx, w, in.Lang, zone, rest)
	case verb == "export" && rest == "":
		return i18n.Say(in.Lang, i18n.MemoryExport, strings.TrimRight(m.Base, "/")+"/api/memory/export?agent="+w.Agent), nil
	}
	return "", i18n.Fault(fault.Invalid, i18n.MemoryUsage)
}

func (m Memory) show(ctx context.Context, w chat.MemoryOwner, lang i18n.Lang, zone *time.Location) (string, error) {
	look, err := m.Memories.Look(ctx, w)
	if err != nil {
		return "", err
	}
	out := []string{rememberedText(lang, zone, i18n.Say(lang, i18n.MemoryHead, len(look.Items), look.Archived), look.Items)}
	if !look.Switches.Memorize {
		out = append(out, i18n.Say(lang, i18n.MemorizeOff))
	}
	for _, j := range look.Jobs {
		switch j.State {
		case chat.MemorizeWaiting:
			out = append(out, i18n.Say(lang, i18n.MemoryWaits, j.At.In(zone).Format(memoryMinute)))
		case chat.MemorizeFailed:
			out = append(out, i18n.Say(lang, i18n.MemoryLost, j.At.In(zone).Format(memoryMinute), j.Error))
		}
	}
	return strings.Join(out, "\n\n"), nil
}

// rememberedText lists memories, only the first ones of a long list.
func rememberedText(lang i18n.Lang, zone *time.Location, head string, items []chat.Remembered) string {
	if len(items) == 0 {
		return i18n.Say(lang, i18n.MemoryNone)
	}
	lines := []string{head}
	for _, r := range items[:min(len(items), memoryListed)] {
		text := strings.TrimSpace(r.Content)
		if runes := []rune(text); len(runes) > memoryShown {
			text = string(runes[:memoryShown]) + "…"
		}
		lines = append(lines, fmt.Sprintf("* `%s` · %s\n%s", r.ID, r.At.In(zone).Format("2006-01-02"), markdown.Indented(text)))
	}
	if more := len(items) - memoryListed; more > 0 {
		lines = append(lines, i18n.Say(lang, i18n.MemoryMore, more))
	}
	return strings.Join(lines, "\n")
}

func (m Memory) edit(ctx context.Context, w chat.MemoryOwner, in slashcommand.Request, args string) (string, error) {
	at := strings.IndexAny(args, " \n")
	if at < 0 {
		return "", i18n.Fault(fault.Invalid, i18n.MemoryUsage)
	}
	name, text := args[:at], strings.TrimSpace(args[at:])
	id := chat.RememberedNote + "/" + name
	switch kind, _, _ := strings.Cut(name, "/"); {
	case chat.Block(name) == chat.BlockWorking:
		id = chat.RememberedBlock + "/" + name + "/" + string(in.Session)
	case chat.Block(name).Max() > 0:
		id = chat.RememberedBlock + "/" + name
	case kind == chat.RememberedNote || kind == chat.RememberedBlock || kind == chat.RememberedSoul:
		id = name
	}
	look, err := m.Memories.Look(ctx, w)
	if err != nil {
		return "", err
	}
	was := ""
	if i := slices.IndexFunc(look.Items, func(item chat.Remembered) bool { return item.ID == id }); i >= 0 {
		was = look.Items[i].Content
	}
	if err := m.Memories.Set(ctx, w, id, was, text); err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.MemorySet, id), nil
}

// forget forgets one thing at once, and asks before it forgets several.
func (m Memory) forget(ctx context.Context, w chat.MemoryOwner, lang i18n.Lang, zone *time.Location, args string) (string, error) {
	q, all := strings.CutSuffix(args, memoryAll)
	q = strings.TrimSpace(q)
	found, err := m.Memories.Find(ctx, w, q)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return i18n.Say(lang, i18n.MemoryNone), nil
	case len(found) > 1 && !all:
		return rememberedText(lang, zone, i18n.Say(lang, i18n.MemoryMany, len(found), "/memory forget "+q+" "+memoryAll), found), nil
	}
	if err := m.Memories.Forget(ctx, w, found); err != nil {
		return "", err
	}
	return rememberedText(lang, zone, i18n.Say(lang, i18n.MemoryGone, len(found)), found), nil
}
