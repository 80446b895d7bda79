package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// TestOffload_ALargeFileIsRecalledExactlyAndItsChangeIsToldAcrossACrash has the model read a large file, recall all of
// it, and change it; the server is killed before the model hears of the change.
func TestOffload_ALargeFileIsRecalledExactlyAndItsChangeIsToldAcrossACrash(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	var whole strings.Builder
	for i := 1; i <= 1500; i++ {
		fmt.Fprintf(&whole, "%d\tline %d: été 行 of the file\n", i, i)
	}
	want := strings.TrimSuffix(whole.String(), "\n")

	id := k.send(k.shell("seq -f 'line %%g: été 行 of the file' 1500 > big.txt"), "then", `call Read {"path":"big.txt"}`, "say read")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	read := lastCalls(k)[0]
	require.NotEmpty(t, read.Offload)
	require.Less(t, len(read.Result), 8000)
	require.Contains(t, read.Result, "[offload:"+read.Offload+"]")
	require.Equal(t, want, k.whole(read.ID), "people can read all of it")
	require.Equal(t, []string{read.Result}, k.seen(read.Offload), "the model sees the summary")

	var pages []string
	for offset := 0; offset < len([]rune(want)); offset += 8000 {
		pages = append(pages, fmt.Sprintf(`call offload_recall {"id":"%s","offset":%d}`, read.Offload, offset))
	}
	id = k.send(append(pages, "say recalled")...)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	var recalled strings.Builder
	results := k.results()
	require.Greater(t, len(results), len(pages))
	for _, text := range results[len(results)-len(pages):] {
		recalled.WriteString(text[:strings.LastIndexByte(text, '\n')]) // what follows says how to go on
	}
	require.Equal(t, want, recalled.String(), "pages put together are the whole")

	id = k.send(k.shell("sed -i 's/line 700:/LINE 700:/' big.txt"), "then", "delay 3s", "say changed")
	k.until(time.Minute, "the end of the change", func(e chat.Event) bool {
		if e.Kind != chat.EventTool {
			return false
		}
		call := decode[chat.ToolEvent](t, e)
		return call.State == chat.CallDone && strings.HasPrefix(call.Summary, "sed")
	})
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("between the change of a file and the next call", restarted, id).State)
	shown := k.seen(read.Offload)
	require.Len(t, shown, 1)
	require.Contains(t, shown[0], "STALE")
	require.Contains(t, shown[0], "big.txt has changed since this call read it")
	require.Equal(t, []string{"read", "recalled", "changed"}, k.answers())
	k.wellFormed()
}

// whole returns the whole result of a call.
func (k *talk) whole(call chat.CallID) string {
	k.t.Helper()
	var out bytes.Buffer
	_, err := k.client.CallResult(k.t.Context(), k.key, call, &out)
	require.NoError(k.t, err)
	return out.String()
}

// results returns the results of tools in the last request to the model.
func (k *talk) results() (out []string) {
	k.t.Helper()
	requests := k.model.Requests()
	for _, m := range requests[len(requests)-1].Messages {
		if m.ToolCallID != "" {
			out = append(out, m.Content)
		}
	}
	return out
}

// seen returns what the last request showed of an offloaded result.
func (k *talk) seen(offload string) (out []string) {
	k.t.Helper()
	for _, text := range k.results() {
		if strings.Contains(text, "[offload:"+offload+"]") {
			out = append(out, text)
		}
	}
	return out
}
