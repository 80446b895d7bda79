package prompt

import (
	"context"
	"time"

	"xbot/internal/chat"
)

// UserMessage stamps a user's message. An accepted message has its stamp from its claim on; this one is for a view of a prompt. The base
// prompt, which is cached, explains the stamp once.
type UserMessage struct{}

var _ Middleware = UserMessage{}

// Order returns the position of the section.
func (UserMessage) Order() int { return 200 }

// Name is used in errors.
func (UserMessage) Name() string { return "user message" }

// Process puts the time and the folder before the text.
func (UserMessage) Process(_ context.Context, a *Assembly) error {
	if a.Text != "" {
		zone, err := time.LoadLocation(a.Scene.Timezone)
		if err != nil {
			zone = time.UTC
		}
		a.UserMessage = chat.PrefaceIn(a.At, zone, a.Scene.Cwd) + "\n" + a.Text
	}
	return nil
}
