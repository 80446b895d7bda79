package session

import (
	"slices"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/policy"
)

// Access is whether a sender is admitted.
type Access string

// The results.
const (
	Allowed Access = "allowed"
	Pair    Access = "pair"    // not yet: the sender gets a code that an administrator approves
	Refused Access = "refused" // nothing of the message is stored
)

// Verdict is the admission result for a message.
type Verdict struct {
	Access Access
	// Say is the sentence for the sender; empty in groups, where the bot does not answer senders that it does not listen to.
	Say i18n.ID
}

// Admit decides whether the sender of a message is admitted. granted means that an administrator approved their pairing; it opens direct
// messages if the policy is pairing, and no group. Lists are exact: an empty one admits no sender.
func Admit(c policy.Channel, e chat.Envelope, granted bool) Verdict {
	if e.ChatType == chat.ChatDirect || e.ChatType == "" {
		return admitDirect(c, e, granted)
	}
	group, known := c.Group(e.Chat)
	if c.GroupPolicy != policy.GroupOpen && (c.GroupPolicy == policy.GroupDisabled || !known) {
		return Verdict{Access: Refused}
	}
	people := group.AllowFrom
	if len(people) == 0 {
		people = c.GroupAllowFrom
	}
	if len(people) > 0 && !lists(people, e.Sender.ID) {
		return Verdict{Access: Refused}
	}
	return Verdict{Access: Allowed}
}

func admitDirect(c policy.Channel, e chat.Envelope, granted bool) Verdict {
	named := e.Sender.ID != "" && slices.Contains(c.AllowFrom, e.Sender.ID)
	switch c.DMPolicy {
	case policy.DMDisabled:
		return Verdict{Access: Refused, Say: i18n.DirectClosed}
	case policy.DMOpen:
		if len(c.AllowFrom) == 0 || lists(c.AllowFrom, e.Sender.ID) {
			return Verdict{Access: Allowed}
		}
	case policy.DMAllowlist:
		if named {
			return Verdict{Access: Allowed}
		}
	default:
		if named || granted {
			return Verdict{Access: Allowed}
		}
		return Verdict{Access: Pair}
	}
	return Verdict{Access: Refused, Say: i18n.DirectRefused}
}

func lists(people []string, id string) bool {
	return id != "" && (slices.Contains(people, id) || slices.Contains(people, "*"))
}
