package file

import (
	"context"
	_ "embed"
	"path"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

//go:embed filecreate.md
var createDoc string

type createParams struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	Rewrite bool   `json:"rewrite,omitempty"`
	Reason  string `json:"reason,omitempty"` // see tool.Reason
}

type create struct{}

// NewCreate returns the tool FileCreate. It needs no journal: the runner writes once for each call, and a file that already holds
// exactly the wanted content is the wanted outcome, whoever wrote it.
func NewCreate() tool.Tool {
	return tool.DefineQuick("FileCreate", chat.ClassIdempotent, createDoc, create{}, tool.OnRunner)
}

func (create) Summary(p createParams) string { return p.Path }

func (create) Pattern() chat.PatternKind { return chat.PatternPath }

func (create) Subject(p createParams) string { return p.Path }

func (create) Run(ctx context.Context, call tool.Call, p createParams) (chat.ToolResult, error) {
	file, err := call.Path(p.Path)
	if err != nil {
		return tool.FromError(err)
	}
	if len(p.Content) > maxFile {
		return tool.Fail("the content has %d bytes, at most %d can be written", len(p.Content), maxFile), nil
	}
	info, err := call.Box.Stat(ctx, file)
	if fault.Is(err, fault.Unavailable) {
		return tool.FromError(err)
	}
	if strings.HasSuffix(p.Path, "/") || isFolder(info, err) {
		return tool.Fail("%s is a folder; give the path of a file", file), nil
	}
	if err := call.Box.MkdirAll(ctx, path.Dir(file)); err != nil {
		return tool.FromError(err)
	}
	mode := sandbox.WriteCreate
	if p.Rewrite {
		mode = sandbox.WriteReplace
	}
	before, err := replaced(ctx, call, info, p)
	if err != nil {
		return tool.FromError(err)
	}
	_, err = call.Box.Edit(ctx, sandbox.Edit{ID: call.ID, Path: file, From: strings.NewReader(p.Content), Mode: mode})
	if fault.Is(err, fault.Conflict) {
		return existing(ctx, call, file, p)
	}
	if err != nil {
		return tool.FromError(err)
	}
	result := written(call, file, p)
	result.Diff = difference(call.Short(file), before, p.Content)
	return result, nil
}

// replaced is the text that the call replaces, for people to see what was changed; empty for a new file. What is too large to be shown is
// not read.
func replaced(ctx context.Context, call tool.Call, info sandbox.FileInfo, p createParams) (string, error) {
	if !p.Rewrite || info.Size == 0 || info.Size > maxPreviewed {
		return "", nil
	}
	data, err := call.Box.ReadFile(ctx, info.Path, 0, maxPreviewed)
	if fault.Is(err, fault.Unavailable) {
		return "", err
	}
	return string(data.Data), nil
}

func existing(ctx context.Context, call tool.Call, file string, p createParams) (chat.ToolResult, error) {
	found, err := call.Box.ReadFile(ctx, file, 0, int64(len(p.Content))+1)
	if err != nil {
		return tool.FromError(err)
	}
	if found.Size == int64(len(p.Content)) && string(found.Data) == p.Content {
		return written(call, file, p), nil
	}
	return tool.Fail("%s exists (%d bytes); change it with FileReplace, or set rewrite to replace all of it", file, found.Size), nil
}

func written(call tool.Call, file string, p createParams) chat.ToolResult {
	return tool.Textf("Wrote %s (%s, %s).", call.Short(file), tool.Count(countLines(p.Content), "line"), tool.Count(len(p.Content), "byte"))
}
