package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/feed"
)

// Streams has the streams of what happens in a conversation, as server-sent events and as a WebSocket.
type Streams struct {
	*Base

	Bus     *feed.Bus
	Closing <-chan struct{} // closed when the server stops: streams end
	// PingEvery is the pause between looks at the client of a stream and at what it may see; 0 means 15 s.
	PingEvery time.Duration
}

// Register has the endpoints that need a user.
func (a *Streams) Register(h huma.API) {
	a.registerEvents(h)
}
