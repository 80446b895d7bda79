// Package web holds the tools that fetch from the internet. Their requests are made by the server, not by the runner,
// through a client that reaches only what outsiders' addresses may reach (internal/host/safehttp).
package web

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// Limits of one download.
const (
	maxDownload  = 500 << 20 // bytes
	downloadTime = 5 * time.Minute
)

//go:embed downloadfile.md
var downloadDoc string

type downloadParams struct {
	URL  string `json:"url"`
	Path string `json:"output_path"`
}

type download struct {
	client *http.Client
	agent  string
	limit  int64
	time   time.Duration
}

// NewDownload returns the tool DownloadFile. The client is one of safehttp.New, agent the product and its version. A
// call that is run again after it wrote the file leaves it alone.
func NewDownload(client *http.Client, agent string) tool.Tool {
	return newDownload(client, agent, maxDownload, downloadTime)
}

func newDownload(client *http.Client, agent string, limit int64, most time.Duration) tool.Tool {
	return tool.Define("DownloadFile", chat.ClassIdempotent, downloadDoc, download{client, agent, limit, most}, tool.OnRunner)
}

func (download) Summary(p downloadParams) string { return p.URL }

func (download) Pattern() chat.PatternKind { return chat.PatternHost }

func (download) Subject(p downloadParams) string { return p.URL }

func (d download) Run(ctx context.Context, call tool.Call, p downloadParams) (chat.ToolResult, error) {
	address, err := parse(p.URL)
	if err != nil {
		return tool.FromError(err)
	}
	file, err := target(ctx, call, p.Path)
	if err != nil {
		return tool.FromError(err)
	}
	limited, cancel := context.WithTimeout(ctx, d.time)
	defer cancel()
	result, err := d.fetch(limited, call, address, file)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return tool.Fail("%s did not arrive within %s; nothing was written", short(address), d.time), nil
	}
	return result, err
}

func parse(text string) (*url.URL, error) {
	address, err := url.Parse(strings.TrimSpace(text))
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, fault.Errorf(fault.Invalid, "url is not an address such as https://example.com/data.csv")
	}
	return address, nil
}

// target returns the path of the file. Its folder is made first, so that a path that cannot be written costs no download.
func target(ctx context.Context, call tool.Call, name string) (string, error) {
	file, err := call.Path(name)
	if err != nil {
		return "", err
	}
	info, err := call.Box.Stat(ctx, file)
	if strings.HasSuffix(name, "/") || err == nil && info.Dir {
		return "", fault.Errorf(fault.Invalid, "output_path %s is a folder; give the path of a file in it", file)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return "", err
	}
	return file, call.Box.MkdirAll(ctx, path.Dir(file))
}

func (d download) fetch(ctx context.Context, call tool.Call, from *url.URL, file string) (chat.ToolResult, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return tool.Fail("url cannot be fetched: %s", safehttp.Reason(err)), nil
	}
	request.Header.Set("User-Agent", d.agent)
	request.Header.Set("Accept-Encoding", "identity") // the file as it lies there, and its true size
	response, err := d.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return chat.ToolResult{}, context.Cause(ctx)
		}
		return tool.Fail("%s could not be fetched: %s", short(from), safehttp.Reason(err)), nil
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode/100 != 2:
		return tool.Fail("%s answered %s; nothing was written", short(response.Request.URL), response.Status), nil
	case response.ContentLength > d.limit:
		return d.tooLarge(from), nil
	}
	return d.store(ctx, call, response, file)
}

// store streams the body into the file. The runner puts the file in place when it is whole.
func (d download) store(ctx context.Context, call tool.Call, response *http.Response, file string) (chat.ToolResult, error) {
	body := &body{from: response.Body, limit: d.limit}
	size, err := call.Box.Edit(ctx, sandbox.Edit{ID: call.ID, Path: file, From: body, Mode: sandbox.WriteReplace})
	from := response.Request.URL
	switch {
	case ctx.Err() != nil:
		return chat.ToolResult{}, context.Cause(ctx)
	case errors.Is(body.err, errTooLarge):
		return d.tooLarge(from), nil
	case body.err != nil:
		return tool.Fail("the connection to %s broke after %s; nothing was written", short(from), bytes(body.size)), nil
	case err != nil:
		return tool.FromError(err)
	}
	return tool.Textf("Wrote %s (%s, %s).", call.Short(file), bytes(size), body.mediaType(response.Header)), nil
}

func (d download) tooLarge(from *url.URL) chat.ToolResult {
	return tool.Fail("%s has more than %s, which is the limit; nothing was written", short(from), bytes(d.limit))
}

var errTooLarge = errors.New("the body is over the limit")

// body reads an answer up to the limit. Its error is remembered: a reader of pieces may take a broken connection
// (io.ErrUnexpectedEOF) for the end.
type body struct {
	from  io.Reader
	limit int64
	size  int64
	head  []byte
	err   error
}

func (b *body) Read(buf []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.from.Read(buf)
	if room := sniffed - len(b.head); room > 0 {
		b.head = append(b.head, buf[:min(n, room)]...)
	}
	switch b.size += int64(n); {
	case b.size > b.limit:
		b.err = errTooLarge
		return 0, b.err
	case errors.Is(err, io.EOF):
		return n, io.EOF
	case err != nil:
		b.err = errors.New("the connection broke: " + safehttp.Reason(err)) // without io.ErrUnexpectedEOF in its chain
	}
	return n, b.err
}

// sniffed is the number of bytes that http.DetectContentType looks at.
const sniffed = 512

// mediaType returns the type that the server gives, and the detected one if that is missing or generic.
func (b *body) mediaType(h http.Header) string {
	said, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || said == "application/octet-stream" || said == "binary/octet-stream" {
		said, _, _ = strings.Cut(http.DetectContentType(b.head), ";")
	}
	if encoding := h.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		said += ", still compressed with " + tool.OneLine(encoding, 20)
	}
	return said
}

func bytes(n int64) string { return tool.Count(int(n), "byte") }

// short shows an address without what may be secret in it: user, password and query.
func short(u *url.URL) string {
	return tool.OneLine((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), 200)
}
