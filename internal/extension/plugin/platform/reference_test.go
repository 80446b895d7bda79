package platform_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"xbot/internal/channel"
	sdk "xbot/sdk/go"
)

// guide is the reference plugin: it connects bots to a street.
type guide struct{ bots sync.Map }

// walker is a bot of it.
type walker struct {
	*sdk.Account

	stop context.CancelFunc
	done chan struct{}
}

// soon is the pause before a connection is made again, or a message is handed over again.
const soon = 20 * time.Millisecond

// Open implements sdk.Platform.
func (g *guide) Open(ctx context.Context, a *sdk.Account) (sdk.Bot, error) {
	who, err := g.Check(ctx, a)
	if err != nil {
		return who, err
	}
	w := &walker{Account: a, done: make(chan struct{})}
	life, stop := context.WithCancel(context.Background())
	w.stop = stop
	g.bots.Store(a, w)
	go w.follow(life)
	return who, nil
}

// Check implements sdk.Checker.
func (g *guide) Check(ctx context.Context, a *sdk.Account) (who sdk.Bot, err error) {
	body, _, err := (&walker{Account: a}).get(ctx, "/me", nil)
	if err != nil {
		return who, err
	}
	return who, json.Unmarshal(body, &who)
}

// Close implements sdk.Platform.
func (g *guide) Close(a *sdk.Account) {
	if w, ok := g.bots.LoadAndDelete(a); ok {
		w.(*walker).stop()
		<-w.(*walker).done
	}
}

// follow keeps a connection.
func (w *walker) follow(ctx context.Context) {
	defer close(w.done)
	for ctx.Err() == nil {
		err := w.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		_ = w.Status(ctx, cmp.Or(err, errors.New("the connection broke"))) // the next one says how it stands
		channel.Rest(ctx, soon)
	}
}

func (w *walker) listen(ctx context.Context) error {
	res, err := w.do(ctx, http.MethodGet, "/events", nil, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := w.Status(ctx, nil); err != nil {
		return err
	}
	lines := bufio.NewReader(res.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		var e event
		if json.Unmarshal(line, &e) == nil {
			w.hand(ctx, e)
		}
	}
}

// hand hands an event over, and confirms it once xbot has it.
func (w *walker) hand(ctx context.Context, e event) {
	tell := w.Receive
	switch e.Kind {
	case "message":
	case "edit":
		tell = w.Edited
	case "recall":
		tell = w.Recalled
	default:
		return
	}
	m := sdk.Incoming{
		ID: e.ID, Type: "direct", Chat: e.Group, Thread: e.Thread, Sender: sdk.Bot{ID: e.Who, Name: e.Name}, Text: e.Text, Mentioned: e.Meant,
		SentAt: time.UnixMicro(e.At), Seq: e.Number,
	}
	if e.Group != "" {
		m.Type = "group"
	}
	for _, f := range e.Files {
		m.Files = append(m.Files, sdk.File(f))
	}
	for { // what is being handed over is brought to its end, so that it is confirmed
		err := tell(context.Background(), m)
		if err == nil || sdk.IsRefused(err) {
			break
		}
		if !channel.Rest(ctx, soon) {
			return
		}
	}
	_, _, _ = w.get(context.Background(), "/done", url.Values{"number": {strconv.FormatInt(e.Number, 10)}}) // otherwise it comes again
}

func place(to sdk.Place) string {
	if to.Type == "direct" {
		return "person " + to.Person
	}
	return "group " + to.Chat + " " + to.Thread
}

// Send implements sdk.Platform.
func (g *guide) Send(ctx context.Context, a *sdk.Account, m sdk.Outgoing) (string, error) {
	out := map[string]any{"place": place(m.To), "key": m.Key, "text": m.Text, "reply": m.To.ReplyTo}
	if m.File != nil {
		out["file"] = map[string]any{"name": m.File.Name, "type": m.File.Type, "data": m.File.Data}
	}
	body, err := json.Marshal(out)
	if err != nil {
		return "", sdk.Refused("%v", err)
	}
	w := &walker{Account: a}
	res, err := w.do(ctx, http.MethodPost, "/send", nil, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var sent struct {
		ID string `json:"id"`
	}
	err = json.NewDecoder(res.Body).Decode(&sent)
	return sent.ID, err
}

// Delete implements sdk.Deleter.
func (g *guide) Delete(ctx context.Context, a *sdk.Account, _ sdk.Place, id string) error {
	_, _, err := (&walker{Account: a}).get(ctx, "/delete", url.Values{"id": {id}})
	return err
}

// React implements sdk.Reactor.
func (g *guide) React(ctx context.Context, a *sdk.Account, _ sdk.Place, id, emoji string) error {
	_, _, err := (&walker{Account: a}).get(ctx, "/react", url.Values{"id": {id}, "sign": {cmp.Or(emoji, "seen")}})
	return err
}

// Typing implements sdk.Typist.
func (g *guide) Typing(ctx context.Context, a *sdk.Account, _ sdk.Place) error {
	_, _, err := (&walker{Account: a}).get(ctx, "/typing", nil)
	return err
}

// Fetch implements sdk.Fetcher.
func (g *guide) Fetch(ctx context.Context, a *sdk.Account, _, key string, offset int64, limit int) ([]byte, bool, error) {
	body, head, err := (&walker{Account: a}).get(ctx, "/file", url.Values{"key": {key}, "offset": {strconv.FormatInt(offset, 10)}, "limit": {strconv.Itoa(limit)}})
	return body, head.Get("X-End") == "true", err
}

func (w *walker) get(ctx context.Context, path string, values url.Values) ([]byte, http.Header, error) {
	res, err := w.do(ctx, http.MethodGet, path, values, nil)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return body, res.Header, err
}

// do asks the street, and says by the error what became of the request.
func (w *walker) do(ctx context.Context, method, path string, values url.Values, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.Setting("url")+path+"?"+values.Encode(), body)
	if err != nil {
		return nil, sdk.Refused("the address is malformed")
	}
	req.Header.Set("Authorization", "Bearer "+w.Setting("token"))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		if at, ok := errors.AsType[*net.OpError](err); ok && at.Op == "dial" {
			return nil, sdk.Away("the street is not there")
		}
		return nil, err // nobody knows
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	_ = res.Body.Close() // it says no more
	switch {
	case res.StatusCode == http.StatusTooManyRequests:
		after, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return nil, sdk.Limited(time.Duration(after)*time.Second, "too much")
	case res.StatusCode == http.StatusServiceUnavailable:
		return nil, sdk.Away("an outage")
	case res.StatusCode < http.StatusInternalServerError:
		return nil, sdk.Refused("the street says %s", res.Status)
	}
	return nil, fmt.Errorf("the street says %s", res.Status)
}
