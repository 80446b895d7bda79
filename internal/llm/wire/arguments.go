package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// maxNested limits how often an object may be encoded as a JSON string.
const maxNested = 3

// Arguments returns the arguments of a call as the one object that the model meant, where that is beyond doubt: without an empty object,
// null or an empty text before it (BerriAI/litellm#4537), without a second copy of it (vllm-project/vllm#51697), without closing brackets
// and marks behind it, and taken out of a JSON string. Others stay as they are, for the tool to refuse.
func Arguments(written string) string {
	return arguments(written, maxNested)
}

func arguments(written string, nested int) string {
	text := strings.TrimSpace(written)
	if text == "" || text[0] == '{' && json.Valid([]byte(text)) {
		return written
	}
	meant := ""
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		var value json.RawMessage
		start := decoder.InputOffset()
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) || err != nil && meant != "" && closes(text[start:]) {
			break
		}
		if err != nil {
			return written
		}
		one := object(value, nested)
		switch {
		case isBlankValue(value):
			meant = cmp.Or(meant, one)
		case one == "":
			return written // a number, a list or words
		case meant == "" || meant == "{}":
			meant = one
		case !same(one, meant):
			return written // two calls in one
		}
	}
	if meant == "" {
		return written
	}
	return meant
}

// object returns a value that is an object, or a string that holds one; empty: it is neither.
func object(value json.RawMessage, nested int) string {
	switch {
	case value[0] == '{':
		return string(value)
	case value[0] == '"' && nested > 0:
		inner := strings.TrimSpace(arguments(Text(unquote(value)).String(), nested-1))
		if strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
			return inner
		}
	}
	return ""
}

// isBlankValue reports whether a value is empty.
func isBlankValue(value json.RawMessage) bool {
	return string(value) == "null" || string(value) == `""` || string(value) == "{}"
}

// same reports whether two objects are equal but for white space.
func same(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// closes reports whether a text only closes what was never opened: brackets, fences, and marks such as </tool_call>.
func closes(text string) bool {
	text = strings.TrimLeft(text, "}]` \t\r\n")
	for _, begins := range []string{"</", "<|", "<｜"} {
		if strings.HasPrefix(text, begins) && strings.HasSuffix(text, ">") && !strings.ContainsAny(text, "{\"") {
			return true
		}
	}
	return text == ""
}
