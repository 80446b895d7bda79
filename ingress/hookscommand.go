package ingress

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/hook"
	"xbot/internal/i18n"
	"xbot/internal/markdown"
)

// Commands returns /hooks.
func (h *Hooks) Commands() []Command {
	return []Command{{
		Name: "hooks", Usage: "[allow CALL|deny CALL …|test EVENT TOOL INPUT]", Help: i18n.HelpHooks, Group: GroupServer, Who: Admin, Run: h.run,
	}}
}

func (h *Hooks) run(ctx context.Context, in Inbound, args string) (string, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	switch word {
	case "":
		return h.list(ctx, in)
	case "allow", "deny":
		call, note, _ := strings.Cut(strings.TrimSpace(rest), " ")
		done, err := h.Decide(ctx, chat.CallID(call), in.User, in.UserName, word == "allow", note)
		if err != nil {
			return "", err
		}
		return decided(in.Lang, done, word == "allow"), nil
	case "test":
		return h.test(ctx, in, rest)
	}
	return "", i18n.Fault("invalid", i18n.HooksUsage)
}

// list shows the hooks of the conversation, what is wrong with them, and what waits.
func (h *Hooks) list(ctx context.Context, in Inbound) (string, error) {
	set := h.Files.For(ctx, in.Session)
	waiting, err := h.Store.DeferredCalls(ctx)
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
func (h *Hooks) test(ctx context.Context, in Inbound, args string) (string, error) {
	event, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	tool, input, _ := strings.Cut(strings.TrimSpace(rest), " ")
	asked, out, err := h.Try(ctx, in.Session, event, cmp.Or(tool, "Shell"), cmp.Or(input, "{}"))
	if err != nil {
		return "", err
	}
	return markdown.Fenced(Tried(asked, out)), nil
}

// Tried is what came of a trial of hooks, for an operator.
func Tried(asked []hook.Handler, out hook.Outcome) string {
	var b strings.Builder
	for _, h := range asked {
		fmt.Fprintf(&b, "asked     %s (%s, %s)\n", h.Label(), h.Source, h.Place)
	}
	if len(asked) == 0 {
		b.WriteString("asked     nobody\n")
	}
	fmt.Fprintf(&b, "decision  %s\n", out.Decision)
	for _, line := range []struct{ name, text string }{{"reason", out.Reason}, {"context", out.Context}, {"input", string(out.Updated)}} {
		if line.text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", line.name, line.text)
		}
	}
	for _, note := range out.Notes {
		b.WriteString("failed    " + note + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
