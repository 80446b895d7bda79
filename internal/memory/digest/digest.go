// Package digest has a model shorten an entry of an archive that is longer than the model that makes
// embeddings takes.
package digest

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/turn/tokens"
)

//go:embed digest.md
var instructions string

const (
	// maxAnswer bounds an answer with its thoughts, in tokens.
	maxAnswer = 8_000
	// bookTime is how long a call that was paid for may take to be booked, also when the process ends.
	bookTime = 5 * time.Second
)

// Memory returns the conversation whose model writes the digest of a user.
type Memory interface {
	// DigestReader returns the conversation whose model is asked for a user. It returns RateLimited if it cannot be asked now, and NotFound if there is
	// none.
	DigestReader(ctx context.Context, user chat.UserID) (chat.SessionKey, error)
}

// Usage records the usage of model calls outside turns.
type Usage interface {
	BookUsage(ctx context.Context, key chat.SessionKey, model string, calls int, u chat.Usage) error
}

// Models finds the model of a conversation.
type Models interface {
	For(ctx context.Context, key chat.SessionKey) (llm.Client, error)
}

// Digester asks the model of the user whose archive it is.
type Digester struct {
	Memory Memory
	Usage  Usage
	Models Models
	Limits limits.Table // how much models write that do not know it themselves
}

// Digest returns a text of a user's memory shortened to about so many tokens at most. Errors: those of Store, and
// Unavailable if the model wrote nothing, for any reason.
func (d Digester) Digest(ctx context.Context, user chat.UserID, text string, most int) (string, error) {
	session, err := d.Memory.DigestReader(ctx, user)
	if err != nil {
		return "", err
	}
	client, err := d.Models.For(ctx, session)
	if err != nil {
		return "", err
	}
	answer, err := client.Generate(ctx, d.request(client, text, most), nil)
	if answer.Usage != (chat.Usage{}) {
		booking, cancel := context.WithTimeout(context.WithoutCancel(ctx), bookTime)
		defer cancel()
		if err := d.Usage.BookUsage(booking, session, client.Model(), 1, answer.Usage); err != nil {
			return "", fmt.Errorf("book a digest: %w", err)
		}
	}
	if err != nil {
		return "", fault.Errorf(fault.Unavailable, "ask %s: %w", client.Model(), err)
	}
	short := strings.TrimSpace(answer.Text)
	if short == "" {
		return "", fault.Errorf(fault.Unavailable, "%s wrote nothing", client.Model())
	}
	if runes := []rune(short); len(runes) > chat.MaxArchival { // an embedding is made of its beginning
		short = string(runes[:chat.MaxArchival])
	}
	return short, nil
}

func (d Digester) request(client llm.Client, text string, most int) llm.Request {
	output := d.Limits.For(client).Output
	chars := utf8.RuneCountInString(text) * most / max(1, tokens.Count(text)) * 9 / 10 // our count is an estimate
	text = strings.ReplaceAll(text, "</entry>", "</entry >")
	return llm.Request{
		System: strings.TrimSpace(instructions), MaxTokens: min(output, maxAnswer),
		Messages: []llm.Message{{Role: "user", Content: fmt.Sprintf("<entry>\n%s\n</entry>\n\nShorten it to at most %d characters.", text, max(1, chars))}},
	}
}
