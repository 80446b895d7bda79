package llmtest

import (
	"net/http"
	"time"
)

// Reply is the server's response. The zero Reply is an empty answer.
type Reply struct {
	Text      string
	Reasoning string
	Calls     []Call
	Finish    string // OpenAI's finish reason; empty means tool_calls when there are calls, stop otherwise

	Delay  time.Duration // before the first byte
	Gap    time.Duration // between two pieces
	Chunks int           // pieces that the text is cut into; 0 means pieces of 24 bytes

	Usage   *Usage // token counts; nil means a guess from the length of the texts
	NoUsage bool

	IDs     IDs  // how tool calls are numbered
	NoIndex bool // tool calls without an index (chat completions only)
	Whole   bool // each tool call in one piece
	Plain   bool // a JSON answer though a stream was asked for (not Anthropic)

	Break Break // the fault of the response

	// Status other than 0 and 200 is answered with an error in the dialect of the request.
	Status int
	Error  string      // text of an error, by Status or by ErrorPart
	Header http.Header // added to the response
	// Body, when not empty, is sent verbatim with Status (200 when 0) instead of all that is above, but for Delay,
	// Header and Break. Its content type is text/event-stream unless Header has another.
	Body string
}

// Call is a tool call, in a reply and in a recorded request.
type Call struct {
	ID        string `json:"id,omitempty"` // in a reply: empty means that the server numbers it
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Usage is a token count.
type Usage struct{ Prompt, Completion, Cached int }

// IDs selects the ids of tool calls.
type IDs int

// How tool calls are numbered.
const (
	UniqueIDs IDs = iota // call_<step>_<n>
	SameIDs              // call_0 for each
	NoIDs                // none
)

// Break is a way for a stream to go wrong.
type Break int

// The ways to go wrong. Those in the middle come after the first half of the pieces.
const (
	NoBreak   Break = iota
	Truncate        // after all pieces: an orderly end without a finish reason
	Hang            // in the middle: silence on an open connection, until the client goes or the server stops
	Reset           // in the middle: the connection is reset
	Garbage         // in the middle: a piece that is no JSON, then the rest
	ErrorPart       // in the middle: an error object, then the end
)

func (r Reply) finish() string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return "tool_calls"
	default:
		return "stop"
	}
}

// usage returns the counts of the reply, guessed at four bytes a token where it has none.
func (r Reply) usage(req Request) Usage {
	if r.Usage != nil {
		return *r.Usage
	}
	written := len(r.Text) + len(r.Reasoning)
	for _, call := range r.Calls {
		written += len(call.Name) + len(call.Arguments)
	}
	return Usage{Prompt: len(req.Raw)/4 + 1, Completion: written/4 + 1}
}
