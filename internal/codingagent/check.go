package codingagent

// Check finds out whether an agent is logged in.
type Check struct {
	Command []string // without a shell; it asks no user and changes nothing
	Hint    string   // the command that logs in
	Reader  CheckReader
	Silent  bool // Command finds the program alone; a log-in shows in a turn
	// Providers is a shell command that succeeds if the configuration of the agent names a model provider that Command does not cover. Empty:
	// Command covers all.
	Providers string
}

// CheckReader reads the result of a check.
type CheckReader interface {
	LoggedIn(exitCode int, output string) bool
}

// LoggedIn reads the exit code of the command and its output on both streams.
func (c Check) LoggedIn(exitCode int, output string) bool { return c.Reader.LoggedIn(exitCode, output) }
