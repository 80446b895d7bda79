package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSettings_OfAPersonAreChangedOnACardOfFeishu presses it as people do: chosen values, then the button.
func TestSettings_OfAPersonAreChangedOnACardOfFeishu(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.feishu.say(0, 1, "/settings")
	direct := a.feishu.Direct(a.feishu.people[0])
	card := a.card(direct)
	require.Contains(t, card.Text, "Language of answers")
	a.crash()
	a.boot()
	a.connected()
	answer, err := a.feishu.Press(card.ID, "send", a.feishu.people[1], map[string]any{"f0": "German"})
	require.Contains(t, toast(t, answer, err), "error: These are the settings of somebody else")
	answer, err = a.feishu.Press(card.ID, "send", a.feishu.people[0], map[string]any{"f0": "German"})
	require.Contains(t, toast(t, answer, err), "success: Language of answers: German.")
	shown, ok := answer["card"].(map[string]any)
	require.True(t, ok, "the card shows what stands now")
	require.Equal(t, "raw", shown["type"])
	require.Contains(t, fmt.Sprint(shown["data"]), "Language of answers: German")
	a.feishu.say(0, 1, "say hallo")
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(a.feishu.shown(0, 1), func(text string) bool { return strings.Contains(text, "hallo") })
	}, time.Minute, 50*time.Millisecond)
	requests := a.model.Requests()
	require.Contains(t, requests[len(requests)-1].System, "The person chose German")
}
