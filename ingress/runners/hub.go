// Package runners is the server's end of the runner protocol: it lets runners connect, holds their sockets, and passes
// requests to them from this process (Hub as sandbox.Local) and from others (Internal).
//
// One runner has one connection on the whole server. The newest wins: its epoch, given by the connection table, is
// the largest, and who holds an older one closes it.
package runners

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
	"xbot/internal/sandbox"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// Times of the hub.
const (
	tableWait  = 10 * time.Second // for one statement on the connection table
	checkEvery = 15 * time.Second // looks whether another process took over a runner, and whether its token is good
)

// maxHandshakes bounds connections that are not authenticated yet.
const maxHandshakes = 64

// Identity is the runner that a token authenticates.
type Identity struct {
	ID   sandbox.RunnerID
	Name string // as its owner calls it; a runner that reports another one is refused
	User chat.UserID
}

// Connection is the entry of a new connection in the connection table.
type Connection struct {
	ID     sandbox.RunnerID
	Token  []byte // SHA-256 of the token it came with
	Holder string // address under which other processes reach the holder, for example "http://10.0.0.3:8081"
	Info   wire.Info
}

// Registry authenticates runners and stores their connections. Errors carry fault kinds.
type Registry interface {
	// Authenticate finds the runner of a token by the token's SHA-256. An unknown or revoked token is Denied.
	Authenticate(ctx context.Context, tokenHash []byte) (Identity, error)
	// Connected notes a new connection and returns its epoch, larger than any before for this runner.
	Connected(ctx context.Context, c Connection) (epoch int64, err error)
	// Disconnected removes a connection unless a newer one has taken its place.
	Disconnected(ctx context.Context, id sandbox.RunnerID, epoch int64) error
	// Good records that connections with these tokens are open, and returns the tokens that are still good: not revoked,
	// and not replaced by new ones.
	Good(ctx context.Context, tokenHashes [][]byte) ([][]byte, error)
	sandbox.Holders
}

// Syncer copies files to a runner that has connected. It gets a goroutine for each connection, with a context that ends with it.
type Syncer interface {
	Sync(ctx context.Context, hub sandbox.Local, id sandbox.RunnerID)
}

// Config has the dependencies of a hub.
type Config struct {
	Registry Registry
	Kills    Kills  // that runners have not heard of; nil if none are kept
	Syncer   Syncer // nil: nothing is brought to runners
	Address  string // of the internal endpoint of this process, for the connection table; may be empty if there is one process
	Version  string // of the server
	Log      *slog.Logger
	// Access signals that tokens may have been revoked; nil: the hub polls, see CloseRevoked.
	Access interface {
		AccessChanges() (changes <-chan struct{}, leave func())
	}
}

// Hub holds the sockets of runners. It serves GET /api/runners/connect.
type Hub struct {
	cfg        Config
	handshakes chan struct{} // one token for each connection that may be in its handshake

	mu       sync.Mutex
	sessions map[sandbox.RunnerID]*connection
	changed  chan struct{} // closed and renewed when a runner connects
	closed   bool
	serving  sync.WaitGroup
	stop     context.CancelFunc
	stopped  context.Context //nolint:containedctx // ends with the hub, which no call owns
}

var _ sandbox.Local = (*Hub)(nil)

// New makes a hub. Close ends it.
func New(cfg Config) *Hub {
	stopped, stop := context.WithCancel(context.Background())
	h := &Hub{
		cfg:        cfg,
		handshakes: make(chan struct{}, maxHandshakes),
		sessions:   map[sandbox.RunnerID]*connection{},
		changed:    make(chan struct{}),
		stop:       stop,
		stopped:    stopped,
	}
	h.cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	h.serving.Go(h.watch)
	return h
}

// Connected returns how many runners this hub holds.
func (h *Hub) Connected() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// Close closes every socket and waits until the connection table shows it. Runners connect again elsewhere. The sockets are closed concurrently
// (ServeHTTP): that of a runner that does not read takes a second.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stop()
	h.serving.Wait()
}

// Connection returns the connection of a runner if this process holds it.
func (h *Hub) Connection(id sandbox.RunnerID) (sandbox.Connection, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.sessions[id]
	return s, ok
}

// Changed returns a channel that is closed when a runner connects to this process.
func (h *Hub) Changed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

// Online lists the runners whose sockets this process holds.
func (h *Hub) Online() map[sandbox.RunnerID]wire.Info {
	h.mu.Lock()
	defer h.mu.Unlock()
	online := make(map[sandbox.RunnerID]wire.Info, len(h.sessions))
	for id, s := range h.sessions {
		online[id] = s.info
	}
	return online
}

// Drop closes the connection of a runner whose token was revoked.
func (h *Hub) Drop(id sandbox.RunnerID) {
	h.mu.Lock()
	s := h.sessions[id]
	h.mu.Unlock()
	if s != nil {
		s.revoke()
	}
}

// ServeHTTP takes a runner's connection and returns when it ends.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.enter() {
		http.Error(w, "the server is stopping", http.StatusServiceUnavailable)
		return
	}
	defer h.serving.Done()
	select {
	case h.handshakes <- struct{}{}:
	default:
		http.Error(w, "too many runners are connecting at once: try again in a moment", http.StatusServiceUnavailable)
		return
	}
	sock, err := socket.Upgrade(w, r, wire.MaxHandshake)
	if err != nil {
		<-h.handshakes
		return // the answer has been written
	}
	stop := context.AfterFunc(h.stopped, func() { sock.Close(socket.CodeGoingAway, "the server is stopping") })
	defer stop()
	s, err := h.register(sock)
	<-h.handshakes
	if err != nil {
		h.refuse(sock, r.RemoteAddr, err)
		return
	}
	h.serve(s)
}

// enter counts a request that Close has to wait for.
func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.serving.Add(1)
	return true
}

// register reads the first frame and identifies the runner.
func (h *Hub) register(sock *socket.Socket) (*connection, error) {
	hello, err := readHello(sock)
	if err != nil {
		return nil, err
	}
	if err := hello.Validate(h.cfg.Version); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(h.stopped, tableWait)
	defer cancel()
	hash := sha256.Sum256([]byte(hello.Token))
	who, err := h.cfg.Registry.Authenticate(ctx, hash[:])
	if err != nil {
		return nil, err
	}
	if hello.Name != "" && hello.Name != who.Name {
		return nil, wire.Errorf(wire.Denied, "this token belongs to the runner %q, not to %q: leave out --name or make a token for it", who.Name, hello.Name)
	}
	hello.Name = who.Name
	epoch, err := h.cfg.Registry.Connected(ctx, Connection{ID: who.ID, Token: hash[:], Holder: h.cfg.Address, Info: hello.Info})
	if err != nil {
		return nil, err
	}
	sock.SetLimit(wire.MaxFrame)
	return newSession(sock, who, hash, hello.Info, epoch), nil
}

func readHello(sock *socket.Socket) (wire.Register, error) {
	if err := sock.SetDeadline(time.Now().Add(wire.HandshakeTimeout)); err != nil {
		return wire.Register{}, err
	}
	frame, err := sock.Receive()
	if err != nil {
		return wire.Register{}, err
	}
	if frame.Type != wire.TypeRegister {
		return wire.Register{}, wire.Errorf(wire.Invalid, "the first frame must be register, not %s", frame.Type)
	}
	if err := jsonlimit.Open.Check(frame.Body); err != nil {
		return wire.Register{}, wire.Errorf(wire.TooLarge, "the register frame cannot be read: %v", err)
	}
	var hello wire.Register
	return hello, frame.Decode(&hello)
}

// refuse sends a runner the reason why it may not connect. The text of internal errors goes to the log only.
func (h *Hub) refuse(sock *socket.Socket, remote string, err error) {
	said := publicError(err)
	h.cfg.Log.Warn("runner refused", "remote", remote, "error", err)
	if frame, err := wire.NewFrame(0, wire.TypeError, said); err == nil {
		_ = sock.Send(frame) // it is gone, or reads the close code
	}
	sock.Close(socket.CodeRefused, said.Message)
}

func publicError(err error) *wire.Error {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e
	}
	switch kind := fault.KindOf(err); kind {
	case fault.Internal, fault.Unavailable:
		return wire.Errorf(wire.Unavailable, "the server cannot check the token at the moment")
	default:
		return wire.Errorf(string(kind), "%s", err.Error())
	}
}

// serve welcomes a runner and reads its frames until the connection ends.
func (h *Hub) serve(s *connection) {
	log := h.cfg.Log.With("runner", string(s.who.ID), "epoch", s.epoch)
	defer h.leave(s, log)
	welcome, err := wire.NewFrame(0, wire.TypeRegistered,
		wire.Registered{Protocol: wire.Version, Runner: string(s.who.ID), Version: h.cfg.Version})
	if err == nil {
		err = s.sock.Send(welcome)
	}
	if err != nil {
		s.end()
		return
	}
	if !h.admit(s) {
		if h.stopped.Err() == nil {
			s.sock.Close(socket.CodeSuperseded, "a newer connection took over")
		}
		s.end()
		return
	}
	h.closeRevoked([]*connection{s}) // a revocation since its token was checked went unnoticed
	h.greet(s)
	log.Info("runner connected", "store", s.info.Store, "version", s.info.Version)
	err = s.read()
	log.Info("runner disconnected", "reason", err)
}

// admit makes the session the runner's connection, unless a newer one is there.
func (h *Hub) admit(s *connection) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.sessions[s.who.ID]
	if h.closed || (old != nil && old.epoch > s.epoch) {
		return false
	}
	h.sessions[s.who.ID] = s
	close(h.changed)
	h.changed = make(chan struct{})
	if old != nil {
		old.supersede()
	}
	return true
}

// leave forgets a session and clears its row.
func (h *Hub) leave(s *connection, log *slog.Logger) {
	h.mu.Lock()
	if h.sessions[s.who.ID] == s {
		delete(h.sessions, s.who.ID)
	}
	h.mu.Unlock()
	// Also when the server stops: others should learn at once that the runner is not here.
	ctx, cancel := context.WithTimeout(context.Background(), tableWait)
	defer cancel()
	if err := h.cfg.Registry.Disconnected(ctx, s.who.ID, s.epoch); err != nil {
		log.Warn("the end of a runner's connection could not be noted", "error", err)
	}
}

// watch closes connections that another process has taken over, or whose tokens are not valid any more.
func (h *Hub) watch() {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	var access <-chan struct{}
	if h.cfg.Access != nil {
		changes, leave := h.cfg.Access.AccessChanges()
		defer leave()
		access = changes
	}
	for {
		select {
		case <-h.stopped.Done():
			return
		case <-access:
			h.CloseRevoked()
		case <-tick.C:
			h.CloseSuperseded()
			h.CloseRevoked()
			h.sendKills(h.all()...)
		}
	}
}

// CloseSuperseded closes connections that another process has taken over. The hub does it every 15 seconds; a process
// that hears of a change may do it at once.
func (h *Hub) CloseSuperseded() {
	for _, s := range h.all() {
		ctx, cancel := context.WithTimeout(h.stopped, tableWait)
		_, epoch, ok, err := h.cfg.Registry.Holder(ctx, s.who.ID)
		cancel()
		if err == nil && ok && epoch > s.epoch {
			s.supersede()
		}
	}
}

// CloseRevoked closes connections whose tokens were revoked or replaced. The hub does it every 15 seconds; a process
// that hears of a change may do it at once.
func (h *Hub) CloseRevoked() { h.closeRevoked(h.all()) }

func (h *Hub) closeRevoked(held []*connection) {
	if len(held) == 0 {
		return
	}
	hashes := make([][]byte, len(held))
	for i, s := range held {
		hashes[i] = s.token[:]
	}
	ctx, cancel := context.WithTimeout(h.stopped, tableWait)
	defer cancel()
	found, err := h.cfg.Registry.Good(ctx, hashes)
	if err != nil {
		h.cfg.Log.Warn("the tokens of connected runners could not be checked, they are next time", "error", err)
		return
	}
	good := make(map[string]bool, len(found))
	for _, hash := range found {
		good[string(hash)] = true
	}
	for _, s := range held {
		if !good[string(s.token[:])] {
			h.cfg.Log.Info("runner dropped, its token was revoked or replaced", "runner", string(s.who.ID))
			s.revoke()
		}
	}
}

func (h *Hub) all() []*connection {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.sessions))
}
