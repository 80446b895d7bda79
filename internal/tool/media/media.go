// Package media holds the tools that generate pictures, speech and video. The files go below the folder generated of the workspace.
package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
	"xbot/internal/media"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

// Names of the tools.
const (
	ImageTool  = "generate_image"
	SpeechTool = "generate_speech"
	VideoTool  = "generate_video"
)

// Names lists the tools.
var Names = []string{ImageTool, SpeechTool, VideoTool}

// Generator generates media (media.Generator).
type Generator interface {
	Generate(ctx context.Context, c media.Call) (media.Generation, error)
	Resume(ctx context.Context, c media.Call) (media.Generation, error)
	Open(ctx context.Context, now media.Generation, file int) io.ReadSeeker
}

// Rows records that a conversation has the files of a generation.
type Rows interface {
	Store(ctx context.Context, call chat.CallID) error
}

// Keys returns for each service the source of the key that is used for a user.
type Keys interface {
	Sources(ctx context.Context, user chat.UserID) (map[string]string, error)
}

// Source offers each tool to users with a key for it.
type Source struct {
	keys  Keys
	tools map[string]tool.Tool // by service
	rows  toolset.Rows[[]tool.Tool]
}

var _ toolset.OutsideSource = (*Source)(nil)

// New returns the tools.
func New(g Generator, rows Rows) []tool.Tool {
	w := writer{g, rows}
	return []tool.Tool{newImage(w), newSpeech(w), newVideo(w)}
}

// NewSource returns the source of the tools.
func NewSource(keys Keys, g Generator, rows Rows) *Source {
	all := New(g, rows)
	return &Source{keys: keys, tools: map[string]tool.Tool{toolkey.Image: all[0], toolkey.Speech: all[1], toolkey.Video: all[2]}}
}

// ServesOutside marks that services may be published with the tools.
func (*Source) ServesOutside() {}

// Tools returns the tools for which the user of a place has keys.
func (s *Source) Tools(ctx context.Context, at toolset.Place) ([]tool.Tool, error) {
	return s.rows.At(at, func() ([]tool.Tool, error) {
		sources, err := s.keys.Sources(ctx, at.User)
		if err != nil {
			return nil, err
		}
		var out []tool.Tool
		for _, service := range []string{toolkey.Image, toolkey.Speech, toolkey.Video} {
			if sources[service] != toolkey.Nowhere {
				out = append(out, s.tools[service])
			}
		}
		return out, nil
	})
}

// writer generates files and writes them to the conversation.
type writer struct {
	generator Generator
	rows      Rows
}

// output describes the files of a tool.
type output struct {
	folder string // below generated
	prefix string // of their names
	ending func(mediaType string) string
	noun   string
}

// run generates the files of a call, or goes on with an earlier generation, and writes them to the conversation.
func (w writer) run(ctx context.Context, call tool.Call, request media.Request, earlier string, out output) (chat.ToolResult, error) {
	folder := path.Join(call.Box.Workspace(), "generated", out.folder)
	if err := call.Box.MkdirAll(ctx, folder); err != nil { // where no file can be written, nothing is paid for
		return tool.FromError(err)
	}
	c := media.Call{ID: call.ID, Session: call.Session, User: call.User, Request: request, Progress: progress(call), Stopped: call.Stopped}
	generate := w.generator.Generate
	if earlier != "" {
		c.ID, generate = chat.CallID(earlier), w.generator.Resume
	}
	now, err := generate(ctx, c)
	if end, ok := errors.AsType[*media.Error](err); ok {
		return ended(c.ID, end), nil
	}
	if err != nil {
		return chat.ToolResult{}, err
	}
	if now.State == media.Stored && earlier != "" {
		return tool.Fail("the files of that generation are in the conversation already"), nil
	}
	return w.write(ctx, call, now, folder, out)
}

// ended is the result of a generation without files.
func ended(id chat.CallID, e *media.Error) chat.ToolResult {
	switch e.State {
	case media.Failed:
		return tool.Fail("%s", e.Text)
	case media.Started:
		return chat.ToolResult{IsError: true, Content: fmt.Sprintf("%s Call this tool later with generation %q to get it: that is not paid for again.", e.Text, id)}
	}
	return chat.ToolResult{IsError: true, Content: "Error: " + e.Text + " Tell the user so. Generate it again only if they want that."}
}

// write writes the staged files below the workspace. Each is written once under the id of the call, however often it is tried.
func (w writer) write(ctx context.Context, call tool.Call, now media.Generation, folder string, out output) (chat.ToolResult, error) {
	var shown []string
	for i, f := range now.Files {
		file := path.Join(folder, out.prefix+name(now.Call, i)+out.ending(f.MediaType))
		if now.State == media.Received {
			_, err := call.Box.Edit(ctx, sandbox.Edit{
				ID: chat.CallID(fmt.Sprintf("%s/media%d", now.Call, i)), Path: file, From: w.generator.Open(ctx, now, i), Mode: sandbox.WriteReplace,
			})
			if err != nil {
				return notWritten(ctx, now.Call, err)
			}
		}
		shown = append(shown, "<<FILE:"+file+">>")
	}
	if err := w.rows.Store(ctx, now.Call); err != nil {
		return chat.ToolResult{}, err
	}
	what := "a " + out.noun
	if len(shown) > 1 {
		what = fmt.Sprintf("%d %ss", len(shown), out.noun)
	}
	return tool.Textf("Generated %s with %s. Display it to the user with %s", what, now.Model, strings.Join(shown, " ")), nil
}

// notWritten is the result of a generation whose files could not be written. They stay staged.
func notWritten(ctx context.Context, call chat.CallID, err error) (chat.ToolResult, error) {
	_, offline := errors.AsType[*sandbox.OfflineError](err)
	if ctx.Err() != nil || !offline && (fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Internal)) {
		return chat.ToolResult{}, err
	}
	return chat.ToolResult{IsError: true, Content: fmt.Sprintf(
		"Error: it was generated and paid for, and its files cannot be written: %s. They are kept for a week: call this tool with generation %q once that is mended, which is not paid for again.", err, call,
	)}, nil
}

// name is the part of a file's name that identifies it, the same in every attempt of a call.
func name(call chat.CallID, file int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", call, file))
	return hex.EncodeToString(sum[:4])
}

// progress returns what shows how far a job is, to users as output of the call and to operators.
func progress(call tool.Call) func(percent int) {
	last, offset := -1, int64(0)
	return func(percent int) {
		if percent == last {
			return
		}
		last = percent
		text := "generating"
		if percent > 0 {
			text = fmt.Sprintf("generating: %d %%", percent)
		}
		if call.Progress != nil {
			call.Progress(text)
		}
		if call.Output != nil {
			line := []byte(text + "\n")
			call.Output(offset, line)
			offset += int64(len(line))
		}
	}
}

// maxSource is the size of a picture that is sent to a provider, in bytes.
const maxSource = 20 << 20

// pictures reads pictures of the conversation, at most most of them.
func pictures(ctx context.Context, call tool.Call, names []string, most int) ([]media.File, error) {
	if len(names) > most {
		return nil, fault.Errorf(fault.Invalid, "at most %d pictures are sent", most)
	}
	var out []media.File
	for _, name := range names {
		file, err := call.Path(name)
		if err != nil {
			return nil, err
		}
		info, err := call.Box.Stat(ctx, file)
		switch {
		case err != nil:
			return nil, err
		case info.Dir:
			return nil, fault.Errorf(fault.Invalid, "%s is a folder", file)
		case info.Size > maxSource:
			return nil, fault.Errorf(fault.TooLarge, "%s has more than %d MB", file, maxSource>>20)
		}
		var data bytes.Buffer
		if _, err := call.Box.Download(ctx, file, &limited{to: &data, left: maxSource}); err != nil {
			return nil, err
		}
		kind, ok := media.TypeOf(media.Image, data.Bytes()[:min(data.Len(), 512)])
		if !ok {
			return nil, fault.Errorf(fault.Invalid, "%s is no picture", file)
		}
		out = append(out, media.File{Name: path.Base(file), MediaType: kind, Data: data.Bytes()})
	}
	return out, nil
}

// limited refuses more than left bytes.
type limited struct {
	to   io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, fault.Errorf(fault.TooLarge, "the picture has more than %d MB", maxSource>>20)
	}
	return l.to.Write(p)
}

// shapeOf checks the size of a picture or video.
func shapeOf(size string) (string, error) {
	size = strings.ToLower(strings.TrimSpace(size))
	switch size {
	case "", "auto":
		return "", nil
	case media.Square, media.Landscape, media.Portrait:
		return size, nil
	}
	if _, _, ok := media.Pixels(size); ok {
		return size, nil
	}
	return "", fault.Errorf(fault.Invalid, "size is square, landscape, portrait, or WIDTHxHEIGHT in pixels")
}

// oneOf checks a word of a list; empty is allowed.
func oneOf(field, word string, words ...string) (string, error) {
	word = strings.ToLower(strings.TrimSpace(word))
	if word == "" || word == "auto" {
		return "", nil
	}
	for _, w := range words {
		if w == word {
			return w, nil
		}
	}
	return "", fault.Errorf(fault.Invalid, "%s is one of %s", field, strings.Join(words, ", "))
}

func required(field, text string) error {
	if strings.TrimSpace(text) == "" {
		return fault.Errorf(fault.Invalid, "%s is empty", field)
	}
	return nil
}
