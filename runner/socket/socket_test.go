package socket_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/runner/socket"
	"xbot/runner/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pair is the two ends of a socket.
func pair(t *testing.T, limit int64) (server, client *socket.Socket) {
	t.Helper()
	ends := make(chan *socket.Socket)
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		end, err := socket.Upgrade(w, r, limit)
		if err != nil {
			t.Error(err)
			return
		}
		ends <- end
		<-done
	}))
	client, err := socket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"))
	require.NoError(t, err)
	server = <-ends
	t.Cleanup(func() {
		close(done)
		client.Close(websocket.CloseNormalClosure, "")
		server.Close(websocket.CloseNormalClosure, "")
		s.Close()
	})
	return server, client
}

func frame(t *testing.T, id uint64, body string) wire.Frame {
	t.Helper()
	f, err := wire.NewFrame(id, wire.TypePush, body)
	require.NoError(t, err)
	return f
}

func TestSocket_ManyMaySendAtOnce(t *testing.T) {
	server, client := pair(t, wire.MaxFrame)
	var sending sync.WaitGroup
	for i := range 20 {
		sending.Go(func() {
			for range 20 {
				if err := client.Send(frame(t, uint64(i+1), strings.Repeat("x", 1000*i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	counts := map[uint64]int{}
	for range 400 {
		f, err := server.Receive()
		require.NoError(t, err)
		counts[f.ID]++
	}
	sending.Wait()
	for i := range 20 {
		require.Equal(t, 20, counts[uint64(i+1)])
	}
}

func TestSocket_RefusesFramesOverItsLimit(t *testing.T) {
	server, client := pair(t, 1000)
	require.NoError(t, client.Send(frame(t, 1, "small")))
	_, err := server.Receive()
	require.NoError(t, err)
	require.NoError(t, client.Send(frame(t, 1, strings.Repeat("x", 2000))))
	_, err = server.Receive()
	require.ErrorContains(t, err, "limit")

	server, client = pair(t, 1000)
	server.SetLimit(wire.MaxFrame)
	require.NoError(t, client.Send(frame(t, 1, strings.Repeat("x", 2000))))
	_, err = server.Receive()
	require.NoError(t, err)
	err = client.Send(frame(t, 1, strings.Repeat("x", wire.MaxFrame)))
	require.True(t, wire.IsKind(err, wire.TooLarge), "it is not even sent")
	require.NoError(t, client.Send(frame(t, 2, "and the socket goes on")))
}

func TestSocket_SaysWhyItCloses(t *testing.T) {
	server, client := pair(t, wire.MaxFrame)
	server.Close(socket.CodeSuperseded, strings.Repeat("a long reason ", 50))
	server.Close(socket.CodeGoingAway, "closed already")
	_, err := client.Receive()
	require.True(t, socket.IsSuperseded(err), "%v", err)
	require.Error(t, server.Send(frame(t, 1, "x")))
}

func TestSocket_GivesUpASilentEnd(t *testing.T) {
	server, _ := pair(t, wire.MaxFrame)
	require.NoError(t, server.SetDeadline(time.Now().Add(20*time.Millisecond)))
	_, err := server.Receive()
	require.ErrorContains(t, err, "timeout")
}

func TestDial_TellsWhatTheServerAnswered(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	_, err := socket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"))
	require.ErrorContains(t, err, "404 Not Found: 404 page not found")
}
