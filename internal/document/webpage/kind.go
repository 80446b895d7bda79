package webpage

import (
	"bytes"
	"mime"
	"net/http"
	"strings"

	"xbot/internal/document/pdf"
)

// Media types with a special treatment.
const (
	kindHTML  = "text/html"
	kindXHTML = "application/xhtml+xml"
	kindPDF   = "application/pdf"
)

// kindOf returns the media type that a server gives, and the detected one if that is missing or cannot be meant.
func kindOf(said string, data []byte) string {
	kind, _, err := mime.ParseMediaType(said)
	kind = oneLine(strings.ToLower(kind), 100)
	vague := err != nil || kind == "" || kind == "application/octet-stream" || kind == "binary/octet-stream" || kind == "application/x-download"
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(data[:min(len(data), 64)], " \t\r\n\x00\ufeff"), []byte("%PDF-")), vague && pdf.Begins(data):
		return kindPDF
	case !vague:
		return kind
	}
	found, _, _ := strings.Cut(http.DetectContentType(data), ";")
	return found
}

func isHTML(kind string) bool { return kind == kindHTML || kind == kindXHTML }

// textual reports whether a media type is text that can be read. Pictures are not, SVG among them.
func textual(kind string) bool {
	switch kind {
	case kindXHTML, "application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml", "application/javascript",
		"application/x-javascript", "application/ecmascript", "application/x-ndjson", "application/x-sh", "application/sql", "application/x-tex",
		"application/graphql", "message/rfc822":
		return true
	}
	if strings.HasPrefix(kind, "application/") && (strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+yaml")) {
		return true
	}
	return strings.HasPrefix(kind, "text/")
}
