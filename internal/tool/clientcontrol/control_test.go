package clientcontrol_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/tool/clientcontrol"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/tooltest"
)

// nobody is asked by arguments that make no sense.
type nobody struct{ t *testing.T }

func (n nobody) OpenClientAction(context.Context, chat.SessionKey, chat.ClientAction, time.Duration) (at chat.ClientActionStanding, ok bool, err error) {
	n.t.Error("a client was asked")
	return at, false, nil
}

func (nobody) ClientActionStanding(context.Context, chat.SessionKey, chat.CallID) (at chat.ClientActionStanding, ok bool, err error) {
	return at, false, nil
}

func (nobody) CloseClientAction(context.Context, chat.SessionKey, chat.CallID) error { return nil }

func TestControl_RefusesWhatMakesNoSenseWithoutAskingAnybody(t *testing.T) {
	t.Parallel()
	control := clientcontrol.New(nobody{t}, nil, nil)
	for arguments, want := range map[string]string{
		`{"action":"send","value":"hi"}`:                                               "action must be open, theme or layout",
		`{"action":"open"}`:                                                            "conversation, settings, files or todos",
		`{"action":"open","what":"terminal"}`:                                          "conversation, settings, files or todos",
		`{"action":"theme","value":"pink"}`:                                            "light, dark, system",
		`{"action":"layout","what":"window","value":"hide"}`:                           "details, context, sidebar or input",
		`{"action":"layout","what":"details","value":"away"}`:                          "show, hide",
		`{"action":"open","what":"files","value":"a\nb"}`:                              "one line",
		`{"action":"open","what":"files","value":"` + strings.Repeat("a", 5000) + `"}`: "4096 bytes",
		`{"action":"theme","value":"javascript:alert(1)"}`:                             "light, dark, system",
		`{"action":"open","what":"settings","value":"` + string(rune(0x7f)) + `"}`:     "one line",
	} {
		got, err := control.Run(t.Context(), tooltest.New(t).Call("c", arguments))
		require.NoError(t, err)
		require.True(t, got.IsError, arguments)
		require.Contains(t, got.Content, want, arguments)
	}
}

func TestSource_IsForDirectConversationsOnThePageAndInTheTerminal(t *testing.T) {
	t.Parallel()
	source := clientcontrol.NewSource(clientcontrol.New(nil, nil, nil))
	for _, c := range []struct {
		at  toolset.Place
		has bool
	}{
		{toolset.Place{}, true}, // for rules
		{toolset.Place{Session: "s", Channel: "web", ChatType: chat.ChatDirect}, true},
		{toolset.Place{Session: "s", Channel: "cli", ChatType: chat.ChatDirect}, true},
		{toolset.Place{Session: "s", Channel: "api", ChatType: chat.ChatDirect}, false},
		{toolset.Place{Session: "s", Channel: "feishu", ChatType: chat.ChatDirect}, false},
		{toolset.Place{Session: "s", Channel: "web", ChatType: chat.ChatSubagent}, false},
		{toolset.Place{Session: "s", Channel: "web", ChatType: chat.ChatGroup}, false},
		{toolset.Place{Session: "s", ChatType: chat.ChatCron}, false},
	} {
		tools, err := source.Tools(t.Context(), c.at)
		require.NoError(t, err)
		require.Equal(t, c.has, len(tools) == 1, "%+v", c.at)
	}
}
