package chat

import (
	"slices"
	"time"
	"unicode/utf8"
)

// Role is the speaker of a message in a transcript.
type Role string

// The roles. A notice is a message of the product to the user (a retry that gave up, a stopped turn): it is shown, and sent to the model only
// if the model must know.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleNotice    Role = "notice"
)

// The origins of messages that are not ordinary ones.
const (
	OriginCommand    = "command"
	OriginBackground = "background"
	OriginContext    = "context"
	OriginSuperseded = "superseded"
	OriginSummarized = "summarized"
	OriginOverheard  = "overheard"
	OriginReset      = "reset"
	OriginContinue   = "continue"
	OriginCron       = "cron"
	OriginHook       = "hook"
	OriginSubagent   = "subagent"
	OriginPeer       = "peer"
	OriginHeartbeat  = "heartbeat"
	OriginClient     = "client" // results of the tools of the program that asked; the model sees them in its calls
	OriginPerson     = "person" // an administrator wrote it to a consumer of a service, in place of the model
)

// IsSystemOrigin reports whether a message of this origin is from the product to the model, not written by a user.
func IsSystemOrigin(origin string) bool {
	switch origin {
	case OriginBackground, OriginCron, OriginHook, OriginSubagent, OriginPeer, OriginHeartbeat:
		return true
	}
	return false
}

// Message is one transcript row as the API shows it.
type Message struct {
	ID              MessageID    `json:"id"`
	Session         SessionKey   `json:"session"`
	Turn            TurnID       `json:"turn_id,omitempty"`
	Step            int          `json:"step" doc:"Step of the turn, from 0. Only meaningful for assistant messages."`
	Role            Role         `json:"role" enum:"user,assistant,notice"`
	Origin          string       `json:"origin,omitempty" enum:"command,background,context,superseded,summarized,overheard,reset,continue,cron,hook,subagent,peer,heartbeat,person,client" doc:"Where it came from if not from a person's ordinary message: command (a slash or bang command and its answer, which the model does not see), background (the end of a background task, told to the model), context (a notice of what became of the context, such as a compression), superseded (a newer message replaced it before it was answered), summarized (lines of messages that a full queue dropped), overheard (what was said in a group before the bot was addressed), reset (a notice: the conversation begins anew) continue (a person asked to go on with a turn that had ended early), cron (a job's time has come), hook (somebody called one), subagent (one has answered), peer (another conversation wrote), heartbeat, person (an administrator said it to a consumer of a service, in place of the model), or client (a program sent the results of its own tools, which stand in the calls)."`
	Sender          string       `json:"sender,omitempty" doc:"Name of the sender, in conversations with several users."`
	Silent          bool         `json:"silent,omitempty" doc:"The model chose not to answer."`
	Undelivered     bool         `json:"undelivered,omitempty" doc:"The send policy suppressed the delivery to the channel."`
	Content         string       `json:"content"`
	Reasoning       string       `json:"reasoning,omitempty" doc:"The model's reasoning before the answer, if the provider returns it."`
	Pictures        []PictureRef `json:"pictures,omitempty" doc:"Pictures that it shows. Their bytes: GET /api/sessions/{key}/pictures/{hash}."`
	ToolCalls       []ToolCall   `json:"tool_calls,omitempty" doc:"Calls this assistant message asked for, each with its result once it has one."`
	Inbox           InboxID      `json:"inbox_id,omitempty" doc:"The accepted row a user message came from; on the answer of a command, the row of the command."`
	ClientMessageID string       `json:"client_message_id,omitempty"`
	Model           string       `json:"model,omitempty"`
	FinishReason    string       `json:"finish_reason,omitempty" doc:"stop, tool_calls, length, content_filter, stopped or error."`
	Usage           *Usage       `json:"usage,omitempty"`
	Place
	CreatedAt time.Time `json:"created_at"`
}

// AllPictures returns the pictures of the message, then those of the results of its calls, in their order.
func (m Message) AllPictures() []PictureRef {
	out := slices.Clone(m.Pictures)
	for _, c := range m.ToolCalls {
		out = append(out, c.Pictures...)
	}
	return out
}

// Place is whether a message is in the conversation, and its other versions.
type Place struct {
	Rewound  bool        `json:"rewound,omitempty" doc:"Removed from the conversation; hidden from users and the model."`
	Branches []MessageID `json:"branches,omitempty" doc:"All versions of this message including itself, oldest first. Absent if it has one version only. At most one version and its continuation is in the conversation; switch-branch selects it."`
	BranchOf MessageID   `json:"-"` // the oldest version; 0: it is that one, or the only one
}

// Usage is token counts as the provider reported them.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CachedTokens     int `json:"cached_tokens,omitempty" doc:"Part of prompt_tokens that the provider served from its cache."`
	CompletionTokens int `json:"completion_tokens"`
}

// Add returns the sum of two counts.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.PromptTokens + v.PromptTokens, u.CachedTokens + v.CachedTokens, u.CompletionTokens + v.CompletionTokens}
}

// InternalMessage is a message that xbot itself posts to a conversation for the model: a cron job fired, a trigger was called, a subagent has
// answered, another conversation sent a message. It is queued among the messages of its session, begins a separate turn, and does not count
// as an interaction of a user.
type InternalMessage struct {
	Session SessionKey
	// Key is unique among the messages of one origin to the conversations of a user. A repeated key is posted once, without a time limit.
	Key string
	// Origin is one of OriginCron, OriginHook, OriginSubagent, OriginPeer, OriginHeartbeat.
	Origin string
	// Text is the message for the model. Its first line describes it, in brackets: [cron morning-report fired].
	Text string
	// To is where the answer is delivered; nil: the target of the conversation's answers.
	To *Address
	// Options hold for the turn that answers, such as another model.
	Options Options
}

// SummaryWords bounds the first words of a message in summaries for operators, in characters.
const SummaryWords = 40

// FirstWords returns the first line of a text on one line, shortened to at most n characters.
func FirstWords(text string, n int) string {
	var out []rune
	for _, r := range text {
		if r == '\n' && len(out) > 0 {
			break
		}
		if r < ' ' || r == utf8.RuneError {
			r = ' '
		}
		if len(out) == n {
			out[n-1] = '…'
			break
		}
		out = append(out, r)
	}
	return string(out)
}
