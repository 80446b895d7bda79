package mcp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/fault"
)

func TestParse_ReadsWhatOtherClientsWrite(t *testing.T) {
	t.Parallel()
	d, err := mcp.Parse("git", `{"command":"npx","args":["-y","server"],"env":{"TOKEN":"t"},"alwaysAllow":["x"]}`)
	require.NoError(t, err)
	require.Equal(t, mcp.Draft{Env: map[string]string{"TOKEN": "t"}, MCPConfig: chat.MCPConfig{Name: "git", Transport: chat.MCPStdio, Command: "npx", Args: []string{"-y", "server"}, Enabled: true}}, d)
	for config, want := range map[string]chat.MCPTransport{
		`{"url":"https://x.example/mcp"}`: chat.MCPHTTP, `{"url":"https://x.example/mcp","type":"sse"}`: chat.MCPSSE,
		`{"url":"https://x.example/mcp","type":"streamableHttp","headers":{"Authorization":"Bearer t"}}`: chat.MCPHTTP,
	} {
		d, err := mcp.Parse("git", config)
		require.NoError(t, err)
		require.Equal(t, want, d.Transport)
	}
	all, err := mcp.ParseFile([]byte(`{"mcpServers":{"b":{"command":"x","disabled":true},"a":{"url":"https://x.example"}}}`))
	require.NoError(t, err)
	require.Equal(t, []any{"a", "b", false}, []any{all[0].Name, all[1].Name, all[1].Enabled})
}

func TestParse_RefusesWhatCannotBeUsedAndQuotesNoValue(t *testing.T) {
	t.Parallel()
	const value = "the-value"
	for config, why := range map[string]string{
		`nothing the-value`: "must be a JSON object", `{}`: "neither a command nor a url", `{"command":"x","url":"https://x.example"}`: "either a command",
		`{"command":"x","headers":{"A":"the-value"}}`: "either a command", `{"url":"https://x.example","env":{"A":"the-value"}}`: "either a command",
		`{"url":"ftp://x.example"}`: "must be like https", `{"url":"https://me:the-value@x.example"}`: "secrets belong into headers", `{"url":"https://"}`: "must be like https",
		`{"url":"https://x.example","headers":{"Host":"the-value"}}`:         `header "Host"`,
		`{"url":"https://x.example","headers":{"mcp-session-id":"x"}}`:       `header "mcp-session-id"`,
		`{"url":"https://x.example","headers":{"A\nB":"the-value"}}`:         "header",
		`{"url":"https://x.example","headers":{"A":"the-value\r\nB: c"}}`:    `header "A"`,
		`{"command":"x","env":{"A=B":"the-value"}}`:                          `environment variable "A=B"`,
		`{"command":"x","env":{"A":"the-value\u0000"}}`:                      `environment variable "A"`,
		`{"command":"x\u0000"}`:                                              "the command must be",
		`{"command":"x","args":["a","b\u0007"]}`:                             "argument 2",
		`{"command":"x","type":"carrier pigeon"}`:                            "is no transport",
		`{"command":"x","env":{"A":5}}`:                                      "must be a JSON object",
		`{"command":"x","args":["` + strings.Repeat("y", 9<<10) + `"]}`:      "argument 1",
		`{"command":"x","args":[` + strings.Repeat(`"y",`, 70) + `"y"]}`:     "more than 64 arguments",
		`{"command":"x","instructions":"` + strings.Repeat("y", 9000) + `"}`: "the instructions",
	} {
		_, err := mcp.Parse("git", config)
		require.Equal(t, fault.Invalid, fault.KindOf(err), config)
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), value)
	}
	for _, name := range []string{"", "Git", "a b", "a/b", strings.Repeat("x", 33), "a\n"} {
		_, err := mcp.Parse(name, `{"command":"x"}`)
		if strings.TrimSpace(name) != "a" {
			require.ErrorContains(t, err, "cannot be the name")
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("git", `{"command":"npx","args":["-y"],"env":{"A":"b"}}`)
	f.Add("web", `{"url":"https://x.example/mcp?a=b","headers":{"A":"b"},"type":"sse"}`)
	f.Add("x", `{"mcpServers":{"a":{"command":"b"}}}`)
	f.Fuzz(func(t *testing.T, name, config string) {
		d, err := mcp.Parse(name, config)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		require.Regexp(t, `^[a-z0-9-]{1,32}$`, d.Name)
		require.Equal(t, d.Transport == chat.MCPStdio, d.Command != "")
		require.Equal(t, d.Transport == chat.MCPStdio, d.URL == "")
		_, _ = mcp.ParseFile([]byte(config)) // does not panic
	})
}

func TestSave_ValuesAreSealedAndStayWhereTheServerStays(t *testing.T) {
	t.Parallel()
	f := setup(t)
	d := address("https://one.example/mcp", chat.MCPHTTP)
	s, err := f.servers.Save(t.Context(), ann, d, ann)
	require.NoError(t, err)
	require.Equal(t, []string{"Authorization"}, s.HeaderNames)
	require.NotContains(t, string(f.rows.list[0].Secrets), "hers-alone")

	d.Revision, d.URL, d.Headers = 1, "https://one.example/v2", map[string]string{"Authorization": "", "X-More": "more"}
	s, err = f.servers.Save(t.Context(), ann, d, ann)
	require.NoError(t, err, "the same origin may have the value")
	require.Equal(t, []string{"Authorization", "X-More"}, s.HeaderNames)

	d.Revision, d.URL, d.Headers = 2, "https://two.example/mcp", map[string]string{"Authorization": ""}
	_, err = f.servers.Save(t.Context(), ann, d, ann)
	require.ErrorContains(t, err, "so that the stored one goes to nobody else")
	d.Headers = nil
	_, err = f.servers.Save(t.Context(), ann, d, ann)
	require.NoError(t, err)
	require.Nil(t, f.rows.list[0].Secrets)

	_, err = f.servers.Save(t.Context(), bob, d, bob)
	require.Equal(t, fault.NotFound, fault.KindOf(err), "he has none of that name")
}

func TestPut_AddsOrChangesByName(t *testing.T) {
	t.Parallel()
	f := setup(t)
	d := command("git", "normal")
	first, err := f.servers.Put(t.Context(), ann, d, ann)
	require.NoError(t, err)
	d.Instructions, d.Env[modeVariable] = "new", ""
	second, err := f.servers.Put(t.Context(), ann, d, ann)
	require.NoError(t, err)
	require.Equal(t, first.ID, second.ID)
	require.Equal(t, "new", second.Instructions)
	d.Args = []string{"another"}
	_, err = f.servers.Put(t.Context(), ann, d, ann)
	require.ErrorContains(t, err, "so that the stored one goes to nobody else")
	require.NoError(t, f.servers.Remove(t.Context(), ann, "git"))
	_, err = f.servers.Own(t.Context(), ann, "git")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}
