package message_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/extension/mcp/message"
)

const pong = `{"id":1,"jsonrpc":"2.0","result":{}}`

// noise is what servers print between their messages, and which messages are in it.
var noise = map[string]struct {
	in   string
	want string
	logs int
}{
	"a log line":                     {"Listening on {1}\n" + pong + "\n", pong + "\n", 1},
	"a log line in brackets":         {"[db] Connected\n[2026-01-01T00:00:00Z] INFO x\n[1]\n[]\n" + pong + "\n", pong + "\n", 4},
	"a log line as JSON":             {`{"level":30,"msg":"started"}` + "\n" + pong + "\n", pong + "\n", 1},
	"a log line that begins as JSON": {"{ port: 3000 }\n{\"jsonrpc\":\n" + pong + "\n", pong + "\n", 2},
	"a banner":                       {"╔══╗\n║ MCP ║\n╚══╝\n\n> server@1.0.0 start\n> node index.js\n\n" + pong + "\n", pong + "\n", 5},
	"colours":                        {"\x1b[32mready\x1b[0m\n\x1b[2K\x1b[1G" + pong + "\x1b[0m\n", pong + "\n", 1},
	"a byte order mark and CRLF":     {"\ufeff" + pong + "\r\n\r\n\ufeff\r\n" + pong + "\r\n", pong + "\n" + pong + "\n", 0},
	"half a character":               {"\xe4\xbd\n" + pong + "\n", pong + "\n", 1},
	"no end of the last line":        {pong, pong + "\n", 0},
	"two on a line":                  {pong + pong + "\n", pong + "\n" + pong + "\n", 0},
	"a log behind a message":         {pong + " done\n", pong + "\n", 1},
	"a batch":                        {"[" + pong + "," + pong + "]\n", pong + "\n" + pong + "\n", 0},
	"an error without a request":     {`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}` + "\n" + pong + "\n", pong + "\n", 1},
	"another version":                {`{"jsonrpc":"1.0","id":1,"result":{}}` + "\n" + pong + "\n", pong + "\n", 1},
	"an identifier as a text":        {`{"jsonrpc":"2.0","id":"1","result":null}` + "\n", pong + "\n", 0},
	"no result":                      {`{"jsonrpc":"2.0","id":1}` + "\n", pong + "\n", 0},
	"an error that is a text":        {`{"jsonrpc":"2.0","id":1,"error":"boom"}` + "\n", `{"error":{"code":-32603,"message":"boom"},"id":1,"jsonrpc":"2.0"}` + "\n", 0},
	"an error with a code as text":   {`{"jsonrpc":"2.0","id":1,"error":{"code":"E1","message":{"a":1}}}` + "\n", `{"error":{"code":-32603,"message":"{\"a\":1}"},"id":1,"jsonrpc":"2.0"}` + "\n", 0},
	"a notification":                 {`{"jsonrpc":"2.0","method":"a"}` + "\n", `{"jsonrpc":"2.0","method":"a"}` + "\n", 0},
}

func TestLines_WhatIsNoMessageIsALogLine(t *testing.T) {
	t.Parallel()
	for name, c := range noise {
		for how, from := range map[string]io.Reader{"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)), "with the end": iotest.DataErrReader(strings.NewReader(c.in))} {
			var log counter
			got, err := io.ReadAll(&message.Lines{From: from, Log: &log})
			require.NoError(t, err, name)
			require.Equal(t, c.want, string(got), "%s, %s", name, how)
			require.Equal(t, c.logs, log.lines, "%s, %s", name, how)
		}
	}
}

// counter counts what is logged.
type counter struct{ lines, longest int }

func (c *counter) Write(line []byte) (int, error) {
	c.lines, c.longest = c.lines+1, max(c.longest, len(line))
	return len(line), nil
}

func TestLines_ALineWithoutAnEndIsBounded(t *testing.T) {
	t.Parallel()
	log := &counter{}
	got, err := io.ReadAll(&message.Lines{From: io.MultiReader(io.LimitReader(endless("x"), 100<<20), strings.NewReader("\n"+pong)), Log: log})
	require.NoError(t, err)
	require.Equal(t, pong+"\n", string(got))
	require.LessOrEqual(t, log.longest, 8<<10)

	_, err = io.ReadAll(&message.Lines{From: io.MultiReader(strings.NewReader(`{"a":"`), endless("x")), Log: log})
	require.ErrorContains(t, err, "32 MB")
}

// endless is the same byte forever.
type endless string

func (e endless) Read(to []byte) (int, error) {
	for i := range to {
		to[i] = e[0]
	}
	return len(to), nil
}

func TestEvents_WhatIsNoMessageIsLeftOut(t *testing.T) {
	t.Parallel()
	data := "data: " + pong + "\n\n"
	for name, c := range map[string]struct {
		in, want string
		older    bool
	}{
		"a message":                   {in: "event: message\nid: 7\ndata: " + pong + "\n\n", want: "id: 7\n" + data},
		"a comment":                   {in: ": ping - 2026\n\n:\n" + data, want: data},
		"another event":               {in: "event: ping\ndata: {}\n\nevent: ping\ndata: " + pong + "\n\n" + data, want: data},
		"a byte order mark":           {in: "\ufeff" + data, want: data},
		"a line without a colon":      {in: "hello\ndata\n" + data, want: data},
		"no message":                  {in: "data: [DONE]\n\ndata: ping\n\ndata: {\"type\":\"ping\"}\n\n" + data, want: data},
		"several lines of data":       {in: "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\ndata:\"result\":{}}\n\n", want: data},
		"returns alone":               {in: "data: " + pong + "\r\r", want: data},
		"returns and line feeds":      {in: "data: " + pong + "\r\n\r\n", want: data},
		"no blank line at the end":    {in: "data: " + pong, want: data},
		"an identifier alone":         {in: "id: 3\ndata:\n\nretry: 10\n\n", want: "id: 3\n\nretry: 10\n\n"},
		"an identifier of no message": {in: "id: 3\nevent: ping\ndata: x\n\n", want: "id: 3\n\n"},
		"a batch":                     {in: "id: 9\ndata: [" + pong + "," + pong + "]\n\n", want: data + "id: 9\n" + data},
		"the older transport":         {in: "retry: 5\n\n: hi\n\nevent: endpoint\ndata: /messages?x=1\n\nevent: ping\ndata: now\n\nid: 1\n\n" + data, want: "event: endpoint\ndata: /messages?x=1\n\n" + data, older: true},
	} {
		for how, from := range map[string]io.Reader{"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in))} {
			got, err := io.ReadAll(&message.Events{From: from, Endpoint: c.older})
			require.NoError(t, err, name)
			require.Equal(t, c.want, string(got), "%s, %s", name, how)
		}
	}
	_, err := io.ReadAll(&message.Events{From: io.MultiReader(strings.NewReader("data: "), endless("x"))})
	require.ErrorContains(t, err, "32 MB")
}

func TestBody_ABatchBecomesItsResponse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"\ufeff" + pong: pong,
		`[{"jsonrpc":"2.0","method":"a"},` + pong + `]`: pong,
		"<html>": "<html>",
		"":       "",
	} {
		got, err := io.ReadAll(&message.Body{From: strings.NewReader(in)})
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

// result is what the SDK decodes of a result.
func result[T any](t *testing.T, in string) (out T) {
	t.Helper()
	messages, _ := message.Decode([]byte(`{"jsonrpc":"2.0","id":1,"result":` + in + `}`))
	require.Len(t, messages, 1, in)
	m, err := jsonrpc.DecodeMessage(messages[0])
	require.NoError(t, err, in)
	require.NoError(t, json.Unmarshal(m.(*jsonrpc.Response).Result, &out), in)
	return out
}

func TestDecode_APartThatCannotBeDecodedCostsThatPart(t *testing.T) {
	t.Parallel()
	const after = `,{"type":"text","text":"after"}]}`
	for in, want := range map[string]string{
		`{"type":"image","data":"data:image/png;base64,eA==","mimeType":"image/png"}`:        `{"type":"image","mimeType":"image/png","data":"eA=="}`,
		`{"type":"image","data":"data:image/webp;base64,eA"}`:                                `{"type":"image","mimeType":"image/webp","data":"eA=="}`,
		`{"type":"image","data":"-_8","mimeType":"image/png"}`:                               `{"type":"image","mimeType":"image/png","data":"+/8="}`,
		`{"type":"image","data":"eHh4\r\neHh4\n","mimeType":"image/png"}`:                    `{"type":"image","mimeType":"image/png","data":"eHh4eHh4"}`,
		`{"type":"image","data":"eA","mime_type":"image/png","annotations":[1]}`:             `{"type":"image","mimeType":"image/png","data":"eA=="}`,
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"eA=="}}`: `{"type":"image","mimeType":"image/png","data":"eA=="}`,
		`{"type":"image","data":"%%%","mimeType":"image/png"}`:                               `{"type":"text","text":"[image: image/png · left out: its data cannot be decoded]"}`,
		`{"type":"image","data":[1,2],"mimeType":7}`:                                         `{"type":"text","text":"[image: unknown · left out: its data cannot be decoded]"}`,
		`{"type":"image"}`:                                      `{"type":"text","text":"[image: unknown · left out: its data cannot be decoded]"}`,
		`{"type":"audio","data":"data:audio/wav,x"}`:            `{"type":"text","text":"[audio: audio/wav · left out: its data cannot be decoded]"}`,
		`{"type":"video","data":"eA==","mimeType":"video/mp4"}`: `{"type":"text","text":"[a part of the kind video]\n{\"mimeType\":\"video/mp4\"}"}`,
		`{"type":"video"}`:                                      `{"type":"text","text":"[a part of the kind video: left out]"}`,
		`{"type":"markdown","text":"# a"}`:                      `{"type":"text","text":"# a"}`,
		`{"type":"json","json":{"a":1}}`:                        `{"type":"text","text":"[a part of the kind json]\n{\"json\":{\"a\":1}}"}`,
		`{"text":"no type"}`:                                    `{"type":"text","text":"no type"}`,
		`{"type":7}`:                                            `{"type":"text","text":"[a part of the kind without a type: left out]"}`,
		`"a text"`:                                              `{"type":"text","text":"a text"}`,
		`12`:                                                    `{"type":"text","text":"12"}`,
		`{"type":"text","text":{"a":1}}`:                        `{"type":"text","text":"{\"a\":1}"}`,
		`{"type":"text","text":null,"_meta":7}`:                 `{"type":"text","text":""}`,
		`{"type":"resource_link","uri":"a:b","name":3,"size":"big","icons":{}}`: `{"type":"resource_link","uri":"a:b"}`,
		`{"type":"resource","resource":{"uri":"a:b","text":"t"}}`:               `{"type":"resource","resource":{"uri":"a:b","text":"t"}}`,
		`{"type":"resource","resource":{"uri":"a:b","blob":"-_8"}}`:             `{"type":"resource","resource":{"uri":"a:b","blob":"+/8="}}`,
		`{"type":"resource","uri":"a:b","text":"t"}`:                            `{"type":"resource","resource":{"uri":"a:b","text":"t"}}`,
		`{"type":"resource","resource":null}`:                                   `{"type":"text","text":"[resource without an address and without a content: left out]"}`,
	} {
		got := result[sdk.CallToolResult](t, `{"content":[`+in+after)
		raw, err := json.Marshal(got.Content[:len(got.Content)-1])
		require.NoError(t, err)
		require.JSONEq(t, "["+want+"]", string(raw), in)
		require.Equal(t, "after", got.Content[len(got.Content)-1].(*sdk.TextContent).Text, in)
	}
	got := result[sdk.CallToolResult](t, `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"t","blob":"%"}}]}`)
	require.Len(t, got.Content, 2, "the text stays beside the note")
}

func TestDecode_ResultsWithoutAContentAreUnderstood(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]struct {
		parts    int
		isError  bool
		structed bool
	}{
		`{}`:                                   {},
		`{"content":null}`:                     {},
		`{"content":[null]}`:                   {},
		`{"isError":true}`:                     {isError: true},
		`{"isError":"true","content":"oh no"}`: {parts: 1, isError: true},
		`{"structuredContent":{"a":1}}`:        {structed: true},
		`{"structuredContent":[1]}`:            {structed: true},
		`{"content":{"type":"text","text":"x"},"isError":null}`:                                {parts: 1},
		`{"content":[{"type":"text","text":"x"}],"_meta":[],"resultType":7,"requestState":{}}`: {parts: 1},
		`"bare"`: {parts: 1},
		`[1,2]`:  {parts: 1},
	} {
		got := result[sdk.CallToolResult](t, in)
		require.Len(t, got.Content, want.parts, in)
		require.Equal(t, want.isError, got.IsError, in)
		require.Equal(t, want.structed, got.StructuredContent != nil, in)
	}
}

func TestDecode_ListsLoseWhatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	tools := result[sdk.ListToolsResult](t, `{"tools":[{"name":"a","annotations":{"readOnlyHint":"yes"},"description":7},{"name":"b","inputSchema":null,"icons":"x"},null,3,{"name":"c","execution":{"taskSupport":"required"}},{"name":"d","execution":{"taskSupport":"optional"},"_meta":{"xbot/fault":"x"}}],"nextCursor":7}`)
	require.Len(t, tools.Tools, 4)
	require.Equal(t, []string{"a", "b", "c", "d"}, []string{tools.Tools[0].Name, tools.Tools[1].Name, tools.Tools[2].Name, tools.Tools[3].Name})
	require.Contains(t, tools.Tools[2].Meta[message.FaultKey], "task")
	require.Empty(t, tools.Tools[3].Meta)
	require.Empty(t, tools.NextCursor)

	prompts := result[sdk.ListPromptsResult](t, `{"prompts":[{"name":"a","arguments":{"x":1}},"x",{"name":"b","arguments":[{"name":"y"}]}]}`)
	require.Len(t, prompts.Prompts, 2)
	require.Len(t, prompts.Prompts[1].Arguments, 1)
	resources := result[sdk.ListResourcesResult](t, `{"resources":[{"uri":"a:b","size":"7 kB"},{"uri":7}]}`)
	require.Equal(t, "a:b", resources.Resources[0].URI)

	read := result[sdk.ReadResourceResult](t, `{"contents":[{"uri":"a:b","blob":"%%"},{"uri":"c:d","text":"t","mimeType":3}]}`)
	require.Contains(t, read.Contents[0].Text, "cannot be decoded")
	require.Equal(t, "t", read.Contents[1].Text)
	prompt := result[sdk.GetPromptResult](t, `{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"x","text":"b"}]},{"role":"user","content":"c"}]}`)
	require.Len(t, prompt.Messages, 3)

	about := result[sdk.InitializeResult](t, `{"protocolVersion":"2025-06-18","capabilities":{"tools":true,"logging":[],"prompts":{"listChanged":"yes"},"resources":7},"serverInfo":{"name":"x"},"instructions":["a"]}`)
	require.NotNil(t, about.Capabilities.Tools)
	require.Nil(t, about.Capabilities.Resources)
	require.Equal(t, "x", about.ServerInfo.Name)
}

func FuzzLines(f *testing.F) {
	for _, c := range noise {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := io.ReadAll(&message.Lines{From: iotest.HalfReader(strings.NewReader(string(data)))})
		require.NoError(t, err)
		for line := range strings.Lines(string(got)) {
			_, err := jsonrpc.DecodeMessage([]byte(line))
			require.NoError(t, err)
		}
	})
}

func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"image","data":"data:;base64,eA"},{"type":"x"}],"isError":1}`))
	f.Add([]byte(`{"content":[{"type":"resource","resource":{"blob":"%"}}],"structuredContent":[]}`))
	f.Add([]byte(`{"content":[{"type":"tool_result","content":[{"type":"x"}]}],"_meta":{"a":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		result[sdk.CallToolResult](t, string(data))
	})
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message\ndata: "+pong+"\n\n: x\r\rdata\nid:\x00\n\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, older bool) {
		got, err := io.ReadAll(&message.Events{From: iotest.HalfReader(strings.NewReader(string(data))), Endpoint: older})
		require.NoError(t, err)
		for line := range strings.Lines(string(got)) {
			require.True(t, line == "\n" || strings.Contains(line, ":"), line)
		}
	})
}
