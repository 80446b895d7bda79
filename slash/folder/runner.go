package folder

import (
	"context"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/users"
)

// Runners has the operations of users on their runners.
type Runners interface {
	List(ctx context.Context, user users.User) (chat.Runners, error)
	Use(ctx context.Context, user users.User, name string) (chat.Runners, error)
	Create(ctx context.Context, user users.User, name, base string) (chat.NewRunner, error)
	Revoke(ctx context.Context, user users.User, name string) error
}

// Users finds users.
type Users interface {
	UserByID(ctx context.Context, user chat.UserID) (users.User, error)
}

// Runner is /runner: the machines on which a user's commands run.
type Runner struct {
	Runners Runners
	Users   Users
}

var _ slashcommand.Runner = Runner{}

// Spec describes the command.
func (Runner) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "runner", Usage: "[list|use NAME|use default|create NAME|revoke NAME]", Help: i18n.HelpRunner, Group: slashcommand.GroupFolder}
}

// Run lists the runners, or runs the subcommand of the first word.
func (c Runner) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	user, err := c.Users.UserByID(ctx, in.User)
	if err != nil {
		return "", err
	}
	lang := in.Lang
	verb, name, _ := strings.Cut(args, " ")
	name = strings.TrimSpace(name)
	switch {
	case args == "" || args == "list":
		return c.sayList(ctx, user, lang)
	case name == "" || strings.ContainsAny(name, " \t\n"):
	case (verb == "create" || verb == "revoke") && pg.Narrow(ctx): // a token for conversations chooses among the machines that are there
		return "", i18n.Fault(fault.Denied, i18n.CommandScope, "runner "+verb)
	case verb == "use" && (name == resolver.Local || name == resolver.Default) && pg.Narrow(ctx): // for administrators the default may be the server's host
		return "", i18n.Fault(fault.Denied, i18n.CommandScope, "runner use "+name)
	case verb == "use":
		return c.sayUse(ctx, user, name, lang)
	case verb == "create":
		return c.sayCreate(ctx, user, name, lang)
	case verb == "revoke":
		if err := c.Runners.Revoke(ctx, user, name); err != nil {
			return "", err
		}
		return i18n.Say(lang, i18n.RunnerRevoked, name), nil
	}
	return "", i18n.Fault(fault.Invalid, i18n.RunnerUsage)
}

func (c Runner) sayUse(ctx context.Context, user users.User, name string, lang i18n.Lang) (string, error) {
	if name == resolver.Default {
		name = ""
	}
	all, err := c.Runners.Use(ctx, user, name)
	if err != nil {
		return "", err
	}
	for _, r := range all.Runners {
		if r.Active && r.Kind == chat.RunnerNative && !r.Online {
			return i18n.Say(lang, i18n.RunnerUsedOffline, r.Name), nil
		}
	}
	if all.Effective == "" {
		return i18n.Say(lang, i18n.RunnerNone), nil
	}
	return i18n.Say(lang, i18n.RunnerUsed, all.Effective), nil
}

// sayCreate makes a runner without showing its token: a transcript is kept, and a secret does not belong into it. A
// second run after a crash reports that the name is taken, which is true by then.
func (c Runner) sayCreate(ctx context.Context, user users.User, name string, lang i18n.Lang) (string, error) {
	if _, err := c.Runners.Create(ctx, user, name, ""); err != nil {
		return "", err
	}
	return i18n.Say(lang, i18n.RunnerMade, name), nil
}

func (c Runner) sayList(ctx context.Context, user users.User, lang i18n.Lang) (string, error) {
	all, err := c.Runners.List(ctx, user)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range all.Runners {
		b.WriteString("* " + line(r, lang) + "\n")
	}
	switch {
	case all.Active != "" && all.Effective == "":
		b.WriteString("\n" + i18n.Say(lang, i18n.RunnerGone, all.Active))
	case all.Effective == "":
		b.WriteString("\n" + i18n.Say(lang, i18n.RunnerNone))
	default:
		b.WriteString("\n" + i18n.Say(lang, i18n.RunnerNow, all.Effective, all.Model))
	}
	return strings.TrimSpace(b.String()), nil
}

// line describes a runner. Names need no escaping; data that a runner reports is quoted.
func line(r chat.Runner, lang i18n.Lang) string {
	state := i18n.RunnerOffline
	if r.Online {
		state = i18n.RunnerOnline
	}
	parts := []string{r.Kind, i18n.Say(lang, state)}
	if r.Workspace != "" {
		parts = append(parts, markdown.Quoted(r.Workspace))
	}
	if r.LLM != nil {
		parts = append(parts, markdown.Quoted(r.LLM.Provider+"/"+r.LLM.Model))
	}
	name := "`" + r.Name + "`"
	if r.Active {
		name = "**" + name + "**"
	}
	return name + " · " + strings.Join(parts, " · ")
}
