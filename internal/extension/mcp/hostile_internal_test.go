package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

func TestResultOf_StructuredContentStandsWhereThereIsNoText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"content":[],"structuredContent":{"a":[1,2]}}`:                                              `{"a":[1,2]}`,
		`{"content":[{"type":"text","text":"said"}],"structuredContent":{"a":1}}`:                     "said",
		`{"content":[{"type":"text","text":"failed"}],"structuredContent":{"a":1},"isError":true}`:    "failed\n{\"a\":1}",
		`{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1},"isError":true}`: `{"a":1}`,
		`{"content":[]}`: "(the tool returned nothing)",
		`{"content":[{"type":"resource","resource":{"uri":"x:y","text":"z"}}]}`:                               "[resource: x:y]\nz",
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b\n"}]}`:                               "a\nb",
		`{"content":[{"type":"image","data":"eA==","mimeType":"image/png"}]}`:                                 "[image: image/png · 1 bytes · left out: this is no picture in one of the formats JPEG, PNG, GIF and WebP]",
		`{"content":[{"type":"text","text":"` + strings.Repeat("x", 2<<20) + `"}]}`:                           "",
		`{"content":[` + strings.Repeat(`{"type":"text","text":"x"},`, 1500) + `{"type":"text","text":"y"}]}`: "",
	} {
		var r sdk.CallToolResult
		require.NoError(t, json.Unmarshal([]byte(in), &r))
		got, err := resultOf(t.Context(), "tool", &r)
		require.NoError(t, err)
		if want != "" {
			text, _, _ := strings.Cut(got.Content, "\nDo NOT retry")
			require.Equal(t, want, text)
		}
		require.LessOrEqual(t, len(got.Content), maxResult+100)
		require.LessOrEqual(t, strings.Count(got.Content, "x\n"), maxParts)
	}
}

func FuzzResultOf(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a\u0000b"},{"type":"audio","data":"eA==","mimeType":"a\u001b/b"}],"isError":true}`))
	f.Add([]byte(`{"content":[{"type":"resource_link","uri":"\ud800","name":"n","size":-1},{"type":"resource","resource":{"uri":"u","blob":"eA=="}}]}`))
	f.Add([]byte(`{"content":null,"structuredContent":[{"a":null}]}`))
	f.Add([]byte("{\"content\":[{\"type\":\"text\",\"text\":\"\xff\xfe\"}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r sdk.CallToolResult
		if json.Unmarshal(data, &r) != nil {
			return
		}
		got, err := resultOf(t.Context(), "tool", &r)
		require.NoError(t, err)
		require.True(t, utf8.ValidString(got.Content))
		require.NotContains(t, got.Content, "\x00")
		require.NotContains(t, got.Content, "\x1b")
		require.NotEmpty(t, got.Content)
		require.LessOrEqual(t, len(got.Content), maxResult+200)
		require.Equal(t, r.IsError, got.IsError)
	})
}

func TestPaced_LetsAThousandLinesASecondThroughAndOneOfAnyLengthAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := rate.NewLimiter(allLinesASecond, allLinesAtOnce)
		began := time.Now()
		n, err := io.Copy(io.Discard, newPaced(t.Context(), bytes.NewReader(make([]byte, 20<<20)), all))
		require.NoError(t, err)
		require.EqualValues(t, 20<<20, n)
		require.Zero(t, time.Since(began))

		_, err = io.Copy(io.Discard, newPaced(t.Context(), strings.NewReader(strings.Repeat("\n", 12_000)), all))
		require.NoError(t, err)
		require.InDelta(t, 10*time.Second, time.Since(began), float64(time.Second))
	})
}

func TestBounded_IsAnErrorBehindTheLimit(t *testing.T) {
	t.Parallel()
	_, err := io.Copy(io.Discard, &boundedReader{from: bytes.NewReader(make([]byte, 100)), left: 100})
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, &boundedReader{from: bytes.NewReader(make([]byte, 101)), left: 100})
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
}

func TestListing_IsBounded(t *testing.T) {
	t.Parallel()
	l := &listing{seen: map[string]bool{}}
	for i := range maxTools + 300 {
		l.tool(&sdk.Tool{Name: fmt.Sprint("t", i), InputSchema: map[string]any{"type": "object", "description": strings.Repeat("x", 10<<10)}})
		l.prompt(&sdk.Prompt{Name: fmt.Sprint("p", i)})
		l.resource(chat.MCPResource{URI: fmt.Sprint("x:", i)})
	}
	require.Less(t, len(l.Tools)*(10<<10), maxSchemas)
	require.Len(t, l.Prompts, maxPrompts)
	require.Len(t, l.Resources, maxResources)
	require.Len(t, l.LeftOut, maxLeftOut)
	require.Positive(t, l.unsaid)
	pages := 0
	require.NoError(t, l.pages("tools", func(string) (string, bool, error) {
		pages++
		return fmt.Sprint(pages), true, nil
	}))
	require.Equal(t, maxPages, pages)
}

func TestLastWords_AreTheNewest(t *testing.T) {
	t.Parallel()
	var l sandbox.LastOutput
	for _, piece := range []string{strings.Repeat("a", 3000), "bc", strings.Repeat("d", 2000)} {
		_, err := l.Write([]byte(piece))
		require.NoError(t, err)
	}
	got := string(l.Bytes())
	require.Len(t, got, 2<<10)
	require.Equal(t, strings.Repeat("a", 46)+"bc"+strings.Repeat("d", 2000), got)
}
