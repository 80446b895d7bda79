package feishu

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	larkws "github.com/larksuite/oapi-sdk-go/v3/ws"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

const (
	dialTimeout  = 20 * time.Second
	writeTimeout = 10 * time.Second
	// pingEvery is how often the client pings if the platform gives no interval; maxPing is the largest interval. The library
	// counts whole seconds and closes a connection that was silent for two pings and five seconds more.
	pingEvery = 2 * time.Minute
	maxPing   = time.Hour
)

// connect keeps a long connection until ctx ends. The library connects once; this package decides when to reconnect.
func (a *Account) connect(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	ctx = inbound(ctx, to, report)
	pause := pauses(a.pause)
	var client *larkws.Client
	var stood atomic.Bool
	for ctx.Err() == nil {
		if client == nil || stood.Load() { // a client that connected once is used up; another is kept, since each leaves a goroutine behind
			stood.Store(false)
			client = a.longConnection(func() {
				stood.Store(true)
				report.Report(channel.Status{Connected: true})
			})
		}
		began := time.Now()
		err := broken(client.Start(ctx))
		if ctx.Err() != nil {
			return nil
		}
		if hopeless(err) {
			return err
		}
		if time.Since(began) >= steady {
			pause.Reset()
		}
		report.Report(channel.Status{Err: err})
		channel.Rest(ctx, pause.NextBackOff())
	}
	return nil
}

// longConnection returns the library's client for one connection.
func (a *Account) longConnection(ready func()) *larkws.Client {
	return larkws.NewClient(a.set.appID, a.set.secret,
		larkws.WithDomain(a.set.domain), larkws.WithLogger(quiet{}), larkws.WithAutoReconnect(false), larkws.WithWriteTimeout(writeTimeout),
		larkws.WithHttpClient(bootstrap{a}), larkws.WithWebSocketDialer(a.dialer()), larkws.WithEventHandler(a.events()), larkws.WithOnReady(ready))
}

// broken classifies the end of a connection.
func broken(err error) error {
	refused, isRefused := errors.AsType[*larkws.ClientError](err)
	busy, isBusy := errors.AsType[*larkws.ServerError](err)
	switch {
	case fault.KindOf(err) != fault.Internal: // of bootstrap
		return channel.Certain(err)
	case isRefused && refused.Code == larkws.Forbidden && refused.Msg != "": // without a message it is of something on the way
		return fault.Errorf(fault.Denied, "Feishu refuses the long connection: %.200s", refused.Msg)
	case isRefused:
		return fault.Errorf(fault.Unavailable, "Feishu refuses the long connection for now (code %d): %.200s", refused.Code, refused.Msg)
	case isBusy:
		return fault.Errorf(fault.Unavailable, "Feishu refuses the long connection for now (code %d): %.200s", busy.Code, busy.Msg)
	}
	return fault.Errorf(fault.Unavailable, "the connection to Feishu broke: %w", err)
}

// bootstrap is how the library asks where to connect to. Its answer is rebuilt from the understood parts: a valid address,
// and a pause between pings, without which the library would make none.
type bootstrap struct{ *Account }

// Do asks. Refusals are about credentials, except for two that ask to try again.
func (b bootstrap) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), callTimeout)
	defer cancel()
	res, err := wire(b).once(req.WithContext(ctx))
	if r, ok := refusalOf(err); ok {
		if r.status < 500 && r.class() != limited && r.code != larkws.SystemBusy && r.code != larkws.InternalError && r.code != 0 {
			return nil, fault.Errorf(fault.Denied,
				"Feishu refuses the long connection; check App ID and App Secret, and that the app has a bot and receives events by a long connection: %w", r)
		}
		return nil, fault.Errorf(fault.Unavailable, "Feishu gives no long connection now: %w", r)
	}
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "read the answer of Feishu: %w", err)
	}
	if res.Body, err = rewritten(raw); err != nil {
		return nil, err
	}
	return res, nil
}

// rewritten returns an endpoint in the form that the library gets.
func rewritten(raw []byte) (io.ReadCloser, error) {
	var out struct {
		Data struct {
			URL    string `json:"URL"`
			Config struct {
				PingInterval float64 `json:"PingInterval"` // seconds
			} `json:"ClientConfig"`
		} `json:"data"`
	}
	if err := channel.Decode(raw, &out); err != nil {
		return nil, fault.Errorf(fault.Unavailable, "Feishu answered in a way that was not understood: %w", err)
	}
	u, err := url.Parse(out.Data.URL)
	if err != nil || u.Host == "" || (u.Scheme != "ws" && u.Scheme != "wss") {
		return nil, fault.Errorf(fault.Unavailable, "Feishu named no address for the long connection")
	}
	every := out.Data.Config.PingInterval
	if every <= 0 || every > maxPing.Seconds() {
		every = pingEvery.Seconds()
	}
	config := &larkws.ClientConfig{PingInterval: int(math.Ceil(every))}
	seen, err := json.Marshal(larkws.EndpointResp{Data: &larkws.Endpoint{Url: u.String(), ClientConfig: config}})
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "write down where to connect to: %w", err)
	}
	return io.NopCloser(bytes.NewReader(seen)), nil
}

// dialer dials as the account's client does.
func (a *Account) dialer() *websocket.Dialer {
	dialer := &websocket.Dialer{HandshakeTimeout: dialTimeout, Proxy: http.ProxyFromEnvironment}
	if shared, ok := a.http.Transport.(*http.Transport); ok {
		t := shared.Clone() // what the first request of any account writes into it may be there or not
		dialer.Proxy, dialer.NetDialContext = t.Proxy, t.DialContext
		if dialer.TLSClientConfig = t.TLSClientConfig; dialer.TLSClientConfig != nil {
			dialer.TLSClientConfig.NextProtos = nil // the client's own asks for HTTP/2, which has no WebSockets here
		}
	}
	return dialer
}
