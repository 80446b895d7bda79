package download

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/gabriel-vasile/mimetype"

	"xbot/internal/fault"
)

// headSize is how much of a file determines its type, in bytes.
const headSize = 3072

// shown are the types that a browser shows without acting as a page of this server: pictures, sound, films and PDF. SVG and PDF are sent
// under a policy that runs nothing.
var shown = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true, "image/bmp": true, "image/svg+xml": true,
	"audio/mpeg": true, "audio/wav": true, "audio/ogg": true, "audio/flac": true, "audio/aac": true, "audio/x-m4a": true, "audio/mp4": true,
	"video/mp4": true, "video/webm": true, "video/ogg": true, "video/quicktime": true, "application/ogg": true,
	"application/pdf": true,
}

// Shown returns the attachment of a file as a browser may show it, where its content is of a type that is safe to show; else it stays to be
// saved. The name decides nothing.
func (a Attachment) Shown(ctx context.Context) (Attachment, error) {
	file, ok := a.from.(fileSource)
	if !ok {
		return a, nil
	}
	head, err := file.box.ReadFile(ctx, file.path, 0, headSize)
	if err != nil {
		return a, err
	}
	if kind := mimetype.Detect(head.Data).String(); shown[kind] {
		a.Type, a.Inline = kind, true
	}
	return a, nil
}

// policy returns the content security policy of the content. Its viewer of PDF does not work in a sandbox, and runs no script of this server's.
func (a Attachment) policy() string {
	switch {
	case a.Inline && a.Type == "application/pdf":
		return "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'"
	case a.Inline:
		return "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'"
	}
	return unshown
}

// serveRange sends the part of a file that is asked for (RFC 9110 §14).
func (a Attachment) serveRange(w http.ResponseWriter, r *http.Request, file fileSource) {
	a.header(w)
	content := &fileReader{ctx: r.Context(), from: file, size: a.Size, modified: a.Modified}
	http.ServeContent(&pieceWriter{w, http.NewResponseController(w)}, r, "", a.Modified, content)
	if content.err != nil && r.Context().Err() == nil {
		panic(http.ErrAbortHandler) // the header is sent: the client must not take a part for the whole
	}
}

// filePart is how much of a file a fileReader asks its runner for at once, in bytes.
const filePart = 512 << 10

// fileReader reads a file anywhere. A file that changes during the read ends it.
type fileReader struct {
	ctx      context.Context //nolint:containedctx // of the one request that it serves
	from     fileSource
	size     int64
	modified time.Time
	at       int64
	ahead    []byte // bytes that were read at this place already
	err      error
}

func (f *fileReader) Read(buf []byte) (int, error) {
	if f.at >= f.size {
		return 0, io.EOF
	}
	if len(f.ahead) == 0 {
		part, err := f.from.box.ReadFile(f.ctx, f.from.path, f.at, filePart)
		if err == nil && (part.Size != f.size || !part.ModTime.Equal(f.modified) || len(part.Data) == 0) {
			err = fault.Errorf(fault.Conflict, "%s changed while it was read: try again", f.from.path)
		}
		if err != nil {
			f.err = err
			return 0, err
		}
		f.ahead = part.Data
	}
	n := copy(buf, f.ahead)
	f.at, f.ahead = f.at+int64(n), f.ahead[n:]
	return n, nil
}

func (f *fileReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, errors.New("a negative position")
	}
	f.at, f.ahead = offset, nil
	return offset, nil
}

// pieceWriter restarts the time limit of a client for each piece.
type pieceWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *pieceWriter) Write(piece []byte) (int, error) {
	if err := p.control.SetWriteDeadline(time.Now().Add(sendTime)); err != nil {
		return 0, err
	}
	return p.ResponseWriter.Write(piece)
}
