package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/command"
)

func TestQueueCommand_ChangesWhatItNamesAndNothingElse(t *testing.T) {
	own := chat.Queue{Mode: chat.QueueCollect, Cap: 5}
	for args, want := range map[string]chat.Queue{
		"":                          own,
		"  ":                        own,
		"Default":                   {},
		"interrupt":                 {Mode: chat.QueueInterrupt, Cap: 5},
		"drop:summarize cap:25":     {Mode: chat.QueueCollect, Cap: 25, Drop: chat.DropSummarize},
		" steer debounce:2s ":       {Mode: chat.QueueSteer, DebounceMS: 2000, Cap: 5},
		"debounce:750\tdrop:reject": {Mode: chat.QueueCollect, DebounceMS: 750, Cap: 5, Drop: chat.DropReject},
	} {
		got, ok := command.QueueCommand(args, own)
		require.True(t, ok, args)
		require.Equal(t, want, got, args)
	}
	for _, args := range []string{"fast", "default steer", "steer default", "steer collect", "cap:0", "cap:-1", "debounce:-2s", "debounce:2h", "drop:all", "steer please", "mode:steer"} {
		_, ok := command.QueueCommand(args, own)
		require.False(t, ok, args)
	}
}

func FuzzQueueCommand(f *testing.F) {
	for _, seed := range []string{"", "default", "collect debounce:2s cap:25 drop:summarize", "debounce:0.5s", "cap:1001", "drop:", "steer\x00", "debounce:99999999999999999999h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		got, ok := command.QueueCommand(args, chat.Queue{})
		if !ok {
			return
		}
		require.LessOrEqual(t, got.Cap, command.MaxQueueCap)
		require.GreaterOrEqual(t, got.Cap, 0)
		require.GreaterOrEqual(t, got.DebounceMS, 0)
		require.LessOrEqual(t, got.DebounceMS, 60_000)
		again, ok := command.QueueCommand(args, got)
		require.True(t, ok)
		if !strings.EqualFold(strings.TrimSpace(args), "default") {
			require.Equal(t, got, again, "said twice it is the same")
		}
	})
}
