package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
)

func TestReadLine_IsBounded(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader("{\"a\":1}\n\n"+strings.Repeat("x", MaxMessage-1)+"\nlast"), 64<<10)
	for _, want := range []int{8, 1, MaxMessage} {
		line, err := readLine(in)
		require.NoError(t, err)
		require.Len(t, line, want)
	}
	line, err := readLine(in)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, "last", string(line))
	_, err = readLine(bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", MaxMessage+1)), 64<<10))
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
}

func TestUsable_IsNoProcessThatHasEnded(t *testing.T) {
	b := newBridge(Config{})
	one := installed.Plugin{}
	one.Revision = 2
	one.Plugin.ID = "dice"
	for name, c := range map[string]struct {
		asks   int64
		ended  bool
		usable bool
	}{
		"running":                      {2, false, true},
		"running, of a newer version":  {1, false, true},
		"running, of an older version": {3, false, false},
		"ended and not yet removed":    {2, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProcess(b, one, nil)
			b.open["dice"] = p
			if c.ended {
				close(p.ended)
			}
			asks := one
			asks.Revision = c.asks
			got := b.usable(asks)
			require.Equal(t, c.usable, got == p)
			require.Equal(t, c.usable, b.open["dice"] == p, "no later request takes one that is retired")
		})
	}
}

func TestReadOutput_IsAnObjectOrAText(t *testing.T) {
	var out struct {
		Text string `json:"text"`
	}
	require.NoError(t, readOutput("p", []byte(" plain \n"), &out))
	require.Equal(t, "plain", out.Text)
	require.NoError(t, readOutput("p", []byte(`{"text":"of an object"}`), &out))
	require.Equal(t, "of an object", out.Text)
	_, refused := asRefused(readOutput("p", []byte(`{"text":`), &out))
	require.True(t, refused, "what begins like an object and is none is no answer")
}

func TestStorage_AListHasRoomInOneMessageWhateverIsInItsKeys(t *testing.T) {
	ordinary, wild := make([]string, 1000), make([]string, 1000)
	for i := range ordinary {
		ordinary[i], wild[i] = strings.Repeat("k", 100), strings.Repeat("\x01", 256)
	}
	require.Len(t, fitting(ordinary), 1000)
	some := fitting(wild)
	require.Greater(t, len(some), 600)
	line, err := json.Marshal(message{ID: json.RawMessage("123456"), Result: map[string]any{"keys": some}})
	require.NoError(t, err)
	require.LessOrEqual(t, len(line), MaxMessage)
}

// FuzzTake has a process say anything: nothing of it may end the server.
func FuzzTake(f *testing.F) {
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"id":1,"error":{"code":1,"message":"no"}}`, `{"method":"log","params":{"message":"x"}}`, `[]`, `{"id":"1","result":null}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		b := New(Config{})
		t.Cleanup(func() { require.NoError(t, b.Close()) })
		p := &process{bridge: b, stream: stream{waiting: map[int64]chan reply{1: make(chan reply, 1)}, out: make(chan []byte, 1), own: make(chan struct{}, 1)}}
		in := bufio.NewReaderSize(bytes.NewReader(said), 64<<10)
		for {
			line, err := readLine(in)
			if len(line) > 0 && !bytes.Contains(line, []byte("method")) { // requests need a database
				require.NoError(t, p.take(line))
			}
			if err != nil {
				require.True(t, errors.Is(err, io.EOF) || fault.Is(err, fault.TooLarge))
				return
			}
		}
	})
}
