package window

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/runner/pattern"
)

// Placeholders for content that an edit removed.
const (
	removedText   = "[removed from the context]"
	removedResult = "[result removed from the context]"
	keptArgument  = 200 // runes of each text in the arguments of a call whose result was removed
)

// Edits returns the edits in force, oldest first, by the ids of their records: undone ones are omitted.
func Edits(controls []chat.Control) []chat.Control {
	undone := map[chat.ControlID]bool{}
	for _, c := range controls {
		if c.Kind == chat.ControlUndo {
			undone[c.Undo] = true
		}
	}
	var out []chat.Control
	for _, c := range controls {
		if c.Kind == chat.ControlEdit && c.Edit != nil && !undone[c.ID] {
			out = append(out, c)
		}
	}
	return out
}

func (f *fold) edit(controls []chat.Control) {
	for _, c := range Edits(controls) {
		f.apply(*c.Edit)
	}
}

// apply applies one edit. If its target is gone, it does nothing.
func (f *fold) apply(e chat.Edit) {
	if e.Action == chat.EditDeleteTurn {
		f.lines = slices.DeleteFunc(f.lines, func(l chat.Line) bool { return e.Turn != "" && l.Message.Turn == e.Turn })
		return
	}
	at, found := slices.BinarySearchFunc(f.lines, e.Message, func(l chat.Line, id chat.MessageID) int { return int(l.Message.ID - id) })
	if !found {
		return
	}
	if e.Call == "" {
		f.editLine(&f.lines[at], e)
		return
	}
	for i := range f.lines[at].Message.ToolCalls {
		if call := &f.lines[at].Message.ToolCalls[i]; call.ID == e.Call {
			f.editCall(call, e)
			f.lines[at].Opaque = nil // it repeats the arguments
		}
	}
}

// editLine changes the text of a message. Deleting a message also removes its calls.
func (f *fold) editLine(l *chat.Line, e chat.Edit) {
	l.Opaque = nil // it repeats the text
	if e.Action != chat.EditDelete {
		l.Message.Content = Change(e, l.Message.Content)
		return
	}
	l.Message.Content, l.Message.Reasoning, l.Message.ToolCalls, l.Message.Pictures = removedText, "", nil, nil
}

// editCall changes the result of a call, and shortens long texts of its arguments if the result is removed.
func (f *fold) editCall(call *chat.ToolCall, e chat.Edit) {
	switch e.Action {
	case chat.EditDelete:
		f.removed[call.ID] = true
		call.Result, call.Pictures = removedResult, nil
		call.Arguments = shortArguments(call.Arguments, keptArgument)
	case chat.EditTruncate:
		call.Result = Change(e, call.Result)
		call.Arguments = shortArguments(call.Arguments, max(e.MaxChars, keptArgument))
	default:
		call.Result = Change(e, call.Result)
	}
}

// Change returns a text after a truncation or a replacement. It is unchanged if an expression does not compile, is too large for the text,
// since each step would search again, or if a replacement would fill the context.
func Change(e chat.Edit, text string) string {
	switch {
	case e.Action == chat.EditTruncate:
		return ends(text, e.MaxChars, 0)
	case e.Action != chat.EditReplace || e.Old == "":
		return text
	case e.Regex:
		return replaceExpression(e, text)
	case strings.Count(text, e.Old)*(len(e.New)-len(e.Old)) > mostGrowth:
		return text
	}
	return strings.ReplaceAll(text, e.Old, e.New)
}

// Bounds of one replacement, for every display of it.
const (
	mostGrowth  = 64 << 10 // bytes
	mostMatches = 20_000
)

func replaceExpression(e chat.Edit, text string) string {
	re, err := pattern.CompileExpression(e.Old)
	if err != nil || !re.Fits(len(text)) {
		return text
	}
	matches := re.FindAllStringSubmatchIndex(text, mostMatches+1)
	if len(matches) > mostMatches {
		return text
	}
	out, end := make([]byte, 0, len(text)), 0
	for _, m := range matches {
		out = append(out, text[end:m[0]]...)
		if out = re.ExpandString(out, e.New, text, m); len(out)-m[1] > mostGrowth {
			return text
		}
		end = m[1]
	}
	return string(append(out, text[end:]...))
}

// shortArguments cuts long texts in the arguments of a call; they remain JSON. Invalid ones are returned unchanged.
func shortArguments(arguments string, limit int) string {
	if utf8.RuneCountInString(arguments) <= limit || !json.Valid([]byte(arguments)) {
		return arguments
	}
	decoder := json.NewDecoder(strings.NewReader(arguments))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return arguments
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(shortValue(value, limit)); err != nil || out.Len() >= len(arguments) {
		return arguments
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func shortValue(value any, limit int) any {
	switch v := value.(type) {
	case string:
		return ends(v, limit, 0)
	case []any:
		for i := range v {
			v[i] = shortValue(v[i], limit)
		}
	case map[string]any:
		for key := range v {
			v[key] = shortValue(v[key], limit)
		}
	}
	return value
}

// leftOut returns the placeholder for omitted runes of a text.
func leftOut(runes int) string { return fmt.Sprintf(" [… %d characters left out …] ", runes) }
