// Package filelink makes addresses with which any holder can download one file, or the output of one command, until
// they expire. The target of a link is in the link itself, signed with a key that every process of a server has:
// nothing is stored, and a worker can make a link that an ingress honours after any number of restarts.
package filelink

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// Prefix is the path under which the ingress serves links.
const Prefix = "/files/"

// How long links live.
const (
	DefaultLife = 24 * time.Hour
	MaxLife     = 7 * 24 * time.Hour // as long as a runner keeps the output of a command
)

// maxToken bounds a token in bytes: room for a path of 4096 bytes that JSON and base64 make longer.
const maxToken = 48 << 10

// ErrExpired is the error of a link that was good once.
var ErrExpired = fault.Errorf(fault.NotFound, "this link has expired; ask for a new one")

var errForged = fault.Errorf(fault.Denied, "this link is not valid; check that it was copied whole")

// Link is the file or output that may be downloaded, from whose runner, and until when. Exactly one of Path and Exec is set.
type Link struct {
	User    chat.UserID // whose runner it is; the link is worth nothing once they may not use it any more
	Runner  string      // resolved name, never empty: a link does not follow the person to another runner
	Path    string      // absolute path on the runner
	Exec    chat.CallID // or the command whose whole output is meant
	Name    string      // file name for the browser
	Expires time.Time   // to the second
}

// body is a Link as it is signed. Fields are only added.
type body struct {
	User    chat.UserID `json:"u"`
	Runner  string      `json:"r"`
	Path    string      `json:"p,omitempty"`
	Exec    chat.CallID `json:"x,omitempty"`
	Name    string      `json:"n,omitempty"`
	Expires int64       `json:"e"` // Unix seconds
}

// Signer signs links and checks them. Make it with New.
type Signer struct{ key secret.Deriver }

// New returns the signer of a server.
func New(key secret.Deriver) Signer { return Signer{key: key} }

// URL returns the address of a link, relative to the server's.
func (s Signer) URL(l Link) (string, error) {
	token, err := s.Sign(l)
	return Prefix + token, err
}

// Sign returns the token of a link. An incomplete link is Internal, a path that does not fit an address is TooLarge.
func (s Signer) Sign(l Link) (string, error) {
	if s.key == nil || l.User == 0 || l.Runner == "" || (l.Path == "") == (l.Exec == "") || l.Expires.IsZero() {
		return "", fault.Errorf(fault.Internal, "a link needs a key, a user, a runner, a path or a command, and an end")
	}
	text, err := json.Marshal(body{
		User: l.User, Runner: l.Runner, Path: l.Path, Exec: l.Exec, Name: l.Name, Expires: l.Expires.Unix(),
	})
	if err != nil {
		return "", fault.Errorf(fault.Internal, "encode a link: %w", err)
	}
	token := encode(text) + "." + encode(s.mac(text))
	if len(token) > maxToken {
		return "", fault.Errorf(fault.TooLarge, "the path is too long for a link")
	}
	return token, nil
}

// Verify returns the link of a token. A token that this server did not sign is Denied; one that has had its time
// is ErrExpired.
func (s Signer) Verify(token string, now time.Time) (Link, error) {
	first, second, ok := strings.Cut(token, ".")
	if !ok || len(token) > maxToken || s.key == nil {
		return Link{}, errForged
	}
	text, err := decode(first)
	mac, macErr := decode(second)
	if err := errors.Join(err, macErr); err != nil || !hmac.Equal(mac, s.mac(text)) {
		return Link{}, errForged
	}
	var b body
	if err := json.Unmarshal(text, &b); err != nil {
		return Link{}, fault.Errorf(fault.Internal, "decode a signed link: %w", err)
	}
	l := Link{User: b.User, Runner: b.Runner, Path: b.Path, Exec: b.Exec, Name: b.Name, Expires: time.Unix(b.Expires, 0).UTC()}
	if !now.Before(l.Expires) {
		return l, ErrExpired
	}
	return l, nil
}

func (s Signer) mac(text []byte) []byte {
	h := hmac.New(sha256.New, s.key.Derive("file links"))
	h.Write(text)
	return h.Sum(nil)
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func decode(text string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(text) }
