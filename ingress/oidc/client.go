package oidc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"xbot/internal/host/safehttp"
)

const (
	// answerTime bounds each request to the provider.
	answerTime = 10 * time.Second
	// maxAnswer bounds each response of the provider, in bytes.
	maxAnswer = 1 << 20
)

// bounded sends requests to the provider through a client that has a timeout and a size limit and follows no redirects: requests carry the code, the
// client secret and tokens.
func bounded(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, &http.Client{
		Timeout: answerTime, Transport: short{trusted()}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}

// trusted returns the transport for requests to the provider.
var trusted = sync.OnceValue(func() http.RoundTripper { return safehttp.Trusted() })

// short limits the bodies of responses.
type short struct{ over http.RoundTripper }

// RoundTrip sends one request.
func (s short) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.over.RoundTrip(r)
	if err == nil {
		resp.Body = &shortBody{ReadCloser: resp.Body, left: maxAnswer}
	}
	return resp, err
}

// shortBody fails after a number of bytes.
type shortBody struct {
	io.ReadCloser

	left int
}

var errLong = errors.New("the answer of the OpenID provider is too long")

// Read reads up to the limit.
func (b *shortBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
