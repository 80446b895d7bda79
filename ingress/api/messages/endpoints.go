// Package messages has the endpoints for messages, the queue, commands, answers to questions, ratings of replies and transcripts of recordings.
package messages

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/gateway"
	"xbot/ingress/history"
	"xbot/ingress/intake"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/ratings"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Attachments *attachments.Store
	Dispatch    *intake.Dispatcher
	Gateway     *gateway.Gateway
	History     *history.Editor
	Voice       Transcriber
	Ratings     *ratings.Store

	dictations dictations
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerMessages(h)
	a.registerTurns(h)
	a.registerApprovals(h)
	a.registerCommands(h)
	a.registerQueue(h)
	a.registerHistory(h)
	a.registerBranches(h)
	a.registerBridge(h)
	a.registerPictures(h)
	a.registerTranscribe(h)
	a.registerRatings(h)
}
