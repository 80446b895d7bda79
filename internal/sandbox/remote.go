package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"xbot/internal/host/safehttp"
	"xbot/runner/wire"
)

// The internal protocol between processes of one server: a request as JSON, its answer as one JSON frame a line, and
// empty lines in the meantime. Package ingress/runners has the other end.
const (
	LineEvery   = 5 * time.Second // between empty lines
	LineOffline = wire.Type("offline")
	LineBroken  = wire.Type("broken")
)

// Times of the internal client.
const (
	lineSilence = 4 * LineEvery // after which the other process is given up
	dialWait    = 3 * time.Second
	infoWait    = 5 * time.Second
)

// HeldConnection means that a process holds a runner's socket.
type HeldConnection struct {
	Epoch int64     `json:"epoch"`
	Info  wire.Info `json:"info"`
}

// remoteConnection reaches a runner through the process that holds its socket. It is bound to the connection that was found there.
type remoteConnection struct {
	client *http.Client
	base   string
	key    KeySource
	id     RunnerID
	held   HeldConnection
}

// newClient makes a client for other processes of the same server. It never uses a proxy, and a command that runs
// long is no reason to give up.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:                 nil,
		DialContext:           safehttp.HideAddresses((&net.Dialer{Timeout: dialWait}).DialContext),
		MaxIdleConnsPerHost:   32,
		IdleConnTimeout:       time.Minute,
		ResponseHeaderTimeout: lineSilence,
	}}
}

// open asks the process whether it holds the socket. ErrOffline if not, or if it cannot be reached.
func (w *remoteConnection) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, infoWait)
	defer cancel()
	response, err := w.do(ctx, http.MethodGet, "", nil)
	if err != nil {
		return fmt.Errorf("%w: its holder does not answer: %w", ErrOffline, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return refusedBy(response)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, wire.MaxHandshake)).Decode(&w.held); err != nil {
		return fmt.Errorf("%w: its holder's answer cannot be read: %w", ErrOffline, err)
	}
	return nil
}

// drop has the process close the runner's connection. A process that does not answer has no connection to close.
func (w *remoteConnection) drop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, infoWait)
	defer cancel()
	response, err := w.do(ctx, http.MethodDelete, "", nil)
	if notSentOr(err) == ErrOffline { //nolint:errorlint // it returns one of two values
		return nil
	}
	if err != nil {
		return fmt.Errorf("close the connection of runner %s at its holder: %w", w.id, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("close the connection of runner %s: its holder answered %s", w.id, response.Status)
	}
	return nil
}

// refusedBy explains an answer that is not 200: nothing was sent to the runner.
func refusedBy(response *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, 500))
	if err != nil {
		return fmt.Errorf("%w: its holder answered %s", ErrOffline, response.Status)
	}
	said := strings.TrimSpace(string(text))
	switch response.StatusCode {
	case http.StatusNotFound:
		return ErrOffline
	case http.StatusRequestEntityTooLarge:
		return wire.Errorf(wire.TooLarge, "%s", said)
	case http.StatusBadRequest:
		return wire.Errorf(wire.Invalid, "%s", said)
	}
	return fmt.Errorf("%w: its holder answered %s: %s", ErrOffline, response.Status, said)
}

func (w *remoteConnection) do(ctx context.Context, method, suffix string, body []byte) (*http.Response, error) {
	address := strings.TrimSuffix(w.base, "/") + "/internal/runners/" + url.PathEscape(string(w.id)) + suffix
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+w.key.InternalKey())
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return w.client.Do(req)
}

// Info returns the runner's info from when the connection was found. A connection that has ended fails the next call.
func (w *remoteConnection) Info(context.Context) (wire.Info, error) { return w.held.Info, nil }

// Call sends one request through the other process and waits for its end.
func (w *remoteConnection) Call(ctx context.Context, req wire.Request, push func(wire.Push) error) (wire.Response, error) {
	body, err := json.Marshal(req)
	if err != nil {
		return wire.Response{}, fmt.Errorf("encode %s: %w", req.Op, err)
	}
	if len(body) > wire.MaxFrame {
		return wire.Response{}, wire.Errorf(wire.TooLarge, "a request of %d bytes is over the limit of %d", len(body), wire.MaxFrame)
	}
	asked := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := w.do(ctx, http.MethodPost, "/call?epoch="+strconv.FormatInt(w.held.Epoch, 10), body)
	if err != nil {
		if asked.Err() != nil {
			return wire.Response{}, asked.Err()
		}
		return wire.Response{}, fmt.Errorf("%w: %w", notSentOr(err), err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return wire.Response{}, refusedBy(response)
	}
	silence := time.AfterFunc(lineSilence, cancel)
	defer silence.Stop()
	result, err := readLines(response.Body, push, silence)
	if err != nil && asked.Err() != nil {
		return wire.Response{}, asked.Err()
	}
	return result, err
}

// notSentOr is ErrOffline if no connection was made, so that nothing can have been sent.
func notSentOr(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return ErrOffline
	}
	return ErrBroken
}

// readLines takes the lines of an answer up to the one that ends it.
func readLines(body io.Reader, push func(wire.Push) error, silence *time.Timer) (wire.Response, error) {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), wire.MaxFrame+1)
	for lines.Scan() {
		silence.Reset(lineSilence)
		if len(lines.Bytes()) == 0 {
			continue
		}
		frame, err := wire.DecodeFrame(lines.Bytes())
		if err != nil {
			return wire.Response{}, err
		}
		switch frame.Type {
		case wire.TypePush:
			var p wire.Push
			if err := frame.Decode(&p); err != nil {
				return wire.Response{}, err
			}
			if push == nil {
				continue
			}
			silence.Stop() // what the caller does with it takes as long as it takes
			if err := push(p); err != nil {
				return wire.Response{}, err
			}
			silence.Reset(lineSilence)
		case wire.TypeResult:
			var r wire.Response
			return r, frame.Decode(&r)
		case wire.TypeError:
			refusal := &wire.Error{}
			if err := frame.Decode(refusal); err != nil {
				return wire.Response{}, err
			}
			return wire.Response{}, refusal
		case LineOffline:
			return wire.Response{}, ErrOffline
		case LineBroken:
			return wire.Response{}, ErrBroken
		}
	}
	return wire.Response{}, fmt.Errorf("%w: the process that holds it went away", ErrBroken)
}
