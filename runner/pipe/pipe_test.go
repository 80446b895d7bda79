package pipe_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/pipe"
	"xbot/runner/wire"
)

// pair is two ends that speak to each other.
func pair(t *testing.T) (left, right *pipe.Pipe) {
	t.Helper()
	toRight, fromLeft := io.Pipe()
	toLeft, fromRight := io.Pipe()
	left, right = pipe.New(toLeft, fromLeft, fromLeft), pipe.New(toRight, fromRight, fromRight)
	t.Cleanup(func() { left.Close(0, ""); right.Close(0, "") })
	return left, right
}

func TestPipe_CarriesWhatManySendWhole(t *testing.T) {
	left, right := pair(t)
	const senders, each = 8, 50
	var sending sync.WaitGroup
	for s := range senders {
		sending.Go(func() {
			for n := range each {
				frame, err := wire.NewFrame(uint64(s+1), wire.TypePush, strings.Repeat("x\n", n*100))
				if err == nil {
					err = left.Send(frame)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	next := map[uint64]int{}
	for range senders * each {
		frame, err := right.Receive()
		require.NoError(t, err)
		var body string
		require.NoError(t, frame.Decode(&body))
		require.Equal(t, strings.Repeat("x\n", next[frame.ID]*100), body, "in the order sent")
		next[frame.ID]++
	}
	sending.Wait()
}

func TestPipe_TellsAFarewellFromABreak(t *testing.T) {
	left, right := pair(t)
	left.Close(0, "")
	_, err := right.Receive()
	require.ErrorIs(t, err, io.EOF)

	_, err = pipe.New(strings.NewReader("\x00\x00\x00\x09{\"type\""), io.Discard, nil).Receive()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestPipe_RefusesAFrameOverTheLimit(t *testing.T) {
	_, err := pipe.New(strings.NewReader("\xff\xff\xff\xff"), io.Discard, nil).Receive()
	require.True(t, wire.IsKind(err, wire.TooLarge), "%v", err)

	big, err := json.Marshal(strings.Repeat("x", wire.MaxFrame))
	require.NoError(t, err)
	var out bytes.Buffer
	err = pipe.New(strings.NewReader(""), &out, nil).Send(wire.Frame{ID: 1, Type: wire.TypeResult, Body: big})
	require.True(t, wire.IsKind(err, wire.TooLarge), "%v", err)
	require.Zero(t, out.Len(), "the pipe stays usable")
}

// FuzzPipe_Receive feeds the reader what a broken or hostile other end may send.
func FuzzPipe_Receive(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x0f{\"type\":\"push\"}"))
	f.Add([]byte("\x00\x00\x00\x02[]\x00\x00\x00\x00"))
	f.Add([]byte("\x7f\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := pipe.New(bytes.NewReader(data), io.Discard, nil)
		for {
			frame, err := p.Receive()
			if err != nil {
				return
			}
			require.NotEmpty(t, frame.Type)
			encoded, err := frame.Encode()
			require.NoError(t, err)
			require.LessOrEqual(t, len(encoded), wire.MaxFrame+64)
		}
	})
}
