// Package jsonrpc reads and writes lines of JSON-RPC as coding agents use it: ids are strings or numbers, and some omit the
// version.
package jsonrpc

import (
	"encoding/json"
	"strings"

	"xbot/internal/codingagent"
)

// MethodNotFound is the code of JSON-RPC 2.0 for a method that is not known.
const MethodNotFound = -32601

// Message is a request (ID and Method), a notification (Method) or an answer (ID).
type Message struct {
	Version string          `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error explains why a request failed.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Incoming is a message of the agent.
type Incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Read reads a line. False: it is no message, or longer than 10 MB.
func Read(line []byte) (Incoming, bool) {
	var in Incoming
	if len(line) > codingagent.MaxLine || !codingagent.Decode(line, &in) {
		return Incoming{}, false
	}
	if string(in.ID) == "null" {
		in.ID = nil
	}
	if len(in.ID) > 0 && in.ID[0] != '"' && strings.TrimLeft(string(in.ID), "-0123456789.eE+") != "" {
		return Incoming{}, false // neither a string nor a number
	}
	return in, in.Method != "" || len(in.ID) > 0
}

// Name returns the id of an answer as the string that it was asked with; a number is written out.
func (in Incoming) Name() string {
	var name string
	if json.Unmarshal(in.ID, &name) == nil {
		return name
	}
	return string(in.ID)
}

// Request makes a request whose id and key are the same.
func Request(version, key, method string, params any) codingagent.Write {
	return write(key, Message{Version: version, ID: codingagent.Encode(key), Method: method, Params: params})
}

// Notify makes a notification.
func Notify(version, key, method string) codingagent.Write {
	return write(key, Message{Version: version, Method: method})
}

// Answer answers a request of the agent.
func Answer(version, key string, id json.RawMessage, result any) codingagent.Write {
	return write(key, Message{Version: version, ID: id, Result: result})
}

// Refuse answers an unknown request, so that the agent does not wait.
func Refuse(version, key string, id json.RawMessage, method string) codingagent.Write {
	text := "this client does not know the method " + codingagent.Title(method)
	return write(key, Message{Version: version, ID: id, Error: &Error{Code: MethodNotFound, Message: text}})
}

func write(key string, m Message) codingagent.Write {
	return codingagent.Write{Key: key, Line: codingagent.Encode(m)}
}
