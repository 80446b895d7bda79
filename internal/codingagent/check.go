package codingagent

// Check finds out whether somebody is logged in to an agent.
type Check struct {
	Command []string // without a shell; it asks nobody and changes nothing
	Hint    string   // the command by which a person logs in
	Reader  CheckReader
	Silent  bool // it finds the program alone: whether somebody is logged in shows in a turn
}

// CheckReader reads how a check ended.
type CheckReader interface {
	LoggedIn(exitCode int, output string) bool
}

// LoggedIn reads the exit code of the command and what it wrote on both streams.
func (c Check) LoggedIn(exitCode int, output string) bool { return c.Reader.LoggedIn(exitCode, output) }
