package folder

import (
	"context"
	"maps"
	"slices"
	"strings"

	"xbot/internal/automation/hook"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp/project"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/turn/slashcommand"
)

const (
	// maxContents bounds the list of a folder's content, in bytes. More can be reviewed on the page only.
	maxContents = 8 << 10
	// shownDigest is how much of a digest users type, in characters.
	shownDigest = 12
)

// Agreements reads the configuration in folders, and is the store of the users' consent to it.
type Agreements interface {
	Here(ctx context.Context, user chat.UserID, key chat.SessionKey) (seen project.Seen, found bool, err error)
	At(ctx context.Context, user chat.UserID, box sandbox.Sandbox, folder string) (seen project.Seen, found bool, err error)
	Agree(ctx context.Context, user chat.UserID, id int64, digest string) (project.Seen, error)
	Withdraw(ctx context.Context, user chat.UserID, id int64) error
}

// Contents is /folder: the hooks, MCP servers and skills of the folder of a conversation, and the agreement of its user to use them.
type Contents struct{ Agreements Agreements }

var _ slashcommand.Runner = Contents{}

// Spec describes the command.
func (Contents) Spec() slashcommand.Spec {
	return slashcommand.Spec{
		Name: "folder", Usage: "[agree DIGEST|withdraw]", Help: i18n.HelpFolder, Group: slashcommand.GroupFolder, Who: slashcommand.Owner, Whole: true, Ahead: true,
	}
}

// Run lists the contents of the folder, or records or withdraws the agreement of the user.
func (c Contents) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	seen, found, err := c.Agreements.Here(ctx, in.User, in.Session)
	if err != nil {
		return "", offlineError(err)
	}
	verb, digest, _ := strings.Cut(args, " ")
	digest = strings.ToLower(strings.Trim(digest, " `"))
	switch {
	case verb != "" && verb != "agree" && verb != "withdraw", verb == "agree" && len(digest) < shownDigest, verb != "agree" && digest != "":
		return "", i18n.Fault(fault.Invalid, i18n.FolderUsage)
	case !found:
		return i18n.Say(in.Lang, i18n.FolderEmpty), nil
	case verb == "agree":
		return c.agree(ctx, in, seen, digest)
	case verb == "withdraw":
		if err := c.Agreements.Withdraw(ctx, in.User, seen.ID); err != nil {
			return "", err
		}
		return i18n.Say(in.Lang, i18n.FolderWithdrawn, markdown.Line(seen.Folder)), nil
	}
	return contents(in.Lang, seen), nil
}

func (c Contents) agree(ctx context.Context, in slashcommand.Request, seen project.Seen, digest string) (string, error) {
	if !strings.HasPrefix(seen.Digest, digest) {
		return "", i18n.Fault(fault.Conflict, i18n.FolderOther)
	}
	now, err := c.Agreements.Agree(ctx, in.User, seen.ID, seen.Digest)
	if err != nil {
		return "", offlineError(err)
	}
	return contents(in.Lang, now), nil
}

// contents lists everything that xbot would run or call, and how the user agrees to it.
func contents(lang i18n.Lang, s project.Seen) string {
	state := map[project.State]i18n.ID{
		project.StateAsks: i18n.FolderAsks, project.StateAgreed: i18n.FolderAgreed, project.StateChanged: i18n.FolderChanged, project.StateUnusable: i18n.FolderUnusable,
	}[s.State()]
	if s.State() == project.StateAgreed && !s.MayAgree {
		state = i18n.FolderBarred
	}
	head := i18n.Say(lang, i18n.FolderState, markdown.Line(s.Folder), markdown.Line(s.Runner), i18n.Say(lang, state))
	if s.Problem != "" {
		return head + "\n\n" + markdown.Line(s.Problem)
	}
	list := "* " + strings.Join(items(lang, s), "\n* ")
	if len(list) > maxContents {
		return head + "\n\n" + i18n.Say(lang, i18n.FolderLong)
	}
	out := head + "\n\n" + list
	switch {
	case s.State() == project.StateAgreed:
	case s.MayAgree:
		out += "\n\n" + i18n.Say(lang, i18n.FolderAgree, s.Digest[:shownDigest])
	default:
		out += "\n\n" + i18n.Say(lang, i18n.FolderMayNot)
	}
	return out
}

// waiting returns a sentence if a folder has contents that are not used before the user agrees. It is a hint: a folder that cannot be read has none.
func waiting(ctx context.Context, a Agreements, lang i18n.Lang, user chat.UserID, box sandbox.Sandbox, folder string) string {
	seen, found, err := a.At(ctx, user, box, folder)
	if err != nil || !found || !seen.MayAgree || seen.State() != project.StateAsks && seen.State() != project.StateChanged {
		return ""
	}
	return " " + i18n.Say(lang, i18n.FolderWaits)
}

// items returns a line for each server, hook, skill and instruction file.
func items(lang i18n.Lang, s project.Seen) (lines []string) {
	for _, e := range s.Entries {
		line := i18n.Say(lang, i18n.FolderCalls, markdown.Line(e.Name), markdown.Line(e.URL))
		if e.Command != "" {
			line = i18n.Say(lang, i18n.FolderRuns, markdown.Line(e.Name), quoted(append([]string{e.Command}, e.Args...)))
		}
		var with []string
		for _, name := range slices.Sorted(maps.Keys(e.Env)) {
			with = append(with, name+"="+e.Env[name])
		}
		if with = append(with, slices.Sorted(maps.Keys(e.Headers))...); len(with) > 0 {
			line += i18n.Say(lang, i18n.FolderWith, quoted(with))
		}
		lines = append(lines, line)
	}
	for _, h := range s.Bundle.Handlers() {
		what := h.Command + h.URL
		if h.Kind == hook.KindMCP {
			what = h.Server + " " + h.Tool
		}
		lines = append(lines, i18n.Say(lang, i18n.FolderHook, string(h.Event), markdown.Line(what)))
	}
	for _, name := range s.Bundle.Skills {
		lines = append(lines, i18n.Say(lang, i18n.FolderSkill, markdown.Line(name)))
	}
	for _, name := range s.Bundle.Notes {
		lines = append(lines, i18n.Say(lang, i18n.FolderNote, markdown.Line(name)))
	}
	return lines
}

// quoted shows each word as code, so that nothing in a word looks like two words.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = markdown.Line(w)
	}
	return strings.Join(out, " ")
}
