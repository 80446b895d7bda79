package policy

import (
	"cmp"

	"xbot/internal/chat"
)

// Defaults of a queue.
const (
	defaultDebounceMS = 500
	defaultCap        = 32
)

// Queue says how a message waits in a conversation that is busy, every member filled in: the conversation's own setting
// before that of its channel, the general one, and the default: steer in direct chats, followup elsewhere.
func (p *Policy) Queue(channel string, t chat.ChatType, own chat.Queue) chat.Queue {
	q := p.Messages.Queue
	byType := chat.QueueFollowup
	if t == chat.ChatDirect {
		byType = chat.QueueSteer
	}
	return chat.Queue{
		Mode:       cmp.Or(own.Mode, q.ByChannel[channel], q.Mode, byType),
		DebounceMS: cmp.Or(own.DebounceMS, q.DebounceMS, defaultDebounceMS),
		Cap:        cmp.Or(own.Cap, q.Cap, defaultCap),
		Drop:       cmp.Or(own.Drop, q.Drop, chat.DropReject),
	}
}

// Limit returns the limits with their defaults. UserTurns 0 is no limit of its own.
func (p *Policy) Limit() Limits {
	l := p.Limits
	l.Turns = cmp.Or(l.Turns, 64)
	l.OwnKeyTurns = cmp.Or(l.OwnKeyTurns, 1)
	l.ProviderWaitMinutes = cmp.Or(l.ProviderWaitMinutes, 24*60)
	l.LLM.Global = cmp.Or(l.LLM.Global, 5)
	l.LLM.Personal = cmp.Or(l.LLM.Personal, 3)
	l.LLM.Subagent = cmp.Or(l.LLM.Subagent, 3)
	l.Subagents.Depth = cmp.Or(l.Subagents.Depth, 6)
	l.Subagents.PerTurn = cmp.Or(l.Subagents.PerTurn, 20)
	l.Subagents.Running = cmp.Or(l.Subagents.Running, 16)
	l.Subagents.Tokens = cmp.Or(l.Subagents.Tokens, 5_000_000)
	l.Person.Sessions = cmp.Or(l.Person.Sessions, 10_000)
	l.Person.Runners = cmp.Or(l.Person.Runners, 50)
	l.Person.Tokens = cmp.Or(l.Person.Tokens, 100)
	l.Person.Storage = cmp.Or(l.Person.Storage, 10<<10)
	l.Person.Voice = cmp.Or(l.Person.Voice, 120)
	l.Media.Pictures = cmp.Or(l.Media.Pictures, 100)
	l.Media.Characters = cmp.Or(l.Media.Characters, 100_000)
	l.Media.Seconds = cmp.Or(l.Media.Seconds, 120)
	l.Media.AtOnce = cmp.Or(l.Media.AtOnce, 3)
	return l
}
