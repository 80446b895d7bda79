package prompt

import (
	"context"
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
)

// maxRecentText is the shown part of one message, in characters.
const maxRecentText = 400

// Past finds recent messages.
type Past interface {
	// RecentMessages returns the newest n messages, the oldest first, of the conversation with the user that the one of a job or trigger
	// belongs to; none if there is no such conversation.
	RecentMessages(ctx context.Context, here chat.SessionKey, n int) ([]chat.PastEntry, error)
}

// Recent adds the last messages with the user to the separate conversations of jobs and triggers.
type Recent struct {
	Past     Past
	Profiles Profiles // nil: the section is omitted
}

var _ Middleware = Recent{}

// Order puts it after the data about the user.
func (Recent) Order() int { return 140 }

// Name is used in errors.
func (Recent) Name() string { return "recent messages" }

// Process adds the current messages, if the policy wants some.
func (r Recent) Process(ctx context.Context, a *Assembly) error {
	if r.Profiles == nil {
		return nil
	}
	who, err := a.agentProfile(ctx, r.Profiles)
	if err != nil || !who.Alone || who.Remember.Recent == 0 {
		return err
	}
	said, err := r.Past.RecentMessages(ctx, a.Scene.Session, who.Remember.Recent)
	if err != nil || len(said) == 0 {
		return err
	}
	zone, err := time.LoadLocation(a.Scene.Timezone)
	if err != nil || a.Scene.Timezone == "" {
		zone = time.UTC
	}
	lines := []string{recentHead + " Times are in " + zone.String() + "."}
	for _, m := range said {
		lines = append(lines, fmt.Sprintf("[%s %s] %s", m.At.In(zone).Format("2006-01-02 15:04"), m.Who, short(m.Text, maxRecentText)))
	}
	a.Parts["40_recent"] = strings.Join(lines, "\n")
	return nil
}
