package activities

import (
	"slices"
	"unicode/utf8"

	"xbot/internal/chat"
)

// Output shows users what a command prints. Offsets count bytes of the text, and each attempt starts at 0 again.
type Output interface {
	Print(text string)
	Close()
}

// Outputs opens where users see what a call prints.
type Outputs interface {
	OpenOutput(call chat.Call) Output
}

// Printer makes text of what a command prints: a character that is split between two pieces waits for its rest.
type Printer struct {
	Out   Output
	carry []byte // start of a character whose rest has not come
}

func (p *Printer) Write(_ int64, piece []byte) {
	data := slices.Concat(p.carry, piece)
	whole := len(data) - incomplete(data)
	p.carry = slices.Clone(data[whole:])
	if text := Clean(string(data[:whole])); text != "" {
		p.Out.Print(text)
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
