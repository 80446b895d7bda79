// Package pdf reads PDF files: how many pages they have, their text, and pictures of their pages. The files are hostile input: a process of
// its own reads each (package engine), with a bound on its memory, time and answer, and without files, settings or keys.
package pdf

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"xbot/internal/fault"
)

const (
	// MaxBytes bounds a file.
	MaxBytes = 50 << 20
	// MaxTime is how long one reading may take, once the engine has started.
	MaxTime = time.Minute
	// MaxStart is how long the engine may take to start. The first start on a machine translates it: seconds, much more beside other work.
	MaxStart = 3 * time.Minute
	// MaxTextPages is how many pages' text is read at once.
	MaxTextPages = 100
	// MaxPicturePages is of how many pages pictures are made at once.
	MaxPicturePages = 10
	// MaxSide is the longest side of a picture of a page, in pixels (package picture shows no more).
	MaxSide = 1568

	// memory is what the process may take beside the document's own memory (engine), as GOMEMLIMIT has it.
	memory = "512MiB"
	// maxAnswer bounds what the process answers, in bytes.
	maxAnswer = 32 << 20
	// afterKill is how long the end of a killed process is waited for.
	afterKill = 5 * time.Second
)

// Command is the first argument of a process that reads a document; the second is the folder of the translated engine.
const Command = "read-pdf"

// Begins reports whether a file with such a beginning is a PDF. Readers accept some bytes before the mark (ISO 32000-2 annex J); 1 KB is enough.
func Begins(head []byte) bool { return bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) }

// Reader reads documents. The zero value starts the program that is running; its main function hands over to the engine (Command).
type Reader struct {
	// Cache is a folder that keeps the engine translated for this machine, for nobody else to write; empty: each reading translates it.
	Cache string
	// Time is how long one reading may take, Start the engine before it; 0: MaxTime and MaxStart, which are also the most.
	Time, Start time.Duration
}

// Want is what is wanted of a document; without pages only their number.
type Want struct {
	Pages    []Range `json:"pages,omitempty"`
	Pictures bool    `json:"pictures,omitempty"` // in place of the text
	Width    int     `json:"width,omitempty"`    // of pictures, in pixels, as far as their longest side allows it (MaxSide); 0: as models are shown pages
	MaxText  int     `json:"max_text,omitempty"` // of all pages, in bytes; a first page that has more is cut
}

// Document is what was read.
type Document struct {
	Count int    // of all pages
	Pages []Page // those that were wanted, as many as fit, in the wanted order
}

// Page is one page.
type Page struct {
	Number  int
	Text    string
	Cut     bool   // its text had more than what was wanted
	Picture []byte // a PNG or JPEG file that nobody has looked at yet
	Problem string // why it could not be read
}

// turns bounds how many documents are read at a time, so that their memory does not add up.
var turns = make(chan struct{}, 2)

// Read reads a document. Errors are fault.Invalid for what is no PDF, is broken, needs a password or takes too much, fault.TooLarge for a file
// with more than MaxBytes, and the cause of the context.
func (r Reader) Read(ctx context.Context, file []byte, want Want) (Document, error) {
	if len(file) > MaxBytes {
		return Document{}, fault.Errorf(fault.TooLarge, "the PDF has more than %d MB", MaxBytes>>20)
	}
	select {
	case turns <- struct{}{}:
		defer func() { <-turns }()
	case <-ctx.Done():
		return Document{}, context.Cause(ctx)
	}
	request, err := json.Marshal(want)
	if err != nil {
		return Document{}, fmt.Errorf("write down what is wanted of a PDF: %w", err)
	}
	answer, err := r.run(ctx, io.MultiReader(bytes.NewReader(append(request, '\n')), bytes.NewReader(file)))
	if err != nil {
		return Document{}, err
	}
	return parse(answer, want)
}

// Takes reports whether a file of this size, in bytes, and with such a beginning is a PDF that can be read.
func (Reader) Takes(head []byte, size int64) bool { return size <= MaxBytes && Begins(head) }

// Pages counts the pages of a document. Errors are those of Read.
func (r Reader) Pages(ctx context.Context, file []byte) (int, error) {
	d, err := r.Read(ctx, file, Want{})
	return d.Count, err
}

// run starts the process and returns its answer.
func (r Reader) run(ctx context.Context, in io.Reader) ([]byte, error) {
	most := cmp.Or(r.Time, MaxTime)
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	self, err := program()
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "find the program that reads PDFs: %w", err)
	}
	late := time.AfterFunc(cmp.Or(r.Start, MaxStart), cancel)
	defer late.Stop()
	out := &bounded{left: maxAnswer, late: late, most: most}
	cmd := exec.CommandContext(limited, self, Command, r.Cache)
	cmd.Dir, cmd.Env = "/", []string{"GOMEMLIMIT=" + memory}
	cmd.Stdin, cmd.Stdout, cmd.WaitDelay = in, out, afterKill
	if err := cmd.Start(); err != nil {
		return nil, fault.Errorf(fault.Internal, "start the process that reads PDFs: %w", err)
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case out.full:
		return nil, fault.Errorf(fault.Invalid, "the PDF has too much on these pages; ask for fewer")
	case limited.Err() != nil && !out.begun:
		return nil, fault.Errorf(fault.Internal, "what reads PDFs did not start in time; try again when less runs on this machine")
	case limited.Err() != nil:
		return nil, fault.Errorf(fault.Invalid, "the PDF takes more than %s to read", most)
	case err != nil:
		return nil, fault.Errorf(fault.Invalid, "the PDF cannot be read: what reads it ended (%w)", err)
	}
	return out.kept.Bytes(), nil
}

// bounded keeps so many bytes and refuses more. Its buffer is no embedded one: that has a ReadFrom, which io.Copy prefers to Write.
type bounded struct {
	kept  bytes.Buffer
	left  int
	full  bool
	begun bool // something was written
	late  *time.Timer
	most  time.Duration // what late is set to then
}

// Write keeps a part of the answer.
func (b *bounded) Write(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		b.late.Reset(b.most)
	}
	if b.left -= len(p); b.left < 0 {
		b.full = true
		return 0, errors.New("the answer is too long")
	}
	return b.kept.Write(p)
}
