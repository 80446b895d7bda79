package e2e

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
)

func TestSetup_ConnectsAModelAndABotFromTheTerminalAloneAndTheyOutliveAKill(t *testing.T) {
	t.Parallel()
	provider := keyed(t, sharedKey)
	p, err := onebottest.New(onebottest.Options{Token: "right-secret"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	s := newServer(t, "LLM_BASE_URL=", "LLM_MODEL=", "LLM_API_KEY=", "XBOT_HTTP_ALLOW=127.0.0.1")
	kinds, err := s.client.ListChannels(t.Context())
	require.NoError(t, err)
	napcat := slices.IndexFunc(kinds.Kinds, func(k chat.ChannelKind) bool { return k.Name == "napcat" })
	answers := []string{
		"no number", "14", provider.BaseURL(), mistyped, "scripted", // a wrong key is said in words, and nothing is stored
		"y", provider.BaseURL(), sharedKey, "scripted",
		strconv.Itoa(napcat + 1),
	}
	answers = append(answers, "nonsense", "", "", "y", p.URL(), "right-secret", "", "2")
	said, err := s.operateWith(strings.Join(answers, "\n")+"\n", "setup")
	require.NoError(t, err, said)
	require.Contains(t, said, "Write a number from 1 to")
	require.Contains(t, said, "✗ ")
	require.Contains(t, said, "✓ scripted answers from the next message on")
	require.Contains(t, said, "✓ credentials")
	require.NotContains(t, said, sharedKey)

	s.crash()
	s.boot()
	k := s.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say with the model")).State)
	require.Equal(t, []string{"with the model"}, k.answers())
	permissions, err := k.client.ListPermissions(t.Context())
	require.NoError(t, err)
	require.Equal(t, chat.PresetAsk, permissions.Preset)
	subscriptions, err := k.client.ListSubscriptions(t.Context())
	require.NoError(t, err)
	require.Len(t, subscriptions, 1)

	said, err = s.operateWith("1\n", "setup")
	require.Error(t, err)
	require.Contains(t, said, "the input ended before all questions were answered")
}
