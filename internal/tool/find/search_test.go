package find_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/find"
	"xbot/internal/tool/toolset"
)

type served tool.Spec

func (s served) Spec() tool.Spec { return tool.Spec(s) }

func (served) Summary(string) string { return "" }

func (served) Run(context.Context, tool.Call) (chat.ToolResult, error) { return chat.ToolResult{}, nil }

// noted notes what comes into use.
type noted struct {
	*toolset.Catalog
	used []string
}

func (n *noted) Use(_ context.Context, _ chat.SessionKey, specs ...tool.Spec) error {
	for _, s := range specs {
		n.used = append(n.used, s.Name)
	}
	return nil
}

func search(t *testing.T, arguments string, tools ...tool.Tool) (string, *noted) {
	t.Helper()
	n := &noted{Catalog: toolset.Fixed(append(tools, served{Name: toolset.Search})...)}
	result, err := find.New(n, &toolset.Finder{Log: slog.New(slog.DiscardHandler)}).Run(t.Context(), tool.Call{Session: "s", Arguments: arguments})
	require.NoError(t, err)
	return result.Content, n
}

func TestSearch_ShowsWhatItFindsWithItsParametersAndBringsItIntoUse(t *testing.T) {
	t.Parallel()
	said, n := search(t, `{"query":"send a mail"}`,
		served{Name: "mcp_mail_send", Group: "mail", Optional: true, Description: "Sends an e-mail.", Parameters: json.RawMessage(`{"type":"object","properties":{"to":{}}}`)},
		served{Name: "mcp_db_query", Group: "db", Optional: true, Description: "Runs SQL."},
		served{Name: "Shell", Description: "Sends a mail, too, but is always there."})
	require.Contains(t, said, "## mcp_mail_send\nSends an e-mail.\n"+`{"type":"object","properties":{"to":{}}}`)
	require.Equal(t, []string{"mcp_mail_send"}, n.used)
}

func TestSearch_SaysWhatThereIsWhereNothingFits(t *testing.T) {
	t.Parallel()
	said, n := search(t, `{"query":"zzz"}`, served{Name: "mcp_db_query", Group: "db", Optional: true, Description: "Runs SQL."})
	require.Equal(t, `no tool fits "zzz"; these can be found: db (1)`, said)
	require.Empty(t, n.used)
	said, _ = search(t, `{"query":" "}`)
	require.Contains(t, said, "query is empty")
}

func TestSearch_KeepsItsResultSmall(t *testing.T) {
	t.Parallel()
	var tools []tool.Tool
	for i := range 40 {
		tools = append(tools, served{Name: fmt.Sprintf("mcp_x_%02d", i), Group: "x", Optional: true, Description: "Does x. " + strings.Repeat("y", 2000), Parameters: json.RawMessage(`{}`)})
	}
	said, n := search(t, `{"query":"x","top_k":1000}`, tools...)
	require.Len(t, n.used, 20)
	require.Less(t, len(said), 13_000)
	require.Contains(t, said, "described with your tools from now on: mcp_x_")
}
