// Package web carries the built page inside the binary and serves it. Its sources are the TypeScript files beside it;
// `make build` turns them into dist. It knows nothing of the API.
package web

import (
	"embed"
	"io/fs"
)

// dist holds only .gitkeep until the page has been built, so that the Go code compiles in a fresh clone.
//
//go:embed all:dist
var dist embed.FS

// Files returns the built page with index.html at its root; empty when the page was not built.
func Files() fs.FS {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only an invalid constant path can fail
	}
	return built
}
