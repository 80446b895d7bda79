package channel

import (
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"xbot/internal/fault"
)

// Do sends a request, whose answer the caller closes. Its error begins with what was attempted, and is Uncertain when the
// request may have arrived.
func Do(client *http.Client, req *http.Request, attempt string) (*http.Response, error) {
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GetConn: func(string) { connected.Store(false) }, // also when a connection turned out closed before it was used
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	res, err := client.Do(req.WithContext(traced))
	if err == nil {
		return res, nil
	}
	if asked, ok := errors.AsType[*url.Error](err); ok {
		err = asked.Err // the address may hold a secret, or is of the server's own network
	}
	err = fault.Errorf(fault.Unavailable, "%s: %w", attempt, err)
	if connected.Load() {
		return nil, Uncertain(err)
	}
	return nil, err
}
