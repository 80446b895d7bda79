package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// MemoryOwner names a memory: the entries of an agent, or of several that share it, about one user or group. Every read and write of memory
// needs one.
type MemoryOwner struct {
	User  UserID
	Agent string // name of the memory
}

// Limits of memory, in characters.
const (
	MaxPersona        = 2000
	MaxHuman          = 2000
	MaxWorkingContext = 4000
	MaxArchival       = 4000 // one entry
	MaxHistory        = 4000 // one entry
)

// Block names a block of core memory.
type Block string

// The blocks. Persona (how the agent is with this user) and human (who the user is) are the same in all conversations of a user; the working
// context belongs to one conversation.
const (
	BlockPersona Block = "persona"
	BlockHuman   Block = "human"
	BlockWorking Block = "working_context"
)

// Blocks returns the blocks, in the order of a prompt.
func Blocks() []Block { return []Block{BlockPersona, BlockHuman, BlockWorking} }

// Max returns the maximum length of a block in characters, or 0 if there is no such block.
func (b Block) Max() int {
	switch b {
	case BlockPersona:
		return MaxPersona
	case BlockHuman:
		return MaxHuman
	case BlockWorking:
		return MaxWorkingContext
	}
	return 0
}

// ArchivalID numbers the entries of all archives.
type ArchivalID int64

// Memorized is the memory written from a conversation. All of it is written at once, under Key.
type Memorized struct {
	Key     string
	Session SessionKey
	From    time.Time // of the conversation
	To      time.Time
	History string // entry of the log; empty: none
	Result  string // stored with the key

	Notes  []NoteChange
	Blocks []BlockChange
	Souls  []SoulChange

	Archive []ArchivalEntry // new ones
	Delete  []ArchivalID
}

// NoteChange sets a note. Conflict if its content is not Was any more.
type NoteChange struct {
	Path, Was, Content string
}

// BlockChange sets a block. Conflict if its content is not Was any more.
type BlockChange struct {
	Block        Block
	Was, Content string
}

// ArchivalEntry is an entry of memory that is found by searching.
type ArchivalEntry struct {
	ID      ArchivalID `json:"id"`
	Content string     `json:"content"`
	At      time.Time  `json:"at" doc:"When it was so."`

	Embedding []float32 `json:"-"` // nil: none yet
	Model     string    `json:"-"` // that made the embedding
}

// HistoryEntry is the summary of a conversation.
type HistoryEntry struct {
	ID      int64      `json:"id"`
	Session SessionKey `json:"session"`
	Entry   string     `json:"entry"`
	From    time.Time  `json:"from"`
	To      time.Time  `json:"to"`
}

// PendingEntry is an entry of an archive that needs an embedding, or has got one.
type PendingEntry struct {
	MemoryOwner MemoryOwner
	ID          ArchivalID
	Content     string
	Digest      string    // source of the embedding if the content is too long; empty: there is none
	Embedding   []float32 // nil: it cannot be made
}

// PastQuery is a search of earlier conversations of a user.
type PastQuery struct {
	Text   string    // words; empty: all
	Since  time.Time // zero: from the beginning
	Until  time.Time // zero: until now
	N      int       // at most
	Agents Agents    // whose conversations
}

// Agents selects agents of the installation: those of Only, or all but Except if Only is empty.
type Agents struct{ Only, Except []string }

// PastEntry is a past message, or an entry of the log.
type PastEntry struct {
	At      time.Time
	Session SessionKey
	Who     string // user, assistant or log
	Text    string

	Message MessageID // 0: it is no message
}

// UnseenQuery asks for the newest messages that the model of a conversation does not see, older than Before.
type UnseenQuery struct {
	Text   string // search words; empty: any
	Before UnseenID
	N      int // at most
}

// UnseenID names a message of a conversation, or an overheard one of its group, which is newer than all messages that are not seen. The zero
// value names nothing.
type UnseenID struct {
	Message   MessageID
	Overheard int64
}

// UnseenEntry is a message that the model of a conversation does not see any more, or an overheard message that is not in it yet.
type UnseenEntry struct {
	ID   UnseenID
	At   time.Time
	Who  string // user, assistant or overheard; in a group with the name of the sender, as far as models get names
	Text string
}

// Conversation is one of a user's conversations, in search results.
type Conversation struct {
	Session SessionKey
	Title   string
	At      time.Time // when it was used last
}

// Limits of the soul files that an agent has about one user or group.
const (
	MaxSoulFiles = 50
	MaxSoulFile  = 20_000 // bytes of one
)

// SoulFile is a note about the character of an agent toward one user or group.
type SoulFile struct {
	Name      string
	Content   string
	UpdatedAt time.Time
}

// SoulChange sets a soul file, or deletes it if the content is empty. Conflict if the file has another version.
type SoulChange struct {
	Name, Content string
	Version       string // SoulVersion of the overwritten content
}

// soulVersionSize is the number of hash bytes in a version: enough to distinguish the texts of one file.
const soulVersionSize = 4

// SoulVersion returns the version of the content of a soul file; empty if there is none.
func SoulVersion(content string) string {
	if content == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:soulVersionSize])
}
