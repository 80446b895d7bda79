// Package memory is the port of what is remembered of a user beyond one conversation. There are two
// providers: flat keeps notes, letta keeps blocks and an archive that is searched. Which one an agent has is decided by
// the policy.
package memory

import (
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/llm"
)

// The providers.
const (
	Flat  = "flat"
	Letta = "letta"
)

// ProviderOf returns whose a tool is, if it is one of a memory.
func ProviderOf(tool string) (provider string, ok bool) {
	switch tool {
	case "memory_write", "memory_list":
		return Flat, true
	case "core_memory_append", "core_memory_replace", "rethink", "archival_memory_insert", "archival_memory_search", "recall_memory_search":
		return Letta, true
	}
	return "", false
}

// Writes reports whether a tool may change what is remembered: every tool of a memory and for soul files that does not read alone.
func Writes(tool string) bool {
	switch tool {
	case "memory_list", "archival_memory_search", "recall_memory_search", "soul_list", "soul_read":
		return false
	}
	_, ok := ProviderOf(tool)
	return ok || OfSoul(tool)
}

// OfSoul reports whether a tool is one for soul files.
func OfSoul(tool string) bool {
	switch tool {
	case "soul_list", "soul_read", "soul_write", "soul_delete":
		return true
	}
	return false
}

// OfConversations reports whether a tool is one that reads the user's other conversations.
func OfConversations(tool string) bool {
	return tool == "list_conversations" || tool == "read_conversation"
}

// OfConsumers reports whether a tool is one that reads what consumers of an administrator's services wrote.
func OfConsumers(tool string) bool {
	switch tool {
	case "list_service_conversations", "read_service_conversation", "read_inbox":
		return true
	}
	return false
}

// ReadsAlone reports whether an agent that reads consumers' texts may use a tool: it changes nothing that lasts, and sends nothing outside.
func ReadsAlone(tool string) bool {
	switch tool {
	case "soul_list", "soul_read", "offload_recall", "recall_masked":
		return true
	}
	return OfConversations(tool) || OfConsumers(tool)
}

// Query is the user and the purpose of a look-up in memory.
type Query struct {
	User    chat.UserID
	Session chat.SessionKey
	Agent   string // whose memory: its name, not the agent's; set by agentprofile.Memories
	Text    string // what the user wrote, where it is known; a provider may rank by it
}

// MemoryOwner returns the memory that is asked.
func (q Query) MemoryOwner() chat.MemoryOwner { return chat.MemoryOwner{User: q.User, Agent: q.Agent} }

// Recaller returns the part of memory for a prompt.
type Recaller interface {
	// Recall returns what a prompt should hold, bounded; empty: nothing is remembered.
	Recall(ctx context.Context, q Query) (string, error)
}

// Provider keeps memory. Memory of one user never reaches another. It is safe for concurrent use.
type Provider interface {
	Recaller

	// Memorize keeps what is lasting of a conversation. The same key changes nothing the second time, also where the first
	// was by another process; memory and key are written in one transaction. Errors: those of Ask and of the database, and
	// fault.Unavailable where the model wrote nothing usable, which another try may mend.
	Memorize(ctx context.Context, in MemorizeInput) (MemorizeResult, error)

	// Close gives back what the provider holds. Nothing is lost without it.
	Close() error
}

// Ask makes one call of a model. The caller retries what can be retried, and counts what it costs.
type Ask func(ctx context.Context, r llm.Request) (llm.Answer, error)

// MemorizeInput is a conversation, or a part of one, that a reset or a summary removes from the context.
type MemorizeInput struct {
	User    chat.UserID
	Session chat.SessionKey
	Agent   string // as in Query
	Key     string // what makes it once: unique for the user, at most 300 bytes
	Lines   []chat.Line
	From    time.Time // when the oldest of it was written
	To      time.Time // the newest
	Room    int       // characters of conversation that the model reads at most; 0: DefaultRoom
	Ask     Ask
}

// MemoryOwner returns the memory that is written.
func (in MemorizeInput) MemoryOwner() chat.MemoryOwner {
	return chat.MemoryOwner{User: in.User, Agent: in.Agent}
}

// MemorizeResult is what was stored.
type MemorizeResult struct {
	Again    bool     `json:"again,omitempty"`    // it was done before, and nothing was changed
	History  string   `json:"history,omitempty"`  // entry of the log
	Changed  []string `json:"changed,omitempty"`  // notes or blocks that were written
	Archived int      `json:"archived,omitempty"` // entries that are new in the archive
	Deleted  int      `json:"deleted,omitempty"`  // entries that were taken out
}
