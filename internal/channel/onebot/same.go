package onebot

import (
	"cmp"
	"crypto/md5" //nolint:gosec // QQ names images by it
	"encoding/hex"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
)

// same reports whether a message of the history is the one that was composed.
func same(sent, shown []wire.Segment, f *channel.File) bool {
	if f == nil {
		return words(sent) == words(shown)
	}
	for _, s := range shown {
		if s.Type == sent[len(sent)-1].Type && sameFile(s.Data, f) {
			return true
		}
	}
	return false
}

// words returns the text of a message with its mentions, without white space, which QQ may change.
func words(segments []wire.Segment) string {
	var b strings.Builder
	for _, s := range segments {
		switch s.Type {
		case "text":
			b.WriteString(s.Data["text"])
		case "at":
			b.WriteString(" @" + s.Data["qq"] + " ")
		case "reply":
		default:
			b.WriteString(" [" + s.Type + "] ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// sameFile compares what NapCat returns: the name of files, the hash in the name of images, or the size.
func sameFile(d wire.Attributes, f *channel.File) bool {
	if f.Name != "" && cmp.Or(d["name"], d["file"]) == f.Name {
		return true
	}
	sum := md5.Sum(f.Data) //nolint:gosec // QQ names images by it
	if strings.Contains(strings.ToLower(d["file"]), hex.EncodeToString(sum[:])) {
		return true
	}
	return d.Size() == int64(len(f.Data)) && d.Size() > 0
}
