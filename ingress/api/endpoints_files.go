package api

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/filelink"
	"xbot/internal/sandbox"
)

// Files has the endpoints of files on runners and of what commands have written.
type Files struct {
	*Base

	Boxes sandbox.Boxes   // runners of the users
	Links filelink.Signer // signs links to files
}

// Register has the endpoints that need a user.
func (a *Files) Register(h huma.API) {
	a.registerFiles(h)
	a.registerOutputs(h)
	a.registerResults(h)
}
