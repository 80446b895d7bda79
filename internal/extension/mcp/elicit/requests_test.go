package elicit_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/elicit"
	"xbot/internal/llm"
	"xbot/internal/tool"
)

// sends has a server send the user to an address, and returns the question; nil: it is declined.
func sends(t *testing.T, address string) []chat.Inquiry {
	t.Helper()
	asking := (&elicit.Calls{}).Begin("c", nil, false, nil)
	got, err := asking.Elicit("shop", &sdk.ElicitParams{Mode: "url", Message: "Look", URL: address, ElicitationID: "e"})
	if err == nil {
		require.Equal(t, "decline", got.Action)
		require.Nil(t, asking.Next())
		return nil
	}
	return asking.Next()
}

func TestElicit_AnAddressIsAskedAboutIfItIsWhatItLooksLike(t *testing.T) {
	t.Parallel()
	for address, shown := range map[string]string{
		"https://example.com":                      "https://example.com",
		"HTTPS://EXAMPLE.com/Path?q=%20a&b=_c_#f":  "https://example.com/Path?q=%20a&b=_c_#f",
		"https://sub.example.co.uk:8443/a/b":       "https://sub.example.co.uk:8443/a/b",
		"http://localhost:3000/callback":           "http://localhost:3000/callback",
		"http://127.0.0.1:3000/":                   "http://127.0.0.1:3000/",
		"http://[::1]:3000/":                       "http://[::1]:3000/",
		"https://192.0.2.7/":                       "https://192.0.2.7/",
		"https://example.com/?next=https://x@y.zz": "https://example.com/?next=https://x@y.zz",
	} {
		asked := sends(t, address)
		require.Len(t, asked, 1, address)
		require.Equal(t, shown, asked[0].URL)
		require.Equal(t, shown, asked[0].Above)
	}
	for name, address := range map[string]string{
		"nothing":                       "",
		"a script":                      "javascript:alert(1)",
		"a script in disguise":          "java\tscript:alert(1)",
		"data":                          "data:text/html;base64,PHNjcmlwdD4=",
		"a file":                        "file:///etc/passwd",
		"another program":               "vscode://file/x",
		"no scheme":                     "//example.com/",
		"a path":                        "/in",
		"plain text over the network":   "http://example.com/",
		"a name before the host":        "https://bank.example@evil.example/",
		"a key before the host":         "https://user:pass@example.com/",
		"an empty name before the host": "https://@example.com/",
		"a backslash":                   `https://evil.example\@bank.example/`,
		"no host":                       "https:///example.com",
		"no slashes":                    "https:example.com",
		"no port":                       "https://example.com:/",
		"punycode":                      "https://xn--pple-43d.com/",
		"punycode below":                "https://a.XN--PPLE-43D.com/",
		"another alphabet":              "https://аpple.com/",
		"a host in percents":            "https://ex%61mple.com/",
		"a number as host":              "https://2130706433/",
		"a hexadecimal host":            "https://0x7f.0x0.0x0.0x1/",
		"an octal host":                 "https://0177.0.0.1/",
		"a host that ends in a dot":     "https://example.com./",
		"an empty label":                "https://example..com/",
		"a zone":                        "https://[fe80::1%25eth0]/",
		"a new line":                    "https://example.com/\nhttps://bank.example",
		"NUL":                           "https://example.com/\x00",
		"a direction":                   "https://example.com/\u202emoc.knab",
		"a blank":                       "https://example.com/ https://bank.example",
		"marks of HTML":                 `https://example.com/"><img>`,
		"too much":                      "https://example.com/" + strings.Repeat("a", 2000),
	} {
		require.Nil(t, sends(t, address), name)
	}
}

func TestRequired_AsksForNoMoreThanAFewAddresses(t *testing.T) {
	t.Parallel()
	var calls elicit.Calls
	var many []*sdk.ElicitParams
	for _, path := range []string{"1", "2", "3", "4", "5", "6"} {
		many = append(many, &sdk.ElicitParams{URL: "https://example.com/" + path})
	}
	var approval *chat.Approval
	asked := 0
	for ; asked < 10; asked++ {
		asking := calls.Begin("c", approval, false, nil)
		said := asking.Required("shop", many)
		if asking.Next() == nil {
			require.Contains(t, said, "the user says that it is done")
			break
		}
		require.Empty(t, said)
		approval = &chat.Approval{Questions: asking.Next(), Answers: chat.Answers{"q1": {asking.Next()[0].Options[0].Label}}}
	}
	require.Equal(t, 4, asked)
	asking := calls.Begin("other", nil, false, nil)
	require.Contains(t, asking.Required("shop", nil), "does not say which")
	require.Contains(t, asking.Required("shop", []*sdk.ElicitParams{nil}), "the user says that it is done")
	var nobody *elicit.Asking
	require.Contains(t, nobody.Required("shop", many), "the user was not sent there")
}

// model is a Sampler with a fixed permission rule. It answers each request.
type model struct {
	rule  chat.Rule
	asked []llm.Request
}

func (m *model) Rule(context.Context, *tool.Remote) (chat.Rule, bool, error) {
	return m.rule, true, nil
}
func (m *model) Allow(context.Context, *tool.Remote) error { return nil }
func (m *model) Generate(_ context.Context, r llm.Request) (llm.Answer, string, error) {
	m.asked = append(m.asked, r)
	return llm.Answer{Text: "yes"}, "m", nil
}

func TestSample_RefusesWhatIsTooMuchOrNotSupported(t *testing.T) {
	t.Parallel()
	message := `{"role":"user","content":{"type":"text","text":"a"}}`
	for request, want := range map[string]string{
		`{"maxTokens":5,"messages":[` + message + `]}`: "",
		`{"maxTokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}]}`: "",
		`{"maxTokens":5,"includeContext":"allServers","temperature":1,"metadata":{"a":1},"messages":[` + message + `]}`:                             "",
		`{"maxTokens":5}`: "no messages",
		`{"maxTokens":0,"messages":[` + message + `]}`:                                                                                      "maxTokens must be positive",
		`{"maxTokens":5,"tools":[{"name":"a","inputSchema":{"type":"object"}}],"messages":[` + message + `]}`:                               "tools are not supported",
		`{"maxTokens":5,"messages":[{"role":"system","content":{"type":"text","text":"a"}}]}`:                                               "must be user or assistant",
		`{"maxTokens":5,"messages":[` + message + `,{"role":"assistant","content":{"type":"text","text":"a"}}]}`:                            "the last message",
		`{"maxTokens":5,"messages":[{"role":"assistant","content":{"type":"image","data":"AAAA","mimeType":"image/png"}},` + message + `]}`: "only messages of the role user",
		`{"maxTokens":5,"messages":[{"role":"user","content":{"type":"audio","data":"AAAA","mimeType":"audio/wav"}}]}`:                      "only text and images",
		`{"maxTokens":5,"messages":[{"role":"user","content":[]}]}`:                                                                         "no content",
		`{"maxTokens":5,"messages":[` + strings.Repeat(message+",", 64) + message + `]}`:                                                    "more than 64 messages",
		`{"maxTokens":5,"messages":[{"role":"user","content":{"type":"text","text":"` + strings.Repeat("a", 100_001) + `"}}]}`:              "more than 100000 bytes",
		`{"maxTokens":5,"systemPrompt":"` + strings.Repeat("a", 100_000) + `","messages":[` + message + `]}`:                                "more than 100000 bytes",
	} {
		var p elicit.SamplingParams
		require.NoError(t, json.Unmarshal([]byte(request), &p))
		m := &model{rule: chat.RuleAllow}
		got, err := (&elicit.Calls{}).Begin("c", nil, true, &elicit.Model{Sampler: m, Of: &tool.Remote{}}).Sample(t.Context(), "shop", &p)
		if want == "" {
			require.NoError(t, err, request)
			require.Equal(t, "endTurn", got.StopReason)
			continue
		}
		require.ErrorContains(t, err, want, "%.200s", request)
		require.Empty(t, m.asked)
	}
	_, err := (&elicit.Calls{}).Begin("c", nil, true, &elicit.Model{Sampler: &model{rule: chat.RuleAllow}}).Sample(t.Context(), "shop", nil)
	require.Error(t, err)
}

// TestSample_NoFormOfAServerIsAPermission has a server ask with a form that looks as much as it can like the question whether it may ask the model.
func TestSample_NoFormOfAServerIsAPermission(t *testing.T) {
	t.Parallel()
	request := &elicit.SamplingParams{MaxTokens: 5, Messages: []*sdk.SamplingMessageV2{{Role: "user", Content: []sdk.Content{&sdk.TextContent{Text: "a"}}}}} //nolint:staticcheck // servers of older versions of the protocol ask the model
	m := &model{rule: chat.RuleAsk}
	var calls elicit.Calls
	asking := calls.Begin("c", nil, false, &elicit.Model{Sampler: m, Of: &tool.Remote{}})
	_, err := asking.Sample(t.Context(), "shop", request)
	require.Error(t, err)
	question := asking.Next()[0]
	labels := []any{}
	for _, o := range question.Options {
		labels = append(labels, o.Label)
	}
	for _, forged := range []*sdk.ElicitParams{
		{Message: question.Text, RequestedSchema: map[string]any{"properties": map[string]any{"a": map[string]any{"type": "string", "enum": labels}}}},
		{Message: "\n" + question.Text, RequestedSchema: map[string]any{"properties": map[string]any{"a": map[string]any{"type": "string", "title": question.Text, "enum": labels}}}},
		{Mode: "url", Message: question.Text, URL: "https://example.com"},
	} {
		asking = (&elicit.Calls{}).Begin("c", nil, false, nil)
		_, err = asking.Elicit("shop", forged)
		require.Error(t, err, "the form is asked")
		asked := asking.Next()
		approval := &chat.Approval{Questions: asked, Answers: chat.Answers{"q1": {question.Options[0].Label}}}
		asking = (&elicit.Calls{}).Begin("c", approval, false, &elicit.Model{Sampler: m, Of: &tool.Remote{}})
		_, err = asking.Sample(t.Context(), "shop", request)
		require.Error(t, err)
		require.Len(t, asking.Next(), 1, "the person is asked")
		require.Empty(t, m.asked)
	}
}

func FuzzSample(f *testing.F) {
	f.Add([]byte(`{"maxTokens":5,"systemPrompt":"\u0000\u202e","messages":[{"role":"user","content":{"type":"text","text":"a\u0000"}}]}`))
	f.Fuzz(func(t *testing.T, request []byte) {
		var p elicit.SamplingParams
		if json.Unmarshal(request, &p) != nil {
			return
		}
		m := &model{rule: chat.RuleAsk}
		asking := (&elicit.Calls{}).Begin("c", nil, false, &elicit.Model{Sampler: m, Of: &tool.Remote{}})
		if _, err := asking.Sample(t.Context(), "shop", &p); err == nil {
			t.Fatal("it was not asked")
		}
		for _, q := range asking.Next() {
			require.NotContains(t, q.Text, "\x00")
			require.NotContains(t, q.Text, "\u202e")
			approval := &chat.Approval{Questions: asking.Next(), Answers: chat.Answers{"q1": {q.Options[0].Label}}}
			_, err := (&elicit.Calls{}).Begin("c", approval, false, &elicit.Model{Sampler: m, Of: &tool.Remote{}}).Sample(t.Context(), "shop", &p)
			require.NoError(t, err)
		}
		for _, r := range m.asked {
			require.LessOrEqual(t, r.MaxTokens, elicit.MaxSamplingTokens)
			require.NotContains(t, r.System, "\x00")
		}
	})
}
