// Package weblink makes the addresses under which a browser loads the files of a plugin's panel. The browser sends no cookie there and needs none:
// an address contains its target, signed with a key that every process of a server has.
package weblink

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

// Prefix is the path under which the ingress serves the files: the token follows, a slash, and the path of a file in the plugin.
const Prefix = "/plugin-files/"

// Life is the lifetime of an address.
const Life = 12 * time.Hour

// maxToken limits a token, in bytes.
const maxToken = 1024

// ErrExpired is the error of an expired address.
var ErrExpired = fault.Errorf(fault.NotFound, "this address has expired: open the panel again")

var errForged = fault.Errorf(fault.Denied, "this address is not valid")

// Link is a permission to load the files of a version of a plugin, for a user, until a time.
type Link struct {
	Plugin  string
	Digest  string
	User    chat.UserID
	Expires time.Time // to the second
}

// body is the signed form of a Link. Fields are only added.
type body struct {
	Plugin  string      `json:"p"`
	Digest  string      `json:"d"`
	User    chat.UserID `json:"u"`
	Expires int64       `json:"e"` // Unix seconds
}

// Signer signs links and checks them. Make it with New.
type Signer struct{ key secret.Deriver }

// New returns the signer of a server.
func New(key secret.Deriver) Signer { return Signer{key: key} }

// URL returns the address of a file, relative to the server's. Internal: the link is not complete.
func (s Signer) URL(l Link, file string) (string, error) {
	token, err := s.sign(l)
	return Prefix + token + "/" + file, err
}

func (s Signer) sign(l Link) (string, error) {
	if s.key == nil || l.Plugin == "" || l.Digest == "" || l.User == 0 || l.Expires.IsZero() {
		return "", fault.Errorf(fault.Internal, "the address of a panel needs a key, a plugin, a digest, a person and an end")
	}
	text, err := json.Marshal(body{l.Plugin, l.Digest, l.User, l.Expires.Unix()})
	if err != nil {
		return "", fault.Errorf(fault.Internal, "encode the address of a panel: %w", err)
	}
	return encode(text) + "." + encode(s.mac(text)), nil
}

// Verify returns the link in a token. A token that this server did not sign is Denied; an expired one is ErrExpired.
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
		return Link{}, fault.Errorf(fault.Internal, "decode the signed address of a panel: %w", err)
	}
	l := Link{b.Plugin, b.Digest, b.User, time.Unix(b.Expires, 0).UTC()}
	if !now.Before(l.Expires) {
		return l, ErrExpired
	}
	return l, nil
}

func (s Signer) mac(text []byte) []byte {
	h := hmac.New(sha256.New, s.key.Derive("files of panels"))
	h.Write(text)
	return h.Sum(nil)
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func decode(text string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(text) }
