package crash

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

const (
	// MaxCrashes is how many crashes of a worker process a call may be part of before it is given up, if it ran alone in one of them.
	MaxCrashes = 2
	// MaxBeside is the same for a call that never ran alone when its process crashed: another one may have crashed it each time.
	MaxBeside = 4
	// MaxKills is the same for processes that were killed from outside, with no sign of a fault of their own. It is high, since an
	// operator may kill a server as often as they like, and each call goes on.
	MaxKills = 20
	// maxInput bounds the input of an attempt, in bytes. Inputs hold references, and are far shorter.
	maxInput = 300
)

// Call identifies a call across its attempts: a repeated run of a workflow has the same calls as the run before it.
type Call struct {
	Workflow string `json:"workflow"` // workflow id
	Activity string `json:"activity"` // activity type
	Input    string `json:"input"`    // JSON of the references that it was given
}

// NewCall returns a call. An input that is too long is replaced by its digest.
func NewCall(workflow, activity, input string) Call {
	if len(strconv.Quote(input)) > maxInput || !utf8.ValidString(input) {
		sum := sha256.Sum256([]byte(input))
		input = hex.EncodeToString(sum[:])
	}
	return Call{Workflow: workflow, Activity: activity, Input: input}
}

// String names the call as logs and errors do.
func (c Call) String() string { return fmt.Sprintf("%s %s of %s", c.Activity, c.Input, c.Workflow) }

// Attempt is one attempt of a call.
type Attempt struct {
	Call

	Run   string `json:"run"` // run id of the workflow
	N     int32  `json:"n"`   // from 1
	Local bool   `json:"local,omitempty"`
	Alone bool   `json:"alone,omitempty"` // no other suspect runs, or none other began lately
	// Suspect says that the attempt began alone, since the call was part of a crash before.
	Suspect bool `json:"suspect,omitempty"`
	// Follows says that the attempt follows a command that runs elsewhere and would be lost with it: it never waits to run alone, and no crash is blamed on it.
	Follows bool `json:"follows,omitempty"`

	Began time.Time `json:"began"` // set by the journal
}

// Count is how often a call was part of the end of a worker process.
type Count struct {
	Crashes int
	Alone   int // crashes in which no other suspect ran
	Kills   int
	Cause   string // of the last crash
}

// GivenUp reports whether the call is not tried again.
func (c Count) GivenUp() bool {
	return c.Crashes >= MaxCrashes && c.Alone > 0 || c.Crashes >= MaxBeside || c.Kills >= MaxKills
}

// GivenUpError is the end of a call that was part of too many crashes.
type GivenUpError struct {
	Call  Call
	Count Count
}

// Error names the call, its input and the cause.
func (e *GivenUpError) Error() string {
	if e.Count.Kills >= MaxKills {
		return fmt.Sprintf("%s was given up: %d worker processes were killed while it ran", e.Call, e.Count.Kills)
	}
	return fmt.Sprintf("%s was given up: %d worker processes crashed while it ran (%s)", e.Call, e.Count.Crashes, e.Count.Cause)
}
