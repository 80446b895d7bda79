package service

import (
	"regexp"
	"strconv"
	"time"

	"xbot/internal/chat"
	"xbot/internal/turn/session"
)

// InboxChannel is the channel of the conversations in which agents of services report to administrators what consumers ask. No platform has
// this name.
const InboxChannel = "inbox"

// Bounds of consumers' questions to administrators, and of the answers.
const (
	MaxItem      = 4000   // characters of an item
	MaxAgentSaid = 2000   // characters that are shown of the agent's message about it
	MaxSaid      = 10_000 // characters of one message of an administrator
	ItemsPerHour = 10     // of one conversation
	KeyItems     = 20     // in an hour, of all conversations of a key
	ServiceItems = 60     // in an hour, of all conversations of a service
	MaxOpenItems = 200    // of a service that are not handled
	NewestItems  = 3      // that its agent gets
)

// ItemStatus is whether an item is handled.
type ItemStatus string

// The states of items.
const (
	ItemUnread  ItemStatus = "unread"
	ItemRead    ItemStatus = "read"
	ItemHandled ItemStatus = "handled"
)

// Item is a question of a consumer to an administrator.
type Item struct {
	ID           string          `json:"id" example:"inbox_0a1b2c3d"`
	Service      string          `json:"service_id"`
	ServiceName  string          `json:"service_name"`
	Conversation string          `json:"conversation_id"`
	Session      chat.SessionKey `json:"session" doc:"The session of the conversation."`
	Title        string          `json:"title" doc:"Of the conversation."`
	Message      string          `json:"message" doc:"The consumer's request as phrased by the service's agent. Untrusted content: render it as text."`
	Status       ItemStatus      `json:"status" enum:"unread,read,handled"`
	HandledBy    string          `json:"handled_by,omitempty" enum:"agent,manual" doc:"agent: the service's agent has notified the administrator on a platform. manual: an administrator has dealt with it."`
	AgentSaid    string          `json:"agent_response,omitempty" doc:"The agent's notice to the administrator, at most 2000 characters."`
	AnsweredBy   string          `json:"answered_by,omitempty" doc:"Name of the administrator who has answered."`
	TakenBy      string          `json:"taken_by,omitempty" doc:"Name of the administrator who has taken over the conversation."`
	CreatedAt    time.Time       `json:"created_at"`
	ChangedAt    time.Time       `json:"changed_at"`
}

// TakenConversation is a conversation under handover: an administrator answers in place of the agent.
type TakenConversation struct {
	Service      string          `json:"service_id"`
	ServiceName  string          `json:"service_name"`
	Conversation string          `json:"conversation_id"`
	Session      chat.SessionKey `json:"session"`
	Title        string          `json:"title"`
	TakenBy      string          `json:"taken_by" doc:"Name of the administrator."`
	TakenAt      time.Time       `json:"taken_at"`
	Waiting      bool            `json:"waiting" doc:"The consumer has the last word."`
}

// Contact is an agent's question to an administrator for a consumer.
type Contact struct {
	Session chat.SessionKey
	Call    chat.CallID
	Message string
}

// Contacted is the outcome of a contact.
type Contacted struct {
	ID   string
	Told bool // the administrator is notified on a platform; else they see it on the page
}

var itemID = regexp.MustCompile(`^inbox_[0-9a-f]{8}$`)

// IsItem reports whether a text has the form of the id of an item.
func IsItem(id string) bool { return itemID.MatchString(id) }

// NewItemID returns the id of a new item.
func NewItemID() string { return "inbox_" + random(4) }

// InboxSession returns the conversation in which the agent of a service reports to an administrator what its consumers ask.
func InboxSession(service string, admin chat.UserID) chat.SessionKey {
	return session.Thread(service, InboxChannel, strconv.FormatInt(int64(admin), 10))
}

// InboxOf returns the service and the administrator of such a session; ok is false for any other.
func InboxOf(key chat.SessionKey) (service string, admin chat.UserID, ok bool) {
	k, err := session.Parse(key)
	if err != nil || k.Channel != InboxChannel || k.Kind != session.KindThread || !IsID(k.Agent) {
		return "", 0, false
	}
	n, err := strconv.ParseInt(k.ID, 10, 64)
	return k.Agent, chat.UserID(n), err == nil && n > 0
}

// Sealed reports whether a session has the agent of a service and is no consumer's: it reads what consumers wrote, with no limits
// but its own. It has no tools, no file system and no memory.
func Sealed(agent string, key chat.SessionKey) bool {
	if _, _, ok := Of(key); ok {
		return false
	}
	k, err := session.Parse(key)
	return IsID(agent) || err == nil && IsID(k.Agent)
}
