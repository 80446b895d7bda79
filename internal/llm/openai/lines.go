package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"xbot/internal/llm/wire"
)

// maxLineBytes bounds one event, or a whole answer that is not streamed.
const maxLineBytes = 16 << 20

var errLongLine = errors.New("an event of more than 16 MB")

// lines rewrites the body of an answer into what the SDK's reader expects: one "data: …" line per event and nothing
// else. It leaves out comments and other fields, ends the last line, turns an answer that was not streamed into a
// single event, and makes an error object a Go error wherever in the stream it stands.
type lines struct {
	call  *wire.Call
	body  io.ReadCloser
	in    *bufio.Reader
	out   []byte // ready to be read
	stray []byte // lines that belong to no event: a JSON answer or a web page
	any   bool   // an event was seen
	err   error  // sticky, follows out
}

func newLines(call *wire.Call, body io.ReadCloser) *lines {
	return &lines{call: call, body: body, in: bufio.NewReader(body)}
}

// Read returns rewritten lines.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.out) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.next()
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	return n, nil
}

// Close closes the response.
func (l *lines) Close() error { return l.body.Close() }

// next takes one line of the body.
func (l *lines) next() {
	line, err := readLine(l.in)
	if err != nil {
		l.err = err
	}
	line = bytes.TrimSpace(line)
	if payload, found := bytes.CutPrefix(line, []byte("data:")); found {
		l.event(bytes.TrimSpace(payload))
	} else if isContent(line) && len(l.stray)+len(line) <= maxLineBytes {
		l.stray = append(append(l.stray, line...), '\n')
	}
	if err != nil {
		l.finish()
	}
}

// isContent reports whether a line is none of the other parts of an event stream.
func isContent(line []byte) bool {
	if len(line) == 0 || line[0] == ':' {
		return false
	}
	for _, field := range []string{"event:", "id:", "retry:"} {
		if bytes.HasPrefix(line, []byte(field)) {
			return false
		}
	}
	return true
}

// event passes one payload on, or ends the stream with the error that it is.
func (l *lines) event(payload []byte) {
	if len(payload) == 0 {
		return
	}
	l.any = true
	l.call.Data()
	if isError(payload) {
		l.err = refuse(l.call, payload)
		return
	}
	l.out = append(l.out, "data: "...)
	if bytes.HasPrefix(payload, []byte(`{"error"`)) {
		l.out = append(l.out, "{ "...) // "error":null in first place, which the SDK would take for an error
		payload = payload[1:]
	}
	l.out = append(append(l.out, payload...), '\n')
}

// finish looks at what was no event once the body is over: an answer that was not streamed, an error, or a web page.
func (l *lines) finish() {
	stray := bytes.TrimSpace(l.stray)
	l.stray = nil
	if len(stray) == 0 {
		return
	}
	var compact bytes.Buffer
	if json.Compact(&compact, stray) == nil {
		l.event(compact.Bytes())
		return
	}
	if !l.any && errors.Is(l.err, io.EOF) {
		refusal := l.call.Refuse(stray)
		refusal.Status = http.StatusOK // and yet nothing of this API
		l.err = refusal
	}
}

// readLine reads up to and with a line break. The last line may have none; it comes together with io.EOF.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLineBytes {
			return nil, errLongLine
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// hopeless are codes by which the Responses API says of what was asked that it will never be answered (types/responses/response_error
// of openai-python, and codex): another attempt would hear the same.
var hopeless = []string{"invalid_prompt", "invalid_image", "invalid_base64_image", "image_", "unsupported_image", "empty_image", "bio_policy", "cyber_policy", "data_residency"}

// refuse makes the refusal of an error object that came inside a stream.
func refuse(call *wire.Call, object []byte) *wire.Refusal {
	r := call.Refuse(object)
	if r.Status == 0 && slices.ContainsFunc(hopeless, func(code string) bool { return strings.HasPrefix(r.Code, code) }) {
		r.Status = http.StatusBadRequest
	}
	return r
}

// isError reports whether an event is an error object: {"error":…} as most send it, {"object":"error"} as vLLM does,
// or {"code":…,"message":…} as DashScope and the Responses API do, of whose other events some have a code, too.
func isError(payload []byte) bool {
	if !bytes.Contains(payload, []byte(`"error"`)) && bytes.Contains(payload, []byte(`"choices"`)) {
		return false
	}
	var object struct {
		Error   json.RawMessage `json:"error"`
		Type    json.RawMessage `json:"type"`
		Object  string          `json:"object"`
		Choices json.RawMessage `json:"choices"`
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
		Usage   json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(payload, &object) != nil {
		return false // no object, or broken: the reader of chunks says so
	}
	if len(object.Error) > 0 && string(object.Error) != "null" {
		return true
	}
	return object.Object == "error" ||
		!bytes.HasPrefix(object.Type, []byte(`"response.`)) && object.Choices == nil && object.Usage == nil && (object.Code != nil || object.Message != nil)
}
