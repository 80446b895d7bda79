package demo

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// call is a tool call that a request asks for. Arguments are structs, so that their order is fixed.
type call struct {
	tool string
	args any
}

type (
	shellArgs struct {
		Command    string `json:"command"`
		Timeout    int    `json:"timeout,omitempty"` // seconds
		Background bool   `json:"background,omitempty"`
	}
	downloadArgs struct {
		URL  string `json:"url"`
		Path string `json:"output_path"`
	}
	pathArgs struct {
		Path string `json:"path"`
	}
	createArgs struct {
		Path    string `json:"path"`
		Content string `json:"content"`
		Rewrite bool   `json:"rewrite,omitempty"`
	}
	replaceArgs struct {
		Path string `json:"path"`
		Old  string `json:"old_string"`
		New  string `json:"new_string"`
	}
	globArgs struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path,omitempty"`
	}
	grepArgs struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path,omitempty"`
	}
	todoArgs struct {
		Todos []todo `json:"todos"`
	}
	todo struct {
		ID   string `json:"id"`
		Text string `json:"text"`
		Done bool   `json:"done"`
	}
	memoryArgs struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	noArgs struct{}
)

func (c call) arguments() string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // people read "a && b" in the page
	if err := encoder.Encode(c.args); err != nil {
		panic(err) // structs of strings, numbers and booleans always encode
	}
	return strings.TrimSpace(text.String())
}

// maxRequestBytes bounds what is taken for a request; longer texts are talk, and no rule is tried on them.
const maxRequestBytes = 16 << 10

// understand returns the calls that a message asks for: one for each line when every line is a request, otherwise one
// for the whole message, or none.
func understand(message string) []call {
	if len(message) > maxRequestBytes {
		return nil
	}
	var calls []call
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		c, ok := request(line)
		if !ok {
			calls = nil
			break
		}
		calls = append(calls, c)
	}
	if len(calls) > 0 {
		return calls
	}
	if c, ok := request(strings.TrimSpace(message)); ok {
		return []call{c}
	}
	return nil
}

var (
	courtesy = regexp.MustCompile(`(?i)^(?:(?:please|pls|can you|could you|would you|now|then|请你?|麻烦你?|帮我|帮忙|给我|现在|然后)[,，]?\s*)+`)
	behind   = regexp.MustCompile(`(?i)(?:[,，]?\s+in (?:the )?background|^在?后台\s*)`)
	trailing = regexp.MustCompile(`(?i)[,，]?\s*(?:please|thanks|thank you|谢谢)?[.!?。！？]*$`)
)

// request finds the rule that a text follows.
func request(text string) (call, bool) {
	text = courtesy.ReplaceAllString(text, "")
	if at := behind.FindStringIndex(text); at != nil && (at[0] == 0 || at[1] == len(text)) {
		return inBackground(text[:at[0]] + text[at[1]:])
	}
	for _, r := range rules {
		if found := r.pattern.FindStringSubmatch(text); found != nil {
			groups := map[string]string{}
			for i, name := range r.pattern.SubexpNames() {
				if name != "" && groups[name] == "" {
					groups[name] = found[i]
				}
			}
			if c, ok := r.build(groups); ok {
				return c, true
			}
		}
	}
	return call{}, false
}

// inBackground is a request for a command that is not to be waited for.
func inBackground(text string) (call, bool) {
	c, ok := request(text)
	if args, isShell := c.args.(shellArgs); ok && isShell {
		args.Background, args.Timeout = true, 0
		return call{c.tool, args}, true
	}
	return c, ok
}
