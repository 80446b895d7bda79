// Package events has the streams of what happens in a conversation, as server-sent events and as a WebSocket.
package events

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/callers"
	"xbot/internal/chat"
	"xbot/internal/feed"
	"xbot/internal/tool/clientcontrol/clientactions"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	ClientActions *clientactions.Store
	Bus           *feed.Bus
	Closing       <-chan struct{} // closed when the server stops: streams end
	// PingEvery is the interval at which a stream is pinged and the client's access is checked; 0 means 15 s.
	PingEvery time.Duration

	open callers.Limit[chat.UserID]
}

// streamsOfOne bounds the open streams of one user in a process. Each holds up to 256 live events and looks for durable ones every two seconds.
const streamsOfOne = 256

// enter admits a stream of the user of a request; leave is to be called at its end.
func (a *Endpoints) enter(ctx context.Context) (leave func(), err error) {
	return a.open.Enter(auth.User(ctx).ID, streamsOfOne, "streams of events")
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerEvents(h)
	a.registerActions(h)
}
