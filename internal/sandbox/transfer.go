package sandbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/runner/wire"
)

// transfer is one Upload: the content, and what is known of the tries so far.
type transfer struct {
	runner *Runner
	Edit
	retried bool // a part may have been carried out without an answer
}

// Upload puts what the reader holds in place at once, in parts of wire.MaxChunk and with no more than one of them in
// memory: a crash leaves the old or the new content. It returns how many bytes the file has. If the runner loses parts,
// a reader that is an io.Seeker is read again; with another one the upload is Unavailable.
func (r *Runner) Upload(ctx context.Context, path string, from io.Reader, mode WriteMode) (int64, error) {
	return r.Edit(ctx, Edit{Path: path, From: from, Mode: mode})
}

// Edited reports whether the edit of a call was carried out. It is false for a runner that keeps no record of edits.
func (r *Runner) Edited(ctx context.Context, id chat.CallID) (bool, error) {
	result, err := ask[wire.EditResult](ctx, r, wire.OpEdited, wire.Edit{ID: string(id)})
	if fault.Is(err, fault.Invalid) {
		return false, nil // it is of a version that does not know the question
	}
	return result.Done, err
}

// Edit is Upload under the id of a call.
func (r *Runner) Edit(ctx context.Context, e Edit) (int64, error) {
	t := &transfer{runner: r, Edit: e}
	again, begin := e.From.(io.Seeker)
	var start int64
	if begin {
		var err error
		if start, err = again.Seek(0, io.SeekCurrent); err != nil {
			begin = false // it calls itself a seeker and is none: a pipe
		}
	}
	for range writeTries {
		size, restart, err := t.try(ctx)
		if err != nil || !restart {
			return size, err
		}
		if !begin {
			break
		}
		if _, err := again.Seek(start, io.SeekStart); err != nil {
			return 0, fmt.Errorf("read the content of %s anew: %w", e.Path, err)
		}
	}
	return 0, fault.Errorf(fault.Unavailable, "%s could not be written: runner %s was restarted meanwhile: send it again", e.Path, r.name)
}

// try sends the content once. restart reports that the runner lost the parts before.
func (t *transfer) try(ctx context.Context) (size int64, restart bool, err error) {
	upload, buf := rand.Text(), make([]byte, wire.MaxChunk)
	for {
		n, last, err := fill(t.From, buf)
		if err != nil {
			return 0, false, fmt.Errorf("read the content of %s: %w", t.Path, err)
		}
		if size+int64(n) > wire.MaxUpload {
			return 0, false, fault.Errorf(fault.TooLarge, "%s would have more than the %d bytes that a file may have", t.Path, wire.MaxUpload)
		}
		result, err := t.send(ctx, wire.Write{
			Path: t.Path, Mode: string(t.Mode), Upload: upload, Offset: size, Data: buf[:n], Last: last, Edit: string(t.ID), Before: t.Before, Perm: uint32(t.Perm.Perm()),
		})
		size += int64(n)
		switch {
		case result.Edited:
			return result.Size, false, err
		case err != nil || result.Restart || last:
			return size, result.Restart, err
		}
	}
}

// fill reads until the buffer is full or the content ends. io.ReadFull would not do: its io.ErrUnexpectedEOF for a short
// part is also the error of a body whose connection broke, and half of it would pass for the whole.
func fill(from io.Reader, buf []byte) (n int, last bool, err error) {
	for n < len(buf) {
		m, err := from.Read(buf[n:])
		n += m
		if err == io.EOF {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
	}
	return n, false, nil
}

func (t *transfer) send(ctx context.Context, part wire.Write) (result wire.WriteResult, err error) {
	response, err := t.runner.call(ctx, func(again bool) (wire.Request, error) {
		t.retried = t.retried || again
		part.Retry = t.retried
		return wire.NewRequest(wire.OpWrite, part)
	})
	if err != nil {
		return wire.WriteResult{}, err
	}
	err = translate(t.runner.name, response.Decode(&result))
	return result, err
}

// Download copies a file of any size to the writer, in parts of wire.MaxChunk and with no more than one of them in
// memory, and returns how many bytes it wrote. A file that changes during the read is a Conflict: what was written by then is
// of no use.
func (r *Runner) Download(ctx context.Context, path string, to io.Writer) (written int64, err error) {
	var size int64
	var seen time.Time
	for {
		part, err := ask[wire.ReadResult](ctx, r, wire.OpRead, wire.Read{Path: path, Offset: written, Limit: wire.MaxChunk})
		if err != nil {
			return written, err
		}
		if written == 0 {
			size, seen = part.Size, part.ModTime
		}
		if part.Size != size || !part.ModTime.Equal(seen) {
			return written, fault.Errorf(fault.Conflict, "%s changed while it was read: try again", path)
		}
		n, err := to.Write(part.Data)
		written += int64(n)
		if err != nil {
			return written, fmt.Errorf("pass on the content of %s: %w", path, err)
		}
		if len(part.Data) < wire.MaxChunk {
			return written, nil
		}
	}
}
