package media

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

// Pauses and tries of a job.
const (
	firstPause    = 2 * time.Second
	longPause     = 15 * time.Second
	downloadTries = 5
	downloadTime  = 15 * time.Minute
)

// fetch follows the job of a generation and downloads its files. Every step can be repeated.
func (g *Generator) fetch(ctx context.Context, c Call, now Generation) error {
	a, p, err := g.access(ctx, now.User, now.Kind)
	if err != nil {
		return ended(err)
	}
	if a.Provider != now.Provider || a.BaseURL != now.BaseURL {
		return &Error{Unknown, "The job runs at " + now.Provider + ", and the key for it was changed meanwhile. It may have been paid for."}
	}
	if len(now.Links) == 0 {
		return g.poll(ctx, c, now, a, p)
	}
	return g.download(ctx, now, a, p)
}

// poll asks about a job until it has ended, with growing pauses.
func (g *Generator) poll(ctx context.Context, c Call, now Generation, a toolkey.Access, p Provider) error {
	wait := cmp.Or(g.Pause, firstPause)
	for end := time.Now().Add(jobTime); ; wait = min(wait*3/2, longPause) {
		r, err := p.Poll(ctx, a, now.Kind, now.Job)
		switch {
		case ctx.Err() != nil:
			return g.left(ctx, c, now, a, p)
		case fault.Is(err, fault.Unavailable), fault.Is(err, fault.RateLimited):
			g.Log.Info("a generation job cannot be asked about yet", "call", string(now.Call), "error", err)
		case isUncertain(err), fault.Is(err, fault.NotFound):
			return g.end(ctx, now.Call, Unknown, err)
		case err != nil:
			return g.end(ctx, now.Call, Failed, err)
		case len(r.Files) > 0:
			return g.keep(ctx, Call{ID: now.Call, Request: Request{Kind: now.Kind, Seconds: int(now.Units), Count: int(now.Units)}}, a, r)
		case r.Done():
			return g.record(ctx, func(ctx context.Context) error {
				return g.Rows.Start(ctx, now.Call, now.Job, r.Links, g.bookingOf(now.Kind, now.Model, a, now.Units, r))
			})
		case c.Progress != nil:
			c.Progress(r.Percent)
		}
		if time.Now().After(end) {
			return &Error{Started, "The provider still works on it after " + jobTime.String() + "."}
		}
		if err := g.Rows.KeepAlive(ctx, now.Call); err != nil && ctx.Err() == nil {
			return err
		}
		if !pause(ctx, max(wait, min(fault.After(err), longPause))) {
			return g.left(ctx, c, now, a, p)
		}
	}
}

// left is the end of an attempt whose context has ended: a stop cancels the job, anything else leaves it to the next attempt.
func (g *Generator) left(ctx context.Context, c Call, now Generation, a toolkey.Access, p Provider) error {
	if c.Stopped == nil || !c.Stopped() {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer cancel()
	text := "The call was stopped and the job cancelled at the provider. It may be charged."
	if err := p.Cancel(ctx, a, now.Job); err != nil {
		text = "The call was stopped. The provider goes on with the job, which may be charged: " + err.Error()
	}
	if err := g.Rows.End(ctx, now.Call, Failed, text); err != nil {
		return err
	}
	return &Error{Failed, text}
}

// download stages the linked files of a generation.
func (g *Generator) download(ctx context.Context, now Generation, a toolkey.Access, p Provider) error {
	files := make([]StagedFile, len(now.Links))
	left := MaxOf(now.Kind)
	for i, link := range now.Links {
		for try := 1; ; try++ {
			f, err := g.downloadOne(ctx, now, a, p, i, link, left)
			if err == nil {
				files[i], left = f, left-f.Size
				break
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if database, ok := errors.AsType[*stagingError](err); ok {
				return database.err
			}
			if try == downloadTries || !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.RateLimited) {
				return g.end(ctx, now.Call, Unknown, errors.New("it was generated, and cannot be downloaded: "+err.Error()))
			}
			if !pause(ctx, time.Duration(try)*cmp.Or(g.Pause, firstPause)) {
				return context.Cause(ctx)
			}
		}
	}
	return g.record(ctx, func(ctx context.Context) error { return g.Rows.Receive(ctx, now.Call, files, nil) })
}

// stagingError is an error of the place where files are staged, and not of the provider.
type stagingError struct{ err error }

func (e *stagingError) Error() string { return e.err.Error() }

func (g *Generator) downloadOne(ctx context.Context, now Generation, a toolkey.Access, p Provider, i int, link string, limit int64) (StagedFile, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	defer cancel()
	body, size, err := p.Open(ctx, a, link)
	if err != nil {
		return StagedFile{}, err
	}
	defer func() { _ = body.Close() }() // it was read
	if size > limit {
		return StagedFile{}, tooLarge(now.Kind)
	}
	from := &counted{from: body, left: limit}
	n, err := g.Staging.Put(ctx, now.Call, i, from)
	switch {
	case from.over:
		return StagedFile{}, tooLarge(now.Kind)
	case from.err != nil:
		return StagedFile{}, fault.Errorf(fault.Unavailable, "the connection broke after %d bytes", from.n)
	case err != nil:
		return StagedFile{}, &stagingError{err}
	case size >= 0 && n != size || n == 0:
		return StagedFile{}, fault.Errorf(fault.Unavailable, "only %d of %d bytes came", n, size)
	}
	kind, ok := TypeOf(now.Kind, from.head)
	if !ok {
		return StagedFile{}, fault.Errorf(fault.Invalid, "the provider sent %s in its place", kind)
	}
	return StagedFile{MediaType: kind, Size: n}, nil
}

func tooLarge(kind Kind) error {
	return fault.Errorf(fault.TooLarge, "it has more than %d MB, which is the limit", MaxOf(kind)>>20)
}

// counted reads at most left bytes, and keeps the beginning and the error of the reader.
type counted struct {
	from    io.Reader
	n, left int64
	head    []byte
	err     error
	over    bool
}

func (c *counted) Read(buf []byte) (int, error) {
	n, err := c.from.Read(buf)
	if room := sniffed - len(c.head); room > 0 {
		c.head = append(c.head, buf[:min(n, room)]...)
	}
	c.n += int64(n)
	if c.n > c.left {
		c.over = true
		return 0, errors.New("the file is too large")
	}
	if err != nil && err != io.EOF {
		c.err = err
		return n, errors.New("the connection broke") // without io.ErrUnexpectedEOF in its chain
	}
	return n, err
}

// sniffed is how many bytes of a file its type is detected from.
const sniffed = 512

// TypeOf detects the media type of a file by its beginning. ok is false for a type that is none of the kind, such as an error page.
func TypeOf(kind Kind, head []byte) (mediaType string, ok bool) {
	mediaType, _, _ = strings.Cut(http.DetectContentType(head), ";")
	switch kind {
	case Image:
		return mediaType, strings.HasPrefix(mediaType, "image/")
	case Video:
		return mediaType, strings.HasPrefix(mediaType, "video/")
	}
	switch {
	case bytes.HasPrefix(head, []byte("fLaC")):
		return "audio/flac", true
	case mediaType == "application/ogg":
		return "audio/ogg", true
	case mediaType == "audio/wave":
		return "audio/wav", true
	case strings.HasPrefix(mediaType, "audio/"):
		return mediaType, true
	case len(head) > 1 && head[0] == 0xff && head[1]&0xf6 == 0xf0:
		return "audio/aac", true
	case len(head) > 1 && head[0] == 0xff && head[1]&0xe0 == 0xe0:
		return "audio/mpeg", true
	}
	return mediaType, mediaType == "application/octet-stream"
}

func reader(data []byte) io.Reader { return bytes.NewReader(data) }
