package file

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/document/pdf"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/runner/charset"
)

// What one Read shows at most. The rest is read by further calls, so that one careless call does not fill the
// model's context.
const (
	maxReadLines = 2000
	maxReadBytes = 60_000
	maxReadLine  = 2000 // characters
)

//go:embed read.md
var readDoc string

type readParams struct {
	Path     string `json:"path"`
	Offset   int    `json:"offset,omitempty" jsonschema:"First line, from 1."`
	MaxLines int    `json:"max_lines,omitempty"`
	Pages    string `json:"pages,omitempty" jsonschema:"Of a PDF, like 1-5,9."`
	Pictures bool   `json:"pictures,omitempty" jsonschema:"Pages of a PDF as pictures."`
}

// Documents reads PDFs; its errors have sentences for the model.
type Documents interface {
	Read(ctx context.Context, file []byte, want pdf.Want) (pdf.Document, error)
}

type read struct {
	documents Documents
}

// NewRead returns the tool Read. Without documents a PDF is a binary file like others.
func NewRead(documents Documents) tool.Tool {
	return tool.DefineQuick("Read", chat.ClassRead, readDoc, read{documents}, tool.OnRunner)
}

func (read) Pattern() chat.PatternKind { return chat.PatternPath }

func (read) Subject(p readParams) string { return p.Path }

func (read) Summary(p readParams) string {
	if p.Offset > 1 {
		return p.Path + ":" + strconv.Itoa(p.Offset)
	}
	return p.Path
}

func (r read) Run(ctx context.Context, call tool.Call, p readParams) (chat.ToolResult, error) {
	if p.Offset < 0 || p.MaxLines < 0 {
		return tool.Fail("offset and max_lines must not be negative"), nil
	}
	src, err := fetch(ctx, call, p.Path)
	if err != nil {
		return readError(ctx, call, p.Path, err)
	}
	if src.isPicture() {
		return src.shown(ctx)
	}
	if r.documents != nil && src.isPDF() {
		return r.pages(ctx, src, p)
	}
	read, err := src.text()
	if err != nil {
		return tool.FromError(err)
	}
	if read.content == "" {
		return tool.Text("(the file is empty)"), nil
	}
	folded := charset.Fold(read.content)
	lines := strings.Split(strings.TrimSuffix(strings.ToValidUTF8(folded.Text, "\uFFFD"), "\n"), "\n")
	first := max(p.Offset, 1)
	if first > len(lines) {
		return tool.Fail("offset %d is behind the end: %s has %s", first, src.path, tool.Count(len(lines), "line")), nil
	}
	result := tool.Text(number(lines, first, p.MaxLines) + read.form(folded))
	if p.Offset <= 1 && p.MaxLines == 0 {
		result.File = src.state(call.Box.Name())
	}
	return result, nil
}

// form describes the encoding and line ends of a file that is not UTF-8 with "\n".
func (t text) form(folded charset.Folded) string {
	var said []string
	if !t.charset.Plain() {
		said = append(said, "encoding: "+t.charset.String())
	}
	if ends := folded.LineEnds(); ends != "" {
		said = append(said, "line ends: "+ends)
	}
	switch {
	case len(said) == 0:
		return ""
	case t.charset.Known():
		said = append(said, "edits keep this")
	default:
		said = append(said, "bytes that are not UTF-8 are shown as \uFFFD, and only lines without them can be edited")
	}
	return "\n(" + strings.Join(said, "; ") + ")"
}

// readError reports that what could not be read is a folder. A runner that is away is not asked a second time.
func readError(ctx context.Context, call tool.Call, name string, err error) (chat.ToolResult, error) {
	file, pathErr := call.Path(name)
	if pathErr == nil && !fault.Is(err, fault.Unavailable) && isFolder(call.Box.Stat(ctx, file)) {
		return tool.Fail("%s is a folder; list it with Glob or Shell", file), nil
	}
	return tool.FromError(err)
}

// state returns the state of the file when it was read.
func (s source) state(runner string) *chat.FileState {
	hash := sha256.Sum256(s.data)
	return &chat.FileState{Path: s.path, Runner: runner, Size: int64(len(s.data)), Time: s.modTime, Hash: hash[:]}
}

// number writes lines with their numbers from the line first on, and adds how to continue when some are left.
func number(lines []string, first, wanted int) string {
	if wanted == 0 || wanted > maxReadLines {
		wanted = maxReadLines
	}
	end := min(len(lines), first-1+wanted)
	text, shown := numbered(lines[first-1:end], first)
	if next := first + shown; next <= len(lines) {
		text += fmt.Sprintf("\n(lines %d to %d of %d; go on with offset %d)", first, next-1, len(lines), next)
	}
	return text
}

// numbered writes lines with numbers from first on, as many as fit into maxReadBytes but at least one.
func numbered(lines []string, first int) (text string, shown int) {
	var out strings.Builder
	for i, line := range lines {
		line = tool.Cut(line, maxReadLine)
		if i > 0 && out.Len()+len(line) > maxReadBytes {
			break
		}
		fmt.Fprintf(&out, "%d\t%s\n", first+i, line)
		shown++
	}
	return strings.TrimSuffix(out.String(), "\n"), shown
}

// countLines counts lines; the last one need not end with a line break.
func countLines(content string) int {
	lines := strings.Count(content, "\n")
	if content != "" && !strings.HasSuffix(content, "\n") {
		lines++
	}
	return lines
}
