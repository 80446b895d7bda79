package chat

import "time"

// MemorizeID numbers the jobs that put conversations into memory.
type MemorizeID int64

// What takes a conversation, or a part of it, from sight.
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
	Newest     ControlID  // newest record about the conversation when it went from sight
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
