package ops

import "time"

// Logs are lines that processes of the server have logged.
type Logs struct {
	Host      string    `json:"host" doc:"Machine whose processes these are."`
	Processes []string  `json:"processes" doc:"Whose logs were read: the processes that use the data folder of the one that answers."`
	Lines     []LogLine `json:"lines" doc:"The oldest first."`
	More      bool      `json:"more,omitempty" doc:"There are older lines that fit, too."`
}

// LogLine is one line of a log.
type LogLine struct {
	At      time.Time `json:"at"`
	Level   string    `json:"level" doc:"debug, info, warn or error."`
	Process string    `json:"process"`
	Text    string    `json:"text" doc:"The message and what was logged with it, name=value."`
}
