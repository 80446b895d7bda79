package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/callers"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

const (
	// maxBodyBytes bounds a request.
	maxBodyBytes = 4 << 20
	// maxOpen is how many requests of a user may be open at once: each that waits holds a connection.
	maxOpen = 32
	// sendTimeout is how long a client may take to read the answer after the longest wait.
	sendTimeout = 30 * time.Second
)

// gate admits requests of bounded size and number.
type gate struct {
	next http.Handler
	base *endpoint.Base

	open callers.Limit[chat.UserID]
}

type requestKey struct{}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	leave, err := g.open.EnterOr(auth.User(r.Context()).ID, maxOpen, errTooManyOpen)
	if err != nil {
		g.base.Refuse(w, r, err)
		return
	}
	defer leave()
	body, err := read(w, r)
	if err != nil {
		g.base.Refuse(w, r, err)
		return
	}
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxWait + sendTimeout)); err != nil {
		return // the connection is gone
	}
	w.Header().Set("X-Accel-Buffering", "no") // progress is for now
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context()))
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.next.ServeHTTP(w, r)
}

var errTooManyOpen = fault.Limited(time.Second, "%d requests of yours are open already; wait for one of them to end", maxOpen)

// read reads the one message of a request. A batch would be as many calls at once as it has bytes for; the protocol dropped them.
func read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, fault.Errorf(fault.TooLarge, "the request has more than %d bytes", maxBodyBytes)
	}
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the request did not come to its end: %w", err)
	}
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return nil, fault.Errorf(fault.Invalid, "a request has one message; batches are not accepted")
	}
	return body, jsonlimit.Default.Check(body)
}

// guard ends a call with its request, and keeps a panic, in any goroutine, from ending the process.
func (s *Server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (out sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("request broke", "path", Path, "method", method, "panic", p, "stack", string(debug.Stack()))
				out, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "something went wrong in the server; its log says what"}
			}
		}()
		if method == "subscriptions/listen" { // a stream without an end, of nothing: the offered tools never change
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "nothing here is listened to"}
		}
		request, ok := ctx.Value(requestKey{}).(context.Context)
		if !ok {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "this is no request"}
		}
		ctx, cancel := context.WithCancel(ctx) // the library lets calls outlive the request
		defer cancel()
		defer context.AfterFunc(request, cancel)()
		return next(ctx, method, req)
	}
}
