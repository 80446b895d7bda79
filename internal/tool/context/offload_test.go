package context_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	toolcontext "xbot/internal/tool/context"
)

// kept is offloads in memory.
type kept map[string]string

func (k kept) OffloadBody(_ context.Context, _ chat.SessionKey, id string) (string, error) {
	if body, ok := k[id]; ok {
		return body, nil
	}
	return "", fault.Errorf(fault.NotFound, "none")
}

func (k kept) Offloads(context.Context, chat.SessionKey) ([]chat.OffloadEntry, error) {
	var out []chat.OffloadEntry
	for _, id := range []string{"ol_aaaaaaaaaa", "ol_aaaaaaaaab", "ol_0123456789", "ol_bbbbbbbbbb"} {
		if body, ok := k[id]; ok {
			out = append(out, chat.OffloadEntry{ID: id, Tool: "Read", Path: "/w/" + id, Bytes: len(body)})
		}
	}
	return out, nil
}

func recall(t *testing.T, k kept, arguments any) chat.ToolResult {
	t.Helper()
	text, err := json.Marshal(arguments)
	require.NoError(t, err)
	r, err := toolcontext.NewOffloadRecall(k).Run(t.Context(), tool.Call{Arguments: string(text)})
	require.NoError(t, err)
	return r
}

func TestOffloadRecall_PagesPutTogetherAreTheWhole(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("línea 行 😀\r\n\t[characters 0 to 8000 of 9: go on with offset 3]\n", 700) + "end"
	for _, limit := range []int{0, 1000, 16000, 50_000} {
		var whole strings.Builder
		offset, pages := 0, 0
		for more := true; more; pages++ {
			r := recall(t, kept{"ol_0123456789": body}, map[string]any{"id": "ol_0123456789", "offset": offset, "limit": limit})
			require.False(t, r.IsError, r.Content)
			at := strings.LastIndexByte(r.Content, '\n')
			whole.WriteString(r.Content[:at])
			require.LessOrEqual(t, len([]rune(r.Content[:at])), 16000)
			var from, to, total, next int
			_, err := fmt.Sscanf(r.Content[at+1:], "[characters %d to %d of %d: go on with offset %d]", &from, &to, &total, &next)
			more = err == nil
			if !more {
				require.Contains(t, r.Content[at+1:], ": the end]")
			}
			offset = next
		}
		require.Equal(t, body, whole.String(), "limit %d", limit)
		require.Greater(t, pages, 1)
	}
}

func TestOffloadRecall_TakesTheIdAsItStandsInTheConversation(t *testing.T) {
	t.Parallel()
	k := kept{"ol_0123456789": "body"}
	for _, id := range []string{"ol_0123456789", "offload:ol_0123456789", "📂 [offload:ol_0123456789]", " OL_0123456789 "} {
		require.Equal(t, "body\n[characters 0 to 4 of 4: the end]", recall(t, k, map[string]any{"id": id}).Content)
	}
}

func TestOffloadRecall_AnUnknownIdNamesTheNearest(t *testing.T) {
	t.Parallel()
	k := kept{"ol_0123456789": "x", "ol_aaaaaaaaaa": "x", "ol_aaaaaaaaab": "x", "ol_bbbbbbbbbb": "x"}
	r := recall(t, k, map[string]any{"id": "ol_0123456780"})
	require.True(t, r.IsError)
	require.Contains(t, r.Content, `no offloaded result "ol_0123456780"; the nearest are ol_0123456789 (Read /w/ol_0123456789, 1 bytes), `)
	require.Equal(t, 3, strings.Count(r.Content, " bytes)"))
	r = recall(t, kept{}, map[string]any{"id": "nonsense"})
	require.Contains(t, r.Content, "none at all in this conversation")
}

func TestOffloadRecall_SaysWhereAPageCannotBegin(t *testing.T) {
	t.Parallel()
	k := kept{"ol_0123456789": "行行行", "ol_aaaaaaaaaa": ""}
	require.Contains(t, recall(t, k, map[string]any{"id": "ol_0123456789", "offset": 3}).Content, "behind the end: there are 3 characters")
	require.True(t, recall(t, k, map[string]any{"id": "ol_0123456789", "offset": -1}).IsError)
	require.Equal(t, "行\n[characters 2 to 3 of 3: the end]", recall(t, k, map[string]any{"id": "ol_0123456789", "offset": 2, "limit": 1}).Content)
	require.False(t, recall(t, k, map[string]any{"id": "ol_aaaaaaaaaa"}).IsError)
}
