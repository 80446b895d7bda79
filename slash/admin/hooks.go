package admin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"xbot/internal/automation/hook"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/hooks"
	"xbot/internal/turn/question"
	"xbot/internal/turn/slashcommand"
)

// HookFiles know the hooks of conversations.
type HookFiles interface {
	For(ctx context.Context, key chat.SessionKey) hook.Set
}

// HookCalls are the calls that hooks have deferred to administrators, and trials of hooks.
type HookCalls interface {
	Deferred(ctx context.Context) ([]hooks.DeferredCall, error)
	Decide(ctx context.Context, id chat.CallID, user chat.UserID, name string, allow bool, note string) (chat.ToolCall, error)
	Try(ctx context.Context, key chat.SessionKey, event, tool, input string) (asked []hook.Handler, out hook.Outcome, err error)
}

// Hooks is /hooks: the hooks of a conversation, and the calls that they have deferred.
type Hooks struct {
	Files HookFiles
	Calls HookCalls
}

var _ slashcommand.Runner = Hooks{}

// Spec describes the command.
func (Hooks) Spec() slashcommand.Spec {
	return slashcommand.Spec{
		Name: "hooks", Usage: "[allow CALL|deny CALL …|test EVENT TOOL INPUT]", Help: i18n.HelpHooks, Group: slashcommand.GroupServer, Who: slashcommand.Admin,
	}
}

// Run runs the subcommand of the first word.
func (h Hooks) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	switch word {
	case "":
		return h.list(ctx, in)
	case "allow", "deny":
		call, note, _ := strings.Cut(strings.TrimSpace(rest), " ")
		done, err := h.Calls.Decide(ctx, chat.CallID(call), in.User, in.UserName, word == "allow", note)
		if err != nil {
			return "", err
		}
		return question.Decided(in.Lang, done, word == "allow"), nil
	case "test":
		return h.test(ctx, in, rest)
	}
	return "", i18n.Fault("invalid", i18n.HooksUsage)
}

// list shows the hooks of the conversation, their faults, and the calls that wait.
func (h Hooks) list(ctx context.Context, in slashcommand.Request) (string, error) {
	set := h.Files.For(ctx, in.Session)
	waiting, err := h.Calls.Deferred(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if handlers := set.Handlers(); len(handlers) > 0 {
		b.WriteString("| " + i18n.Say(in.Lang, i18n.HooksColumns) + " |\n|---|---|---|\n")
		for _, one := range handlers {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", one.Event, markdown.Code(strings.ReplaceAll(one.Label(), "|", "\\|")), markdown.Code(one.Source+", "+one.Place))
		}
	} else {
		b.WriteString(i18n.Say(in.Lang, i18n.HooksNone) + "\n")
	}
	if faults := set.Faults(); len(faults) > 0 {
		b.WriteString("\n" + i18n.Say(in.Lang, i18n.HooksFaults) + "\n\n")
		for _, f := range faults {
			b.WriteString("- " + f.String() + "\n")
		}
	}
	if len(waiting) > 0 {
		b.WriteString("\n" + i18n.Say(in.Lang, i18n.HooksDeferred) + "\n\n")
		for _, c := range waiting {
			fmt.Fprintf(&b, "- %s · %s · %s · %s\n", markdown.Code(string(c.ID)), markdown.Code(c.Name+" "+c.Summary), c.Owner, cmp.Or(c.Approval.Reason, "-"))
		}
	}
	return strings.TrimSpace(b.String()), nil
}

// test asks the hooks about a sample.
func (h Hooks) test(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	event, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	tool, input, _ := strings.Cut(strings.TrimSpace(rest), " ")
	asked, out, err := h.Calls.Try(ctx, in.Session, event, cmp.Or(tool, "Shell"), cmp.Or(input, "{}"))
	if err != nil {
		return "", err
	}
	return markdown.Fenced(hook.Tried(asked, out)), nil
}
