package feishu

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
)

func TestAskCard_AButtonWithAnAddressOpensItAndSendsNothing(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(askCard(channel.Question{ID: "c1", Title: "Connect Acme", Buttons: []channel.Button{{Label: "Connect", URL: "https://xbot.test/x"}, {Name: "deny", Label: "Decline"}}}, shownBy{}))
	require.NoError(t, err)
	require.Contains(t, string(text), `{"behaviors":[{"default_url":"https://xbot.test/x","type":"open_url"}]`)
	require.Contains(t, string(text), `"button":"deny"`)
}
