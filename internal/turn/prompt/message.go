package prompt

import (
	"context"
	"time"

	"xbot/internal/chat"
)

// UserMessage stamps what a person wrote. A message that was accepted has its stamp from its claim on; this one is for a
// look at a prompt. What the stamp means is said once, in the base prompt, where it is cached.
type UserMessage struct{}

var _ Middleware = UserMessage{}

// Order is that of spec/001.
func (UserMessage) Order() int { return 200 }

// Name is for errors.
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
