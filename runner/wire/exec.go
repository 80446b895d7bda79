package wire

import (
	"strings"
	"time"
)

// ExecAttach attaches to the command with this id, or starts it if it never started.
type ExecAttach struct {
	ID          string      `json:"id"`
	Command     string      `json:"command"`
	Dir         string      `json:"dir,omitempty"`        // empty means the workspace
	Env         []string    `json:"env,omitempty"`        // KEY=value, added to the clean environment
	TimeoutMS   int64       `json:"timeout_ms,omitempty"` // 0 means MaxTimeout
	BudgetMS    int64       `json:"budget_ms,omitempty"`  // answer StateRunning once the command has run this long; 0 means never
	Limit       int64       `json:"limit,omitempty"`      // bytes of output in the result; 0 means DefaultResultOutput
	Stream      bool        `json:"stream,omitempty"`     // push output from Offset on
	Offset      int64       `json:"offset,omitempty"`
	Store       string      `json:"store,omitempty"`   // the job store this command was first sent to; another one answers "lost"
	Confinement Confinement `json:"walls,omitzero"`    // with OpExecNarrow
	Input       bool        `json:"input,omitempty"`   // it reads what ExecWrite sends; its output is stdout alone, whole, at most MaxLog
	Secrets     []Secret    `json:"secrets,omitempty"` // with OpExecSecret
}

// Confinement narrow what a command may do below what the runner lets commands do. A runner that cannot build them does not start the command.
type Confinement struct {
	ReadOnly bool `json:"read_only,omitempty"` // it changes no file
	Offline  bool `json:"offline,omitempty"`   // it opens no sockets
	Confined bool `json:"confined,omitempty"`  // it is not started where the runner does not confine commands
	// Keep, with ReadOnly, is a folder that stays writable where the runner lets commands write it; "~/" begins the home folder.
	Keep string `json:"keep,omitempty"`
}

// RunnerVariable names, to a command with input, the program of the runner, which is also the bridge to some coding agents.
const RunnerVariable = "XBOT_RUNNER_PROGRAM"

// Limits of a command.
const (
	MaxLog              = 256 << 20      // bytes that a command with input may write: with more it is ended
	MaxInput            = 64 << 20       // bytes of all that is written to a command
	MaxTimeout          = 24 * time.Hour // ceiling of a command
	DefaultResultOutput = 64 << 10       // bytes
)

// Validate checks what does not depend on the machine.
func (r ExecAttach) Validate() error {
	if err := (ExecID{ID: r.ID}).Validate(); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(r.Command) == "":
		return Errorf(Invalid, "the command is empty")
	case len(r.Command) > MaxCommand:
		return Errorf(TooLarge, "the command has %d bytes and the limit is %d: write it to a file and run that", len(r.Command), MaxCommand)
	case strings.ContainsRune(r.Command, 0) || strings.ContainsRune(r.Dir, 0):
		return Errorf(Invalid, "the command or its folder contains a NUL byte")
	case r.TimeoutMS < 0 || r.TimeoutMS > MaxTimeout.Milliseconds():
		return Errorf(Invalid, "the timeout must be between 0 and %s", MaxTimeout)
	case r.Limit < 0 || r.Offset < 0 || r.BudgetMS < 0 || r.BudgetMS > MaxTimeout.Milliseconds():
		return Errorf(Invalid, "limit, offset and budget must not be negative, and the budget is at most %s", MaxTimeout)
	}
	if err := validateSecrets(r.Secrets); err != nil {
		return err
	}
	return validateEnv(r.Env)
}

func validateEnv(env []string) error {
	for _, pair := range env {
		if name, _, ok := strings.Cut(pair, "="); !ok || name == "" || strings.ContainsRune(pair, 0) {
			return Errorf(Invalid, "an environment entry is not of the form NAME=value")
		}
	}
	return nil
}

// ExecID names a command.
type ExecID struct {
	ID string `json:"id"`
}

// Validate checks the id.
func (r ExecID) Validate() error {
	if r.ID == "" || len(r.ID) > MaxID {
		return Errorf(Invalid, "a command id has between 1 and %d bytes", MaxID)
	}
	return nil
}

// ExecWrite writes to the standard input of a command that has one. What has a key that was written before is not written
// again. It may come before the command is attached to: then the command reads it when it starts. A command that has ended
// is a Conflict, one that was forgotten NotFound, and more than MaxInput in all TooLarge. A write without data that does not end the input
// writes nothing: it asks whether the command continues.
type ExecWrite struct {
	ID    string `json:"id"`
	Key   string `json:"key"`
	Data  []byte `json:"data,omitempty"`
	Close bool   `json:"close,omitempty"` // the input ends here
	Store string `json:"store,omitempty"` // the job store of the command; another one is NotFound
}

// Validate checks the id and the key.
func (r ExecWrite) Validate() error {
	if err := (ExecID{ID: r.ID}).Validate(); err != nil {
		return err
	}
	if r.Key == "" || len(r.Key) > MaxID {
		return Errorf(Invalid, "the key of a write has between 1 and %d bytes", MaxID)
	}
	return nil
}

// ExecOutput is a push: output of the command, stdout and stderr in the order written.
type ExecOutput struct {
	Offset int64  `json:"offset"`
	Data   []byte `json:"data"`
}

// ExecOutputRead asks for a part of what a command wrote, at most MaxChunk bytes, while it runs or after its end. A
// command that the runner does not know, or has forgotten, is NotFound.
type ExecOutputRead struct {
	ID     string `json:"id"`
	Offset int64  `json:"offset,omitempty"`
	Limit  int64  `json:"limit"`
}

// The states of ExecEnd.
const (
	StateRunning  = "running" // no end: the budget of the request is used up and the command continues
	StateExited   = "exited"
	StateTimedOut = "timed_out"
	StateKilled   = "killed"
	StateLost     = "lost"
)

// ExecEnd is how a command ended.
type ExecEnd struct {
	State     string    `json:"state"`
	Code      int       `json:"code"`
	Output    []byte    `json:"output,omitempty"` // head and tail, with a line between them if Truncated
	Truncated bool      `json:"truncated,omitempty"`
	Total     int64     `json:"total"` // bytes the command wrote
	Started   time.Time `json:"started,omitzero"`
	Ended     time.Time `json:"ended,omitzero"`
	Errors    []byte    `json:"errors,omitempty"` // with input: the end of what it wrote to stderr
}
