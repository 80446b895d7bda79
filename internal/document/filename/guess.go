package filename

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// Guess returns an ending, with its dot, for content without a name: by its first 512 bytes. Empty: it may be anything.
func Guess(head []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	if kind == "application/octet-stream" {
		return ""
	}
	if known, ok := endings[kind]; ok {
		return known
	}
	all, err := mime.ExtensionsByType(kind)
	if err != nil || len(all) == 0 {
		return ""
	}
	return slices.Min(all)
}

// endings are the usual endings, where a type has several.
var endings = map[string]string{
	"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp", "text/plain": ".txt", "video/mp4": ".mp4",
	"audio/mpeg": ".mp3", "application/ogg": ".ogg", "audio/wave": ".wav", "application/pdf": ".pdf", "application/zip": ".zip",
}
