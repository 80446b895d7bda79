package delivery_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"xbot/activities/delivery"
	"xbot/internal/channel"
	"xbot/internal/chat"
)

// ledBack are the deliveries to whose conversations replies lead.
type ledBack []int64

// LeadBack implements delivery.Replies.
func (l *ledBack) LeadBack(_ context.Context, o chat.Outbound) error {
	*l = append(*l, o.ID)
	return nil
}

func TestSend_AReplyToWhatStandsAsideDoesNotLeadToTheConversationThatWroteIt(t *testing.T) {
	for aside, want := range map[bool]ledBack{false: {1}, true: nil} {
		p, led := newPost("hello"), ledBack(nil)
		p.o.Place.Aside = aside
		d := &delivery.Deliverer{
			Outbox: p, Accounts: p, Replies: &led, Policy: everywhere{MaxAge: 24 * time.Hour, Late: 10 * time.Minute},
			Split: func(text string, _ channel.Dialect, _ int) []string { return []string{text} },
		}
		env := new(testsuite.WorkflowTestSuite).NewTestActivityEnvironment()
		env.RegisterActivity(d.Send)
		_, err := env.ExecuteActivity(d.Send, delivery.SendInput{ID: 1})
		require.NoError(t, err)
		require.Equal(t, []string{"n.0 hello"}, p.texts())
		require.Equal(t, want, led)
	}
}
