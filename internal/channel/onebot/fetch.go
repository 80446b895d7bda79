package onebot

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// maxFetch bounds a file that a user sent, in bytes.
const maxFetch = 50 << 20

// fetchWait bounds what NapCat may take to get a file from QQ.
const fetchWait = 2 * time.Minute

// Fetch reads a file that came with a message: from the address that came with it, which expires; then from a newer one that
// NapCat gives; then in pieces through NapCat, which may be on any machine. Voices come as MP3 where NapCat can convert.
func (a *account) Fetch(ctx context.Context, _ string, file chat.Attachment) (io.ReadCloser, error) {
	key, err := url.ParseQuery(file.Key)
	if err != nil || key.Get("file") == "" && key.Get("file_id") == "" && key.Get("url") == "" {
		return nil, fault.Errorf(fault.Invalid, "this is no file of NapCat")
	}
	var failed []error
	for _, way := range a.ways(file.Kind, key) {
		got, err := way(ctx)
		if err == nil {
			return got, nil
		}
		if fault.Is(err, fault.TooLarge) || ctx.Err() != nil {
			return nil, err
		}
		failed = append(failed, err)
	}
	return nil, unfetched(failed)
}

// unfetched is NotFound if every way failed permanently: trying again helps only if one was down.
func unfetched(failed []error) error {
	for _, err := range failed {
		if fault.Is(err, fault.Unavailable) && !channel.Unknown(err) {
			return fault.Errorf(fault.Unavailable, "the file is not reached: %w", errors.Join(failed...))
		}
	}
	return fault.Errorf(fault.NotFound, "the file is not there any more: %w", errors.Join(failed...))
}

type way func(ctx context.Context) (io.ReadCloser, error)

// ways returns the ways to a file, the best first.
func (a *account) ways(kind string, key url.Values) []way {
	name := cmp.Or(key.Get("file_id"), key.Get("file"))
	var out []way
	if kind == "audio" && name != "" {
		out = append(out, func(ctx context.Context) (io.ReadCloser, error) {
			return a.located(ctx, "get_record", params{"file": cmp.Or(key.Get("file"), name), "out_format": "mp3"})
		})
	}
	if u := key.Get("url"); web(u) {
		out = append(out, func(ctx context.Context) (io.ReadCloser, error) { return a.get(ctx, u) })
	}
	if name == "" {
		return out
	}
	for _, q := range questions(kind, name, key) {
		out = append(out, func(ctx context.Context) (io.ReadCloser, error) { return a.located(ctx, q.action, q.params) })
	}
	return append(out, func(ctx context.Context) (io.ReadCloser, error) { return a.streamed(ctx, name) })
}

type asked struct {
	action string
	params params
}

// questions returns the actions that return the location of a file.
func questions(kind, name string, key url.Values) []asked {
	var out []asked
	group := key.Get("group")
	switch {
	case kind == "image" || kind == "sticker":
		out = append(out, asked{"get_image", params{"file": name}})
	case kind == "file" && group != "":
		p := params{"group_id": group, "file_id": name}
		if bus := key.Get("busid"); wire.NumberForm.MatchString(bus) {
			p["busid"] = wire.Number(bus).Param()
		}
		out = append(out, asked{"get_group_file_url", p})
	case kind == "file":
		out = append(out, asked{"get_private_file_url", params{"file_id": name}})
	}
	return append(out, asked{"get_file", params{"file": name, "file_id": name}})
}

func web(u string) bool { return strings.HasPrefix(u, "http://") || strings.HasPrefix(u, "https://") }

// located asks for the location of a file, and reads it there. A path on NapCat's machine is of no use here.
func (a *account) located(ctx context.Context, action string, p params) (io.ReadCloser, error) {
	var got struct {
		File   string `json:"file"`
		URL    string `json:"url"`
		Base64 string `json:"base64"`
	}
	within, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	if err := a.with(within, func(c *conn) error { return c.ask(within, action, p, &got) }); err != nil {
		return nil, err
	}
	for _, coded := range []string{got.Base64, after(got.File, "base64://"), after(got.URL, "base64://")} {
		if coded != "" {
			return decoded(coded)
		}
	}
	for _, u := range []string{got.URL, got.File} {
		if web(u) {
			return a.get(ctx, u)
		}
	}
	return nil, fault.Errorf(fault.NotFound, "%s names no place that can be read from here", action)
}

func after(s, prefix string) string {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return ""
	}
	return rest
}

func decoded(coded string) (io.ReadCloser, error) {
	if base64.StdEncoding.DecodedLen(len(coded)) > maxFetch+2 {
		return nil, errLarge()
	}
	data, err := base64.StdEncoding.DecodeString(coded)
	if err != nil {
		return nil, fault.Errorf(fault.NotFound, "NapCat's copy of the file is broken: %w", err)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func errLarge() error {
	return fault.Errorf(fault.TooLarge, "the file has more than %d MB", maxFetch>>20)
}

// get reads a file from an address. It returns NotFound if the address has expired.
func (a *account) get(ctx context.Context, address string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fault.Errorf(fault.NotFound, "the address of the file is broken: %w", err)
	}
	response, err := a.files.Do(request)
	if fault.Is(err, fault.Denied) {
		return nil, fault.Errorf(fault.NotFound, "the file is at an address that is not read: %w", err)
	}
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "read the file: %w", err)
	}
	if response.StatusCode == http.StatusOK && response.ContentLength <= maxFetch {
		return &boundedReader{from: response.Body, left: maxFetch}, nil
	}
	_ = response.Body.Close() // nothing of it is wanted
	switch {
	case response.StatusCode == http.StatusOK:
		return nil, errLarge()
	case response.StatusCode >= http.StatusInternalServerError:
		return nil, fault.Errorf(fault.Unavailable, "the file's server answered %s", response.Status)
	}
	return nil, fault.Errorf(fault.NotFound, "the file's address has expired (%s)", response.Status)
}

// boundedReader reads at most so many bytes, and calls more an error: half a file is none.
type boundedReader struct {
	from io.ReadCloser
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errLarge()
	}
	return n, err
}

func (b *boundedReader) Close() error { return b.from.Close() }

// streamed reads a file in pieces through the connection.
func (a *account) streamed(ctx context.Context, name string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	var file bytes.Buffer
	err := a.with(ctx, func(c *conn) error {
		p := params{"file": name, "file_id": name, "chunk_size": 512 << 10}
		got, err := c.do(ctx, "download_file_stream", p, func(data json.RawMessage) error { return piece(&file, data) })
		if err != nil {
			return err
		}
		return got.Refused("download_file_stream", false)
	})
	switch {
	case err != nil:
		return nil, err
	case file.Len() == 0:
		return nil, fault.Errorf(fault.NotFound, "NapCat sent nothing of the file")
	}
	return io.NopCloser(bytes.NewReader(file.Bytes())), nil
}

func piece(file *bytes.Buffer, data json.RawMessage) error {
	var got struct {
		Kind string `json:"data_type"`
		Data string `json:"data"`
		Size int64  `json:"file_size"`
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return fault.Errorf(fault.Unavailable, "a piece of the file is broken: %w", err)
	}
	if got.Kind == "file_info" && got.Size > maxFetch {
		return errLarge()
	}
	if got.Kind != "file_chunk" {
		return nil
	}
	part, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil {
		return fault.Errorf(fault.Unavailable, "a piece of the file is broken: %w", err)
	}
	if file.Len()+len(part) > maxFetch {
		return errLarge()
	}
	_, err = file.Write(part)
	return err
}
