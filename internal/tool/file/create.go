package file

import (
	"bytes"
	"context"
	_ "embed"
	"path"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/runner/charset"
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
// exactly the wanted content is the wanted outcome, by any writer.
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
	content, data, err := before.rewrite(p.Content)
	if err != nil {
		if done, _ := call.Box.Edited(ctx, call.ID); !done { // an attempt before this one may have written what is there now
			return tool.FromError(err)
		}
	}
	_, err = call.Box.Edit(ctx, sandbox.Edit{ID: call.ID, Path: file, From: bytes.NewReader(data), Mode: mode})
	if fault.Is(err, fault.Conflict) {
		return existing(ctx, call, file, p)
	}
	if err != nil {
		return tool.FromError(err)
	}
	result := before.written(call, file, p, len(data))
	if before.path != "" || info.Size == 0 { // a change of what was not read cannot be shown
		result.Diff = difference(call.Short(file), before.content, content)
	}
	return result, nil
}

// replaced returns the text that the call replaces: its encoding and line ends are kept, and people see what was changed. There is none of a new
// file, nor of one that is no text or too large to be read.
func replaced(ctx context.Context, call tool.Call, info sandbox.FileInfo, p createParams) (text, error) {
	if !p.Rewrite || info.Size == 0 || info.Size > maxFile {
		return text{}, nil
	}
	src, err := fetch(ctx, call, info.Path)
	if fault.Is(err, fault.Unavailable) {
		return text{}, err
	}
	before, err := src.text()
	if err != nil {
		return text{}, nil // a binary file keeps nothing
	}
	return before, nil
}

// rewrite is other content for the file, and its bytes. Content with what was shown for unknown bytes is refused: it would replace them.
func (t text) rewrite(content string) (string, []byte, error) {
	if !t.charset.Known() {
		if strings.ContainsRune(content, utf8.RuneError) {
			return "", nil, fault.Errorf(fault.Invalid, "nothing was written: content has U+FFFD, which stands for bytes of %s that could not be read; convert the file first, such as with iconv in Shell", t.path)
		}
		return content, []byte(content), nil
	}
	content = charset.Fold(t.content).Rewrite(content)
	data, err := t.encode(content)
	return content, data, err
}

func existing(ctx context.Context, call tool.Call, file string, p createParams) (chat.ToolResult, error) {
	found, err := call.Box.ReadFile(ctx, file, 0, int64(len(p.Content))+1)
	if err != nil {
		return tool.FromError(err)
	}
	if found.Size == int64(len(p.Content)) && string(found.Data) == p.Content {
		return text{}.written(call, file, p, len(p.Content)), nil
	}
	return tool.Fail("%s exists (%d bytes); change it with FileReplace, or set rewrite to replace all of it", file, found.Size), nil
}

// written returns the result of a call, which names the encoding and line ends that the file kept.
func (t text) written(call tool.Call, file string, p createParams, size int) chat.ToolResult {
	kept := ""
	switch form := strings.Trim(strings.TrimSuffix(t.form(charset.Fold(t.content)), "; edits keep this)"), "\n("); {
	case !t.charset.Known():
		kept = " It is UTF-8 now; the encoding before was not known."
	case form != "":
		kept = " Kept " + form + "."
	}
	return tool.Textf("Wrote %s (%s, %s).%s", call.Short(file), tool.Count(countLines(p.Content), "line"), tool.Count(size, "byte"), kept)
}
