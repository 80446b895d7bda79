package apiclient

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func readFrames(t *testing.T, stream string) ([]frame, error) {
	t.Helper()
	f := newFrames(strings.NewReader(stream), func() {})
	var all []frame
	for {
		next, err := f.next()
		if err != nil {
			return all, err
		}
		all = append(all, next)
	}
}

func TestFrames_ReadsTheFormat(t *testing.T) {
	t.Parallel()
	all, err := readFrames(t, ": ping\n\nid: 7\r\nevent: delta\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nevent: lonely\n\ndata:x\n\nid: soon\ndata: y\n\ndata: cut off")
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, []frame{
		{id: 7, event: "delta", data: []byte("{\"a\":\n1}")},
		{data: []byte("x")},
		{data: []byte("y")},
	}, all)
}

func TestFrames_ReadsLongLinesAndRefusesEndlessOnes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	all, _ := readFrames(t, "data: "+long+"\n\n")
	require.Len(t, all[0].data, 1<<20)
	_, err := readFrames(t, "data: "+strings.Repeat("x", maxFrame+10)+"\n\n")
	require.ErrorIs(t, err, errFrameSize)
	_, err = readFrames(t, strings.Repeat("data: "+long+"\n", 20))
	require.ErrorIs(t, err, errFrameSize)
}

// FuzzFrames: any stream ends with an error, and what was read does not depend on how the bytes arrive.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("id: 1\nevent: a\ndata: b\n\n"))
	f.Add([]byte(":\n\ndata\n\n\r\n"))
	f.Add([]byte("id:-4\ndata:\x00\n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, err := readFrames(t, string(stream))
		require.True(t, errors.Is(err, io.EOF) || errors.Is(err, errFrameSize))
		slow := newFrames(io.MultiReader(bytes.NewReader(stream[:len(stream)/2]), bytes.NewReader(stream[len(stream)/2:])), func() {})
		for _, want := range whole {
			got, err := slow.next()
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	})
}
