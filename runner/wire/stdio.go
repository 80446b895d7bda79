package wire

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
