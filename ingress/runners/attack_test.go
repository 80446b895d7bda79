package runners_test

import (
	"crypto/rand"
	"encoding/binary"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"xbot/runner/wire"
)

// Kinds of frames (RFC 6455 §5.2).
const (
	fin, rsv1 = 0x80, 0x40

	more, text, binaryData, farewell, ping, pong = 0, 1, 2, 8, 9, 10
)

// raw writes a frame unchanged, masked like those of clients. size is its declared length; less than 0: the actual one.
func raw(t *testing.T, conn net.Conn, first byte, size int64, payload []byte) error {
	t.Helper()
	if size < 0 {
		size = int64(len(payload))
	}
	head := append([]byte{first, 0x80 | 127}, binary.BigEndian.AppendUint64(nil, uint64(size))...)
	if size < 126 {
		head = []byte{first, 0x80 | byte(size)}
	} else if size < 1<<16 {
		head = append([]byte{first, 0x80 | 126}, binary.BigEndian.AppendUint16(nil, uint16(size))...)
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:]) // it never fails
	head = append(head, mask[:]...)
	for i, b := range payload {
		head = append(head, b^mask[i%4])
	}
	require.NoError(t, conn.SetWriteDeadline(time.Now().Add(patience)))
	_, err := conn.Write(head)
	return err
}

// hostile are frames that must end the connection.
var hostile = map[string]func(t *testing.T, conn net.Conn){
	"a frame of the largest size": func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|text, 1<<62, []byte("x")) },
	"a frame of a negative size": func(t *testing.T, c net.Conn) {
		_, _ = c.Write([]byte{fin | text, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	},
	"a frame over the limit":      func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|text, -1, make([]byte, wire.MaxFrame+1)) },
	"fragments over the limit":    fragments,
	"a fragment of nothing begun": func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|more, -1, []byte("x")) },
	"a message within a message": func(t *testing.T, c net.Conn) {
		_ = raw(t, c, text, -1, []byte("{"))
		_ = raw(t, c, fin|text, -1, []byte("}"))
	},
	"a ping in fragments":            func(t *testing.T, c net.Conn) { _ = raw(t, c, ping, -1, []byte("x")) },
	"a ping of 1 MB":                 func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|ping, -1, make([]byte, 1<<20)) },
	"a compressed frame":             func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|rsv1|text, -1, []byte{0xca, 0x48, 0xcd}) },
	"a kind that is none":            func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|3, -1, []byte("x")) },
	"a control that is none":         func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|15, -1, nil) },
	"a frame without a mask":         func(t *testing.T, c net.Conn) { _, _ = c.Write([]byte{fin | text, 2, '{', '}'}) },
	"a farewell of one byte":         func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|farewell, -1, []byte{1}) },
	"a farewell with a code of none": func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|farewell, -1, []byte{0, 1}) },
	"a farewell that is no UTF-8":    func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|farewell, -1, []byte{3, 232, 0xff, 0xfe}) },
	"binary data":                    func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|binaryData, -1, []byte("{}")) },
	"text that is no UTF-8":          func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|text, -1, []byte("\xff\xfe")) },
	"nothing":                        func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|text, -1, nil) },
	"deep arrays":                    func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|text, -1, []byte(strings.Repeat("[", 60_000))) },
	"deep arrays in a body": func(t *testing.T, c net.Conn) {
		_ = raw(t, c, fin|text, -1, []byte(`{"type":"x","body":`+strings.Repeat("[", 30_000)))
	},
	"two objects": func(t *testing.T, c net.Conn) { _ = raw(t, c, fin|text, -1, []byte(`{"type":"a"}{"type":"b"}`)) },
	"an id that is too large": func(t *testing.T, c net.Conn) {
		_ = raw(t, c, fin|text, -1, []byte(`{"type":"push","id":99999999999999999999999}`))
	},
	"a request of the server's own": func(t *testing.T, c net.Conn) {
		_ = raw(t, c, fin|text, -1, []byte(`{"type":"exec.start","id":1,"body":{}}`))
	},
	"more pings than are answered": pings,
	"HTTP instead of frames":       func(t *testing.T, c net.Conn) { _, _ = c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) },
}

func fragments(t *testing.T, conn net.Conn) {
	first := byte(text)
	for sent := 0; sent <= wire.MaxFrame; sent += 1 << 16 {
		if raw(t, conn, first, -1, make([]byte, 1<<16)) != nil {
			return
		}
		first = more
	}
}

func pings(t *testing.T, conn net.Conn) {
	for range 10_000 {
		if raw(t, conn, fin|ping, -1, []byte("x")) != nil {
			return
		}
	}
}

func TestAttack_FramesOfWhoHasNotRegistered(t *testing.T) {
	t.Parallel()
	s := server(t)
	for name, send := range hostile {
		t.Run(name, func(t *testing.T) {
			p := dial(t, s)
			send(t, p.conn.NetConn())
			p.closed()
			require.Empty(t, s.Hub.Online())
		})
	}
}

func TestAttack_FramesOfARunner(t *testing.T) {
	t.Parallel()
	s := server(t)
	for name, send := range hostile {
		t.Run(name, func(t *testing.T) {
			p := dial(t, s)
			p.register(hello)
			send(t, p.conn.NetConn())
			p.closed()
			require.Eventually(t, func() bool { return len(s.Hub.Online()) == 0 }, patience, time.Millisecond)
		})
	}
}

// A client that has not registered has ten seconds, even if it keeps the connection busy: handshake slots are few.
func TestAttack_WhoDoesNotRegisterIsSentAway(t *testing.T) {
	t.Parallel()
	for name, busy := range map[string]func(t *testing.T, conn net.Conn) error{
		"pings":     func(t *testing.T, c net.Conn) error { return raw(t, c, fin|ping, -1, []byte("x")) },
		"pongs":     func(t *testing.T, c net.Conn) error { return raw(t, c, fin|pong, -1, nil) },
		"fragments": func(t *testing.T, c net.Conn) error { return raw(t, c, more, -1, []byte(" ")) },
		"silence":   func(*testing.T, net.Conn) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := dial(t, server(t))
			if name == "fragments" {
				require.NoError(t, raw(t, p.conn.NetConn(), text, -1, []byte("{")))
			}
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				p.closed()
			}()
			require.Eventually(t, func() bool {
				select {
				case <-gone:
					return true
				default:
					_ = busy(t, p.conn.NetConn()) // the server may have closed it
					return false
				}
			}, time.Minute, 500*time.Millisecond, "it still holds a place")
		})
	}
}

func TestAttack_UpgradesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := server(t)
	for name, header := range map[string]http.Header{
		"a page of elsewhere":    {"Origin": {"https://evil.example"}},
		"a page without origin":  {"Origin": {"null"}},
		"an origin that is none": {"Origin": {"://"}},
	} {
		t.Run(name, func(t *testing.T) {
			conn, response, err := websocket.DefaultDialer.Dial(s.ConnectURL(), header)
			if err == nil {
				_ = conn.Close()
			}
			require.Error(t, err)
			require.Equal(t, http.StatusForbidden, response.StatusCode)
		})
	}
	t.Run("compression is not offered", func(t *testing.T) {
		dialer := websocket.Dialer{EnableCompression: true}
		conn, response, err := dialer.Dial(s.ConnectURL(), nil)
		require.NoError(t, err)
		defer conn.Close()
		require.Empty(t, response.Header.Get("Sec-WebSocket-Extensions"))
	})
}
