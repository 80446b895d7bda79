// Package decode decodes untrusted files outside of the server's process. A decoder is a function from bytes to a value. Each file gets a new, sealed
// process of this same program, which ends after the file. A file that crashes its decoder does not affect the server.
//
//	caller                                   process "xbot decode picture"
//	  Run ── waits for its owner's turn
//	      ── starts the process ───────────▶ opens what the decoder needs (Serve)
//	      ── request, file ── stdin ───────▶ seals itself: no files, sockets, programs; memory, processor
//	                                         decodes
//	      ◀─ answer, bounded ── stdout ───── ends
//	The caller closes stdin after the answer; the process ends when stdin is closed earlier.
//
// The environment of the process contains no settings and no keys. When memory runs out the kernel kills it before any other program. Its answer is
// as untrusted as the file: this package bounds its size, and the package of the decoder validates it.
package decode

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

// Command is the first argument of a process that decodes; the second is the name of the decoder.
const Command = "decode"

// Limits bound the decoding of one file.
type Limits struct {
	Memory uint64        `json:"memory"` // private memory of the process, in bytes
	CPU    time.Duration `json:"cpu"`    // CPU time after the process has received the file; whole seconds
	Time   time.Duration `json:"time"`   // wall-clock time, including the start of the process
	Answer int           `json:"answer"` // bytes
}

// Decoder decodes a file into an R with parameters P. Both are sent as JSON.
type Decoder[P, R any] struct {
	Name string
	What string // the noun for the file in errors: "the picture"
	Limits
}

// request is the first line of the input of a process; the file follows.
type request[P any] struct {
	Params P      `json:"params"`
	Size   int    `json:"size"` // of the file, in bytes
	Limits Limits `json:"limits"`
}

// answer is the output of a process.
type answer[R any] struct {
	Result *R         `json:"result,omitempty"`
	Kind   fault.Kind `json:"kind,omitempty"` // of the error
	Error  string     `json:"error,omitempty"`
}

// Run decodes a file in a separate process, once it is the turn of the owner in ctx (WithOwner). Errors are those of the decoder, fault.TooLarge if
// the file takes too much memory, fault.Invalid if it takes too long or its decoder fails, fault.Unavailable if the machine is too busy, and the
// cause of ctx, whose end kills the process.
func (d Decoder[P, R]) Run(ctx context.Context, params P, file []byte) (out R, err error) {
	if !served[d.Name] {
		return out, fault.Errorf(fault.Internal, "this program has no decoder %q", d.Name)
	}
	head, err := json.Marshal(request[P]{Params: params, Size: len(file), Limits: d.Limits})
	if err != nil {
		return out, fmt.Errorf("encode the request for %s: %w", d.What, err)
	}
	done, err := turns.wait(ctx, owner(ctx))
	if err != nil {
		return out, err
	}
	defer done()
	said, err := process{name: d.Name, what: d.What, Limits: d.Limits}.run(ctx, append(head, '\n'), file)
	if err != nil {
		return out, err
	}
	return d.parse(said)
}

// answers limits the structure of answers. The largest regular one is a table with 25,000 cells.
var answers = jsonlimit.Limits{Items: 100_000, Depth: 10}

// parse reads the answer of a process, which a hostile file may have written.
func (d Decoder[P, R]) parse(said []byte) (out R, err error) {
	if answers.Check(said) != nil {
		return out, fault.Errorf(fault.Invalid, "%s has too much in it; ask for less, or send a smaller one", d.What)
	}
	var a answer[R]
	from := json.NewDecoder(bytes.NewReader(said))
	if err := from.Decode(&a); err != nil || from.More() {
		return out, fault.Errorf(fault.Invalid, "%s cannot be read: its decoder gave no answer", d.What)
	}
	switch {
	case a.Kind == fault.Invalid || a.Kind == fault.TooLarge || a.Kind == fault.Internal:
		return out, fault.Errorf(a.Kind, "%s", sentence(a.Error))
	case a.Kind != "" || a.Result == nil:
		return out, fault.Errorf(fault.Invalid, "%s cannot be read: its decoder returned an invalid result", d.What)
	}
	return *a.Result, nil
}

// maxSentence bounds a shown error of a process, in bytes.
const maxSentence = 500

// sentence returns an error text of a process on one line.
func sentence(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxSentence)], "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text))
}
