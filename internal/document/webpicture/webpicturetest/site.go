// Package webpicturetest is a host of pictures for tests.
package webpicturetest

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/webpicture"
	"xbot/internal/host/safehttp"
)

// Width of the picture that a Site has.
const Width = 7

// Site has a picture at every path, but for /page, which is a page that claims to be a picture, and /missing. /slow answers after GoOn,
// each time with another picture.
type Site struct {
	URL  string
	GoOn func()

	asked, waiting atomic.Int64
	server         *httptest.Server
}

// New starts a site, which ends with the test.
func New(t *testing.T) *Site {
	t.Helper()
	cat := draw(t, Width)
	released := make(chan struct{})
	s := &Site{GoOn: sync.OnceFunc(func() { close(released) })}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.asked.Add(1)
		w.Header().Set("Content-Type", "image/png")
		switch r.URL.Path {
		case "/page":
			_, _ = w.Write([]byte("<html><img src=cat.png></html>")) // the client is gone if this fails
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		case "/slow":
			s.waiting.Add(1)
			select {
			case <-released:
			case <-r.Context().Done():
			}
			_, _ = w.Write(draw(t, Width+int(n))) // the client is gone if this fails
		default:
			_, _ = w.Write(cat) // the client is gone if this fails
		}
	}))
	s.URL = s.server.URL
	t.Cleanup(s.Close)
	return s
}

func draw(t *testing.T, width int) []byte {
	t.Helper()
	var cat bytes.Buffer
	require.NoError(t, png.Encode(&cat, image.NewGray(image.Rect(0, 0, width, 5))))
	return cat.Bytes()
}

// Picture returns the picture of a Site in the form for a message.
func Picture(t *testing.T) string {
	t.Helper()
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(draw(t, Width))
}

// Close ends the site: from then on its addresses do not answer.
func (s *Site) Close() {
	s.GoOn()
	s.server.CloseClientConnections()
	s.server.Close()
}

// Asked returns the number of requests.
func (s *Site) Asked() int { return int(s.asked.Load()) }

// Waiting returns the number of requests for /slow.
func (s *Site) Waiting() int { return int(s.waiting.Load()) }

// Fetcher fetches from the test's own machine, besides the public internet.
func Fetcher(t *testing.T) *webpicture.Fetcher {
	t.Helper()
	allow, err := safehttp.ParseAllow([]string{"127.0.0.1"})
	require.NoError(t, err)
	client := safehttp.New(allow)
	t.Cleanup(client.CloseIdleConnections)
	return webpicture.New(client, "xbot/test")
}
