package plugins

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestPace_BoundsWhatThePanelsOfAPersonAsk(t *testing.T) {
	p := &pace{by: map[chat.UserID]*asker{}}
	var leaves []func()
	for range asksAtOnce {
		leave, err := p.enter(1)
		require.NoError(t, err)
		leaves = append(leaves, leave)
	}
	_, err := p.enter(1)
	require.True(t, fault.Is(err, fault.RateLimited), "too many are under way")
	_, err = p.enter(2)
	require.NoError(t, err, "of somebody else")
	for _, leave := range leaves {
		leave()
	}
	for range asksBurst {
		if leave, err := p.enter(1); err == nil {
			leave()
		}
	}
	leave, err := p.enter(1)
	for n := 0; err == nil && n < 10*asksBurst; n++ { // a machine that stands still gives some back
		leave()
		leave, err = p.enter(1)
	}
	require.True(t, fault.Is(err, fault.RateLimited), "too many came one after the other")
}
