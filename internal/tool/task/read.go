package task

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// Limits of task_read.
const (
	defaultLines = 50
	maxLines     = 1000
	maxRead      = 30_000 // bytes
	// readWait bounds the wait for a runner that is out of reach: stored output is there at once.
	readWait = 10 * time.Second
)

//go:embed taskread.md
var readDoc string

type readParams struct {
	ID     string `json:"task_id"`
	Lines  int    `json:"lines,omitempty" jsonschema:"Last lines, default 50."`
	Offset int    `json:"offset,omitempty" jsonschema:"Byte to read from instead."`
}

type read struct {
	list  List
	boxes Finder
}

// NewRead returns the tool task_read.
func NewRead(list List, boxes Finder) tool.Tool {
	return tool.DefineQuick("task_read", chat.ClassRead, readDoc, read{list, boxes})
}

func (read) Summary(p readParams) string { return p.ID }

func (r read) Run(ctx context.Context, call tool.Call, p readParams) (chat.ToolResult, error) {
	if p.Lines < 0 || p.Lines > maxLines || p.Offset < 0 {
		return tool.Fail("lines must be between 1 and %d, and offset not negative", maxLines), nil
	}
	t, err := r.list.FindTask(ctx, call.Session, p.ID)
	if err != nil {
		return tool.FromError(err)
	}
	if t.Kind != "" {
		return markReported(tool.Text(line(t)+"\n"+outputFrom(t.Output, p)), t), nil
	}
	text, err := r.whole(ctx, call, t, p)
	if err == nil {
		return markReported(tool.Text(text), t), nil
	}
	if ctx.Err() != nil {
		return chat.ToolResult{}, context.Cause(ctx)
	}
	if t.State == chat.TaskRunning {
		return tool.Fail("the output cannot be read now: %s", err), nil
	}
	kept := last(t.Output, p.lines())
	return markReported(tool.Textf("[%s: %s; the runner has no output any more, this is from what was kept]\n%s", t.ID, t.Ending(time.Now()), kept), t), nil
}

// outputFrom returns the output from an offset, or its last lines.
func outputFrom(text string, p readParams) string {
	if p.Offset == 0 {
		return tool.Bound(last(text, p.lines()), maxRead)
	}
	return tool.Bound(strings.ToValidUTF8(text[min(p.Offset, len(text)):], ""), maxRead)
}

func (p readParams) lines() int {
	if p.Lines == 0 {
		return defaultLines
	}
	return p.Lines
}

// whole reads from all that the task wrote, on its runner.
func (r read) whole(ctx context.Context, call tool.Call, t chat.Task, p readParams) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	box, err := r.boxes.Box(ctx, call.User, t.Runner)
	if err != nil {
		return "", err
	}
	offset := int64(p.Offset)
	if offset == 0 {
		so, err := box.ReadOutput(ctx, t.Call, 0, 1)
		if err != nil {
			return "", err
		}
		offset = max(0, so.Size-maxRead)
	}
	data, size, err := section(ctx, box, t.Call, offset)
	if err != nil {
		return "", err
	}
	text, from := tool.Clean(data), offset
	if p.Offset == 0 {
		text = last(text, p.lines())
		from = -1
	}
	return head(t, from, offset+int64(len(data)), size) + "\n" + text, nil
}

// head describes which part of a task's output follows.
func head(t chat.Task, from, to, size int64) string {
	if from < 0 {
		return fmt.Sprintf("[%s: %s; the end of %d bytes]", t.ID, t.Ending(time.Now()), size)
	}
	return fmt.Sprintf("[%s: %s; bytes %d to %d of %d]", t.ID, t.Ending(time.Now()), from, to, size)
}

// section reads at most maxRead bytes from an offset: the runner may give less at once.
func section(ctx context.Context, box sandbox.Sandbox, call chat.CallID, offset int64) (data []byte, size int64, err error) {
	for len(data) < maxRead {
		part, err := box.ReadOutput(ctx, call, offset+int64(len(data)), int64(maxRead-len(data)))
		if err != nil {
			return nil, 0, err
		}
		if part.Size < offset {
			return nil, 0, fault.Errorf(fault.Invalid, "offset %d is behind the end at %d", offset, part.Size)
		}
		size = part.Size
		if len(part.Data) == 0 {
			break
		}
		data = append(data, part.Data...)
	}
	return data, size, nil
}

// last returns the last n lines of a text.
func last(text string, n int) string {
	text = strings.TrimRight(text, " \n")
	if text == "" {
		return "(no output)"
	}
	start := len(text)
	for range n {
		i := strings.LastIndexByte(text[:start], '\n')
		if i < 0 {
			return text
		}
		start = i
	}
	return text[start+1:]
}
