// Package session decides which conversation a message belongs to, whether its sender is admitted, whether it addresses the bot, and whether
// the conversation has expired. Only this package knows the grammar of session keys:
//
//	agent:<agent>:<mainKey>                                    main
//	agent:<agent>:dm:<peer>                                    a user, on all channels
//	agent:<agent>:<channel>[:<account>]:dm:<peer>              a user on a channel, or to one bot of it
//	agent:<agent>:<channel>[:<account>]:group:<id>             likewise :channel:<id>
//	agent:<agent>:<channel>[:<account>]:thread:<id>            a conversation of the page, the terminal, the API
//	agent:<agent>:subagent:<id>
//	cron:<job>, hook:<id>, node-<id>
//
// Direct chats, groups and channels may end in :thread:<t> or, for forum topics, :topic:<t>. Parts that users control are escaped reversibly;
// in a key that would be too long, ids are replaced by their hash.
//
// The package is pure: no clock, no I/O.
package session

import (
	"cmp"
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

// DefaultAccount is the bot of a channel that has one only.
const DefaultAccount = "default"

// defaultMain is the last part of the key of the main conversation.
const defaultMain = "main"

// Kind is the kind of conversation that a key names.
type Kind string

// The kinds.
const (
	KindMain     Kind = "main"
	KindDM       Kind = "dm"
	KindGroup    Kind = "group"
	KindChannel  Kind = "channel"
	KindThread   Kind = "thread"
	KindSubagent Kind = "subagent"
	KindCron     Kind = "cron"
	KindHook     Kind = "hook"
	KindNode     Kind = "node"
)

// Key is a parsed session key.
type Key struct {
	Agent   string // empty for cron, hook and node
	Channel string // empty for main, subagents, cron, hook, node, and for a user on all channels
	Account string // of the bot; empty if a channel has only one
	Kind    Kind
	// ID is the peer, group, channel, thread, subagent, job or hook; for KindMain the main key if it is not "main".
	ID     string
	Thread string // thread or topic in a direct chat, group or channel
	Topic  bool   // Thread is a topic of a forum

	// hashed is the set of parts that are replaced by their hash: they were too long.
	hashed parts
	// given is the key as a client chose it, if String would write it differently: it keeps its name.
	given chat.SessionKey
}

// parts is a set of parts of a key.
type parts uint8

const (
	partID parts = 1 << iota
	partThread
	partAccount
	partChannel
	partAgent
)

// Thread returns the key of a thread on a channel.
func Thread(agent, channel, id string) chat.SessionKey {
	return Key{Agent: agent, Channel: channel, Kind: KindThread, ID: id}.String()
}

// String builds the key, at most MaxKeyBytes long. Parts are hashed, the id first, until it is.
func (k Key) String() chat.SessionKey {
	if k.given != "" {
		return k.given
	}
	text := k.build()
	for _, part := range []parts{partID, partThread, partAccount, partChannel, partAgent} {
		if len(text) <= MaxKeyBytes {
			break
		}
		k = k.hash(part)
		text = k.build()
	}
	return chat.SessionKey(text)
}

func (k Key) build() string {
	id := k.part(partID, k.ID)
	switch k.Kind {
	case KindCron, KindHook:
		return string(k.Kind) + ":" + id
	case KindNode:
		return "node-" + id
	case KindMain:
		if k.ID == "" {
			id = defaultMain
		}
		return "agent:" + k.part(partAgent, k.Agent) + ":" + id
	case KindSubagent:
		return "agent:" + k.part(partAgent, k.Agent) + ":subagent:" + id
	}
	if k.Kind == KindThread {
		id = k.tail(id)
	}
	var b strings.Builder
	b.WriteString("agent:" + k.part(partAgent, k.Agent))
	if k.Channel != "" || k.Account != "" || k.Kind != KindDM {
		b.WriteString(":" + reserved(k.part(partChannel, k.Channel)))
	}
	if k.Account != "" {
		b.WriteString(":" + reserved(k.part(partAccount, k.Account)))
	}
	b.WriteString(":" + string(k.Kind) + ":" + id)
	if k.Thread != "" && k.Kind != KindThread {
		b.WriteString(":" + threadWord(k.Topic) + ":" + k.part(partThread, k.Thread))
	}
	return b.String()
}

// tail returns the id of a thread, the last part of its key: its colons are not escaped.
func (k Key) tail(id string) string {
	if k.hashed&partID != 0 {
		return id
	}
	return strings.ReplaceAll(id, "%3A", ":")
}

func threadWord(topic bool) string {
	if topic {
		return "topic"
	}
	return "thread"
}

// Parse parses a key. The error describes the form of a key.
func Parse(text chat.SessionKey) (Key, error) {
	if err := checkText(string(text)); err != nil {
		return Key{}, err
	}
	k, ok := parse(string(text))
	if !ok || k.String() != text {
		k, ok = chosen(text)
	}
	if !ok {
		return Key{}, fault.Errorf(fault.Invalid, "session key %q is not of the form agent:<agent>:main, agent:<agent>:<channel>:<dm|group|channel|thread>:<id>, cron:<job> or hook:<id>", text)
	}
	return k, nil
}

// chosen parses the key of a thread whose id a client chose without escaping it, such as agent:main:web:thread:100%.
func chosen(text chat.SessionKey) (Key, bool) {
	words := strings.SplitN(string(text), ":", 5)
	if len(words) != 5 || words[0] != "agent" || words[1] == "" || words[2] == "" || words[3] != string(KindThread) || words[4] == "" {
		return Key{}, false
	}
	return Key{Agent: words[1], Channel: words[2], Kind: KindThread, ID: words[4], given: text}, true
}

func parse(text string) (Key, bool) {
	if id, ok := strings.CutPrefix(text, "node-"); ok {
		return Key{Kind: KindNode}.with(partID, id)
	}
	words := strings.Split(text, ":")
	switch {
	case len(words) == 2 && (words[0] == string(KindCron) || words[0] == string(KindHook)):
		return Key{Kind: Kind(words[0])}.with(partID, words[1])
	case len(words) < 3 || words[0] != "agent":
		return Key{}, false
	}
	k, ok := Key{}.with(partAgent, words[1])
	if !ok {
		return Key{}, false
	}
	return k.place(words[2:])
}

// place parses the words after the agent.
func (k Key) place(words []string) (Key, bool) {
	switch {
	case len(words) == 1 && words[0] == defaultMain:
		k.Kind = KindMain
		return k, true
	case len(words) == 1:
		k.Kind = KindMain
		return k.with(partID, words[0])
	case len(words) == 2 && words[0] == string(KindSubagent):
		k.Kind = KindSubagent
		return k.with(partID, words[1])
	case words[0] == string(KindDM):
		k.Kind = KindDM
		return k.end(words[1:])
	}
	k, ok := k.with(partChannel, words[0])
	words = words[1:]
	if ok && len(words) > 1 && !isPlace(words[0]) {
		k, ok = k.with(partAccount, words[0])
		words = words[1:]
	}
	if !ok || len(words) < 2 || !isPlace(words[0]) {
		return Key{}, false
	}
	k.Kind = Kind(words[0])
	return k.end(words[1:])
}

// end parses the id and the thread.
func (k Key) end(words []string) (Key, bool) {
	if k.Kind == KindThread {
		return k.with(partID, strings.Join(words, "%3A"))
	}
	k, ok := k.with(partID, words[0])
	switch {
	case !ok:
		return Key{}, false
	case len(words) == 1:
		return k, true
	case len(words) == 3 && (words[1] == "thread" || words[1] == "topic"):
		k.Topic = words[1] == "topic"
		return k.with(partThread, words[2])
	}
	return Key{}, false
}

func isPlace(word string) bool {
	switch Kind(word) {
	case KindDM, KindGroup, KindChannel, KindThread:
		return true
	}
	return false
}

// Legacy parses the short key group:<id> of older configurations and clients; the channel is the one that it came from. Every other key is
// parsed unchanged.
func Legacy(text chat.SessionKey, agent, channel string) (Key, error) {
	id, ok := strings.CutPrefix(string(text), "group:")
	if !ok {
		return Parse(text)
	}
	if id == "" {
		return Key{}, fault.Errorf(fault.Invalid, "session key %q names no group", text)
	}
	return Key{Agent: cmp.Or(agent, DefaultAgent), Channel: channel, Kind: KindGroup, ID: id}, nil
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
