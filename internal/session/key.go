// Package session builds and parses session keys, the names of conversations. It is the only place that knows their
// grammar (DESIGN §4, spec/002):
//
//	agent:<agent>:main
//	agent:<agent>:<channel>:dm:<peer>
//	agent:<agent>:<channel>:group:<id>
//	agent:<agent>:<channel>:channel:<id>
//	agent:<agent>:<channel>:thread:<id>
//
// It is pure: no clock, no I/O.
package session

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// MaxKeyBytes bounds a key. It must leave room for a prefix in Temporal's workflow id column (255 characters).
const MaxKeyBytes = 200

// DefaultAgent is the agent of sessions that name none.
const DefaultAgent = "main"

// Kind is the sort of conversation a key names.
type Kind string

// The kinds.
const (
	KindMain    Kind = "main"
	KindDM      Kind = "dm"
	KindGroup   Kind = "group"
	KindChannel Kind = "channel"
	KindThread  Kind = "thread"
)

// Key is a parsed session key.
type Key struct {
	Agent   string
	Channel string // empty for KindMain
	Kind    Kind
	ID      string // peer, group, channel or thread id; may hold colons; empty for KindMain
}

// Thread returns the key of a thread on a channel.
func Thread(agent, channel, id string) chat.SessionKey {
	return Key{Agent: agent, Channel: channel, Kind: KindThread, ID: id}.String()
}

// String builds the key.
func (k Key) String() chat.SessionKey {
	if k.Kind == KindMain {
		return chat.SessionKey("agent:" + k.Agent + ":main")
	}
	return chat.SessionKey("agent:" + k.Agent + ":" + k.Channel + ":" + string(k.Kind) + ":" + k.ID)
}

// Parse reads a key. The error says what a key looks like.
func Parse(text chat.SessionKey) (Key, error) {
	if err := checkText(string(text)); err != nil {
		return Key{}, err
	}
	parts := strings.SplitN(string(text), ":", 5)
	switch {
	case len(parts) == 3 && parts[0] == "agent" && parts[1] != "" && parts[2] == string(KindMain):
		return Key{Agent: parts[1], Kind: KindMain}, nil
	case len(parts) == 5 && parts[0] == "agent" && parts[1] != "" && parts[2] != "" && parts[4] != "" && isPeerKind(parts[3]):
		return Key{Agent: parts[1], Channel: parts[2], Kind: Kind(parts[3]), ID: parts[4]}, nil
	}
	return Key{}, fault.Errorf(fault.Invalid, "session key %q is not of the form agent:<agent>:main or agent:<agent>:<channel>:<dm|group|channel|thread>:<id>", text)
}

func isPeerKind(s string) bool {
	switch Kind(s) {
	case KindDM, KindGroup, KindChannel, KindThread:
		return true
	}
	return false
}

func checkText(s string) error {
	if len(s) > MaxKeyBytes {
		return fault.Errorf(fault.Invalid, "session key is %d bytes long; at most %d are allowed", len(s), MaxKeyBytes)
	}
	if !utf8.ValidString(s) {
		return fault.Errorf(fault.Invalid, "session key is not valid UTF-8")
	}
	for _, r := range s {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return fault.Errorf(fault.Invalid, "session key holds a space or control character (%U)", r)
		}
	}
	return nil
}
