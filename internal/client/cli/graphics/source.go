package graphics

import (
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	written "xbot/internal/channel/markdown"
)

// maxSources bounds the pictures of one text.
const maxSources = 10

// parser reads Markdown only to find its pictures.
var parser = goldmark.New().Parser()

// Sources returns the paths of the pictures of a text in Markdown, in their order, each once. Those elsewhere in the world are left out: nothing
// is asked of them.
func Sources(markdown string) (paths []string) {
	if !strings.Contains(markdown, "![") || written.Heavy(markdown) {
		return nil
	}
	source := []byte(markdown)
	// The callback returns no error.
	_ = ast.Walk(parser.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if shown, ok := n.(*ast.Image); ok && entering && len(paths) < maxSources {
			if path := pathOf(string(shown.Destination)); path != "" && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		return ast.WalkContinue, nil
	})
	return paths
}

// pathOf returns the path that a picture names; empty: it is an address.
func pathOf(destination string) string {
	destination = strings.TrimPrefix(destination, "file://")
	if strings.Contains(destination, "://") || strings.HasPrefix(destination, "//") || strings.HasPrefix(destination, "data:") {
		return ""
	}
	path, err := url.PathUnescape(destination)
	if err != nil {
		return destination
	}
	return path
}
