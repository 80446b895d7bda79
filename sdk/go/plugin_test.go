package plugin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	plugin "xbot/sdk/go"
)

// answer is what xbot reads of a plugin.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result struct {
		Text string `json:"text"`
	} `json:"result"`
	Error *struct{ Message string } `json:"error"`
}

func TestPlugin_SaysNoLineThatXbotWouldEndItFor(t *testing.T) {
	p := plugin.New()
	long := strings.Repeat("<", plugin.MaxMessage/4) // six bytes each in JSON
	p.Tool("say", func(_ context.Context, c plugin.Call) (string, error) {
		p.Log("info", long)
		return long, p.Storage("").Set(context.Background(), "key", long)
	})
	p.Tool("fail", func(context.Context, plugin.Call) (string, error) {
		return "", errors.New(strings.Repeat("no ", plugin.MaxMessage))
	})
	p.Tool("long", func(context.Context, plugin.Call) (string, error) { return long, nil })
	p.Tool("much", func(context.Context, plugin.Call) (string, error) {
		return strings.Repeat("x", plugin.MaxMessage-100), nil
	})
	fromXbot, toPlugin := io.Pipe()
	fromPlugin, toXbot := io.Pipe()
	go func() { _ = toXbot.CloseWithError(p.Serve(fromXbot, toXbot)) }() // its end is an end of what is read below
	read := bufio.NewReaderSize(fromPlugin, plugin.MaxMessage)
	ask := func(name string) answer {
		_, err := toPlugin.Write([]byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}` + "\n"))
		require.NoError(t, err)
		for {
			line, err := read.ReadSlice('\n')
			require.NoError(t, err, "a line has at most %d bytes", plugin.MaxMessage)
			var a answer
			require.NoError(t, json.Unmarshal(line, &a))
			if string(a.ID) == "7" {
				return a
			}
		}
	}
	require.Contains(t, ask("say").Result.Text, "too long", "what it wants to keep")
	require.Less(t, len(ask("fail").Result.Text), 5000)
	require.Equal(t, "the message is too long", ask("long").Error.Message)
	require.Len(t, ask("much").Result.Text, plugin.MaxMessage-100)
	whole := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"much","arguments":{"a":"`
	end := `"}}}`
	go func() {
		_, _ = toPlugin.Write([]byte(whole + strings.Repeat("y", plugin.MaxMessage-len(whole)-len(end)) + end + "\n"))
	}()
	line, err := read.ReadSlice('\n')
	require.NoError(t, err, "the longest line of xbot is read")
	require.Contains(t, string(line), "xxx")
	require.NoError(t, toPlugin.Close())
}
