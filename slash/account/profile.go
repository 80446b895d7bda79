package account

import (
	"context"
	"strings"
	"unicode/utf8"

	"xbot/internal/automation/schedule"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// noZone takes a timezone back.
const noZone = "none"

// Profile is /profile: the description that a user gives of themselves.
type Profile struct {
	Memory MemoryStore
	Users  Users
}

var _ slashcommand.Runner = Profile{}

// Spec describes the command.
func (Profile) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "profile", Usage: "[edit TEXT…|timezone ZONE|clear]", Help: i18n.HelpProfile, Group: slashcommand.GroupYou}
}

// Run shows or changes the profile of the writer, where no other user reads the answer.
func (p Profile) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	owner, err := p.Users.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if owner.Group || in.SharesConversation(owner.ID, owner.Group) {
		return "", i18n.Fault(fault.Denied, i18n.ProfileNotHere)
	}
	is, err := p.Memory.Profile(ctx, in.User)
	if err != nil {
		return "", err
	}
	args = strings.TrimSpace(args)
	verb, rest := args, ""
	if at := strings.IndexAny(args, " \n"); at >= 0 {
		verb, rest = args[:at], strings.TrimSpace(args[at:])
	}
	switch verb = strings.ToLower(verb); {
	case verb == "":
		return profileText(in.Lang, is), nil
	case verb == "edit" && rest != "":
		if n := utf8.RuneCountInString(rest); n > chat.MaxProfile {
			return "", i18n.Fault(fault.TooLarge, i18n.ProfileTooLong, n, chat.MaxProfile)
		}
		is.Content = rest
	case verb == "timezone" && rest != "":
		if strings.EqualFold(rest, noZone) {
			rest = ""
		} else if _, err := schedule.Zone(rest); err != nil {
			return "", i18n.Fault(fault.Invalid, i18n.ProfileBadZone, chat.FirstWords(rest, searchWords))
		}
		is.Timezone = rest
	case verb == "clear" && rest == "":
		is.Content, is.Timezone = "", ""
	default:
		return "", i18n.Fault(fault.Invalid, i18n.ProfileUsage)
	}
	return p.set(ctx, in, is)
}

func (p Profile) set(ctx context.Context, in slashcommand.Request, wanted chat.UserProfile) (string, error) {
	stands, err := p.Memory.SetProfile(ctx, in.User, wanted)
	switch {
	case fault.Is(err, fault.Conflict):
		return "", i18n.Fault(fault.Conflict, i18n.ProfileConflict)
	case err != nil:
		return "", err
	case stands.Content == "" && stands.Timezone == "":
		return i18n.Say(in.Lang, i18n.ProfileGone), nil
	}
	return i18n.Say(in.Lang, i18n.ProfileSet), nil
}

func profileText(lang i18n.Lang, p chat.UserProfile) string {
	var out []string
	if p.Content != "" {
		out = append(out, i18n.Say(lang, i18n.ProfileIs, utf8.RuneCountInString(p.Content), chat.MaxProfile)+"\n"+markdown.Indented(p.Content))
	}
	if p.Timezone != "" {
		out = append(out, i18n.Say(lang, i18n.ProfileZone, p.Timezone))
	}
	if len(out) == 0 {
		return i18n.Say(lang, i18n.ProfileNone)
	}
	return strings.Join(out, "\n\n")
}
