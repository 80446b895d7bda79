package apiclient

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"xbot/internal/chat"
)

// Pairing is somebody who waits to be let in.
type Pairing struct {
	Code      string    `json:"code"`
	Channel   string    `json:"channel"`
	Account   string    `json:"account"`
	Peer      string    `json:"peer"`
	Name      string    `json:"name"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Pairings lists who waits to be let in, for administrators.
func (c *Administration) Pairings(ctx context.Context) ([]Pairing, error) {
	var list struct {
		Pairings []Pairing `json:"pairings"`
	}
	return list.Pairings, c.do(ctx, http.MethodGet, "/api/pairings", nil, nil, &list)
}

// EndPairing lets somebody in by their code, or refuses them.
func (c *Administration) EndPairing(ctx context.Context, code string, approve bool) (Pairing, error) {
	var out Pairing
	in := struct {
		Approve bool `json:"approve"`
	}{approve}
	return out, c.do(ctx, http.MethodPost, "/api/pairings/"+url.PathEscape(code), nil, in, &out)
}

// Bridged says what became of a message of a platform.
type Bridged struct {
	Outcome string          `json:"outcome"`
	Session chat.SessionKey `json:"session"`
	Inbox   chat.InboxID    `json:"inbox_id"`
	Reply   string          `json:"reply"`
}

// Bridge delivers a message of a platform, for administrators; its channel is in the envelope.
func (c *Administration) Bridge(ctx context.Context, e chat.Envelope) (Bridged, error) {
	channel := e.Channel
	e.Channel = ""
	in := struct {
		chat.Envelope

		Channel string `json:"channel,omitempty"` // it stands in the address
	}{Envelope: e}
	var out Bridged
	return out, c.do(ctx, http.MethodPost, "/api/bridge/"+url.PathEscape(channel)+"/messages", nil, in, &out)
}
