package codingagent

import (
	"encoding/base64"
	"strings"
)

// Message is a user's message to an agent.
type Message struct {
	Text     string // prepared for the model
	Pictures []Picture
}

// Picture is a picture from a user, as models are shown it. Its bytes are not stored: a later process reads them again by the hash.
type Picture struct {
	Hash      string `json:"hash"`
	MediaType string `json:"media_type"` // image/jpeg or image/png
	Data      []byte `json:"-"`
}

// Bounds of the pictures that an agent is given, in bytes. Of others it reads the lines that name their files.
const (
	// MaxMessagePictures bounds the pictures of one message: in base64 twice, since they are written to the agent in JSON and to the runner in
	// JSON, they leave a third of a frame (wire.MaxFrame), which a long text reduces. Agents repeat their input in one line (MaxLine).
	MaxMessagePictures = 3 << 20
	// MaxPictures bounds the pictures of all messages to one process: less than a third of what may be written to one (wire.MaxInput).
	MaxPictures = 12 << 20
)

// Shown returns the pictures whose bytes are known.
func (m Message) Shown() (out []Picture) {
	for _, p := range m.Pictures {
		if len(p.Data) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// Base64 returns the picture in base64.
func (p Picture) Base64() string { return base64.StdEncoding.EncodeToString(p.Data) }

// URL returns the picture as a data: URL.
func (p Picture) URL() string { return "data:" + p.MediaType + ";base64," + p.Base64() }

// UserMessage returns the user's message.
func (t Turn) UserMessage() Message { return Message{Text: t.Text, Pictures: t.Pictures} }

// Unslashed returns the message such that no agent takes it for one of its commands: some read one from a slash at the beginning, including one
// that ends all questions to users (kimi-cli at 4a550eff, src/kimi_cli/utils/slashcmd.py and soul/slash.py: /yolo; claude: docs.claude.com,
// "Slash Commands in the SDK").
func (m Message) Unslashed() Message {
	if strings.HasPrefix(strings.TrimSpace(m.Text), "/") {
		m.Text = "[message]\n" + m.Text
	}
	return m
}
