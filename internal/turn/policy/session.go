package policy

import (
	"cmp"
	"strings"
	"unicode"

	"xbot/internal/chat"
)

// Scopes of conversations.
const (
	ScopePerSender = "per-sender" // default
	ScopeGlobal    = "global"     // everybody and every group shares the main conversation of the agent
)

// Scopes of direct messages.
const (
	DMMain              = "main"             // everybody shares the main conversation of the agent
	DMPerPeer           = "per-peer"         // by the sender's id, on all channels
	DMPerChannelPeer    = "per-channel-peer" // default
	DMPerAccountChannel = "per-account-channel-peer"
)

// Modes of resets.
const (
	ResetNone  = "none"
	ResetDaily = "daily"
	ResetIdle  = "idle"
)

// defaultResetHour is when a day ends.
const defaultResetHour = 4

// Reset says when a conversation of that kind expires: what is set for the channel holds outright, then what is set for
// the type, then session.reset. Mode is never empty; AtHour is set where Mode is daily, and nowhere else; idle minutes
// above 0 count beside a day as well. Where nothing is set, conversations do not expire, and those of subagents never do: what they are
// asked goes on, whoever looks on.
func (p *Policy) Reset(channel string, t chat.ChatType) Reset {
	base := Reset{}
	switch {
	case t == chat.ChatSubagent:
		return base.filled(Reset{})
	case p.Session.Reset != nil:
		base = *p.Session.Reset
	case p.Session.IdleMinutes > 0 && len(p.Session.ResetByType) == 0:
		base = Reset{Mode: ResetIdle, IdleMinutes: p.Session.IdleMinutes}
	}
	if r, ok := p.Session.ResetByChannel[channel]; ok {
		return r.filled(base)
	}
	if r, ok := p.resetOf(t); ok {
		return r.filled(base)
	}
	return base.filled(Reset{})
}

// resetOf finds the override of a type. Rooms follow groups unless they have one of their own.
func (p *Policy) resetOf(t chat.ChatType) (Reset, bool) {
	names := []string{string(t)}
	switch t {
	case chat.ChatDirect:
		names = append(names, "dm")
	case chat.ChatChannel:
		names = append(names, string(chat.ChatGroup))
	}
	for _, name := range names {
		if r, ok := p.Session.ResetByType[name]; ok {
			return r, true
		}
	}
	return Reset{}, false
}

// filled adds the mode that the other members imply, and the clock of the general rule.
func (r Reset) filled(base Reset) Reset {
	if r.Mode == "" {
		switch {
		case r.AtHour != nil:
			r.Mode = ResetDaily
		case r.IdleMinutes > 0:
			r.Mode = ResetIdle
		default:
			r.Mode = ResetNone
		}
	}
	if r.Timezone == "" {
		r.Timezone = base.Timezone
	}
	if r.Mode != ResetDaily {
		r.AtHour = nil
		return r
	}
	if r.AtHour == nil {
		r.AtHour = cmp.Or(base.AtHour, new(defaultResetHour))
	}
	return r
}

// Sends says whether answers of a conversation are delivered to its channel. The conversation's own setting, on or off,
// stands above the rules; of these the first that denies wins. The key's prefix is looked for with and without the
// agent that it begins with.
func (p *Policy) Sends(key chat.SessionKey, channel string, t chat.ChatType, own string) bool {
	switch own {
	case "on":
		return true
	case "off":
		return false
	}
	s := p.Session.SendPolicy
	if s == nil {
		return true
	}
	allowed := false
	for _, rule := range s.Rules {
		if !rule.Match.holds(string(key), channel, t) {
			continue
		}
		if rule.Action == "deny" {
			return false
		}
		allowed = true
	}
	return allowed || s.Default != "deny"
}

func (m SendMatch) holds(key, channel string, t chat.ChatType) bool {
	if m.Channel != "" && m.Channel != channel {
		return false
	}
	if m.ChatType != "" && !isType(m.ChatType, key, t) {
		return false
	}
	return m.KeyPrefix == "" || strings.HasPrefix(key, m.KeyPrefix) || strings.HasPrefix(withoutAgent(key), m.KeyPrefix)
}

// isType compares a chat type with a name of the document. A thread belongs to its group or channel as well.
func isType(name, key string, t chat.ChatType) bool {
	switch {
	case name == string(t), name == "dm" && t == chat.ChatDirect:
		return true
	case t == chat.ChatThread:
		return (name == string(chat.ChatGroup) || name == string(chat.ChatChannel)) && strings.Contains(key, ":"+name+":")
	}
	return false
}

// withoutAgent returns what follows agent:<agent>: in a key.
func withoutAgent(key string) string {
	rest, ok := strings.CutPrefix(key, "agent:")
	if !ok {
		return key
	}
	_, rest, _ = strings.Cut(rest, ":")
	return rest
}

// Person returns who wrote a message: the name that identityLinks give to that id, else channel:id.
func (p *Policy) Person(e chat.Envelope) (canonical string, linked bool) {
	id := e.Channel + ":" + e.Sender.ID
	for name, ids := range p.Session.IdentityLinks {
		for _, known := range ids {
			if known == id && e.Sender.ID != "" {
				return name, true
			}
		}
	}
	return id, false
}

// IsResetTrigger says whether a text asks for a new conversation by one of resetTriggers, and what follows it. /new and
// /reset are commands, which need no trigger.
func (p *Policy) IsResetTrigger(text string) (rest string, ok bool) {
	text = strings.TrimSpace(text)
	for _, trigger := range p.Session.ResetTriggers {
		if isResetCommand(trigger) || len(text) < len(trigger) || !strings.EqualFold(text[:len(trigger)], trigger) {
			continue
		}
		rest := text[len(trigger):]
		if trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace); rest == "" || trimmed != rest {
			return trimmed, true
		}
	}
	return "", false
}

func isResetCommand(trigger string) bool {
	return strings.EqualFold(trigger, "/new") || strings.EqualFold(trigger, "/reset")
}
