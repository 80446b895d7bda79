package qq

import "encoding/json"

// Operations of frames.
const (
	opDispatch   = 0
	opHeartbeat  = 1
	opIdentify   = 2
	opResume     = 6
	opReconnect  = 7
	opInvalid    = 9
	opHello      = 10
	opAck        = 11
	opHTTPAck    = 12
	opValidation = 13
)

// frame is a message of the gateway or the webhook.
type frame struct {
	Op   int             `json:"op"`
	Seq  int64           `json:"s,omitempty"`
	Type string          `json:"t,omitempty"`
	ID   string          `json:"id,omitempty"`
	Data json.RawMessage `json:"d,omitempty"`
}

type hello struct {
	Interval int64 `json:"heartbeat_interval"` // milliseconds
}

type identify struct {
	Token      string            `json:"token"`
	Intents    int               `json:"intents"`
	Shard      [2]int            `json:"shard"`
	Properties map[string]string `json:"properties"`
}

type resume struct {
	Token   string `json:"token"`
	Session string `json:"session_id"`
	Seq     int64  `json:"seq"`
}

type ready struct {
	Session string `json:"session_id"`
	User    person `json:"user"`
}

// address is the address of the gateway, and how often a session may be begun.
type address struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"`
	Limit  struct {
		Total       int   `json:"total"`
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}
