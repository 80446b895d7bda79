package feishu

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

const (
	endpointPath = "/callback/ws/endpoint"
	dialTimeout  = 20 * time.Second
	writeTimeout = 10 * time.Second
	// maxFrame bounds a frame, in bytes. The platform divides larger events.
	maxFrame = 8 << 20
	// maxHandling is how many events are handled at once; further ones wait in the connection.
	maxHandling = 128
	// pingEvery is how often the client pings where the platform does not say; minPing is the least it may say.
	pingEvery = 2 * time.Minute
	minPing   = 20 * time.Millisecond
	// grace is how long beyond two pings the platform may be silent.
	grace = 10 * time.Second
)

// connect keeps a long connection until ctx ends.
func (a *Account) connect(ctx context.Context, to channel.Receiver, report func(channel.Status)) error {
	pause := newBackoff(a.pause)
	for ctx.Err() == nil {
		began := time.Now()
		err := a.session(ctx, to, report)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && hopeless(err) {
			return err
		}
		if time.Since(began) >= steady {
			pause.reset()
		}
		report(channel.Status{Err: err})
		pause.wait(ctx)
	}
	return nil
}

// session is one connection, from its endpoint to its end.
func (a *Account) session(ctx context.Context, to channel.Receiver, report func(channel.Status)) error {
	address, every, err := a.endpoint(ctx)
	if err != nil {
		return err
	}
	conn, err := a.dial(ctx, address)
	if err != nil {
		return err
	}
	service, _ := strconv.ParseInt(address.Query().Get("service_id"), 10, 32) // 0 where it does not say
	l := &link{
		Account: a, conn: conn, service: int32(service), to: to, report: report,
		every: make(chan time.Duration, 1), pingEvery: every, parts: map[string]*parts{}, slots: make(chan struct{}, maxHandling),
	}
	return l.serve(ctx)
}

// endpoint asks where to connect to. Its refusals are about credentials, but for two that say to come back.
func (a *Account) endpoint(ctx context.Context) (*url.URL, time.Duration, error) {
	var out struct {
		Data struct {
			URL    string `json:"URL"`
			Config tuning `json:"ClientConfig"`
		} `json:"data"`
	}
	in := map[string]string{"AppID": a.set.appID, "AppSecret": a.set.secret}
	err := a.plain(ctx, &larkcore.ApiReq{HttpMethod: http.MethodPost, ApiPath: endpointPath, Body: in}, &out)
	if r, ok := refusalOf(err); ok {
		if r.status < 500 && r.class() != limited && r.code != 1 && r.code != 1000040343 && r.code != 0 {
			return nil, 0, fault.Errorf(fault.Denied,
				"Feishu refuses the long connection; check App ID and App Secret, and that the app has a bot and receives events by a long connection: %w", r)
		}
		return nil, 0, fault.Errorf(fault.Unavailable, "Feishu gives no long connection now: %w", r)
	}
	if err != nil {
		return nil, 0, channel.Certain(err)
	}
	u, err := url.Parse(out.Data.URL)
	if err != nil || u.Host == "" || (u.Scheme != "ws" && u.Scheme != "wss") {
		return nil, 0, fault.Errorf(fault.Unavailable, "Feishu named no address for the long connection")
	}
	return u, out.Data.Config.ping(pingEvery), nil
}

// tuning is how the platform wants to be spoken to. Members that are missing say nothing.
type tuning struct {
	PingInterval float64 `json:"PingInterval"` // seconds
}

func (t tuning) ping(otherwise time.Duration) time.Duration {
	if t.PingInterval <= 0 || t.PingInterval > 3600 {
		return otherwise
	}
	return max(minPing, time.Duration(t.PingInterval*float64(time.Second)))
}

func (a *Account) dial(ctx context.Context, address *url.URL) (*websocket.Conn, error) {
	dialer := websocket.Dialer{HandshakeTimeout: dialTimeout, Proxy: http.ProxyFromEnvironment}
	if t, ok := a.http.Transport.(*http.Transport); ok {
		dialer.Proxy, dialer.NetDialContext = t.Proxy, t.DialContext
		if t.TLSClientConfig != nil {
			dialer.TLSClientConfig = t.TLSClientConfig.Clone()
			dialer.TLSClientConfig.NextProtos = nil // the client's own asks for HTTP/2, which has no WebSockets here
		}
	}
	conn, res, err := dialer.DialContext(ctx, address.String(), nil)
	if err == nil {
		conn.SetReadLimit(maxFrame)
		return conn, nil
	}
	if res == nil {
		return nil, fault.Errorf(fault.Unavailable, "connect to Feishu: %w", err)
	}
	_ = res.Body.Close() // the handshake is over
	status, why := res.Header.Get("Handshake-Status"), res.Header.Get("Handshake-Msg")
	if status == "403" {
		return nil, fault.Errorf(fault.Denied, "Feishu refuses the long connection: %.200s", why)
	}
	return nil, fault.Errorf(fault.Unavailable, "Feishu refuses the long connection for now (HTTP %d, status %.20s, code %.20s): %.200s",
		res.StatusCode, status, res.Header.Get("Handshake-Autherrcode"), why)
}

// link is a connection that stands.
type link struct {
	*Account

	conn    *websocket.Conn
	service int32
	to      channel.Receiver
	report  func(channel.Status)

	pingEvery time.Duration      // of the reader
	every     chan time.Duration // tells the pinger of a change; holds the newest
	parts     map[string]*parts  // of the reader
	slots     chan struct{}      // one for each event that is handled
	writing   sync.Mutex
}

// serve reads until the connection or ctx ends, and waits for what is being handled.
func (l *link) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		<-ctx.Done()
		_ = l.conn.Close() // the reader sees it
	})
	running.Go(func() { l.ping(ctx, l.pingEvery) })
	l.report(channel.Status{Connected: true})
	err := l.read(ctx, &running)
	cancel()
	running.Wait()
	return err
}

func (l *link) read(ctx context.Context, running *sync.WaitGroup) error {
	for {
		_ = l.conn.SetReadDeadline(time.Now().Add(2*l.pingEvery + grace)) // a closed connection says so when it is read
		kind, raw, err := l.conn.ReadMessage()
		if err != nil {
			return fault.Errorf(fault.Unavailable, "the connection to Feishu broke: %w", err)
		}
		if kind != websocket.BinaryMessage {
			continue
		}
		f, err := UnmarshalFrame(raw)
		if err != nil {
			continue // nobody can answer it
		}
		switch {
		case f.Method == FrameControl:
			l.control(f)
		case f.Method == FrameData && f.Get("type") == "event":
			payload, whole := l.assemble(f, time.Now())
			if !whole {
				continue
			}
			select {
			case l.slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			running.Go(func() {
				defer func() { <-l.slots }()
				l.handle(ctx, f, payload)
			})
		}
	}
}

// control takes in what a pong brings.
func (l *link) control(f *Frame) {
	if f.Get("type") != "pong" || len(f.Payload) == 0 {
		return
	}
	var t tuning
	if json.Unmarshal(f.Payload, &t) != nil {
		return
	}
	if every := t.ping(l.pingEvery); every != l.pingEvery {
		l.pingEvery = every
		select {
		case <-l.every: // nobody has read the last one
		default:
		}
		l.every <- every
	}
}

// ping shows the platform that somebody is there, at once and then at intervals.
func (l *link) ping(ctx context.Context, every time.Duration) {
	f := &Frame{Service: l.service, Method: FrameControl, Headers: []Header{{"type", "ping"}}}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if l.write(f) != nil {
			_ = l.conn.Close() // the reader sees it
			return
		}
		select {
		case <-ctx.Done():
			return
		case every := <-l.every:
			ticker.Reset(every)
		case <-ticker.C:
		}
	}
}

func (l *link) write(f *Frame) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return l.conn.WriteMessage(websocket.BinaryMessage, f.Marshal())
}

// handle hands an event over and acknowledges it with what became of it.
func (l *link) handle(ctx context.Context, f *Frame, payload []byte) {
	began := time.Now()
	answer, err := l.take(ctx, payload, l.to, l.report)
	if ctx.Err() != nil {
		return // whoever comes next gets it again
	}
	l.acknowledge(f, answer, err == nil, time.Since(began))
}

func (l *link) acknowledge(f *Frame, answer any, taken bool, took time.Duration) {
	ack := struct {
		Code    int               `json:"code"`
		Headers map[string]string `json:"headers"`
		Data    []byte            `json:"data"`
	}{Code: http.StatusOK}
	if !taken {
		ack.Code = http.StatusInternalServerError
	} else if answer != nil {
		ack.Data, _ = json.Marshal(answer) // it has strings only
	}
	out := *f
	out.Headers = append(append([]Header{}, f.Headers...), Header{"biz_rt", fmt.Sprint(took.Milliseconds())})
	out.Payload, _ = json.Marshal(ack) // it has plain values only
	if l.write(&out) != nil {
		_ = l.conn.Close() // the reader sees it; the event comes again
	}
}
