package wire

import "strings"

// StdioStart starts a process whose standard streams are the conversation, for example an MCP server. It lives as long
// as its request: a cancel, or the end of the connection, ends it with its whole process group.
type StdioStart struct {
	ID   string   `json:"id"` // chosen by the server, unique on the connection
	Args []string `json:"args"`
	Dir  string   `json:"dir,omitempty"` // empty means the workspace
	Env  []string `json:"env,omitempty"` // KEY=value, added to the clean environment
}

// StdioOutput is a push: what the process wrote.
type StdioOutput struct {
	Stderr bool   `json:"stderr,omitempty"`
	Data   []byte `json:"data"`
}

// StdioWrite writes to the standard input of a process, and closes it if Close is set.
type StdioWrite struct {
	ID    string `json:"id"`
	Data  []byte `json:"data,omitempty"`
	Close bool   `json:"close,omitempty"`
}

// StdioEnd is how a process ended; 128+n for one that died of signal n.
type StdioEnd struct {
	Code int `json:"code"`
}

// Validate checks what does not depend on the machine.
func (r StdioStart) Validate() error {
	if !isPlainID(r.ID) {
		return Errorf(Invalid, "a process id has 1 to 64 letters and digits")
	}
	if len(r.Args) == 0 || r.Args[0] == "" || strings.HasPrefix(r.Args[0], "-") {
		return Errorf(Invalid, "the first argument must be a program")
	}
	size := 0
	for _, arg := range r.Args {
		size += len(arg) + 3 + 3*strings.Count(arg, "'") // as it is quoted for the shell
		if strings.ContainsRune(arg, 0) {
			return Errorf(Invalid, "an argument contains a NUL byte")
		}
	}
	if size > MaxCommand {
		return Errorf(TooLarge, "the arguments have more than %d bytes", MaxCommand)
	}
	if strings.ContainsRune(r.Dir, 0) {
		return Errorf(Invalid, "the folder contains a NUL byte")
	}
	return validateEnv(r.Env)
}

func isPlainID(s string) bool {
	return s != "" && len(s) <= 64 && strings.IndexFunc(s, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9')
	}) < 0
}
