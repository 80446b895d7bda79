// Package files has the endpoints of files on runners and of what commands have written.
package files

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/callers"
	"xbot/ingress/largebody"
	"xbot/internal/chat"
	"xbot/internal/host/filelink"
	"xbot/internal/sandbox"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/calls"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Attachments *attachments.Store
	Calls       *calls.Store
	Sandboxes   sandbox.Finder  // runners of the users
	Links       filelink.Signer // signs links to files

	Documents Documents // draws pages of PDFs
	drawings  drawings
	uploads   largebody.Uploads[chat.UserID]
	downloads callers.Limit[chat.UserID]
}

// downloadsOfOne bounds the open downloads of one user. Each holds up to a megabyte, for as long as its client takes to read it.
const downloadsOfOne = 128

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerFiles(h)
	a.registerText(h)
	a.registerChanges(h)
	a.registerSearch(h)
	a.registerTables(h)
	a.registerPages(h)
	a.registerOutputs(h)
	a.registerResults(h)
}
