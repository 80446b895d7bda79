package delivery

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Limits of the text of a call shown to the user who is asked to permit it on a platform, in characters. The text states how much is left out.
const (
	maxWanted    = 3000 // of the main argument
	maxBeside    = 400  // of each other one
	maxName      = 60   // of the name of an argument
	maxArguments = 12
)

// telling are the arguments that say what a call is about, the most telling first, as on the page.
var telling = []string{"command", "path", "output_path", "url", "pattern"}

// wanted shows the effect of a call: the main argument as a block of code, the others by their names. Invisible characters are written out, so that
// the text read is the text run.
func wanted(call chat.ToolCall, lang i18n.Lang) string {
	arguments, ok := readArguments(call.Arguments)
	if !ok {
		return block(call.Arguments, lang)
	}
	delete(arguments, "reason")
	names := slices.Sorted(maps.Keys(arguments))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	var parts []string
	for i, name := range names {
		switch {
		case i >= maxArguments:
			return strings.Join(append(parts, "…"), "\n\n")
		case i == 0 && (rank(name) < len(telling) || len(names) == 1):
			parts = append(parts, block(arguments[name], lang))
		default:
			value, more := shortened(arguments[name], maxBeside, lang)
			called, _ := shortened(name, maxName, lang)
			parts = append(parts, strings.TrimSpace(markdown.Line(called)+": "+markdown.Line(value)+" "+more))
		}
	}
	return strings.Join(parts, "\n\n")
}

// changes returns what a call would change, where that is known, else its arguments.
func changes(call chat.ToolCall, lang i18n.Lang) string {
	if call.Approval == nil || call.Approval.Preview == "" {
		return wanted(call, lang)
	}
	return block(call.Approval.Preview, lang)
}

func rank(name string) int {
	if i := slices.Index(telling, name); i >= 0 {
		return i
	}
	return len(telling)
}

// readArguments reads a JSON object as texts.
func readArguments(raw string) (map[string]string, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &members) != nil || len(members) == 0 {
		return nil, false
	}
	out := map[string]string{}
	for name, value := range members {
		var text string
		if json.Unmarshal(value, &text) == nil && bytes.HasPrefix(bytes.TrimSpace(value), []byte(`"`)) {
			out[name] = text
			continue
		}
		out[name] = string(value)
	}
	return out, true
}

// block returns a value as a block of code.
func block(text string, lang i18n.Lang) string {
	text, more := shortened(text, maxWanted, lang)
	return strings.TrimSpace(markdown.Block(strings.TrimRight(text, "\n")) + "\n\n" + more)
}

// shortened returns the visible text, at most so many characters of it, and a sentence with the number of characters left out.
func shortened(text string, most int, lang i18n.Lang) (short, more string) {
	r := []rune(text)
	if len(r) <= most {
		return markdown.Visible(text), ""
	}
	return markdown.Visible(string(r[:most])) + "…", i18n.Say(lang, i18n.AskCut, len(r)-most)
}
