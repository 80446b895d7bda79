// Package ops has the data that operators and users read about an installation: its status, logs and usage.
package ops

import (
	"time"

	"xbot/internal/chat"
)

// Status is an overview of an installation.
type Status struct {
	Version   string    `json:"version"`
	Model     string    `json:"model" doc:"Of the installation, provider/model."`
	StartedAt time.Time `json:"started_at" doc:"When the process that answers was started."`
	Database  string    `json:"database" doc:"Host and name of the Postgres database, without the user."`
	Home      string    `json:"home" doc:"Data folder of the process that answers."`
	Copy      bool      `json:"copy,omitempty" doc:"The database is a copy (XBOT_COPY) and another installation uses the original: bots are not connected, jobs do not fire, deliveries wait."`
	Counts

	Recent []SessionSummary `json:"recent" doc:"The conversations that were used last."`
}

// Counts are sums over the installation.
type Counts struct {
	Users    int   `json:"users"`
	Sessions int   `json:"sessions"`
	Running  int   `json:"turns_running"`
	Waiting  int   `json:"messages_waiting"`
	Oldest   int   `json:"oldest_seconds" doc:"Age of the oldest waiting message."`
	Tasks    int   `json:"tasks_running" doc:"Background tasks."`
	Runners  int   `json:"runners_connected"`
	Bytes    int64 `json:"database_bytes"`

	EventBytes  int64 `json:"event_bytes" doc:"Part of database_bytes: events for clients, kept for XBOT_KEEP_EVENTS."`
	PromptBytes int64 `json:"prompt_bytes" doc:"Part of database_bytes: model requests, kept for XBOT_KEEP_EVENTS."`
}

// SessionSummary is a conversation with the server's counts.
type SessionSummary struct {
	Key   chat.SessionKey `json:"key"`
	User  string          `json:"user"`
	Title string          `json:"title"`
	chat.Routing
	Model   string      `json:"model,omitempty" doc:"Chosen for this conversation; empty: that of its agent."`
	Running chat.TurnID `json:"running,omitempty"`
	Queued  int         `json:"queued"`
	Tally
	ContextTokens int       `json:"context_tokens" doc:"Tokens of the model's window that the last answer and its request took, or that the last compression left; 0: nothing was asked yet."`
	ContextMax    int       `json:"context_max" doc:"Tokens that the model takes in all."`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at" doc:"Time of the last user message."`
}

// Tally is the totals of a conversation since it began.
type Tally struct {
	Turns        int   `json:"turns"`
	Messages     int   `json:"messages"`
	Compactions  int   `json:"compactions"`
	InputTokens  int64 `json:"input_tokens" doc:"As providers counted, since the conversation began."`
	CachedTokens int64 `json:"cached_tokens" doc:"Part of input_tokens that came from the provider's cache."`
	OutputTokens int64 `json:"output_tokens"`
	TotalTokens  int64 `json:"total_tokens"`
}

// States of an accepted message without an answer.
const (
	InboxWaiting   = "waiting"   // for its turn
	InboxThrottled = "throttled" // for a free slot: a limit is reached
	InboxRunning   = "running"   // its turn works
	InboxHeld      = "held"      // a fault in the server blocks it
)

// Unanswered is an accepted message without an answer.
type Unanswered struct {
	Inbox      chat.InboxID    `json:"inbox_id"`
	Session    chat.SessionKey `json:"session"`
	User       string          `json:"user"`
	Channel    string          `json:"channel"`
	Kind       string          `json:"kind" enum:"message,command,control,background"`
	Mode       chat.QueueMode  `json:"mode"`
	State      string          `json:"state" enum:"waiting,throttled,running,held"`
	Turn       chat.TurnID     `json:"turn_id,omitempty"`
	Releases   int             `json:"releases,omitempty" doc:"How often its turn was lost before the first step."`
	Words      string          `json:"words" doc:"The first words of it."`
	AcceptedAt time.Time       `json:"accepted_at"`
	AgeSeconds int             `json:"age_seconds"`
}

// Undelivered is an answer, a question or a notice that did not arrive on its platform, or may not have, or is waiting.
type Undelivered struct {
	Delivery  int64             `json:"delivery"`
	Session   chat.SessionKey   `json:"session"`
	User      string            `json:"user"`
	Channel   string            `json:"channel"`
	Account   string            `json:"account,omitempty"`
	Kind      chat.OutboundKind `json:"kind" enum:"message,question,card"`
	Outcome   string            `json:"outcome" enum:"uncertain,failed,expired,waiting" doc:"State: it may have arrived, was refused by the platform, expired, or waits for a retry."`
	Reason    string            `json:"reason" doc:"The platform's reason, at most 300 characters."`
	WrittenAt time.Time         `json:"written_at"`
	EndedAt   *time.Time        `json:"ended_at,omitempty" doc:"Absent while queued."`
}
