package apiclient

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/session"
)

// NewTerminalSession describes a new session of a terminal that works in the folder: the model learns where its answers are read, and the Temporal UI
// finds it under the channel cli.
func NewTerminalSession(folder string) NewSession {
	return NewSession{Key: session.Thread(session.DefaultAgent, "cli", strings.ToLower(rand.Text()[:12])), Cwd: folder}
}

// Send hands a message over once, with files of the session's runner. The same client message id with the same text is the same
// message, so a Send whose outcome is unknown may be repeated.
func (c *Client) Send(ctx context.Context, key chat.SessionKey, clientMessageID, text string, files ...string) (Accepted, error) {
	return c.SendMessage(ctx, key, NewMessage{ClientMessageID: clientMessageID, Text: text, Files: files})
}

// SendUntilAccepted repeats Send while the server cannot be reached or asks to wait, until ctx ends. Before each wait
// it calls waiting, if that is not nil.
func (c *Client) SendUntilAccepted(ctx context.Context, key chat.SessionKey, clientMessageID, text string, waiting func(error, time.Duration), files ...string) (Accepted, error) {
	pause := newBackoff()
	for {
		accepted, err := c.Send(ctx, key, clientMessageID, text, files...)
		if err == nil || ctx.Err() != nil || !passes(err) {
			return accepted, err
		}
		wait := max(pause.NextBackOff(), fault.After(err))
		if waiting != nil {
			waiting(err, wait)
		}
		if err := sleep(ctx, wait); err != nil {
			return Accepted{}, err
		}
	}
}
