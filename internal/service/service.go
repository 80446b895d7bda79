// Package service defines services: agents that administrators publish to outside users and programs. It is pure: the definition of a
// service, its permissions, and its form as an agent of the policy. Package servicestore stores services; ingress/consumer serves them.
package service

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"time"

	"xbot/internal/chat"
	"xbot/internal/turn/session"
)

// Channel is the channel of the conversations of consumers, by an API and on the page of the service.
const Channel = "svc"

// KeyPrefix begins every key of a service. No other credential begins so.
const KeyPrefix = "sk-svc-"

// shownKey is the length of the visible part of a key.
const shownKey = 12

// Service is one as it is stored.
type Service struct {
	ID        string      `json:"id"`
	Admin     chat.UserID `json:"admin_id" doc:"The administrator whose models, keys, documents and scripts the service uses."`
	User      chat.UserID `json:"-"` // its own user, whose limits its consumers share
	Published bool        `json:"published" doc:"Consumers may use it."`
	Definition
	Revision  int64     `json:"revision" doc:"Counts its changes."`
	CreatedAt time.Time `json:"created_at"`
	ChangedAt time.Time `json:"updated_at"`
	// Closed: its administrator is disabled or no longer one, so that no consumer may use it.
	Closed bool `json:"closed,omitempty" doc:"The service is unavailable: its administrator is disabled or no longer an administrator."`
}

// Open reports whether consumers may use the service.
func (s Service) Open() bool { return s.Published && !s.Closed }

// Key is a key of a service as it can be listed: never its secret.
type Key struct {
	ID         string     `json:"id"`
	Service    string     `json:"-"`
	Name       string     `json:"name"`
	Prefix     string     `json:"prefix" doc:"The beginning of the key."`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at,omitempty" doc:"Time of the last use, accurate to a minute. Absent if never used."`
	RevokedAt  *time.Time `json:"revoked_at,omitempty"`
}

// Conversation is one of a consumer.
type Conversation struct {
	ID       string
	Service  string
	Key      string // whose consumers find it
	Session  chat.SessionKey
	User     chat.UserID // the consumer, of this conversation alone
	Source   Source
	External string // what the program calls its user; empty: it does not
	Title    string

	CreatedAt time.Time
	UpdatedAt time.Time
	Messages  int // of the consumer and the model
	Running   bool
	Taken     bool  // under handover: an administrator answers, and not the agent
	Seq       int64 // of the newest durable event
}

// FileSystem is where the files of a consumer's conversation are, and which of its administrator's files it sees.
type FileSystem struct {
	Service      string
	Conversation string
	Session      chat.SessionKey
	Admin        chat.UserID
	Runner       string // of the administrator; empty: not looked up yet, or Storage has the files
	Storage      string // back end of object storage; empty: a runner has the files
	Moving       bool   // a migration is moving the files: they are read-only
	LeftRunner   string // runner that still has a copy of files that were moved to object storage
	Docs         []string
	Scripts      []string
}

// FileSystemMove is a consumer conversation whose files a migration moves.
type FileSystemMove struct {
	FileSystem

	User  chat.UserID
	Since time.Time // of the move
}

// MoveProgress is the progress of a migration.
type MoveProgress struct {
	Conversations int    // with files
	Left          int    // elsewhere than the target
	Failed        int    // of these, failed at the last attempt
	Leftovers     int    // copies to remove from runners
	Problem       string // of one of the failed
}

// Prompt is the parts of the prompt of a conversation.
type Prompt struct {
	Definition

	System   string            // what the administrator wrote for it, or for their own conversations; empty: the installation's
	Beside   bool              // it follows the installation's text
	Profile  string            // the value of {user_profile_context}
	Timezone string            // of the administrator; empty: not set
	Sections map[string]string // the administrator's words for capabilities, by key
}

// Source is the way by which a conversation was begun.
type Source string

// The sources.
const (
	SourceAPI    Source = "api"
	SourceWeb    Source = "web" // the page of the service
	SourceWeChat Source = "wechat"
)

// The forms of ids.
var (
	serviceID      = regexp.MustCompile(`^svc_[0-9a-f]{8}$`)
	conversationID = regexp.MustCompile(`^[0-9a-f]{10}$`)
)

// IsID reports whether a text has the form of the id of a service. The agents of the policy have others.
func IsID(id string) bool { return serviceID.MatchString(id) }

// IsConversation reports whether a text has the form of the id of a conversation.
func IsConversation(id string) bool { return conversationID.MatchString(id) }

// NewID returns the id of a new service.
func NewID() string { return "svc_" + random(4) }

// NewConversationID returns the id of a new conversation.
func NewConversationID() string { return random(5) }

// NewKey returns the id of a new key, and the key.
func NewKey() (id, key string) { return "key_" + random(3), KeyPrefix + random(24) }

// Shown is the part of a key that is displayed.
func Shown(key string) string { return key[:min(len(key), shownKey)] }

func random(bytes int) string {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}

// SessionKey is the session of a conversation.
func SessionKey(service, conversation string) chat.SessionKey {
	return session.Thread(service, Channel, conversation)
}

// Of returns the service and the conversation of a session; ok is false where it is none of a consumer's.
func Of(key chat.SessionKey) (service, conversation string, ok bool) {
	k, err := session.Parse(key)
	if err != nil || k.Channel != Channel || k.Kind != session.KindThread || !IsID(k.Agent) || !IsConversation(k.ID) {
		return "", "", false
	}
	return k.Agent, k.ID, true
}

// Serves reports whether a session is one of a service: a consumer's, or one that was made for it.
func Serves(key chat.SessionKey) bool {
	k, err := session.Parse(key)
	return err == nil && IsID(k.Agent)
}

// ConsumerName is the name of the user of a conversation. Operators see it at the runs in Temporal.
func ConsumerName(service, key, conversation string) string {
	return service + "/" + key + "/" + conversation
}
