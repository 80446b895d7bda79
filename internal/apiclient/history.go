package apiclient

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"xbot/internal/chat"
)

// Fork copies a conversation, up to the end of the turn of a message (0: all of it), into a new session.
func (c *Client) Fork(ctx context.Context, key chat.SessionKey, upto chat.MessageID) (chat.Session, error) {
	var made chat.Session
	return made, c.do(ctx, http.MethodPost, sessionPath(key, "/fork"), nil, map[string]chat.MessageID{"message_id": upto}, &made)
}

// Rewind asks for a message of the user, and all after it, to be taken out. The event rewind tells when it has happened.
// Sent again under the same id it is the same request.
func (c *Client) Rewind(ctx context.Context, key chat.SessionKey, clientMessageID string, from chat.MessageID) (Accepted, error) {
	var accepted Accepted
	body := map[string]any{"client_message_id": clientMessageID, "message_id": from}
	return accepted, c.do(ctx, http.MethodPost, sessionPath(key, "/rewind"), nil, body, &accepted)
}

// SentRequest is what a step sent to the model, as far as programs look at it.
type SentRequest struct {
	Hash     string `json:"hash"`
	Exact    bool   `json:"exact"` // made again from what is stored, it is the same to the byte
	System   string `json:"system"`
	Reminder string `json:"reminder"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
}

// Request returns what a step of a turn sent to the model.
func (c *Client) Request(ctx context.Context, key chat.SessionKey, turn chat.TurnID, step int) (SentRequest, error) {
	var sent SentRequest
	path := sessionPath(key, fmt.Sprintf("/turns/%s/steps/%d/request", url.PathEscape(string(turn)), step))
	return sent, c.do(ctx, http.MethodGet, path, nil, nil, &sent)
}
