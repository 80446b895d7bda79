package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

const (
	// MaxBody bounds a request, in bytes.
	MaxBody = 20 << 20
	// maxIDBytes bounds the names that clients choose: of conversations, users and requests.
	maxIDBytes = 255
	// readTime bounds how long a body may take to arrive, once its request has its place.
	readTime = time.Minute
	// sendTimeout bounds the write of a piece to a slow client.
	sendTimeout = 30 * time.Second
)

// Identity identifies a request, so that a repeated one is answered once.
type Identity struct {
	Key string
	// Retry reports that the client has sent the request before, and lost the answer. It is not set if the client chose the key: requests
	// with the same key are the same.
	Retry bool
	// Chosen reports that the client chose the key. Otherwise it is made of the request, and the next request like it is another one.
	Chosen bool
}

// identityOf finds out whether a request was sent before. Clients may send an Idempotency-Key. OpenAI's own ones do not, and count their
// retries instead (x-stainless-retry-count): such a retry is a request whose body was sent before and whose answer was not delivered.
func identityOf(r *http.Request, body []byte) (Identity, error) {
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		if len(key) > maxIDBytes {
			return Identity{}, invalid("Idempotency-Key", "Idempotency-Key has %d bytes; at most %d are accepted", len(key), maxIDBytes)
		}
		sum := sha256.Sum256([]byte(key))
		return Identity{Key: "key-" + hex.EncodeToString(sum[:16]), Chosen: true}, nil
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(r.URL.Path), []byte(r.Header.Get(conversationHeader)), body} {
		h.Write([]byte(strconv.Itoa(len(part)) + ":"))
		h.Write(part)
	}
	retries, _ := strconv.Atoi(r.Header.Get("X-Stainless-Retry-Count")) // not a number: no retries
	return Identity{Key: "auto-" + hex.EncodeToString(h.Sum(nil)[:16]), Retry: retries > 0}, nil
}

// conversationHeader names the conversation of a request, where its body does not, and of an answer.
const conversationHeader = "X-Conversation-Id"

// read reads the body of a request, and then removes the deadline, so that the answer can take its time. The router has given a large one
// its place (largebody.Places); largebody.Read gives it back when the body is not needed any more.
func read(w http.ResponseWriter, r *http.Request) (body []byte, err error) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTime)) // where there are no deadlines none has to be moved
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		err = fault.Errorf(fault.TooLarge, "the request has more than %d bytes", MaxBody)
	} else if err != nil {
		err = fault.Errorf(fault.Invalid, "the request did not come to its end")
	}
	if err == nil {
		err = http.NewResponseController(w).SetReadDeadline(time.Time{}) // else the connection counts as lost once the time to read is over
	}
	return body, err
}

// fields are the members of a request.
type fields map[string]json.RawMessage

func parse(body []byte) (fields, error) {
	if err := jsonlimit.Default.Check(body); err != nil {
		return nil, err
	}
	var f fields
	if err := json.Unmarshal(body, &f); err != nil || f == nil {
		return nil, invalid("", "the body must be a JSON object")
	}
	return f, nil
}

// get decodes a member; null and a missing one leave out unchanged. what describes the expected value in the error.
func (f fields) get(name, what string, out any) error {
	raw := f[name]
	if isNull(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return invalid(name, "%s must be %s", name, what)
	}
	return nil
}

// name decodes a member that names something of the client's.
func (f fields) name(name string, out *string) error {
	if err := f.get(name, "a string", out); err != nil {
		return err
	}
	switch {
	case len(*out) > maxIDBytes:
		return invalid(name, "%s has %d bytes; at most %d are accepted", name, len(*out), maxIDBytes)
	case strings.ContainsRune(*out, 0):
		return invalid(name, "%s has a character of the value 0, which no name has", name)
	}
	return nil
}

func isNull(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

// isEmpty reports whether a member is empty: null, false, 0, an empty text, list or object.
func isEmpty(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return isNull(raw) || slices.Contains([]string{"false", `""`, "[]", "{}", "0"}, string(raw))
}

// is reports whether a member is one of some JSON texts.
func (f fields) is(name string, harmless ...string) bool {
	return slices.Contains(harmless, string(bytes.TrimSpace(f[name])))
}
