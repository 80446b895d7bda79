package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// MemoryOwner names a memory: what an agent, or several that share it, remember of one person or group. Nothing is read or
// written of memory without it.
type MemoryOwner struct {
	User  UserID
	Agent string // name of the memory
}

// Limits of what memory holds, in characters.
const (
	MaxPersona        = 2000 // spec/001 §4.2
	MaxHuman          = 2000
	MaxWorkingContext = 4000
	MaxArchival       = 4000 // one entry
	MaxHistory        = 4000 // one entry
)

// Block names a block of core memory.
type Block string

// The blocks. Persona (how the agent is with this person) and human (who the person is) are the same in all
// conversations of a person; the working context belongs to one conversation.
const (
	BlockPersona Block = "persona"
	BlockHuman   Block = "human"
	BlockWorking Block = "working_context"
)

// Blocks are the blocks, in the order of a prompt.
func Blocks() []Block { return []Block{BlockPersona, BlockHuman, BlockWorking} }

// Max is how many characters a block holds; 0: there is no such block.
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

// Memorized is what a conversation left in memory. All of it is written at once, under Key.
type Memorized struct {
	Key     string
	Session SessionKey
	From    time.Time // of the conversation
	To      time.Time
	History string // entry of the log; empty: none
	Result  string // what is kept with the key

	Notes  []NoteChange
	Blocks []BlockChange
	Souls  []SoulChange

	Archive []ArchivalEntry // new ones
	Delete  []ArchivalID
}

// NoteChange sets a note. Conflict where it is not Was any more.
type NoteChange struct {
	Path, Was, Content string
}

// BlockChange sets a block. Conflict where it is not Was any more.
type BlockChange struct {
	Block        Block
	Was, Content string
}

// ArchivalEntry is something that is remembered and found by searching.
type ArchivalEntry struct {
	ID      ArchivalID `json:"id"`
	Content string     `json:"content"`
	At      time.Time  `json:"at" doc:"When it was so."`

	Embedding []float32 `json:"-"` // nil: none yet
	Model     string    `json:"-"` // that made the embedding
}

// HistoryEntry says what a conversation was about.
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
	Digest      string    // what the embedding is made of where the content is too long; empty: there is none
	Embedding   []float32 // nil: it cannot be made
}

// PastQuery asks for what was said in earlier conversations of a person.
type PastQuery struct {
	Text   string    // words; empty: all
	Since  time.Time // zero: from the beginning
	Until  time.Time // zero: until now
	N      int       // at most
	Agents Agents    // whose conversations
}

// Agents are some of the installation's agents: those of Only, or all but Except where Only is empty.
type Agents struct{ Only, Except []string }

// PastEntry is something that was said, or an entry of the log.
type PastEntry struct {
	At      time.Time
	Session SessionKey
	Who     string // user, assistant or log
	Text    string

	Message MessageID // 0: it is no message
}

// UnseenQuery asks for the newest of what the model of a conversation does not see, older than what Before names.
type UnseenQuery struct {
	Text   string // words that it holds; empty: any
	Before UnseenID
	N      int // at most
}

// UnseenID names a message of a conversation, or what was overheard in its group, which is newer than all messages that are not seen. The zero
// value names nothing.
type UnseenID struct {
	Message   MessageID
	Overheard int64
}

// UnseenEntry is a message that the model of a conversation does not see any more, or something that was overheard and is not in it yet.
type UnseenEntry struct {
	ID   UnseenID
	At   time.Time
	Who  string // user, assistant or overheard; in a group with the name of who said it, as far as models are told names
	Text string
}

// Conversation is one of a person's conversations, in search results.
type Conversation struct {
	Session SessionKey
	Title   string
	At      time.Time // when it was used last
}

// Limits of the soul files that an agent has about one person or group.
const (
	MaxSoulFiles = 50
	MaxSoulFile  = 20_000 // bytes of one
)

// SoulFile is a note about the character of an agent toward one person or group.
type SoulFile struct {
	Name      string
	Content   string
	UpdatedAt time.Time
}

// SoulChange sets a soul file, or deletes it where the content is empty. Conflict where the file is not of that version.
type SoulChange struct {
	Name, Content string
	Version       string // SoulVersion of what is overwritten
}

// soulVersionSize is how many bytes of a hash a version has: enough to tell the texts of one file from each other.
const soulVersionSize = 4

// SoulVersion names what a soul file says; empty where there is none.
func SoulVersion(content string) string {
	if content == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:soulVersionSize])
}
