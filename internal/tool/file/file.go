// Package file holds the tools that read, write and find files, and the one that moves the session's working folder.
package file

import (
	"context"
	"net/http"
	"path"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/document/pdf"
	"xbot/internal/document/picture"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/runner/charset"
)

const (
	maxFile   = 10 << 20 // bytes of a file that is read or edited
	chunk     = 4 << 20  // bytes of one read; a frame of the runner protocol holds more
	sniffSize = 8 << 10  // bytes that identify the type of a file
)

// Journal keeps, under the id of a call, what that call is about to do. The store writes it durably before the call
// acts, so that an attempt after a crash can distinguish "not done yet" from "done": a file that was edited, or a folder
// that was entered relative to the folder before, does not show it.
type Journal interface {
	// Intent returns what the call noted, empty when it noted nothing.
	Intent(ctx context.Context, id chat.CallID) (string, error)
	SetIntent(ctx context.Context, id chat.CallID, intent string) error
}

// source is a text file that was read as a whole.
type source struct {
	path    string // absolute
	data    []byte
	modTime time.Time // when the first part of it was read
}

// text is the decoded content of a text file.
type text struct {
	source
	content string // see charset.Decode
	charset charset.Charset
}

// load reads a whole text file. Its errors have fault kinds and sentences for the model.
func load(ctx context.Context, call tool.Call, name string) (text, error) {
	src, err := fetch(ctx, call, name)
	if err != nil {
		return text{source: src}, err
	}
	return src.text()
}

// text decodes the file. Content that is no text is an error.
func (s source) text() (text, error) {
	content, encoding, err := charset.Decode(s.data)
	if err != nil {
		return text{}, fault.Errorf(fault.Invalid, "%s is a binary file (%s, %d bytes)", s.path, http.DetectContentType(s.head()), len(s.data))
	}
	return text{source: s, content: content, charset: encoding}, nil
}

// head returns the beginning of the file, which identifies its type.
func (s source) head() []byte { return s.data[:min(len(s.data), sniffSize)] }

// isPicture reports whether the file begins as a picture that a model can be shown.
func (s source) isPicture() bool { return picture.Begins(s.head()) }

// isPDF reports whether the file begins as a PDF.
func (s source) isPDF() bool { return pdf.Begins(s.head()) }

// most returns the largest size of the file, in bytes.
func (s source) most() int64 {
	switch {
	case s.isPicture():
		return picture.MaxBytes
	case s.isPDF():
		return pdf.MaxBytes
	}
	return maxFile
}

// fetch reads a whole file.
func fetch(ctx context.Context, call tool.Call, name string) (source, error) {
	file, err := call.Path(name)
	if err != nil {
		return source{}, err
	}
	src := source{path: file}
	for {
		part, err := call.Box.ReadFile(ctx, file, int64(len(src.data)), chunk)
		if fault.Is(err, fault.NotFound) {
			return source{}, notFound(ctx, call, file)
		}
		if err != nil {
			return source{}, err
		}
		src.data = append(src.data, part.Data...)
		if most := src.most(); part.Size > most {
			return source{}, fault.Errorf(fault.TooLarge, "%s has %d bytes, at most %d are read; use Grep, or Shell with head, tail or sed", file, part.Size, most)
		}
		if src.modTime.IsZero() {
			src.modTime = part.ModTime
		}
		if len(part.Data) == 0 || int64(len(src.data)) >= part.Size {
			return src, nil
		}
	}
}

// notFound names the entries of the folder that look most like the missing one.
func notFound(ctx context.Context, call tool.Call, file string) error {
	folder := path.Dir(file)
	entries, err := call.Box.ReadDir(ctx, folder)
	if fault.Is(err, fault.NotFound) {
		return fault.Errorf(fault.NotFound, "%s does not exist, nor does its folder; the working folder is %s", file, call.Dir())
	}
	var alike []string
	for _, entry := range entries { // none when the folder cannot be listed: the hint is a courtesy
		if name := path.Base(entry.Path); len(alike) < 3 && looksLike(name, path.Base(file)) {
			alike = append(alike, name)
		}
	}
	if len(alike) == 0 {
		return fault.Errorf(fault.NotFound, "%s does not exist", file)
	}
	return fault.Errorf(fault.NotFound, "%s does not exist; its folder has %s", file, strings.Join(alike, ", "))
}

// looksLike reports whether two names differ only in case or ending, or one holds the other.
func looksLike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	stemA, stemB := strings.TrimSuffix(a, path.Ext(a)), strings.TrimSuffix(b, path.Ext(b))
	return stemA != "" && stemB != "" && (strings.Contains(a, stemB) || strings.Contains(b, stemA))
}

// isFolder reports whether a path is a folder; what cannot be looked at is none.
func isFolder(info sandbox.FileInfo, err error) bool { return err == nil && info.Dir }
