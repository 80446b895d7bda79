// Package events has the streams of what happens in a conversation, as server-sent events and as a WebSocket.
package events

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/feed"
)

// Endpoints are those of this package, with what they need.
type Endpoints struct {
	*endpoint.Base

	Bus     *feed.Bus
	Closing <-chan struct{} // closed when the server stops: streams end
	// PingEvery is the interval at which a stream is pinged and the client's access is checked; 0 means 15 s.
	PingEvery time.Duration
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerEvents(h)
	a.registerActions(h)
}
