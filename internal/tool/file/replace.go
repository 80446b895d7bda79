package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

//go:embed filereplace.md
var replaceDoc string

type replaceParams struct {
	Path       string `json:"path"`
	OldString  string `json:"old_string"`
	NewString  string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all,omitempty"`
	Regex      bool   `json:"regex,omitempty" jsonschema:"old_string is RE2, with ^ and $ at lines; new_string may hold $1."`
	StartLine  int    `json:"start_line,omitempty" jsonschema:"First line to search."`
	EndLine    int    `json:"end_line,omitempty" jsonschema:"Last line to search."`
	Reason     string `json:"reason,omitempty"` // see tool.Reason
}

type replace struct{ journal Journal }

// NewReplace returns the tool FileReplace.
//
// An edit cannot be repeated blindly: where new_string contains old_string, a second run would find it again and edit
// twice, and the file does not show which of the two cases it is. So the hashes of the file before and after are noted in
// the journal first. An attempt after a crash asks the runner, which remembers the edits that it carried out. If it knows of none,
// the file is as it was (and is written), as it should be (a success), or changed by another writer (reported, without touching it). The
// runner writes only where the file still is what was read, and once for each call.
func NewReplace(journal Journal) tool.Tool {
	return tool.DefineQuick("FileReplace", chat.ClassIdempotent, replaceDoc, replace{journal}, tool.OnRunner)
}

// intent is the note of an edit before it writes.
type intent struct {
	Before string `json:"before"` // SHA-256 of the whole file, hexadecimal
	After  string `json:"after"`
	Result string `json:"result"`
	Diff   string `json:"diff,omitempty"`
}

// done returns the result of an edit that was carried out.
func (i intent) done() chat.ToolResult { return chat.ToolResult{Content: i.Result, Diff: i.Diff} }

func (replace) Summary(p replaceParams) string { return p.Path }

func (replace) Pattern() chat.PatternKind { return chat.PatternPath }

func (replace) Subject(p replaceParams) string { return p.Path }

func (r replace) Run(ctx context.Context, call tool.Call, p replaceParams) (chat.ToolResult, error) {
	noted, err := r.noted(ctx, call.ID)
	if err != nil {
		return tool.FromError(err)
	}
	if noted != nil {
		if done, err := call.Box.Edited(ctx, call.ID); err != nil {
			return tool.FromError(err)
		} else if done {
			return noted.done(), nil
		}
	}
	src, err := load(ctx, call, p.Path)
	if err != nil {
		return tool.FromError(err)
	}
	now := sum(src.data)
	if noted != nil && now == noted.After {
		return noted.done(), nil
	}
	if noted != nil && now != noted.Before {
		return tool.Fail("outcome unknown: %s was changed by something else while this edit was interrupted and tried again; Read it, and edit again only if the edit is not there", src.path), nil
	}
	edited, lines, err := src.apply(p)
	if err != nil {
		return tool.FromError(err)
	}
	data, err := src.encode(edited)
	if err != nil {
		return tool.FromError(err)
	}
	if noted == nil {
		file := call.Short(src.path)
		noted = &intent{Before: now, After: sum(data), Result: describeEdit(file, lines), Diff: difference(file, src.content, edited)}
		if err := r.note(ctx, call.ID, *noted); err != nil {
			return tool.FromError(err)
		}
	}
	if ctx.Err() != nil { // a later attempt may already be at work
		return chat.ToolResult{}, context.Cause(ctx)
	}
	_, err = call.Box.Edit(ctx, sandbox.Edit{ID: call.ID, Path: src.path, From: bytes.NewReader(data), Mode: sandbox.WriteReplace, Before: now})
	if fault.Is(err, fault.Conflict) {
		return tool.Fail("%s was changed by something else while it was edited, and nothing was written; Read it, and edit again", src.path), nil
	}
	if err != nil {
		return tool.FromError(err)
	}
	return noted.done(), nil
}

func (r replace) noted(ctx context.Context, id chat.CallID) (*intent, error) {
	text, err := r.journal.Intent(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the intent of call %s: %w", id, err)
	}
	if text == "" {
		return nil, nil
	}
	noted := new(intent)
	if err := json.Unmarshal([]byte(text), noted); err != nil {
		return nil, fmt.Errorf("read the intent of call %s: %w", id, err)
	}
	return noted, nil
}

func (r replace) note(ctx context.Context, id chat.CallID, planned intent) error {
	text, err := json.Marshal(planned)
	if err != nil {
		return fmt.Errorf("write the intent of call %s: %w", id, err)
	}
	if err := r.journal.SetIntent(ctx, id, string(text)); err != nil {
		return fmt.Errorf("write the intent of call %s: %w", id, err)
	}
	return nil
}

func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

func describeEdit(file string, lines []int) string {
	return fmt.Sprintf("Replaced %s in %s at %s.", tool.Count(len(lines), "place"), file, lineList(lines))
}

// lineList names line numbers, the first few of many.
func lineList(lines []int) string {
	const shown = 10
	names := make([]string, 0, shown)
	for _, line := range lines[:min(len(lines), shown)] {
		names = append(names, fmt.Sprint(line))
	}
	noun := "line "
	if len(lines) > 1 {
		noun = "lines "
	}
	list := noun + strings.Join(names, ", ")
	if len(lines) > shown {
		list += ", …"
	}
	return list
}
