package activities

import (
	"slices"
	"unicode/utf8"

	"xbot/internal/chat"
)

// maxPiece bounds one live piece of output, so that even fully escaped it fits a notification.
const maxPiece = 1200

// output publishes what a command prints as text. Bytes become text here, so offsets count bytes of the text; a
// character that is split between two pieces waits for its rest. Each attempt starts at 0 again.
type output struct {
	call  chat.Call
	live  Publisher
	sent  int64  // bytes of text published
	carry []byte // start of a character whose rest has not come
}

func (o *output) write(_ int64, piece []byte) {
	data := slices.Concat(o.carry, piece)
	whole := len(data) - incomplete(data)
	o.carry = slices.Clone(data[whole:])
	for text := clean(string(data[:whole])); text != ""; {
		part := text
		if len(part) > maxPiece {
			n := maxPiece
			for !utf8.RuneStart(part[n]) {
				n--
			}
			part = part[:n]
		}
		o.live.PublishOutput(o.call.Session, chat.Output{Turn: o.call.Turn, Call: o.call.ID, Offset: o.sent, Text: part})
		o.sent += int64(len(part))
		text = text[len(part):]
	}
}

// incomplete returns how many bytes at the end of data begin a character that is not whole yet.
func incomplete(data []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(data)); n++ {
		tail := data[len(data)-n:]
		if utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			return 0
		}
	}
	return 0
}
