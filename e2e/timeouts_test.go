package e2e

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTimeouts_OfTheSpecificationHaveTheirNameAndDefault compares each timeout with the specification. Where a value differs,
// its line has the reason.
func TestTimeouts_OfTheSpecificationHaveTheirNameAndDefault(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ file, name, value string }{
		"Shell, by default":                {"internal/tool/shell/shell.go", "defaultTimeout", "120 * time.Second"},
		"Shell, at most":                   {"internal/tool/shell/shell.go", "maxTimeout", "600 * time.Second"},
		"bang command":                     {"activities/background/command.go", "bangTimeout", "120 * time.Second"},
		"Docker command":                   {"runner/container/engine.go", "engineWait", "30 * time.Second"},
		"Docker, slow":                     {"runner/container/engine.go", "pullWait", "10 * time.Minute"},           // 120 s are too short for an image
		"runner that is offline":           {"internal/sandbox/runner.go", "defaultOfflineWait", "30 * time.Second"}, // instead of 60 s + 5 s for a remote command, which is attached to
		"runner's WebSocket, ping":         {"runner/wire/frame.go", "PingEvery", "30 * time.Second"},
		"runner's WebSocket, pong":         {"runner/wire/frame.go", "PongWait", "60 * time.Second"},
		"HTTP, header":                     {"ingress/httpserver/server.go", "readHeaderTimeout", "10 * time.Second"},
		"HTTP, write":                      {"ingress/httpserver/server.go", "writeTimeout", "2 * time.Minute"}, // not 60 s: the page on a slow line; streams set their own
		"HTTP, idle":                       {"ingress/httpserver/server.go", "idleTimeout", "2 * time.Minute"},
		"page's WebSocket, ping":           {"ingress/follow/follow.go", "pingEvery", "15 * time.Second"}, // not 30 s: proxies cut what is silent
		"page's WebSocket, read deadline":  {"ingress/api/events/events.go", "pongWait", "60 * time.Second"},
		"background task, ceiling":         {"activities/background/background.go", "TaskCeiling", "24 * time.Hour"},
		"background task, output in bytes": {"internal/chat/task.go", "MaxTaskOutput", "50_000"},
		"call to a model, no progress":     {"internal/llm/wire/endpoint.go", "DefaultIdleTimeout", "120 * time.Second"}, // for every provider, instead of 300 s in all
	} {
		t.Run(what, func(t *testing.T) {
			require.Equal(t, c.value, constant(t, filepath.Join("..", filepath.FromSlash(c.file)), c.name))
		})
	}
	t.Run("call to a model, no progress, as a setting", func(t *testing.T) {
		config, err := os.ReadFile("../internal/host/config/config.go")
		require.NoError(t, err)
		require.Regexp(t, "`env:\"LLM_RETRY_TIMEOUT\" envDefault:\"120s\"", string(config))
		require.Regexp(t, "`env:\"LLM_RETRY_ATTEMPTS\" envDefault:\"5\"", string(config))
	})
}

// constant returns the source of the value of a constant.
func constant(t *testing.T, file, name string) string {
	t.Helper()
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, nil, 0)
	require.NoError(t, err)
	for _, d := range tree.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, s := range group.Specs {
			spec, ok := s.(*ast.ValueSpec)
			if ok && len(spec.Values) == 1 && spec.Names[0].Name == name {
				var out bytes.Buffer
				require.NoError(t, format.Node(&out, files, spec.Values[0]))
				return out.String()
			}
		}
	}
	require.Fail(t, "there is no such constant", "%s in %s", name, file)
	return ""
}
