package toolschema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/mcp/toolschema"
)

const anything = `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object"}]}`

// refused are schemas that providers refuse, each where that was seen, and what becomes of them.
var refused = map[string]struct{ in, want, source string }{
	"no schema":                  {`null`, `{"type":"object","properties":{}}`, "https://github.com/vercel/ai/issues/7005"},
	"an empty list":              {`[]`, `{"type":"object","properties":{}}`, "PHP's json_encode of an empty array"},
	"no properties":              {`{"type":"object"}`, `{"type":"object","properties":{}}`, "https://github.com/openai/openai-agents-python/pull/454"},
	"properties are a list":      {`{"type":"object","properties":[]}`, `{"type":"object","properties":{}}`, "PHP's json_encode of an empty array"},
	"a schema's schema":          {`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","id":"y","properties":{}}`, `{"type":"object","properties":{}}`, "https://github.com/promptfoo/promptfoo/pull/5965"},
	"an object or null":          {`{"type":["object","null"]}`, `{"type":"object","properties":{}}`, "https://github.com/github/copilot-cli/issues/4623"},
	"an array without items":     {of(`{"type":"array"}`), of(`{"type":"array","items":` + anything + `}`), "https://github.com/mark3labs/mcphost/issues/35"},
	"items without a type":       {of(`{"type":"array","items":{}}`), of(`{"type":"array","items":` + anything + `}`), "https://github.com/Automattic/wordpress-mcp/issues/103"},
	"items are a list":           {of(`{"type":"array","items":[{"type":"string"},{"type":"string"}]}`), of(`{"type":"array","items":{"type":"string"}}`), "draft 7 tuples"},
	"prefixItems":                {of(`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}`), of(`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}}`), "https://github.com/Gitlawb/openclaude/pull/1740"},
	"items or null":              {of(`{"type":["array","null"],"items":{"type":["object","null"],"properties":{"v":true}}}`), of(`{"type":"array","items":{"type":"object","properties":{"v":` + anything + `}}}`), "https://github.com/github/copilot-cli/issues/4623"},
	"no type":                    {of(`{"description":"x"}`), of(`{"description":"x",` + anything[1:]), "https://github.com/vercel/ai/issues/7005"},
	"true":                       {of(`true`), of(anything), "https://github.com/mezmo/aura/issues/358"},
	"false":                      {of(`false`), `{"type":"object","properties":{}}`, "https://github.com/can1357/oh-my-pi/pull/5919"},
	"an optional type or null":   {of(`{"type":["string","null"],"default":null}`), of(`{"type":"string"}`), "https://github.com/aoci-spec/aoci-code/issues/61"},
	"a required type or null":    {`{"properties":{"a":{"type":["string","null"]}},"required":["a"]}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"]}`, "https://github.com/aoci-spec/aoci-code/issues/61"},
	"several types":              {of(`{"type":["string","integer"]}`), of(`{"anyOf":[{"type":"string"},{"type":"integer"}]}`), "https://github.com/sbroenne/mcp-server-excel/pull/674"},
	"anyOf with null":            {of(`{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}],"title":"A"}`), of(`{"type":"string","maxLength":3,"title":"A"}`), "https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099"},
	"nullable":                   {of(`{"type":"integer","nullable":true}`), of(`{"type":"integer"}`), "https://github.com/zereight/gitlab-mcp/issues/166"},
	"const":                      {of(`{"const":"insert"}`), of(`{"type":"string","enum":["insert"]}`), "https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099"},
	"const within oneOf":         {of(`{"oneOf":[{"const":"a"},{"const":"b"}]}`), of(`{"type":"string","enum":["a","b"]}`), "https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099"},
	"enum without a type":        {of(`{"enum":["a","b"]}`), of(`{"type":"string","enum":["a","b"]}`), "https://github.com/decolua/9router/issues/359"},
	"enum of numbers":            {of(`{"type":"integer","enum":[1,2],"description":"n"}`), of(`{"type":"integer","description":"n One of: 1,2."}`), "https://github.com/microsoft/azure-devops-mcp/issues/139"},
	"enum with an empty text":    {of(`{"enum":["a",""]}`), of(`{"type":"string","description":"One of: \"a\",\"\"."}`), "https://github.com/Bobsilvio/ha-claude/pull/32"},
	"an empty enum":              {of(`{"type":"string","enum":[]}`), of(`{"type":"string"}`), "https://github.com/elastic/kibana/pull/286302"},
	"enum twice":                 {of(`{"enum":["a","a",null]}`), of(`{"type":"string","enum":["a"]}`), "https://github.com/elastic/kibana/pull/286302"},
	"exclusiveMinimum of draft4": {of(`{"type":"integer","exclusiveMinimum":true,"minimum":0}`), of(`{"type":"integer","minimum":1}`), "https://github.com/SylphxAI/pdf-reader-mcp/issues/63"},
	"exclusiveMaximum":           {of(`{"type":"integer","exclusiveMaximum":10}`), of(`{"type":"integer","maximum":9}`), "https://github.com/SylphxAI/pdf-reader-mcp/issues/63"},
	"exclusive of a number":      {of(`{"type":"number","exclusiveMinimum":0}`), of(`{"type":"number","minimum":0}`), "https://github.com/SylphxAI/pdf-reader-mcp/issues/63"},
	"a format":                   {of(`{"type":"string","format":"uri"}`), of(`{"type":"string","description":"Format: uri"}`), "https://github.com/labring/aiproxy/pull/312"},
	"a date":                     {of(`{"type":"string","format":"date-time"}`), of(`{"type":"string","format":"date-time"}`), "https://github.com/labring/aiproxy/pull/312"},
	"a pattern without anchors":  {of(`{"type":"string","pattern":"[a-z]+"}`), of(`{"type":"string"}`), "https://github.com/containers/kubernetes-mcp-server/issues/758"},
	"a pattern with classes":     {of(`{"type":"string","pattern":"^\\d{4}$"}`), of(`{"type":"string"}`), "https://github.com/ggml-org/llama.cpp/issues/22314"},
	"a plain pattern":            {of(`{"type":"string","pattern":"^[a-z]+$"}`), of(`{"type":"string","pattern":"^[a-z]+$"}`), "https://github.com/containers/kubernetes-mcp-server/issues/758"},
	"not":                        {of(`{"type":"object","not":{}}`), of(`{"type":"object"}`), "https://github.com/ggml-org/llama.cpp/issues/17574"},
	"additionalProperties {}":    {of(`{"type":"object","additionalProperties":{}}`), of(`{"type":"object","additionalProperties":true}`), "https://github.com/netclaw-dev/netclaw/pull/516"},
	"required that is missing":   {`{"properties":{"a":{"type":"string"}},"required":["a","b","a",7]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "https://ai.google.dev/api/caching#Schema"},
	"required of draft 3":        {of(`{"type":"string","required":true}`), `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "draft 3"},
	"oneOf at the top":           {`{"oneOf":[{"properties":{"id":{"type":"string"}},"required":["id"]},{"properties":{"slug":{"type":"string"}},"required":["slug"]}]}`, `{"type":"object","properties":{"id":{"type":"string"},"slug":{"type":"string"}}}`, "https://github.com/dodopayments/dodopayments-typescript/issues/189"},
	"allOf at the top":           {`{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"if":{},"then":{}}]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "https://github.com/anthropics/claude-code/issues/95504"},
	"a kind of each alternative": {`{"anyOf":[{"properties":{"k":{"const":"a"}},"required":["k"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]}`, `{"type":"object","properties":{"k":{"type":"string","enum":["a","b"]}},"required":["k"]}`, "https://github.com/dodopayments/dodopayments-typescript/issues/189"},
	"$ref to $defs":              {`{"$defs":{"X":{"type":"string","maxLength":2}},"properties":{"a":{"$ref":"#/$defs/X","description":"d"}}}`, `{"type":"object","properties":{"a":{"type":"string","maxLength":2,"description":"d"}}}`, "https://github.com/PrefectHQ/fastmcp/pull/2814"},
	"$ref to a property":         {`{"properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}}}`, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}`, "https://github.com/google/adk-python/pull/3880"},
	"a reference in a circle":    {`{"definitions":{"N":{"type":"object","properties":{"next":{"$ref":"#/definitions/N"}}}},"properties":{"a":{"$ref":"#/definitions/N"}}}`, of(`{"type":"object","properties":{"next":` + anything + `}}`), "https://github.com/google/adk-python/issues/3870"},
	"a reference to elsewhere":   {of(`{"$ref":"https://example.com/schema"}`), of(anything), "https://github.com/google/adk-python/pull/3880"},
	"a reference to nothing":     {of(`{"$ref":"#/$defs/none","type":"string"}`), of(`{"type":"string"}`), "https://github.com/stanfordnlp/dspy/pull/10396"},
	"types of other languages":   {`{"properties":{"a":{"type":"STRING"},"b":{"type":"int"},"c":{"type":"dict"},"d":"bool"}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"object"},"d":{"type":"boolean"}}}`, "https://github.com/google-gemini/deprecated-generative-ai-js/issues/320"},
	"counts that are none":       {of(`{"type":"string","minLength":"3","maxLength":-1}`), of(`{"type":"string"}`), "JSON Schema 2020-12, section 6.3"},
	"unknown keywords":           {of(`{"type":"string","x-order":1,"examples":["a"],"example":"a","readOnly":true,"$comment":"c"}`), of(`{"type":"string"}`), "https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099"},
	"a NUL":                      {of(`{"type":"string","description":"a\u0000b"}`), of(`{"type":"string","description":"ab"}`), "Postgres text"},
	"a map":                      {of(`{"type":"object","patternProperties":{"^x":{"type":"integer"}}}`), of(`{"type":"object","additionalProperties":{"type":"integer"}}`), "https://github.com/netclaw-dev/netclaw/pull/516"},
	"alternatives with a type":   {of(`{"type":"object","properties":{"x":{"type":"string"}},"anyOf":[{"required":["x"]}]}`), of(`{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`), "https://github.com/sbroenne/mcp-server-excel/issues/672"},
}

func of(property string) string { return `{"type":"object","properties":{"a":` + property + `}}` }

func mend(t *testing.T, text string) (json.RawMessage, string) {
	t.Helper()
	var in any
	require.NoError(t, json.Unmarshal([]byte(text), &in))
	return toolschema.Mend(in)
}

func TestMend_SchemasThatProvidersRefuseAreMended(t *testing.T) {
	t.Parallel()
	for name, c := range refused {
		got, why := mend(t, c.in)
		require.Empty(t, why, "%s: %s", name, c.source)
		require.JSONEq(t, c.want, string(got), "%s: %s", name, c.source)
	}
}

func TestMend_OrdinarySchemasStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"type":"object","properties":{"text":{"type":"string","description":"what"}},"required":["text"],"additionalProperties":false}`,
		`{"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9,"default":3},"all":{"type":"array","items":{"type":"string"},"minItems":1}}}`,
		`{"type":"object","properties":{"o":{"type":"object","properties":{"k":{"type":"string","enum":["a","b"]}},"required":["k"]}}}`,
	} {
		got, why := mend(t, schema)
		require.Empty(t, why)
		require.JSONEq(t, schema, string(got))
	}
}

func TestMend_SchemasWithoutAMeaningAreLeftOutWithTheReason(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"properties":{"a":`, 70) + `{}` + strings.Repeat(`}}`, 70)
	for schema, want := range map[string]string{
		`"an object, honestly"`:             "is no JSON object",
		`[1]`:                               "is no JSON object",
		`true`:                              "is no JSON object",
		`{"type":"string"}`:                 "does not describe an object",
		`{"type":"null"}`:                   "does not describe an object",
		`{"type":{}}`:                       "does not describe an object",
		`{"properties":["a"]}`:              "properties that are no object",
		of(`{"type":7}`):                    "a type that does not exist",
		of(`{"type":"wibble"}`):             "a type that does not exist",
		of(`{"type":[["string"]]}`):         "a type that does not exist",
		of(deep):                            "nested more than 64 times",
		large(700, strings.Repeat("x", 99)): "more than 64 kB",
	} {
		_, why := mend(t, schema)
		require.Contains(t, why, want, schema[:min(len(schema), 100)])
	}
}

func large(properties int, description string) string {
	all := make([]string, properties)
	for i := range all {
		all[i] = fmt.Sprintf(`"p%d":{"type":"string","description":%q}`, i, description)
	}
	return `{"properties":{` + strings.Join(all, ",") + `}}`
}

// TestMend_ReferencesThatRepeatALotAreCut has references double at each level.
func TestMend_ReferencesThatRepeatALotAreCut(t *testing.T) {
	t.Parallel()
	defs := []string{`"d0":{"type":"string"}`}
	for i := 1; i < 30; i++ {
		defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}},"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i-1, i-1, i-1, i-1))
	}
	got, why := mend(t, `{"properties":{"x":{"$ref":"#/$defs/d29"}},"$defs":{`+strings.Join(defs, ",")+`}}`)
	require.Empty(t, why)
	require.Less(t, len(got), 64<<10)
}

func TestSplit_ArgumentsReachTheServerUnderItsOwnNames(t *testing.T) {
	t.Parallel()
	// https://github.com/freee/freee-mcp/issues/15, https://github.com/vantage-sh/vantage-mcp-server/issues/43
	schema, why := mend(t, `{"properties":{"settings[credits]":{"type":"boolean"},"settings_credits":{"type":"string"},"会社":{"type":"string"},"ok":{"type":"string"}},"required":["settings[credits]","ok"]}`)
	require.Empty(t, why)
	parameters, names := toolschema.Split(schema)
	require.JSONEq(t, `{"type":"object","properties":{"settings_credits_2":{"type":"boolean","title":"settings[credits]"},"settings_credits":{"type":"string"},"argument":{"type":"string","title":"会社"},"ok":{"type":"string"}},"required":["settings_credits_2","ok"]}`, string(parameters))
	require.Equal(t, map[string]string{"settings_credits_2": "settings[credits]", "argument": "会社"}, names)
	require.Equal(t, map[string]any{"settings[credits]": true, "ok": "x", "会社": "y"}, toolschema.Arguments(map[string]any{"settings_credits_2": true, "ok": "x", "argument": "y"}, names))

	plain, names := toolschema.Split(json.RawMessage(`{"type":"object"}`))
	require.JSONEq(t, `{"type":"object"}`, string(plain))
	require.Empty(t, names)
	_, names = toolschema.Split(mustMend(t, `{"properties":{},"x-xbot-names":{"a":"b"}}`))
	require.Empty(t, names, "a server cannot name arguments so")
}

func mustMend(t *testing.T, schema string) json.RawMessage {
	t.Helper()
	out, why := mend(t, schema)
	require.Empty(t, why)
	return out
}

func FuzzMend(f *testing.F) {
	for _, c := range refused {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var in any
		if json.Unmarshal(data, &in) != nil {
			return
		}
		raw, why := toolschema.Mend(in)
		if why != "" {
			return
		}
		require.LessOrEqual(t, len(raw), 64<<10)
		raw, _ = toolschema.Split(raw)
		var out map[string]any
		require.NoError(t, json.Unmarshal(raw, &out))
		require.Equal(t, "object", out["type"])
		checkAccepted(t, out)
		again, why := toolschema.Mend(out)
		require.Empty(t, why)
		require.Equal(t, string(raw), string(again))
	})
}

// checkAccepted requires of a schema what the strictest providers require.
func checkAccepted(t *testing.T, schema map[string]any) {
	t.Helper()
	if schema["anyOf"] == nil {
		require.IsType(t, "", schema["type"])
	}
	for _, key := range []string{"$ref", "$defs", "oneOf", "allOf", "not", "const", "nullable", "exclusiveMinimum", "$schema", "id"} {
		require.NotContains(t, schema, key)
	}
	if schema["type"] == "array" {
		require.IsType(t, map[string]any{}, schema["items"])
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, property := range properties {
		checkAccepted(t, property.(map[string]any))
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		require.Contains(t, properties, name)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := schema[key].(map[string]any); ok {
			checkAccepted(t, inner)
		}
	}
	alternatives, _ := schema["anyOf"].([]any)
	for _, one := range alternatives {
		checkAccepted(t, one.(map[string]any))
	}
}
