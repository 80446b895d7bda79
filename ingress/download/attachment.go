// Package download sends files and the output of commands from runners to browsers, which save them, and show safe types.
package download

import (
	"context"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/document/filename"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// sendTime is how long a client may take to read one piece of an attachment, and receiveTime how long it may take to
// send one of an upload. The exchange as a whole has no limit but the size of the file.
const (
	sendTime    = 2 * time.Minute
	receiveTime = time.Minute
)

// outputPart is how much of a command's output is read at once, in bytes.
const outputPart = 512 << 10

// Attachment is a file, a folder or an output on a runner, on its way to a browser. Unless it is Shown the browser saves it: content of
// users and models must not act as a page of this server.
type Attachment struct {
	Name string // file name for the browser
	Type string // media type
	Size int64  // in bytes, -1 if it is not known
	Real string // of a file: its path with all links followed; empty where that is not known

	Inline   bool      // the browser may show it, see Shown
	Anywhere bool      // also in pages of other sites: the address is the permission
	Modified time.Time // of a file
	from     source
}

// source is the content that an attachment is copied from.
type source interface {
	copy(ctx context.Context, to io.Writer) error
}

// File looks for a file. A folder is Invalid, a file that is not there NotFound.
func File(ctx context.Context, box sandbox.Sandbox, file string) (Attachment, error) {
	info, err := box.Stat(ctx, file)
	if err != nil {
		return Attachment{}, err
	}
	if info.Dir {
		return Attachment{}, fault.Errorf(fault.Invalid, "%s is a folder; only files can be downloaded", file)
	}
	size := info.Size
	if size == 0 {
		size = -1 // files of /proc say so and have content all the same
	}
	return Attachment{
		Name: path.Base(file), Type: "application/octet-stream", Size: size, Real: info.Real, Modified: info.ModTime,
		from: fileSource{box, file},
	}, nil
}

// Output returns the output of a command so far, as long as its runner keeps it; after that it is NotFound.
func Output(box sandbox.Sandbox, id chat.CallID, name string) Attachment {
	return Attachment{
		Name: name, Type: "text/plain; charset=utf-8", Size: -1,
		from: outputSource{box, id},
	}
}

type fileSource struct {
	box  sandbox.Sandbox
	path string
}

func (s fileSource) copy(ctx context.Context, to io.Writer) error {
	_, err := s.box.Download(ctx, s.path, to)
	return err
}

type outputSource struct {
	box  sandbox.Sandbox
	call chat.CallID
}

func (s outputSource) copy(ctx context.Context, to io.Writer) error {
	var end int64
	for offset := int64(0); ; {
		part, err := s.box.ReadOutput(ctx, s.call, offset, outputPart)
		if err != nil {
			return err
		}
		if offset == 0 {
			end = part.Size // a command that keeps printing must not hold the client forever
		}
		data := part.Data[:min(int64(len(part.Data)), end-offset)]
		if _, err := to.Write(data); err != nil {
			return err
		}
		if offset += int64(len(data)); len(data) == 0 || offset >= end {
			return nil
		}
	}
}

// Serve sends the attachment. It returns an error only if nothing was sent, so that the caller can still answer;
// afterwards it breaks the connection, so that the client does not take a part for the whole.
func (a Attachment) Serve(w http.ResponseWriter, r *http.Request) error {
	out := &attachmentWriter{Attachment: a, w: w, control: http.NewResponseController(w)}
	if r.Method == http.MethodHead {
		out.begin()
		return nil
	}
	if file, ok := a.from.(fileSource); ok && a.Size > 0 && r.Header.Get("Range") != "" {
		a.serveRange(w, r, file)
		return nil
	}
	err := a.from.copy(r.Context(), out)
	if err != nil && out.begun {
		panic(http.ErrAbortHandler) // the server's own way to break a connection
	}
	if err == nil && !out.begun {
		out.Size = 0
		out.begin()
	}
	return err
}

// attachmentWriter writes the header before the first byte, when it is known that there is one.
type attachmentWriter struct {
	Attachment
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

func (a *attachmentWriter) Write(piece []byte) (int, error) {
	if len(piece) == 0 {
		return 0, nil
	}
	if !a.begun {
		a.begin()
	}
	if err := a.control.SetWriteDeadline(time.Now().Add(sendTime)); err != nil {
		return 0, err
	}
	return a.w.Write(piece)
}

func (a *attachmentWriter) begin() {
	a.begun = true
	a.header(a.w)
	if a.Size >= 0 {
		a.w.Header().Set("Content-Length", strconv.FormatInt(a.Size, 10))
	}
	a.w.WriteHeader(http.StatusOK)
}

func (a Attachment) header(w http.ResponseWriter) {
	SetHeader(w, a.Name, a.Type)
	if a.Anywhere {
		ShowAnywhere(w)
	}
	if _, ok := a.from.(fileSource); ok && a.Size > 0 {
		w.Header().Set("Accept-Ranges", "bytes")
	}
	if a.Inline {
		w.Header().Set("Content-Disposition", disposition("inline", a.Name))
		w.Header().Set("Content-Security-Policy", a.policy())
	}
}

// unshown is the policy for content that a browser must not show.
const unshown = "sandbox; default-src 'none'"

// SetHeader sets the header of an answer that a browser saves and never shows.
func SetHeader(w http.ResponseWriter, name, mediaType string) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Disposition", disposition("attachment", name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", unshown)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
}

// ShowAnywhere lets pages of other sites show an answer, after SetHeader.
func ShowAnywhere(w http.ResponseWriter) {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// disposition returns a header that makes a browser save the answer under a name, or show it (RFC 6266), with the name in ASCII for
// programs that do not know RFC 5987.
func disposition(how, name string) string {
	name = filename.Safe(name)
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\%`, r) {
			return '_'
		}
		return r
	}, name)
	return how + `; filename="` + plain + `"; filename*=UTF-8''` + extended(name)
}

// extended escapes every character that is no attr-char of RFC 5987.
func extended(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		const digits = "0123456789ABCDEF"
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}
