package queue

import (
	"context"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/slashcommand"
)

// Policies is the policy document in force.
type Policies interface {
	Get(ctx context.Context) (*policy.Policy, error)
}

// Queue is /queue: how messages wait. It holds for messages from then on.
type Queue struct {
	Conversations Conversations
	Turns         Turns
	Policies      Policies
}

var _ slashcommand.Runner = Queue{}

// Spec describes the command.
func (Queue) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "queue", Usage: command.QueueUsage, Help: i18n.HelpQueue, Group: slashcommand.GroupQueue}
}

// Run shows or sets it.
func (q Queue) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	s, _, err := q.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	own, ok := command.QueueCommand(args, s.Queue)
	if !ok {
		return "", i18n.Fault(fault.Invalid, i18n.QueueUsage, command.QueueUsage)
	}
	if own != s.Queue {
		if err := q.Turns.SetQueue(ctx, in.Session, own); err != nil {
			return "", err
		}
		s.Queue = own
	}
	p, err := q.Policies.Get(ctx)
	if err != nil {
		return "", err
	}
	return queueText(p, s, in.Lang), nil
}

// queueText describes how messages wait in a conversation, and why.
func queueText(p *policy.Policy, s chat.Session, lang i18n.Lang) string {
	holds, set := p.Queue(s.Channel, s.ChatType, s.Queue), p.Messages.Queue
	why := func(own, general bool) string {
		switch {
		case own:
			return i18n.Say(lang, i18n.QueueHere)
		case general:
			return i18n.Say(lang, i18n.QueuePolicy)
		}
		return i18n.Say(lang, i18n.QueueDefault)
	}
	quiet := (time.Duration(holds.DebounceMS) * time.Millisecond).String()
	lines := []string{
		i18n.Say(lang, i18n.QueueHolds), "",
		settingLine("mode", string(holds.Mode), whyMode(set, s, lang)),
		settingLine("debounce", quiet, why(s.Queue.DebounceMS != 0, set.DebounceMS != 0)),
		settingLine("cap", strconv.Itoa(holds.Cap), why(s.Queue.Cap != 0, set.Cap != 0)),
		settingLine("drop", string(holds.Drop), why(s.Queue.Drop != "", set.Drop != "")),
	}
	return strings.Join(lines, "\n")
}

func settingLine(name, value, why string) string {
	return "* " + name + ": `" + value + "` · " + why
}

func whyMode(set policy.Queue, s chat.Session, lang i18n.Lang) string {
	switch {
	case s.Queue.Mode != "":
		return i18n.Say(lang, i18n.QueueHere)
	case set.ByChannel[s.Channel] != "":
		return i18n.Say(lang, i18n.QueueChannel, s.Channel)
	case set.Mode != "":
		return i18n.Say(lang, i18n.QueuePolicy)
	case s.ChatType == chat.ChatDirect:
		return i18n.Say(lang, i18n.QueueDirect)
	}
	return i18n.Say(lang, i18n.QueueOther)
}
