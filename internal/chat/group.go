package chat

import "time"

// Limits of a group chat (spec of issue 7).
const (
	MaxGroupMembers = 8
	MaxGroupRounds  = 50
	GroupRounds     = 10     // default
	MaxGroupLine    = 50_000 // bytes of one message of its maker
	MaxPeerHops     = 8      // messages between conversations without a user
	MaxPeerMessages = 10     // that one turn sends
	MaxPeerMessage  = 50_000 // bytes
	GroupEnd        = "/end" // begins a line of its maker that ends the chat
)

// GroupID names a conversation among subagents.
type GroupID string

// NewGroup is a group chat created by a call.
type NewGroup struct {
	Call    CallID
	Session SessionKey
	Turn    TurnID
	Topic   string
	Rounds  int
	Members []NewMember
}

// NewMember is a subagent in a new group chat: an existing one, if its instance exists, else a new one.
type NewMember struct {
	Role     string
	Instance string // empty: a separate one for this chat
	New      NewSubagent
}

// GroupStep is the next step of a group chat.
type GroupStep struct {
	Over    bool
	Asked   int          // how often members were asked
	Speaker *SubagentRef // the next speaker
	Name    string       // of the speaker
	Round   int
	Rounds  int
	Topic   string
}

// Group is a chat as the API shows it.
type Group struct {
	ID        GroupID     `json:"id"`
	Topic     string      `json:"topic"`
	Rounds    int         `json:"rounds" doc:"At most."`
	Ended     string      `json:"ended,omitempty" enum:"rounds,agreed,closed,budget,failed,gone" doc:"Reason of the end; empty: open."`
	Members   []Member    `json:"members"`
	Lines     []GroupLine `json:"lines" doc:"In their order; of a long chat the newest 100."`
	Total     int         `json:"total" doc:"Lines in all."`
	CreatedAt time.Time   `json:"created_at"`
	EndedAt   *time.Time  `json:"ended_at,omitempty"`
}

// Member is a participant of a group chat.
type Member struct {
	Name    string     `json:"name"`
	Session SessionKey `json:"session" doc:"Its conversation."`
}

// GroupLine is one message of a group chat.
type GroupLine struct {
	Seq     int       `json:"seq"`
	Speaker string    `json:"speaker" doc:"Name of a member; empty: the conversation that made the chat."`
	Said    string    `json:"said"`
	Outcome string    `json:"outcome" enum:"done,passed,stopped,failed,lost"`
	At      time.Time `json:"at"`
}

// PeerMessage is a message between two conversations of the same user.
type PeerMessage struct {
	Call CallID
	Turn TurnID
	User UserID
	From SessionKey
	To   SessionKey
	Text string
}
