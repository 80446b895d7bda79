// Package trigger implements webhooks that post into a conversation: it verifies calls, makes the text for the model,
// and stores the triggers of users. Text from outside is data here, never an instruction.
package trigger

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// MaxBody limits the body of a call, in bytes.
const MaxBody = 1 << 20

// Tolerance is the maximum difference of the clock of a caller from ours.
const Tolerance = 5 * time.Minute

// maxEvent limits the name of an event, in characters.
const maxEvent = 100

// The headers of calls.
const (
	githubSignature  = "X-Hub-Signature-256"
	githubDelivery   = "X-Github-Delivery"
	githubEvent      = "X-Github-Event"
	gitlabToken      = "X-Gitlab-Token"
	gitlabIdempotent = "Idempotency-Key"
	gitlabUUID       = "X-Gitlab-Event-Uuid"
	gitlabEvent      = "X-Gitlab-Event"
	genericSignature = "X-Webhook-Signature"
	genericTimestamp = "X-Webhook-Timestamp"
	genericID        = "X-Webhook-Id"
	genericEvent     = "X-Webhook-Event"
)

// Call is an unverified request.
type Call struct {
	Source chat.TriggerSource
	Header http.Header
	Body   []byte
	At     time.Time
}

// Verified identifies an authentic call.
type Verified struct {
	Key   string // of the delivery
	Event string
}

// Verify checks that the caller knows the secret. Denied describes the mistake, without the secret or the body.
func (c Call) Verify(secret string) (Verified, error) {
	if secret == "" {
		return Verified{}, fault.Errorf(fault.Denied, "the trigger has no secret")
	}
	switch c.Source {
	case chat.TriggerGitHub:
		return c.github(secret)
	case chat.TriggerGitLab:
		return c.gitlab(secret)
	default:
		return c.generic(secret)
	}
}

func (c Call) github(secret string) (Verified, error) {
	if err := c.signed(githubSignature, secret, c.Body); err != nil {
		return Verified{}, err
	}
	return Verified{Key: c.key(c.Header.Get(githubDelivery)), Event: eventName(c.Header.Get(githubEvent))}, nil
}

// gitlab compares the secret itself. GitLab sends the same event id with calls that one call has caused, so the body is a part of the key
// if there is no better one.
func (c Call) gitlab(secret string) (Verified, error) {
	given := c.Header.Get(gitlabToken)
	if given == "" {
		return Verified{}, missing(gitlabToken)
	}
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(a[:], b[:]) != 1 {
		return Verified{}, fault.Errorf(fault.Denied, "%s is not the secret of this trigger", gitlabToken)
	}
	key := c.key(c.Header.Get(gitlabIdempotent))
	if uuid := c.Header.Get(gitlabUUID); c.Header.Get(gitlabIdempotent) == "" && uuid != "" {
		key = hashed("event", []byte(uuid), c.Body)
	}
	return Verified{Key: key, Event: eventName(c.Header.Get(gitlabEvent))}, nil
}

// idForm is the form of the id of a generic call. It holds no full stop, which separates the signed parts.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{0,100}$`)

// generic verifies the signature over "<timestamp>.<id>.<body>". A repeated call without an id is recognized by the signed text.
func (c Call) generic(secret string) (Verified, error) {
	stamp, id := c.Header.Get(genericTimestamp), c.Header.Get(genericID)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || strconv.FormatInt(seconds, 10) != stamp {
		return Verified{}, fault.Errorf(fault.Denied, "%s has to be the time in seconds since 1970, and a part of what is signed", genericTimestamp)
	}
	if !idForm.MatchString(id) {
		return Verified{}, fault.Errorf(fault.Denied, "%s may hold letters, digits, - and _, at most 100", genericID)
	}
	text := signedText(stamp, id, c.Body)
	if err := c.signed(genericSignature, secret, text); err != nil {
		return Verified{}, err
	}
	if away := c.At.Unix() - seconds; away > int64(Tolerance/time.Second) || away < -int64(Tolerance/time.Second) {
		return Verified{}, fault.Errorf(fault.Denied, "%s is more than %d minutes away from the clock of this server", genericTimestamp, int(Tolerance/time.Minute))
	}
	if id == "" {
		return Verified{Key: hashed("body", text), Event: eventName(c.Header.Get(genericEvent))}, nil
	}
	return Verified{Key: c.key(id), Event: eventName(c.Header.Get(genericEvent))}, nil
}

func signedText(stamp, id string, body []byte) []byte {
	return append([]byte(stamp+"."+id+"."), body...)
}

// signed checks sha256=<hex HMAC of text> in a header.
func (c Call) signed(header, secret string, text []byte) error {
	given := c.Header.Get(header)
	if given == "" {
		return missing(header)
	}
	digits, ok := strings.CutPrefix(given, "sha256=")
	sum, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return fault.Errorf(fault.Denied, "%s has to be sha256= and the HMAC in hexadecimal digits", header)
	}
	if !hmac.Equal(sum, mac(secret, text)) {
		return fault.Errorf(fault.Denied, "%s does not fit what was sent and the secret of this trigger", header)
	}
	return nil
}

func mac(secret string, text []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write(text)
	return h.Sum(nil)
}

func missing(header string) error {
	return fault.Errorf(fault.Denied, "the header %s is missing", header)
}

// keyForm is the form of ids of deliveries that are stored unchanged.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// key returns the key of a delivery: the id that its sender gave it, else the hash of its body.
func (c Call) key(id string) string {
	switch {
	case id == "":
		return hashed("body", c.Body)
	case keyForm.MatchString(id):
		return id
	}
	return hashed("id", []byte(id))
}

// hashed returns a key made of a hash. Ids of senders hold no colon.
func hashed(kind string, parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":"))
		h.Write(p)
	}
	return kind + ":" + hex.EncodeToString(h.Sum(nil))
}

// eventName makes the name of an event fit into a line.
func eventName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, name)
	return name[:min(len(name), maxEvent)]
}
