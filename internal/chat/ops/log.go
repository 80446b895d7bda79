package ops

import "time"

// Logs is lines that processes of the server have logged.
type Logs struct {
	Host      string    `json:"host" doc:"Machine whose processes these are."`
	Processes []string  `json:"processes" doc:"The processes whose logs were read: those that use the same data folder as the process that answers."`
	Lines     []LogLine `json:"lines" doc:"The oldest first."`
	More      bool      `json:"more,omitempty" doc:"There are older matching lines."`
}

// LogLine is one line of a log.
type LogLine struct {
	At      time.Time `json:"at"`
	Level   string    `json:"level" doc:"debug, info, warn or error."`
	Process string    `json:"process"`
	Text    string    `json:"text" doc:"The message with its attributes, name=value."`
}
