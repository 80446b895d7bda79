package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/command"
)

func TestBack_ReadsNumbersAndMessages(t *testing.T) {
	for args, want := range map[string][2]int64{
		"": {0, 0}, "1": {1, 0}, "12": {12, 0}, "1000": {1000, 0}, "m7": {0, 7}, "M9007199254740993": {0, 9007199254740993},
	} {
		messages, id, ok := command.Back(args)
		require.True(t, ok, args)
		require.Equal(t, want, [2]int64{int64(messages), id}, args)
	}
	for _, args := range []string{"0", "-1", "+1", "m", "m0", "m-1", "1 2", "1001", "99999999999999999999", "last", "m1x", "1.5"} {
		_, _, ok := command.Back(args)
		require.False(t, ok, args)
	}
}

func FuzzBack(f *testing.F) {
	f.Add("m12")
	f.Fuzz(func(t *testing.T, args string) {
		messages, id, ok := command.Back(args)
		if messages < 0 || messages > command.MaxBack || id < 0 || (!ok && (messages != 0 || id != 0)) || (messages != 0 && id != 0) {
			t.Fatalf("%q goes back %d messages to %d", args, messages, id)
		}
	})
}
