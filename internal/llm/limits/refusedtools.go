package limits

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/llm"
)

const maxRefusal = 8 << 10 // bytes of a refusal that are read

// notOfDefinitions are words of refusals that name a tool for another reason than its definition: what the model wrote, or what the conversation holds.
var notOfDefinitions = regexp.MustCompile(`(?i)tool call validation|did not match schema|attempted to call|failed_generation|tool_use_failed|thought_signature`)

// The places by which providers name a tool: "tools[3].function.parameters", "tools.3.custom.input_schema", ["body","tools",3,"function","name"],
// "tools[0].function_declarations[3].name". Each is read after separators has made dots of all brackets, quotes, commas and arrows.
var (
	separators  = regexp.MustCompile(`\s*(?:->|[\[\](){}'"‘’“”,` + "`" + `])+\s*|\.`)
	dots        = regexp.MustCompile(`\.{2,}`)
	place       = regexp.MustCompile(`(?:^|[^a-z_])tools\.(\d{1,4})\.(member\.)?(?:[a-z_]+\.){0,2}(?:name|description|parameters|input_?schema)\b`)
	placeGemini = regexp.MustCompile(`(?:^|[^a-z_])tools\.(\d{1,4})\.function_?declarations\.(\d{1,4})\.(?:name|description|parameters)`)
)

// names are the phrases in which providers name a tool by its name, which is the first group.
var names = func() (out []*regexp.Regexp) {
	const quote, name = `['"‘’“”` + "`" + `]`, `([\w.:/-]{1,128})`
	for _, phrase := range []string{
		`schema (?:for|of|in) (?:the )?(?:function|tool) ` + quote + `?` + name,
		quote + `?` + name + quote + `? function_?declaration`,
		`(?:validate|compile|convert|parse) (?:the )?tool ` + quote + `?` + name,
		`duplicate (?:function|tool)(?: declaration| name)?s?(?: found)?:? ` + quote + `?` + name,
		`(?:parameters|description|definition|name) (?:of|for|in) (?:the )?(?:function|tool) ` + quote + `?` + name,
		`(?:function|tool) ` + quote + name + quote + `:? (?:has|is|contains|uses)? ?(?:an? )?(?:invalid|unsupported|malformed)[^.]{0,20} (?:schema|parameters|description|name|definition)`,
	} {
		out = append(out, regexp.MustCompile(`(?i)`+phrase))
	}
	return out
}()

// RefusedTools returns the tools of a request whose definition a provider has refused, by the words of its refusal. It returns none if the refusal names no
// tool, or all of several: then the form of the request is at fault, and no tool.
func RefusedTools(refusal string, tools []llm.Tool) []llm.Tool {
	refusal = refusal[:min(len(refusal), maxRefusal)]
	if len(tools) == 0 || notOfDefinitions.MatchString(refusal) {
		return nil
	}
	refused := make([]bool, len(tools))
	markPlaces(refusal, refused)
	markNames(refusal, tools, refused)
	markSchemas(refusal, tools, refused)
	var out []llm.Tool
	for i, is := range refused {
		if is {
			out = append(out, tools[i])
		}
	}
	if len(out) == len(tools) && len(tools) > 1 {
		return nil
	}
	return out
}

// markPlaces marks the tools that the refusal names by their place in the request.
func markPlaces(refusal string, refused []bool) {
	mark := func(at int) {
		if at >= 0 && at < len(refused) {
			refused[at] = true
		}
	}
	path := dots.ReplaceAllString(separators.ReplaceAllString(strings.ToLower(refusal), "."), ".")
	if found := placeGemini.FindAllStringSubmatch(path, -1); found != nil {
		for _, m := range found {
			list, at := index(m[1]), index(m[2])
			if list > 0 && at > 0 {
				continue // several lists of functions: the place in the request is not known
			}
			mark(list + at)
		}
		return
	}
	for _, m := range place.FindAllStringSubmatch(path, -1) {
		at := index(m[1])
		if m[2] != "" {
			at-- // AWS counts members from 1
		}
		mark(at)
	}
}

// index returns -1 if the digits are no number.
func index(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// markNames marks the tools that the refusal names.
func markNames(refusal string, tools []llm.Tool, refused []bool) {
	for _, phrase := range names {
		for _, m := range phrase.FindAllStringSubmatch(refusal, -1) {
			name := strings.TrimRight(m[1], ".:/")
			if at := slices.IndexFunc(tools, func(t llm.Tool) bool { return t.Name == name }); at >= 0 {
				refused[at] = true
			}
		}
	}
}

// unknownSchema begins a part of a schema that llama.cpp cannot convert, as JSON. It names no tool.
const unknownSchema = "Unrecognized schema: "

// markSchemas marks the tools whose parameters contain a schema that the refusal quotes.
func markSchemas(refusal string, tools []llm.Tool, refused []bool) {
	for {
		var found bool
		if _, refusal, found = strings.Cut(refusal, unknownSchema); !found {
			return
		}
		var quoted json.RawMessage
		if json.NewDecoder(strings.NewReader(refusal)).Decode(&quoted) != nil || len(quoted) <= len("{}") {
			continue
		}
		part := compact(quoted)
		for i, t := range tools {
			if bytes.Contains(compact(t.Parameters), part) {
				refused[i] = true
			}
		}
	}
}

func compact(schema json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, schema) != nil {
		return schema
	}
	return out.Bytes()
}
