package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	plugin "xbot/sdk/go"
)

// values are what xbot keeps for the person 7, whichever process asks.
type values struct {
	mu   sync.Mutex
	kept map[string]string
	sets chan struct{} // not nil: changes wait until as many processes as it has room for want one
}

const (
	eventually = 10 * time.Second
	tick       = time.Millisecond
)

type call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Key, Value, Person, Prefix string
	} `json:"params"`
	Result struct {
		Text  string
		Error bool
		Feeds []card
	} `json:"result"`
	Error *struct{ Message string } `json:"error"`
}

func (v *values) answer(t *testing.T, c call) any {
	if c.Method == "storage/set" && v.sets != nil {
		v.sets <- struct{}{}
		require.Eventually(t, func() bool { return len(v.sets) == cap(v.sets) }, eventually, tick)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch c.Method {
	case "storage/get":
		if value, ok := v.kept[c.Params.Key]; ok {
			return map[string]any{"value": value}
		}
		return map[string]any{"value": nil}
	case "storage/set":
		v.kept[c.Params.Key] = c.Params.Value
	case "storage/delete":
		delete(v.kept, c.Params.Key)
	case "storage/list":
		return map[string]any{"keys": slices.DeleteFunc(slices.Sorted(maps.Keys(v.kept)), func(k string) bool { return !strings.HasPrefix(k, c.Params.Prefix) })}
	}
	return struct{}{}
}

// process is the plugin as xbot runs it.
type process struct {
	t    *testing.T
	in   io.WriteCloser
	said chan call
}

func start(t *testing.T, v *values) *process {
	t.Helper()
	in, toPlugin := io.Pipe()
	fromPlugin, out := io.Pipe()
	p := &process{t, toPlugin, make(chan call, 1)}
	var work sync.WaitGroup
	work.Go(func() { _ = serve(plugin.New(), in, out); _ = out.Close() })
	work.Go(func() {
		for lines := bufio.NewScanner(fromPlugin); lines.Scan(); {
			var c call
			_ = json.Unmarshal(lines.Bytes(), &c)
			switch {
			case strings.HasPrefix(c.Method, "storage/"):
				work.Go(func() { p.write(map[string]any{"id": c.ID, "result": v.answer(t, c)}) })
			case c.Method == "":
				p.said <- c
			}
		}
	})
	t.Cleanup(func() { _ = toPlugin.Close(); work.Wait() })
	p.ask("initialize", map[string]any{"settings": map[string]any{"private_addresses": true}})
	return p
}

func (p *process) write(m map[string]any) {
	m["jsonrpc"] = "2.0"
	line, _ := json.Marshal(m)
	_, _ = p.in.Write(append(line, '\n'))
}

func (p *process) ask(method string, params any) string {
	p.write(map[string]any{"id": 1, "method": method, "params": params})
	c := <-p.said
	if c.Error != nil {
		return c.Error.Message
	}
	return c.Result.Text
}

func (p *process) command(args string) string {
	return p.ask("commands/run", map[string]string{"name": "feeds", "args": args, "person": "7"})
}

func served(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, atom) }))
	t.Cleanup(s.Close)
	return s.URL
}

func TestFeeds_ProcessesDoNotForgetWhatOthersFollow(t *testing.T) {
	v, url := &values{kept: map[string]string{}, sets: make(chan struct{}, 2)}, served(t)
	first, second := start(t, v), start(t, v)
	var both sync.WaitGroup
	for i, p := range []*process{first, second} {
		both.Go(func() { require.Contains(t, p.command(fmt.Sprint("add ", url, "/", i)), "Followed: A") })
	}
	both.Wait()
	require.Equal(t, "* "+url+"/0\n* "+url+"/1", first.command(""))
}

func TestFeeds_FollowedReadAndForgotten(t *testing.T) {
	v, url := &values{kept: map[string]string{}}, served(t)
	p := start(t, v)
	unread := func() string {
		return p.ask("enrichers/enrich", map[string]string{"name": "unread", "person": "7"})
	}
	require.Contains(t, p.command("add "+url+"/"+strings.Repeat("x", maxAddress)), "cannot be followed")
	require.Contains(t, p.command("add "+url), "Followed: A")
	require.Contains(t, unread(), "1 unread")
	require.Contains(t, p.ask("tools/call", map[string]any{"name": "read", "person": "7", "arguments": map[string]string{"url": url}}), "# A")
	require.Contains(t, unread(), "0 unread")
	require.Contains(t, p.command("add "+url), "Followed: A", "again: what was read stays so")
	require.Contains(t, unread(), "0 unread")
	require.Contains(t, p.command("remove "+url), "Not followed")
	require.Contains(t, p.command("list"), "no feeds")
	require.Empty(t, v.kept)
}

func TestFeeds_ThePanelFollowsShowsAndForgets(t *testing.T) {
	v, url := &values{kept: map[string]string{}}, served(t)
	p := start(t, v)
	panel := func(params string) string {
		p.write(map[string]any{"id": 1, "method": "widgets/ask", "params": map[string]any{"name": "reader", "person": "7", "params": json.RawMessage(params)}})
		c := <-p.said
		if c.Error != nil {
			return c.Error.Message
		}
		var cards []string
		for _, f := range c.Result.Feeds {
			cards = append(cards, fmt.Sprint(f.Title, " ", len(f.Entries), " ", f.Problem != ""))
		}
		return strings.Join(cards, "\n")
	}
	require.Empty(t, panel(`{}`))
	require.Equal(t, "A 1 false", panel(fmt.Sprintf(`{"follow":%q}`, url)))
	v.kept[below+"http://127.0.0.1:1/gone"] = ""
	require.Equal(t, "http://127.0.0.1:1/gone 0 true\nA 1 false", panel(`{}`))
	require.Equal(t, "http://127.0.0.1:1/gone 0 true", panel(fmt.Sprintf(`{"unfollow":%q}`, url)))
	require.Contains(t, panel(`[1]`), "something else")
	require.Contains(t, panel(`{"follow":"ftp://a.example"}`), "http://")
}

func TestFeeds_ThePanelHasTheSDKAsItIs(t *testing.T) {
	mine, err := os.ReadFile("web/xbot-widget.js")
	require.NoError(t, err)
	original, err := os.ReadFile("../../../sdk/web/xbot-widget.js")
	require.NoError(t, err)
	require.Equal(t, string(original), string(mine))
}
