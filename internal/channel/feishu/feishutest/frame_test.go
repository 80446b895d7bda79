package feishutest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzFrame(f *testing.F) {
	f.Add((&Frame{SeqID: 1, LogID: 2, Service: -3, Method: FrameData, Headers: []Header{{"type", "event"}, {"", ""}}, Payload: []byte("x"), LogIDNew: "l"}).Marshal())
	f.Add((&Frame{Method: -1, PayloadEncoding: "gzip", PayloadType: "json", Payload: []byte{}}).Marshal())
	f.Add([]byte{0x2a, 0x80})
	f.Add(bytes.Repeat([]byte{0x2a, 0}, maxHeaders+1))
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame, err := UnmarshalFrame(raw)
		if err != nil {
			return
		}
		again, err := UnmarshalFrame(frame.Marshal())
		require.NoError(t, err)
		require.Equal(t, frame, again, "what was read and written is the same")
		require.LessOrEqual(t, len(frame.Headers), maxHeaders)
	})
}
