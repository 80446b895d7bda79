// Package opencode carries lines to the HTTP server of opencode and its events back, so that opencode can be asked over
// standard streams as other coding agents are. It starts the server on the loopback device, behind a new password,
// and ends it with its standard input.
//
//	in:  {"id":"a","method":"POST","path":"/session","body":{}}
//	out: {"type":"ready"} {"type":"response","id":"a","status":200,"body":{…}} {"type":"event","event":{…}} {"type":"resubscribed"} {"type":"end","error":"…"}
//
// Shapes: anomalyco/opencode, packages/sdk/js/src/v2/server.ts (commit 17d34a64: the line with the address).
package opencode

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Verb is the word after the program's name that starts the bridge.
const Verb = "opencode-bridge"

const (
	maxLine   = 10 << 20         // bytes of a line, a body and an event
	startWait = 60 * time.Second // in which the server prints its address
	stopWait  = 5 * time.Second  // in which it ends after it was asked to

	maxStreams = 100 // streams of events that one turn opens
)

var address = regexp.MustCompile(`listening on\s+(http://127\.0\.0\.1:\d+)`)

type bridge struct {
	base, password string
	client         *http.Client
	pause          time.Duration // before the stream of events is opened again
	mu             sync.Mutex    // guards out
	out            io.Writer
}

// Main runs the bridge with the arguments after its verb until standard input ends, and returns its exit code.
func Main(args []string, stdin io.Reader, stdout io.Writer) int {
	flags := flag.NewFlagSet(Verb, flag.ContinueOnError)
	permission := flags.String("permission", "{}", "what opencode may do without asking, as JSON")
	program := flags.String("program", "opencode", "what is started")
	b := &bridge{password: rand.Text(), client: &http.Client{}, pause: time.Second, out: stdout}
	if err := flags.Parse(args); err != nil {
		return b.end(err)
	}
	if err := b.run(*program, *permission, stdin); err != nil {
		return b.end(err)
	}
	return 0
}

func (b *bridge) run(program, permission string, stdin io.Reader) error {
	if !json.Valid([]byte(permission)) {
		return errors.New("--permission is no JSON")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, out, err := b.start(program, permission)
	if err != nil {
		return err
	}
	defer stop(server)
	if b.base, err = listen(out); err != nil {
		return err
	}
	events, err := b.subscribe(ctx)
	if err != nil {
		return err
	}
	b.write(map[string]any{"type": "ready"})
	gone := make(chan error, 1) // one message, from the events
	go func() { gone <- b.follow(ctx, events) }()
	asked := make(chan error, 1) // one message, from standard input
	go func() { asked <- b.serve(ctx, stdin) }()
	select {
	case err = <-gone:
		return fmt.Errorf("the server of opencode ended: %w", err)
	case err = <-asked:
		return err
	}
}

func (b *bridge) start(program, permission string) (*exec.Cmd, io.Reader, error) {
	server := exec.Command(program, "serve", "--hostname", "127.0.0.1", "--port", "0")
	server.Env = append(os.Environ(), "OPENCODE_SERVER_PASSWORD="+b.password, `OPENCODE_CONFIG_CONTENT={"permission":`+permission+`}`)
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start opencode: %w", err)
	}
	if err := server.Start(); err != nil {
		return nil, nil, fmt.Errorf("start opencode: %w", err)
	}
	return server, out, nil
}

// stop asks the server to end, and ends it. It stays in the bridge's process group, so that the shim ends both, and what the
// server started, when the bridge is killed.
func stop(server *exec.Cmd) {
	_ = server.Process.Signal(syscall.SIGTERM) // it may be gone
	done := make(chan struct{})
	go func() {
		_ = server.Wait() // its exit code does not matter
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(stopWait):
	}
	_ = server.Process.Kill() // likewise
	<-done
}

// listen waits for the line with the address, and reads on so that the server never blocks.
func listen(out io.Reader) (string, error) {
	found := make(chan string, 1) // one address
	go func() {
		defer close(found)
		lines := bufio.NewReader(out)
		told := false
		for {
			line, err := lines.ReadSlice('\n')
			if m := address.FindSubmatch(line); m != nil && !told {
				told = true
				found <- string(m[1])
			}
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return
			}
		}
	}()
	select {
	case base, ok := <-found:
		if ok {
			return base, nil
		}
		return "", errors.New("opencode ended before it told its address")
	case <-time.After(startWait):
		return "", errors.New("opencode did not tell its address within a minute")
	}
}

func (b *bridge) subscribe(ctx context.Context) (io.ReadCloser, error) {
	req, err := b.request(ctx, http.MethodGet, "/event", nil)
	if err != nil {
		return nil, err
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("follow the events of opencode: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close() // nothing of it is needed
		return nil, fmt.Errorf("follow the events of opencode: it answered %s", resp.Status)
	}
	return resp.Body, nil
}

// follow forwards the events and subscribes again when their stream ends while the server answers. It writes that it did: the events in
// between are lost.
func (b *bridge) follow(ctx context.Context, events io.ReadCloser) error {
	for range maxStreams {
		ended := b.forward(events)
		_ = events.Close() // nothing more is read
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(b.pause):
		}
		var err error
		if events, err = b.subscribe(ctx); err != nil {
			return fmt.Errorf("%w; %w", ended, err)
		}
		b.write(map[string]any{"type": "resubscribed"})
	}
	_ = events.Close() // likewise
	return fmt.Errorf("the stream of events ended %d times", maxStreams)
}

// forward writes each event as a line until there are no more.
func (b *bridge) forward(events io.Reader) error {
	lines := bufio.NewScanner(events)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	var data bytes.Buffer
	for lines.Scan() {
		line := lines.Bytes()
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok && data.Len()+len(rest) <= maxLine {
			data.Write(bytes.TrimPrefix(rest, []byte(" ")))
			continue
		}
		if len(line) == 0 && data.Len() > 0 {
			if json.Valid(data.Bytes()) {
				b.write(map[string]any{"type": "event", "event": json.RawMessage(bytes.Clone(data.Bytes()))})
			}
			data.Reset()
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

type asked struct {
	ID     string          `json:"id"`
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body"`
}

// serve carries out the requests of standard input. They are begun in their order; prompt_async and abort answer at once.
func (b *bridge) serve(ctx context.Context, stdin io.Reader) error {
	lines := bufio.NewScanner(stdin)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		var a asked
		if json.Unmarshal(lines.Bytes(), &a) != nil {
			continue
		}
		b.carry(ctx, a)
	}
	return lines.Err()
}

func (b *bridge) carry(ctx context.Context, a asked) {
	answer := map[string]any{"type": "response", "id": a.ID, "status": 0}
	defer func() { b.write(answer) }()
	if !allowed(a) {
		answer["error"] = "the bridge does not carry this request"
		return
	}
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	req, err := b.request(ctx, a.Method, a.Path, a.Body)
	if err != nil {
		answer["error"] = err.Error()
		return
	}
	resp, err := b.client.Do(req)
	if err != nil {
		answer["error"] = err.Error()
		return
	}
	defer resp.Body.Close()
	answer["status"] = resp.StatusCode
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxLine))
	if err == nil && json.Valid(body) {
		answer["body"] = json.RawMessage(body)
	}
}

// allowed holds the requests to what a turn needs.
func allowed(a asked) bool {
	target, err := url.Parse(a.Path)
	if err != nil || target.Host != "" || a.Method != http.MethodGet && a.Method != http.MethodPost || strings.Contains(target.Path, "..") {
		return false
	}
	for _, prefix := range []string{"/session/", "/question/", "/permission/", "/api/session/"} {
		if strings.HasPrefix(a.Path, prefix) {
			return true
		}
	}
	return a.Path == "/session" || a.Method == http.MethodGet && (a.Path == "/permission" || a.Path == "/question")
}

func (b *bridge) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	target, err := url.Parse(b.base + path)
	if err != nil {
		return nil, fmt.Errorf("ask opencode: %w", err)
	}
	if dir, err := os.Getwd(); err == nil {
		query := target.Query()
		query.Set("directory", dir)
		target.RawQuery = query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask opencode: %w", err)
	}
	req.SetBasicAuth("opencode", b.password)
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

func (b *bridge) end(err error) int {
	b.write(map[string]any{"type": "end", "error": err.Error()})
	_, _ = fmt.Fprintln(os.Stderr, err) // there is no reader any more
	return 1
}

func (b *bridge) write(value any) {
	line, err := json.Marshal(value)
	if err != nil {
		return // our own values can be encoded
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _ = b.out.Write(append(line, '\n')) // there is no reader any more: standard input ends, too
}
