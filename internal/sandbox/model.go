package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"xbot/runner/wire"
)

// ModelURL is the base URL to give a model's client together with Transport. The host is a placeholder for the runner; the real
// address is known there alone.
const ModelURL = "http://runner"

// maxModelRequest bounds the body of a request, in bytes: it has to fit a frame in base64.
const maxModelRequest = wire.MaxFrame/4*3 - wire.MaxHandshake

// Transport carries HTTP requests to the model that the runner offers (wire.Info.LLM): with it the ordinary clients
// work through the runner. A request is sent at most once. The runner is waited for as by any call; that it is offline,
// or went away in the middle, is an error that names it.
func Transport(r *Runner) http.RoundTripper { return &modelTransport{runner: r} }

type modelTransport struct{ runner *Runner }

// exchange is one request with its answer under way.
type exchange struct {
	request *http.Request
	cancel  context.CancelFunc
	head    chan wire.LLMHead // receives once, if there is an answer
	out     *io.PipeReader
	end     *io.PipeWriter
}

// RoundTrip sends a request and returns when the head of its answer is there.
func (t *modelTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ask, err := modelRequest(request)
	if err != nil {
		return nil, err
	}
	if _, err := t.runner.ready(request.Context(), false); err != nil {
		return nil, plain(err)
	}
	ctx, cancel := context.WithCancel(request.Context())
	x := &exchange{request: request, cancel: cancel, head: make(chan wire.LLMHead, 1)}
	x.out, x.end = io.Pipe()
	failed := make(chan error, 1)
	go func() { failed <- x.run(ctx, t.runner, ask) }()
	select {
	case head := <-x.head:
		return x.response(head), nil
	case err := <-failed:
		select {
		case head := <-x.head: // a short answer was over before we looked
			return x.response(head), nil
		default:
		}
		if err == nil {
			err = errors.New("the runner gave no answer")
		}
		return nil, err
	}
}

// modelRequest takes what the runner needs of a request, and closes its body.
func modelRequest(request *http.Request) (wire.Request, error) {
	var body bytes.Buffer
	if request.Body != nil {
		_, err := io.Copy(&body, io.LimitReader(request.Body, maxModelRequest+1))
		if err := errors.Join(err, request.Body.Close()); err != nil {
			return wire.Request{}, err
		}
	}
	if body.Len() > maxModelRequest {
		return wire.Request{}, fmt.Errorf("a request of more than %d bytes cannot pass through a runner", maxModelRequest)
	}
	path := request.URL.EscapedPath()
	if request.URL.RawQuery != "" {
		path += "?" + request.URL.RawQuery
	}
	header := request.Header.Clone()
	for _, secret := range []string{"Authorization", "X-Api-Key", "Api-Key", "Cookie"} {
		header.Del(secret) // a key of the server is nothing for the runner
	}
	return wire.NewRequest(wire.OpLLM, wire.LLMRequest{Method: request.Method, Path: path, Header: header, Body: body.Bytes()})
}

// run follows the exchange to its end.
func (x *exchange) run(ctx context.Context, r *Runner, ask wire.Request) error {
	defer x.cancel()
	stop := context.AfterFunc(ctx, func() { _ = x.end.CloseWithError(ctx.Err()) }) // never fails
	defer stop()
	begun := false
	_, err := r.link.Call(ctx, ask, func(push wire.Push) error {
		if !begun {
			begun = true
			var head wire.LLMHead
			if err := push.Decode(&head); err != nil {
				return err
			}
			x.head <- head
			return nil
		}
		var piece wire.LLMBody
		if err := push.Decode(&piece); err != nil {
			return err
		}
		_, err := x.end.Write(piece.Data)
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = plain(translate(r.name, err))
	}
	_ = x.end.CloseWithError(err) // a nil error reads as the end of the answer; it never fails
	return err
}

// plain makes an error without a kind: to the client this is a network, and the client knows what its failures mean.
// An *OfflineError has none and stays.
func plain(err error) error {
	if offline, ok := errors.AsType[*OfflineError](err); ok {
		return offline
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return errors.New(err.Error())
}

func (x *exchange) response(head wire.LLMHead) *http.Response {
	header := http.Header(head.Header)
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", head.Status, http.StatusText(head.Status)), StatusCode: head.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: x, ContentLength: -1, Request: x.request,
	}
}

// Read reads the body of the answer.
func (x *exchange) Read(p []byte) (int, error) { return x.out.Read(p) }

// Close ends the request if its answer is not over.
func (x *exchange) Close() error {
	x.cancel()
	return x.out.Close()
}
