package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// maxEventBytes bounds one event, or a whole answer that is not streamed.
const maxEventBytes = 16 << 20

// maxReady bounds how many events one line may be.
const maxReady = 10_000

var (
	errLongEvent  = errors.New("an event of more than 16 MB")
	errManyEvents = errors.New("more than 10000 events in one")
)

// Event is one event of a stream. Data is JSON, unless the provider sent something that only looks like it.
type Event struct {
	Name string // of its event field; usually empty
	Data []byte
}

// Events reads server-sent events by the standard
// (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation), and what providers send in their place:
// events without blank lines between them, JSON without "data:", an answer that is not streamed, and plain words.
type Events struct {
	call    *Call
	in      *bufio.Reader
	started bool // the first line was read
	skipLF  bool // the last line ended with CR, and a LF belongs to it
	any     bool // an event was seen
	marked  bool // [DONE] was seen

	name  string // of the event that is being read
	data  []byte // its lines
	lines int    // how many they are
	ready []Event
	stray []byte // lines that belong to no event
	err   error  // sticky, follows ready
}

// Events reads the body of the answer to the call.
func (c *Call) Events(body io.Reader) *Events { return &Events{call: c, in: bufio.NewReader(body)} }

// Marked reports whether the provider marked the end with [DONE], as opposed to a connection that ended.
func (e *Events) Marked() bool { return e.marked }

// Next returns the next event. At the end it returns io.EOF, or a *Refusal where words came that are no event.
func (e *Events) Next() (Event, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return Event{}, e.err
		}
		e.readLine()
	}
	next := e.ready[0]
	e.ready = e.ready[1:]
	e.any = true
	e.call.Data()
	return next, nil
}

// readLine takes one line of the body.
func (e *Events) readLine() {
	line, err := e.cutLine()
	if !e.started {
		e.started = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	e.takeLine(bytes.TrimSpace(line))
	if err != nil && e.err == nil {
		e.err = err
		e.finish()
	}
}

// cutLine reads up to a LF, a CR or both. The last line may have none; it comes together with io.EOF.
func (e *Events) cutLine() ([]byte, error) {
	var line []byte
	for {
		c, err := e.in.ReadByte()
		switch {
		case err != nil:
			return line, err
		case c == '\n' && e.skipLF && len(line) == 0:
			e.skipLF = false
			continue
		case c == '\n' || c == '\r':
			e.skipLF = c == '\r'
			return line, nil
		case len(line) >= maxEventBytes:
			return nil, errLongEvent
		}
		e.skipLF = false
		line = append(line, c)
	}
}

func (e *Events) takeLine(line []byte) {
	if len(line) == 0 {
		e.dispatch()
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	switch string(field) {
	case "": // a comment
	case "data":
		e.takeData(bytes.TrimSpace(value))
	case "event": // where blank lines are missing, the next event begins here
		e.dispatch()
		e.name = string(bytes.TrimSpace(value))
	case "id", "retry":
	default:
		e.takeStray(line)
	}
}

// takeData takes a line of an event. One that is whole needs no blank line behind it.
func (e *Events) takeData(value []byte) {
	if string(value) == "[DONE]" {
		e.end()
		return
	}
	if len(e.data)+len(value) > maxEventBytes {
		e.err = errLongEvent
		return
	}
	if e.lines++; e.lines > 1 {
		e.data = append(e.data, '\n')
	}
	e.data = append(e.data, value...)
	if e.lines == 1 && json.Valid(e.data) {
		e.dispatch()
	}
}

// end ends the stream, as the provider marked it.
func (e *Events) end() {
	e.marked, e.err = true, io.EOF
	e.finish()
}

// takeStray handles a line that is not an SSE field. A JSON object is an event; the other lines may form one together.
func (e *Events) takeStray(line []byte) {
	if len(e.stray) == 0 && line[0] == '{' && json.Valid(line) {
		e.add("", line)
		return
	}
	if len(e.stray)+len(line) <= maxEventBytes {
		e.stray = append(append(e.stray, line...), '\n')
	}
}

// dispatch ends the event that is being read.
func (e *Events) dispatch() {
	name, data := e.name, e.data
	e.name, e.data, e.lines = "", nil, 0
	switch {
	case len(data) == 0:
	case json.Valid(data):
		e.add(name, data)
	default:
		e.split(name, data)
	}
}

// split takes data that is not one JSON value: several behind each other, one with raw line breaks in its texts, words, or
// something broken, which is passed on as it is.
func (e *Events) split(name string, data []byte) {
	rest := escapeControls(data)
	if rest[0] != '{' && rest[0] != '[' {
		e.say(name, rest)
		return
	}
	for len(rest) > 0 && !errors.Is(e.err, errManyEvents) {
		var value json.RawMessage
		decoder := json.NewDecoder(bytes.NewReader(rest))
		if decoder.Decode(&value) != nil {
			if len(rest) == len(data) || bytes.IndexByte(rest, '{') >= 0 { // more than brackets that close nothing
				e.ready = append(e.ready, Event{name, rest})
			}
			return
		}
		e.add(name, value)
		rest = bytes.TrimSpace(rest[decoder.InputOffset():])
		rest = bytes.TrimSpace(bytes.TrimPrefix(rest, []byte("data:")))
		if string(rest) == "[DONE]" {
			e.end()
			return
		}
	}
}

// add adds a JSON value: an object, the objects of a list, or words.
func (e *Events) add(name string, value []byte) {
	value = bytes.TrimSpace(value)
	if len(e.ready) >= maxReady {
		e.err = errManyEvents
		return
	}
	switch value[0] {
	case '{':
		e.ready = append(e.ready, Event{name, value})
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(value, &list) == nil {
			for _, one := range list[:min(len(list), maxReady)] {
				if one[0] == '{' {
					e.ready = append(e.ready, Event{name, one})
				}
			}
		}
	case '"':
		e.say(name, []byte(Text(unquote(value)).String()))
	}
}

// say handles plain text in place of an event. It is an error if it is marked or worded as one.
func (e *Events) say(name string, words []byte) {
	if len(words) == 0 {
		return
	}
	low := strings.ToLower(string(words[:min(len(words), maxRefusalBytes)]))
	sounds := HasAny(low, "error", "fail", "exceed", "insufficient", "limit", "timeout", "timed out", "overload", "unavailable", "余额", "限流")
	if name == "error" || words[0] != ':' && sounds {
		e.takeStray(append([]byte{' '}, words...))
	}
}

// finish handles the lines that belong to no event at the end of the body.
func (e *Events) finish() {
	e.dispatch()
	stray := bytes.TrimSpace(e.stray)
	e.stray = nil
	if len(stray) == 0 {
		return
	}
	if stray[0] == '{' || stray[0] == '[' {
		if first := json.NewDecoder(bytes.NewReader(stray)); first.Decode(new(json.RawMessage)) == nil {
			e.split("", stray)
			return
		}
	}
	if !errors.Is(e.err, io.EOF) {
		return
	}
	refusal := e.call.Refuse(stray)
	if !e.any && len(e.ready) == 0 && refusal.Status == 0 {
		refusal.Status = http.StatusOK // and yet nothing of this API
	}
	e.err = refusal
}

// escapeControls escapes raw control characters inside JSON strings.
func escapeControls(data []byte) []byte {
	if !bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' }) {
		return data
	}
	const digits = "0123456789abcdef"
	out := make([]byte, 0, len(data)+16)
	inText, escaped := false, false
	for _, c := range data {
		switch {
		case inText && c < ' ':
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			escaped = false
			continue
		case escaped:
			escaped = false
		case inText && c == '\\':
			escaped = true
		case c == '"':
			inText = !inText
		}
		out = append(out, c)
	}
	return out
}
