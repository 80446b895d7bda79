// Package transcript writes conversations as JSON Lines and reads them back: version 3 of the session format of
// OpenClaw, so that conversations move in both directions. The first line describes the session, each further one is an entry
// of a tree by parentId, of which a conversation is the path to the last one.
//
// It is pure. Its input is untrusted: everything is bounded, and unknown entries are reported and omitted.
package transcript

import (
	"time"

	"xbot/internal/chat"
)

// Version is the version of the format.
const Version = 3

// Transcript is a conversation.
type Transcript struct {
	ID      string // of the session
	Title   string
	Cwd     string
	Created time.Time
	// Messages ascend by id. Calls are in the message that asked for them, with their results.
	Messages []chat.Message
	// Controls are compactions and resets, ascending by the message they are about.
	Controls []chat.Control
}

// header is the first line.
type header struct {
	Type      string    `json:"type"`
	Version   int       `json:"version"`
	ID        string    `json:"id"`
	Timestamp time.Time `json:"timestamp"`
	Cwd       string    `json:"cwd"`
	Title     string    `json:"title,omitempty"`
}

// Types of entries.
const (
	typeSession       = "session"
	typeMessage       = "message"
	typeCompaction    = "compaction"
	typeReset         = "reset"
	typeCustom        = "custom"
	typeCustomMessage = "custom_message"
	typeBranchSummary = "branch_summary"
	typeModelChange   = "model_change"
	typeThinkLevel    = "thinking_level_change"
	typeLabel         = "label"
	typeSessionInfo   = "session_info"
)

// noticeType is the custom type of notices, shown to the user and not sent to the model.
const noticeType = "xbot.notice"

// entry is any further line.
type entry struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	ParentID  *string   `json:"parentId"`
	Timestamp time.Time `json:"timestamp"`

	Message *message `json:"message,omitempty"`

	Summary          string `json:"summary,omitempty"`          // compaction, branch_summary
	FirstKeptEntryID string `json:"firstKeptEntryId,omitempty"` // compaction
	TokensBefore     int    `json:"tokensBefore,omitempty"`     // compaction

	Reason string `json:"reason,omitempty"` // reset

	CustomType string   `json:"customType,omitempty"`
	Data       *notice  `json:"data,omitempty"`    // custom
	Content    contents `json:"content,omitempty"` // custom_message

	Provider string `json:"provider,omitempty"` // model_change
	ModelID  string `json:"modelId,omitempty"`  // model_change

	Name string `json:"name,omitempty"` // session_info
}

// notice is a message that was shown and not sent to the model.
type notice struct {
	Role    chat.Role `json:"role,omitempty"`
	Origin  string    `json:"origin,omitempty"`
	Content string    `json:"content,omitempty"`
}

// Roles of messages in the format.
const (
	roleUser       = "user"
	roleAssistant  = "assistant"
	roleToolResult = "toolResult"
)

type message struct {
	Role       string   `json:"role"`
	Content    contents `json:"content"`
	Timestamp  int64    `json:"timestamp,omitempty"` // milliseconds
	API        string   `json:"api,omitempty"`
	Provider   string   `json:"provider,omitempty"`
	Model      string   `json:"model,omitempty"`
	Usage      *usage   `json:"usage,omitempty"`
	StopReason string   `json:"stopReason,omitempty"`
	ToolCallID string   `json:"toolCallId,omitempty"`
	ToolName   string   `json:"toolName,omitempty"`
	IsError    bool     `json:"isError,omitempty"`
	// Sender, Origin and Pictures are ours. Pictures are named; their bytes are not written.
	Sender   string            `json:"sender,omitempty"`
	Origin   string            `json:"origin,omitempty"`
	Pictures []chat.PictureRef `json:"pictures,omitempty"`
}

type usage struct {
	Input       int `json:"input"`
	Output      int `json:"output"`
	CacheRead   int `json:"cacheRead"`
	CacheWrite  int `json:"cacheWrite"`
	TotalTokens int `json:"totalTokens"`
}

// stops translates our reasons to the format's.
var stops = map[string]string{
	"stop": "stop", "tool_calls": "toolUse", "length": "length", "stopped": "aborted", "error": "error", "content_filter": "error",
}

// finishes is the inverse of stops.
var finishes = map[string]string{"stop": "stop", "toolUse": "tool_calls", "length": "length", "aborted": "stopped", "error": "error"}
