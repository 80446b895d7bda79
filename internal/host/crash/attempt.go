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
	// MaxBeside is the same for a call that never ran alone in a crash: each time another call may have caused it.
	MaxBeside = 4
	// MaxKills is the same for processes that were killed from outside, with no sign of a fault in them. It is high, since operators may kill a
	// server often, and calls must survive that.
	MaxKills = 20
	// maxInput bounds the input of an attempt, in bytes. Inputs hold references, and are far shorter.
	maxInput = 300
)

// Call identifies a call across its attempts and across runs of its workflow.
type Call struct {
	Workflow string `json:"workflow"` // workflow id
	Activity string `json:"activity"` // activity type
	Input    string `json:"input"`    // JSON of its references
}

// NewCall returns a call. It replaces an input that is too long by its digest.
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
	Alone bool   `json:"alone,omitempty"` // no other suspect, or no other recent one, runs
	// Suspect means that the attempt began alone, since the call was part of a crash before.
	Suspect bool `json:"suspect,omitempty"`
	// Follows means that the attempt watches a command that runs elsewhere and would be lost with it. It never waits to run alone, and is never
	// blamed for a crash.
	Follows bool `json:"follows,omitempty"`

	Began time.Time `json:"began"` // set by the journal
}

// Count is how often worker processes ended during a call.
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

// GivenUpError is the error of a call during which too many worker processes ended.
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
