// Package message turns the output of MCP servers into messages that the SDK decodes. The SDK ends the connection at a line or an event that is no
// message, and refuses a whole result for one part of it. Here text that is no message is a log line, and a part that cannot be decoded costs that
// part, which the result names.
package message

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Max limits one message, in bytes: a picture in base64 fits.
const Max = 32 << 20

// Decode returns the messages of a text, each as one line without its end. rest is the text that is no message. A batch is several messages.
func Decode(text []byte) (messages [][]byte, rest []byte) {
	text = trimmed(text)
	if len(text) == 0 {
		return nil, nil
	}
	if text[0] != '{' && text[0] != '[' {
		return nil, text
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	in := json.NewDecoder(bytes.NewReader(text))
	for {
		from := in.InputOffset()
		var value json.RawMessage
		err := in.Decode(&value)
		if err == io.EOF {
			return messages, nil
		}
		if err != nil {
			return messages, text[from:]
		}
		found := batch(value)
		if len(found) == 0 {
			return messages, text[from:]
		}
		messages = append(messages, found...)
	}
}

// batch returns the messages of a JSON value: one, or the elements of an array.
func batch(value json.RawMessage) (out [][]byte) {
	all := []json.RawMessage{value}
	if value[0] == '[' && json.Unmarshal(value, &all) != nil {
		return nil
	}
	for _, one := range all {
		if m := mended(one); m != nil {
			out = append(out, m)
		}
	}
	return out
}

type object = map[string]json.RawMessage

// mended returns a message that the SDK decodes, or nil if value is not a message.
func mended(value json.RawMessage) []byte {
	var m object
	if len(value) == 0 || value[0] != '{' || json.Unmarshal(value, &m) != nil || string(m["jsonrpc"]) != `"2.0"` {
		return nil
	}
	if m["method"] == nil {
		mendResponse(m)
	}
	out, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	if _, err := jsonrpc.DecodeMessage(out); err != nil {
		return nil
	}
	return out
}

// mendResponse mends the identifier, which the client made of a number, the error and the result.
func mendResponse(m object) {
	var id string
	if json.Unmarshal(m["id"], &id) == nil {
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			m["id"] = encoded(n)
		}
	}
	switch {
	case present(m["error"]):
		m["error"] = mendError(m["error"])
	case m["result"] == nil || !present(m["result"]):
		m["result"] = json.RawMessage("{}")
	default:
		m["result"] = mendResult(m["result"])
	}
}

// mendError returns an error with a number and a text.
func mendError(in json.RawMessage) json.RawMessage {
	var e struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}
	if json.Unmarshal(in, &e) != nil {
		e.Message = in // a text alone
	}
	out := jsonrpc.Error{Code: jsonrpc.CodeInternalError, Data: e.Data}
	var code float64
	if json.Unmarshal(e.Code, &code) == nil {
		out.Code = int64(code)
	}
	out.Message = words(e.Message)
	return encoded(out)
}

// words returns a JSON value as a text: a text unchanged.
func words(in json.RawMessage) string {
	var text string
	if !present(in) || json.Unmarshal(in, &text) == nil {
		return text
	}
	return string(in)
}

func present(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

func encoded(value any) json.RawMessage {
	out, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("null") // texts, numbers and decoded JSON encode
	}
	return out
}

// trimmed returns a line without the additions of terminals and editors: a byte order mark, control sequences, blanks.
func trimmed(line []byte) []byte {
	for {
		line = bytes.Trim(line, " \t\r\n\x00")
		switch {
		case bytes.HasPrefix(line, []byte("\ufeff")):
			line = line[len("\ufeff"):]
		case bytes.HasPrefix(line, []byte("\x1b[")):
			end := bytes.IndexFunc(line[2:], func(r rune) bool { return r >= 0x40 && r <= 0x7e })
			if end < 0 {
				return line
			}
			line = line[2+end+1:]
		default:
			for bytes.HasSuffix(line, []byte("\x1b[0m")) {
				line = bytes.TrimRight(line[:len(line)-4], " \t\r\n")
			}
			return line
		}
	}
}
