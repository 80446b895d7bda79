package sandbox_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

// liar is a runner that answers every request with the same part of a file.
type liar struct{ says wire.ReadResult }

func (l liar) Ready(context.Context) (wire.Info, error) { return wire.Info{}, nil }

func (l liar) Call(context.Context, wire.Request, func(wire.Push) error) (wire.Response, error) {
	frame, err := wire.NewFrame(0, wire.TypeResult, l.says)
	return wire.Response{Body: frame.Body}, err
}

func TestReadOutput_TakesNoAnswerThatCannotBe(t *testing.T) {
	t.Parallel()
	for what, says := range map[string]wire.ReadResult{
		"a size below zero": {Data: []byte("ab"), Size: -1},
		"more than asked":   {Data: []byte("abc"), Size: 3},
	} {
		box := sandbox.NewRunner("r", liar{says}, sandbox.RunnerConfig{})
		_, err := box.ReadOutput(t.Context(), "t.0.0", 0, 2)
		require.Equal(t, fault.Invalid, fault.KindOf(err), what)
	}
	box := sandbox.NewRunner("r", liar{wire.ReadResult{Data: []byte("ab"), Size: 3}}, sandbox.RunnerConfig{})
	part, err := box.ReadOutput(t.Context(), "t.0.0", 0, 2)
	require.NoError(t, err)
	require.Equal(t, sandbox.FileData{Data: []byte("ab"), Size: 3}, part)
}
