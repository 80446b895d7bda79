package codingagent

// Check finds out whether somebody is logged in to an agent.
type Check struct {
	Command []string // without a shell; it asks nobody and changes nothing
	// LoggedIn reads its exit code and what it wrote on both streams.
	LoggedIn func(exitCode int, output string) bool
	Hint     string // the command by which a person logs in
}
