// Package webpicture fetches the pictures that messages name by an address of the web. The author of the message chose the address, and its
// server is untrusted: what is reached is what the client reaches, and time, bytes and requests are bounded. Neither an address nor
// anything that the other side wrote is in an error: addresses hold tokens, and errors reach logs.
package webpicture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"xbot/internal/document/picture"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// Limits of the pictures of one message.
const (
	// maxTime bounds all of them. vLLM gives a picture 5 s (VLLM_IMAGE_FETCH_TIMEOUT), and as many as a message may have are five rounds of
	// maxBeside; an answer has to begin before proxies give up (nginx: 60 s), and before the place lapses that a consumer's message was
	// admitted to (a minute).
	maxTime = 20 * time.Second
	// maxBytes bounds all of them: as much as a request holds that has them in itself.
	maxBytes = 20 << 20
	// maxBeside is how many are fetched side by side.
	maxBeside = 4
)

// How many messages have pictures fetched at once, of one caller and of all: they hold what has arrived in memory.
const (
	maxOfOne = 4
	maxOfAll = 32
)

// Fetcher fetches pictures. It is safe for concurrent use.
type Fetcher struct {
	client *http.Client
	agent  string
	time   time.Duration
	bytes  int64

	mu  sync.Mutex
	one map[string]int // messages whose pictures are being fetched, by caller
	all int
}

// New returns a fetcher. The client is one of safehttp.New, agent the product and its version.
func New(client *http.Client, agent string) *Fetcher {
	return &Fetcher{client: client, agent: agent, time: maxTime, bytes: maxBytes, one: map[string]int{}}
}

// Error is the reason why a picture of a message cannot be had. It is fault.Invalid: the author of the message repairs it.
type Error struct {
	Picture int // which of the message, from 0
	err     error
}

// Error returns the sentence.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the fault.
func (e *Error) Unwrap() error { return e.err }

// Picture is one of a message: its file, or the address that it is fetched from.
type Picture struct {
	Data    []byte
	Address string // empty: it came as a file
}

// Fetch returns the files of the pictures of a message of a caller, and fetches those that have an address. Errors are an *Error,
// fault.RateLimited where too many are fetched at once, and fault.Invalid if the caller has gone.
func (f *Fetcher) Fetch(ctx context.Context, caller string, pictures []Picture) ([][]byte, error) {
	files := make([][]byte, len(pictures))
	for i, p := range pictures {
		files[i] = p.Data
	}
	if !Fetched(pictures) {
		return files, nil
	}
	if err := f.enter(caller); err != nil {
		return nil, err
	}
	defer f.leave(caller)
	limited, cancel := context.WithTimeout(ctx, f.time)
	defer cancel()
	group, fetching := errgroup.WithContext(limited)
	group.SetLimit(maxBeside)
	var left atomic.Int64
	left.Store(f.bytes)
	for i, p := range pictures {
		if p.Address == "" {
			continue
		}
		group.Go(func() error {
			if fetching.Err() != nil {
				return fetching.Err() // another one failed
			}
			file, why := f.fetch(fetching, p.Address, &left)
			if why != "" {
				return &Error{i, refused(p.Address, why)}
			}
			files[i] = file
			return nil
		})
	}
	err := group.Wait()
	if err != nil && ctx.Err() != nil {
		return nil, fault.Errorf(fault.Invalid, "the request ended before its pictures were there: %w", context.Cause(ctx)) // the caller is gone, and nothing broke
	}
	return files, err
}

// Fetched reports whether any of the pictures has to be fetched.
func Fetched(pictures []Picture) bool {
	return slices.ContainsFunc(pictures, func(p Picture) bool { return p.Address != "" })
}

func (f *Fetcher) enter(caller string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.one[caller] >= maxOfOne || f.all >= maxOfAll {
		return fault.Limited(time.Second, "the pictures of other messages are being fetched, and no more may be at once; send this one again in a moment")
	}
	f.one[caller]++
	f.all++
	return nil
}

func (f *Fetcher) leave(caller string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all--
	if f.one[caller]--; f.one[caller] == 0 {
		delete(f.one, caller)
	}
}

// fetch fetches one picture, or returns why not.
func (f *Fetcher) fetch(ctx context.Context, address string, left *atomic.Int64) (file []byte, why string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, notAnAddress
	}
	request.Header.Set("User-Agent", f.agent)
	request.Header.Set("Accept", "image/webp,image/png,image/jpeg,image/gif")
	request.Header.Set("Accept-Encoding", "identity") // nothing is unpacked, so that what is counted is all there is
	response, err := f.client.Do(request)
	if err != nil {
		return nil, f.reason(err)
	}
	defer func() { _ = response.Body.Close() }() // it was read, or is given up
	if code := response.StatusCode; code/100 != 2 {
		return nil, "it answered " + strconv.Itoa(code) + " " + http.StatusText(code)
	}
	if response.ContentLength > left.Load() {
		return nil, f.tooLarge()
	}
	return f.read(response.Body, left)
}

// sniffed is how many bytes decide whether something is a picture.
const sniffed = 512

// read reads a picture, and stops where the beginning is that of something else, with any declared type.
func (f *Fetcher) read(from io.Reader, left *atomic.Int64) (file []byte, why string) {
	body := &budgetReader{from, left}
	var read bytes.Buffer
	_, err := io.CopyN(&read, body, sniffed)
	if err == nil || errors.Is(err, io.EOF) {
		if !picture.Begins(read.Bytes()) {
			return nil, "what is there is no picture in one of the formats PNG, JPEG, GIF and WebP, but perhaps a page that shows one"
		}
		_, err = io.Copy(&read, body)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return nil, f.tooLarge()
	case err != nil:
		return nil, f.reason(err)
	}
	return read.Bytes(), ""
}

func (f *Fetcher) tooLarge() string {
	return "the pictures of a message that are fetched have at most " + strconv.FormatInt(f.bytes>>20, 10) + " MB together"
}

var errTooLarge = errors.New("the pictures are over the limit")

// budgetReader takes what it reads off what is left to all pictures of a message.
type budgetReader struct {
	from io.Reader
	left *atomic.Int64
}

// Read reads a piece.
func (c *budgetReader) Read(buf []byte) (int, error) {
	n, err := c.from.Read(buf)
	if c.left.Add(-int64(n)) < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// reason returns why a request failed. An inside name that leads somewhere and one that leads nowhere look the same to outsiders, and no address
// of the server's own network is shown.
func (f *Fetcher) reason(err error) string {
	operation, network := errors.AsType[*net.OpError](err)
	_, refused := errors.AsType[*fault.Error](err)
	slow, timed := errors.AsType[*url.Error](err)
	switch {
	case safehttp.Hidden(err):
		return safehttp.Nowhere
	case refused:
		return "it redirects too often, or to where nothing is fetched from"
	case errors.Is(err, context.DeadlineExceeded), timed && slow.Timeout():
		return "it did not arrive in time; the pictures of a message get " + f.time.String() + " together"
	case network && operation.Op == "dial":
		return "its host does not answer"
	case network && operation.Op != "remote error":
		return "the connection broke"
	}
	return safehttp.Reason(err)
}
