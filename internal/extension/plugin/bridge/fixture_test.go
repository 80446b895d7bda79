package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/pluginstore"
	"xbot/internal/sandbox"
)

// fakeProcess is a process that a function plays.
type fakeProcess struct {
	sandbox.Process

	in, out, errs pipe
	ctx           context.Context
	kill          context.CancelFunc
	done          chan struct{}
	code          int
	err           error
	saying        chan struct{} // holds a token for the one message that is being written: a wait for it is none for a mutex, so a bubble's clock goes on
}

type pipe struct {
	*io.PipeReader
	*io.PipeWriter
}

func newPipe() (p pipe) {
	p.PipeReader, p.PipeWriter = io.Pipe()
	return p
}

func (p *fakeProcess) Stdin() io.WriteCloser { return p.in.PipeWriter }
func (p *fakeProcess) Stdout() io.Reader     { return p.out.PipeReader }
func (p *fakeProcess) Stderr() io.Reader     { return p.errs.PipeReader }
func (p *fakeProcess) Kill()                 { p.kill() }
func (p *fakeProcess) Wait() (int, error)    { <-p.done; return p.code, p.err }

// box starts what plays the program.
type box struct {
	sandbox.Sandbox

	fail error
	play func(p *fakeProcess) (code int, err error)

	mu      sync.Mutex
	started int
	last    *fakeProcess
}

// Stat has the runner be there, unless it is offline.
func (b *box) Stat(context.Context, string) (sandbox.FileInfo, error) {
	if _, offline := errors.AsType[*sandbox.OfflineError](b.fail); offline {
		return sandbox.FileInfo{}, b.fail
	}
	return sandbox.FileInfo{}, nil
}

func (b *box) Start(ctx context.Context, _ sandbox.StdioRequest) (sandbox.Process, error) {
	if b.fail != nil {
		return nil, b.fail
	}
	p := &fakeProcess{in: newPipe(), out: newPipe(), errs: newPipe(), done: make(chan struct{}), saying: make(chan struct{}, 1)}
	p.ctx, p.kill = context.WithCancel(ctx)
	b.mu.Lock()
	b.started++
	b.last = p
	b.mu.Unlock()
	end := func(err error) {
		_ = p.in.PipeReader.CloseWithError(io.ErrClosedPipe)
		_ = p.out.PipeWriter.CloseWithError(err)
		_ = p.errs.PipeWriter.CloseWithError(err)
	}
	context.AfterFunc(p.ctx, func() { end(p.ctx.Err()) })
	go func() {
		defer close(p.done)
		p.code, p.err = b.play(p)
		if p.err == nil && p.ctx.Err() != nil {
			p.err = p.ctx.Err()
		}
		if p.err == nil {
			end(io.EOF)
		} else {
			end(p.err)
		}
	}()
	return p, nil
}

func (b *box) starts() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.started
}

// request is one that a fake process read.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// speak is a program that answers what it is asked by a function; nil is no answer.
func speak(answer func(p *fakeProcess, r request) any) func(p *fakeProcess) (int, error) {
	return func(p *fakeProcess) (int, error) {
		in := bufio.NewScanner(p.in.PipeReader)
		for in.Scan() {
			var r request
			if json.Unmarshal(in.Bytes(), &r) != nil || len(r.ID) == 0 {
				continue
			}
			if said := answer(p, r); said != nil {
				p.say(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": said})
			}
		}
		return 0, nil
	}
}

func (p *fakeProcess) say(message any) {
	p.saying <- struct{}{}
	defer func() { <-p.saying }()
	line, _ := json.Marshal(message)
	_, _ = p.out.PipeWriter.Write(append(line, '\n'))
}

// rows have one plugin.
type rows struct {
	Rows

	mu      sync.Mutex
	row     pluginstore.Plugin
	files   plugin.Tree
	fetched int // times that its archive was read
	problem []string
	failure string // the last one

	now, most, asked int // requests for values: at work, at most at once, and in all
}

func (r *rows) PluginValue(context.Context, string, chat.UserID, string) (string, bool, error) {
	r.count(1)
	<-time.After(time.Millisecond) // others would be at work meanwhile
	r.count(-1)
	return "", false, nil
}

func (r *rows) count(by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now += by
	r.most, r.asked = max(r.most, r.now), r.asked+max(by, 0)
}

func (r *rows) Plugins(context.Context) ([]pluginstore.Plugin, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return []pluginstore.Plugin{r.row}, nil
}

func (r *rows) PluginArchive(context.Context, string) (string, []byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fetched++
	archive, err := r.files.Zip()
	return r.files.Digest(), archive, err
}

func (r *rows) fetches() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fetched
}

func (r *rows) SetPluginProblem(_ context.Context, _ string, _ int64, problem string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problem = append(r.problem, problem)
	return nil
}

func (r *rows) SetPluginFailure(_ context.Context, _ string, _ int64, failure string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = failure
	return nil
}

func (r *rows) lastFailure() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

func (r *rows) problems() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.problem, "\n")
}

func (*rows) InstallPlugin(context.Context, pluginstore.Plugin, []byte, chat.UserID, pluginstore.Checker) error {
	return nil
}

func (*rows) ChangePlugin(context.Context, string, pluginstore.Change, chat.UserID) error { return nil }

func (*rows) RemovePlugin(context.Context, string) error { return nil }

// world is a bridge with one plugin, p, whose requests may take a second.
type world struct {
	*testing.T
	*Bridge

	box  *box
	rows *rows
	home string
}

func newWorld(t *testing.T, runtime string, play func(p *fakeProcess) (int, error)) *world {
	t.Helper()
	permissions := `"storage"`
	if runtime == "script" {
		permissions = ""
	}
	r := &rows{files: plugin.Tree{"run": {Data: []byte("#!/bin/sh\n"), Exec: true}, ".config/kept": {Data: []byte("x")}, plugin.ManifestName: {Data: fmt.Appendf(nil, `{"id": "p", "name": "P", "version": "1",
		"runtime": %q, "command": ["run"], "permissions": [%s], "timeout": 1, "contributes": {"tools": [{"name": "t", "description": "T"}]}}`, runtime, permissions)}}}
	r.row = pluginstore.Plugin{ID: "p", Version: "1", Digest: r.files.Digest(), Permissions: []string{"storage"}, Enabled: true, Revision: 1, Installation: 2, Manifest: r.files[plugin.ManifestName].Data}
	w := &world{T: t, rows: r, box: &box{play: play}, home: t.TempDir()}
	w.Bridge = New(Config{Plugins: &installed.Plugins{Rows: r}, Rows: r, Box: w.box, Home: w.home})
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

// ask asks for a tool by its name.
func (w *world) ask(ctx context.Context, name string, timeout time.Duration) error {
	return w.Ask(ctx, Request{Plugin: "p", Method: "tools/call", Params: map[string]string{"name": name}, Timeout: timeout}, &json.RawMessage{})
}
