package chat

import "time"

// MigrationID is the number of a migration of storage.
type MigrationID int64

// MemorizeID is the number of a job that writes a conversation into memory.
type MemorizeID int64

// Reasons why a conversation, or a part of it, was removed from the context.
const (
	MemorizeReset    = "reset"    // it was reset
	MemorizeSubagent = "subagent" // a subagent is done, or is unloaded
	MemorizeCompress = "compress" // a summary takes its place
)

// States of such a job.
const (
	MemorizeWaiting = "waiting"
	MemorizeDone    = "done"
	MemorizeFailed  = "failed"  // permanently; the conversation is not written
	MemorizeSkipped = "skipped" // there was too little in it
)

// MemorizeJob is a conversation that is to be written to memory, part by part.
type MemorizeJob struct {
	ID       MemorizeID
	Session  SessionKey
	User     UserID // owner of the conversation: in a group the group
	UserName string
	Trigger  string
	State    string
	Tries    int // failures since the last finished part

	Compaction *ControlID // whose summary precedes the first part; nil: none
	Done       MessageID  // memory holds everything up to here
	Part       MessageID  // end of the current part; 0: none
	Upto       MessageID  // end of the last part
	Newest     ControlID  // newest record about the conversation when it was removed from the context
}

// MemorizeNote is a memorize job as users see it.
type MemorizeNote struct {
	ID      MemorizeID `json:"id"`
	Session SessionKey `json:"session"`
	Title   string     `json:"title,omitempty"`
	Trigger string     `json:"trigger" enum:"reset,subagent,compress"`
	State   string     `json:"state" enum:"waiting,done,failed"`
	Error   string     `json:"error,omitempty" doc:"Why the last try failed."`
	At      time.Time  `json:"at"`
}

// Kinds of entries in memory.
const (
	RememberedNote    = "note"
	RememberedBlock   = "block"
	RememberedSoul    = "soul"
	RememberedArchive = "archive"
	RememberedLog     = "log"
)

// Remembered is an entry of memory, as users see it.
type Remembered struct {
	ID      string     `json:"id" example:"archive/12" doc:"note/PATH, block/NAME[/SESSION], soul/NAME, archive/N or log/N."`
	Kind    string     `json:"kind" enum:"note,block,soul,archive,log"`
	Name    string     `json:"name,omitempty" doc:"Path of a note, name of a block or soul file."`
	Session SessionKey `json:"session,omitempty" doc:"The conversation that it belongs to, if it belongs to one."`
	Content string     `json:"content"`
	At      time.Time  `json:"at" doc:"When it was true, or was written."`
	Max     int        `json:"max,omitempty" doc:"Characters that a block holds."`
	Line    bool       `json:"line,omitempty" doc:"It is one line of a note or block."`
}

// BlockOf is a block with its conversation; no conversation: it belongs to the user.
type BlockOf struct {
	Block     Block
	Session   SessionKey
	Content   string
	UpdatedAt time.Time
}
