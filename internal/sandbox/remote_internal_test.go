package sandbox

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner/wire"
)

func TestReadLines_KnowsHowACallEnded(t *testing.T) {
	silence := time.NewTimer(time.Hour)
	defer silence.Stop()
	for text, want := range map[string]error{
		"":                          ErrBroken,
		"\n\n":                      ErrBroken,
		`{"type":"offline"}` + "\n": ErrOffline,
		`{"type":"broken"}` + "\n":  ErrBroken,
		"\n" + `{"type":"push","body":{"body":{}}}` + "\n": ErrBroken,
	} {
		_, err := readLines(strings.NewReader(text), nil, silence)
		require.ErrorIs(t, err, want, text)
	}
	got, err := readLines(strings.NewReader("\n"+`{"type":"result","body":{"body":{"a":1}}}`+"\n"), nil, silence)
	require.NoError(t, err)
	require.JSONEq(t, `{"a":1}`, string(got.Body))
	_, err = readLines(strings.NewReader(`{"type":"error","body":{"kind":"denied","message":"no"}}`), nil, silence)
	require.True(t, wire.IsKind(err, wire.Denied))
	refused := errors.New("the caller had enough")
	_, err = readLines(strings.NewReader(`{"type":"push","body":{"body":{}}}`), func(wire.Push) error { return refused }, silence)
	require.ErrorIs(t, err, refused)
}

func FuzzReadLines(f *testing.F) {
	f.Add("\n\n" + `{"type":"push","body":{"body":{}}}` + "\n" + `{"type":"result","body":{}}`)
	f.Add(`{"type":"error","body":{"kind":"denied"}}`)
	f.Add(`{"type":"offline"}`)
	f.Add(`{`)
	f.Fuzz(func(t *testing.T, text string) {
		silence := time.NewTimer(time.Hour)
		defer silence.Stop()
		response, err := readLines(strings.NewReader(text), func(wire.Push) error { return nil }, silence)
		if err != nil {
			require.Empty(t, response.Body)
		}
	})
}
