package chat

import "time"

// MemorizeID is the number of a job that writes a conversation into memory.
type MemorizeID int64

// What removes a conversation, or a part of it, from the context.
const (
	MemorizeReset    = "reset"    // it begins anew
	MemorizeSubagent = "subagent" // a subagent is done, or is unloaded
	MemorizeCompress = "compress" // a summary takes its place
)

// States of such a job.
const (
	MemorizeWaiting = "waiting"
	MemorizeDone    = "done"
	MemorizeFailed  = "failed"  // for good; the conversation stays where it is
	MemorizeSkipped = "skipped" // there was too little in it
)

// MemorizeJob is a conversation that is to be put into memory, part by part.
type MemorizeJob struct {
	ID       MemorizeID
	Session  SessionKey
	User     UserID // whose conversation it is: in a group the group
	UserName string
	Trigger  string
	State    string
	Tries    int // failures since a part was done last

	Compaction *ControlID // whose summary stands before the first part; nil: none
	Done       MessageID  // what is up to here is in memory
	Part       MessageID  // where the part ends that is under way; 0: none is
	Upto       MessageID  // where the last part ends
	Newest     ControlID  // newest record about the conversation when it was removed from the context
}

// MemorizeNote is such a job as people see it.
type MemorizeNote struct {
	ID      MemorizeID `json:"id"`
	Session SessionKey `json:"session"`
	Title   string     `json:"title,omitempty"`
	Trigger string     `json:"trigger" enum:"reset,subagent,compress"`
	State   string     `json:"state" enum:"waiting,done,failed"`
	Error   string     `json:"error,omitempty" doc:"Why the last try failed."`
	At      time.Time  `json:"at"`
}

// Kinds of what is remembered.
const (
	RememberedNote    = "note"
	RememberedBlock   = "block"
	RememberedSoul    = "soul"
	RememberedArchive = "archive"
	RememberedLog     = "log"
)

// Remembered is something that memory holds, as people see it.
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

// BlockOf is a block with the conversation that it is of; none: it is of the person.
type BlockOf struct {
	Block     Block
	Session   SessionKey
	Content   string
	UpdatedAt time.Time
}
