package prompt

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
)

//go:embed channels/*.md
var channels embed.FS

var channelName = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)

// Channel describes what the user's channel shows: which Markdown, how long a message may be.
type Channel struct{}

var _ Middleware = Channel{}

// Order returns the position of the section.
func (Channel) Order() int { return 5 }

// Name is used in errors.
func (Channel) Name() string { return "channel" }

// Process adds the text of the channel, if there is one.
func (Channel) Process(_ context.Context, a *Assembly) error {
	if !channelName.MatchString(a.Scene.Channel) {
		return nil
	}
	text, err := channels.ReadFile("channels/" + a.Scene.Channel + ".md")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the text of channel %s: %w", a.Scene.Channel, err)
	}
	a.Parts["05_channel_"+a.Scene.Channel] = string(text)
	return nil
}
