// Package remote lets a process use a connection that another process of the same server holds: NapCat's client dials one
// ingress, and every worker answers through it. The other process's answers and errors arrive as if the connection were
// here; if an answer is lost, it is unknown whether the message was sent (channel.Uncertain).
package remote

import (
	"errors"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Path is where a process takes calls of the other processes.
const Path = "/internal/channels/call"

const (
	// callWait bounds one call: a file of the largest size on a slow line takes five minutes.
	callWait = 8 * time.Minute
	// maxCall bounds a call in bytes: the largest file of a platform in base64.
	maxCall = 96 << 20
)

// The calls.
const (
	doSend   = "send"
	doFind   = "find"
	doDelete = "delete"
	doReact  = "react"
	doTyping = "typing"
	doFetch  = "fetch"
	doCheck  = "check"
	doPace   = "pace"
)

// call is a request from one process to another.
type call struct {
	Channel string          `json:"channel"`
	Account string          `json:"account,omitempty"`
	Do      string          `json:"do"`
	To      channel.Address `json:"to,omitzero"`
	Message channel.Message `json:"message,omitzero"` // send, find
	ID      string          `json:"id,omitempty"`     // of a message: delete, react, fetch
	Emoji   string          `json:"emoji,omitempty"`  // react
	Since   time.Time       `json:"since,omitzero"`   // find
	File    chat.Attachment `json:"file,omitzero"`    // fetch
}

// outcome is the result of a call.
type outcome struct {
	Sent  channel.Sent `json:"sent,omitzero"`
	Found bool         `json:"found,omitempty"`
	// Identity and Problems are the results of a check.
	Identity channel.Identity  `json:"identity,omitzero"`
	Problems []channel.Problem `json:"problems,omitempty"`
	Error    *failure          `json:"error,omitempty"`
}

// failure is an error in transit.
type failure struct {
	Kind    fault.Kind    `json:"kind"`
	Text    string        `json:"text"`
	After   time.Duration `json:"after,omitempty"` // nanoseconds
	Unknown bool          `json:"unknown,omitempty"`
}

func failed(err error) *failure {
	if err == nil {
		return nil
	}
	return &failure{Kind: fault.KindOf(err), Text: err.Error(), After: fault.After(err), Unknown: channel.Unknown(err)}
}

// err restores the error.
func (f *failure) err() error {
	if f == nil {
		return nil
	}
	e := fault.Errorf(f.Kind, "%w", errors.New(f.Text))
	e.After = f.After
	if f.Unknown {
		return channel.Uncertain(e)
	}
	return e
}
