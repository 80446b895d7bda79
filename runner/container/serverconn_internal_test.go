package container

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner/pipe"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// between is a serverConn with both its ends in our hands: the server's socket and the daemon's pipe.
type between struct {
	*testing.T
	server *socket.Socket
	daemon *pipe.Pipe
	line   *daemonConn
	over   chan error
}

func newBetween(t *testing.T) *between {
	t.Helper()
	b := &between{T: t, over: make(chan error, 1)}
	socks := make(chan *socket.Socket, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sock, err := socket.Upgrade(w, r, wire.MaxFrame); err == nil {
			socks <- sock
		}
	}))
	t.Cleanup(server.Close)
	ours, err := socket.Dial(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http"))
	require.NoError(t, err)
	b.server = <-socks
	toDaemon, in := io.Pipe()
	out, fromDaemon := io.Pipe()
	b.daemon = pipe.New(toDaemon, fromDaemon, fromDaemon)
	b.line = &daemonConn{pipe: pipe.New(out, in, in), said: &tail{next: io.Discard}, gone: make(chan struct{}), calls: map[uint64]answerer{}, active: time.Now()}
	go func() {
		for { // as read, without a program to wait for
			frame, err := b.line.pipe.Receive()
			if err != nil {
				b.line.why = err
				close(b.line.gone)
				return
			}
			b.line.mu.Lock()
			take := b.line.calls[frame.ID]
			b.line.mu.Unlock()
			if take != nil {
				take(frame)
			}
		}
	}()
	r := &relay{cfg: RelayConfig{Log: slog.New(slog.DiscardHandler)}, line: b.line}
	go func() { b.over <- r.Serve(context.WithoutCancel(t.Context()), ours) }()
	t.Cleanup(func() {
		b.server.Close(socket.CodeGoingAway, "")
		b.daemon.Close(0, "")
		require.NoError(t, in.Close())
	})
	return b
}

func (b *between) ask(id uint64, typ wire.Type) {
	b.Helper()
	require.NoError(b, b.server.Send(wire.Frame{ID: id, Type: typ, Body: []byte(`{}`)}))
}

func (b *between) atDaemon() wire.Frame {
	b.Helper()
	frame, err := b.daemon.Receive()
	require.NoError(b, err)
	return frame
}

func (b *between) atServer() wire.Frame {
	b.Helper()
	frame, err := b.server.Receive()
	require.NoError(b, err)
	return frame
}

func TestPassage_GivesEveryRequestAnIDOfItsOwnAndItsAnswerTheServers(t *testing.T) {
	b := newBetween(t)
	b.ask(70, "fs.stat")
	first := b.atDaemon()
	b.ask(71, "exec.attach")
	second := b.atDaemon()
	require.NotEqual(t, first.ID, second.ID)
	require.NoError(t, b.daemon.Send(wire.Frame{ID: second.ID, Type: wire.TypePush, Body: []byte(`1`)}))
	require.NoError(t, b.daemon.Send(wire.Frame{ID: first.ID, Type: wire.TypeResult, Body: []byte(`2`)}))
	require.Equal(t, wire.Frame{ID: 71, Type: wire.TypePush, Body: []byte(`1`)}, b.atServer())
	require.Equal(t, wire.Frame{ID: 70, Type: wire.TypeResult, Body: []byte(`2`)}, b.atServer())
	b.ask(71, wire.TypeAck)
	ack := b.atDaemon()
	require.Equal(t, wire.TypeAck, ack.Type)
	require.Equal(t, second.ID, ack.ID)
	b.ask(70, wire.TypeCancel) // has ended: the daemon hears nothing
	b.ask(71, wire.TypeCancel)
	cancel := b.atDaemon()
	require.Equal(t, wire.TypeCancel, cancel.Type)
	require.Equal(t, second.ID, cancel.ID)
}

func TestPassage_GivesUpWhatALostServerWaitedFor(t *testing.T) {
	b := newBetween(t)
	b.ask(1, "exec.attach")
	request := b.atDaemon()
	b.server.Close(socket.CodeGoingAway, "")
	cancel := b.atDaemon()
	require.Equal(t, wire.TypeCancel, cancel.Type)
	require.Equal(t, request.ID, cancel.ID)
	require.Error(t, <-b.over)
}

func TestPassage_EndsTheConnectionWhenTheDaemonIsGoneWhileTheServerWaits(t *testing.T) {
	b := newBetween(t)
	b.ask(1, "exec.attach")
	b.atDaemon()
	b.daemon.Close(0, "")
	_, err := b.server.Receive()
	require.Error(t, err)
	require.ErrorIs(t, <-b.over, io.EOF)
}

func TestPassage_LeavesAServerThatUsesAnIDTwice(t *testing.T) {
	b := newBetween(t)
	b.ask(5, "exec.attach")
	b.ask(5, "exec.attach")
	b.atDaemon()
	require.Equal(t, wire.TypeCancel, b.atDaemon().Type)
	require.ErrorContains(t, <-b.over, "twice")
}
