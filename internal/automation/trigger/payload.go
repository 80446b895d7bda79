package trigger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"

	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

// CheckType refuses a body that is no text. Invalid lists the accepted types; the caller answers 415.
func CheckType(contentType, encoding string) error {
	if encoding != "" && !strings.EqualFold(encoding, "identity") {
		return fault.Errorf(fault.Invalid, "a body with Content-Encoding is not accepted; send it as it is")
	}
	if contentType == "" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(contentType)
	text := strings.HasPrefix(kind, "text/") || kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == formType
	charset := params["charset"]
	if err != nil || !text || charset != "" && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "us-ascii") {
		return fault.Errorf(fault.Invalid, "only JSON, a form or text in UTF-8 is accepted")
	}
	return nil
}

const formType = "application/x-www-form-urlencoded"

// Payload reads a body: JSON within the limits of package jsonlimit unchanged, also in the field payload of a form; any other body is
// {"raw": text}. Numbers keep their digits.
func Payload(contentType string, body []byte) any {
	if v, ok := decode(body); ok {
		return v
	}
	kind, _, _ := mime.ParseMediaType(contentType) // no kind is no form
	if kind == formType && utf8.Valid(body) {
		if form, err := url.ParseQuery(string(body)); err == nil && form.Get("payload") != "" {
			if v, ok := decode([]byte(form.Get("payload"))); ok {
				return v
			}
		}
	}
	return map[string]any{"raw": strings.ToValidUTF8(string(body), "\uFFFD")}
}

func decode(body []byte) (v any, ok bool) {
	if jsonlimit.Default.Check(body) != nil {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, errors.Is(err, io.EOF)
}
