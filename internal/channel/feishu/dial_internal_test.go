package feishu

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// The client of production speaks HTTP/2 where it can; the long connection cannot.
func TestDial_AServerThatPrefersHTTP2IsSpokenToInHTTP1(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !websocket.IsWebSocketUpgrade(r) {
			w.Header().Set("X-Proto", r.Proto)
			return
		}
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err == nil {
			_ = conn.Close() // that it stands is enough
		}
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	transport, ok := http.DefaultTransport.(*http.Transport)
	require.True(t, ok)
	transport = transport.Clone()
	if transport.TLSClientConfig == nil {
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	transport.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	t.Cleanup(transport.CloseIdleConnections)
	a := alone(false)
	a.http = &http.Client{Transport: transport}
	res, err := a.http.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, "HTTP/2.0", res.Header.Get("X-Proto"), "calls go by HTTP/2")
	conn, handshake, err := a.dialer().DialContext(t.Context(), "wss"+strings.TrimPrefix(server.URL, "https"), nil)
	require.NoError(t, err)
	require.NoError(t, handshake.Body.Close())
	require.NoError(t, conn.Close())
}

// All accounts share one client, and its first request completes what the dialer reads.
func TestDialer_ReadsAClientThatAnotherAccountBeginsToUse(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for range 20 {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		a := &Account{http: &http.Client{Transport: transport}}
		asked := make(chan error, 1)
		go func() {
			answer, err := a.http.Get(server.URL)
			if err == nil {
				err = answer.Body.Close()
			}
			asked <- err
		}()
		require.Empty(t, a.dialer().TLSClientConfig.NextProtos)
		require.NoError(t, <-asked)
		transport.CloseIdleConnections()
	}
}
