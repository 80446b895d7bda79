// Package bridge runs the processes of plugins and talks to them: JSON-RPC 2.0, one message a line, over their standard streams. The processes
// run on the runner of the server's host, in separate sandboxes (runner/wire.PluginStart), never as children of this process.
//
// A plugin cannot harm the server: it is started when needed and ended when idle, its output is bounded and paced, each request has a
// timeout, and one that crashes is started again after ever longer pauses.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/plugin/pluginstore"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Rows reads the archives of plugins, records their problems, and is the store of their values.
type Rows interface {
	Plugins(ctx context.Context) ([]pluginstore.Plugin, error)
	PluginArchive(ctx context.Context, id string) (digest string, archive []byte, err error)
	SetPluginProblem(ctx context.Context, id string, revision int64, problem string) error
	SetPluginFailure(ctx context.Context, id string, revision int64, failure string) error
	PluginValue(ctx context.Context, plugin string, user chat.UserID, key string) (value string, ok bool, err error)
	PluginKeys(ctx context.Context, plugin string, user chat.UserID, prefix, after string) ([]string, error)
	SetPluginValue(ctx context.Context, plugin string, user chat.UserID, key, value string) error
	DeletePluginValue(ctx context.Context, plugin string, user chat.UserID, key string) error
}

// The defaults; see Config.
const (
	usualIdle  = 10 * time.Minute
	usualStart = 15 * time.Second
)

// Config is the configuration of a Bridge.
type Config struct {
	Plugins *installed.Plugins
	Rows    Rows
	Box     sandbox.Sandbox // the runner of the server's host
	Home    string          // folder of the files and the data of plugins, on the machine of that runner
	Idle    time.Duration   // an idle process is ended after it; 0: 10 minutes
	Start   time.Duration   // limit of the start of a process; 0: 15 s
	Version string          // of xbot, for plugins
	Log     *slog.Logger
	Peer    Peer // answers requests of plugins as platforms; nil: they are refused
}

// Bridge talks to the plugins of the installation, each in one process of this server. It is safe for concurrent use.
type Bridge struct {
	cfg     Config
	folders *folders
	trial   *trial // of a bridge that tries a plugin before it is installed; nil otherwise

	mu      sync.Mutex
	open    map[string]*process // that new requests use, by plugin
	all     map[*process]struct{}
	health  map[string]*health       // by plugin
	scripts map[string]chan struct{} // holds a token for each process of a script, by plugin
	closed  bool
	over    chan struct{}
	work    sync.WaitGroup
}

// New returns a bridge without processes. Close ends it.
func New(cfg Config) *Bridge {
	b := newBridge(cfg)
	b.work.Go(b.watch)
	return b
}

// newBridge returns a bridge that neither ends idle processes nor removes folders.
func newBridge(cfg Config) *Bridge {
	cfg.Idle, cfg.Start = cmp.Or(cfg.Idle, usualIdle), cmp.Or(cfg.Start, usualStart)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	b := &Bridge{cfg: cfg, open: map[string]*process{}, all: map[*process]struct{}{}, health: map[string]*health{}, scripts: map[string]chan struct{}{}, over: make(chan struct{})}
	b.folders = &folders{home: cfg.Home, rows: cfg.Rows, log: cfg.Log, checked: map[string]bool{}}
	return b
}

// Close ends all processes and waits for their end.
func (b *Bridge) Close() error {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.over)
	}
	for p := range b.all {
		p.end(errClosing)
	}
	b.mu.Unlock()
	b.work.Wait()
	return nil
}

var errClosing = fault.Errorf(fault.Unavailable, "the server is shutting down")

// Request is a request to a plugin.
type Request struct {
	Plugin  string
	Method  string
	Params  any           // an object
	Repeat  bool          // it may be sent twice: if the process was lost it is sent once more
	Timeout time.Duration // 0: that of the manifest
}

// Ask sends a request to a plugin, and reads the answer into an object. Errors are RefusedError (it refused), UnknownError (it got the request, and
// did not answer), the end of ctx, and others, with which nothing was done.
func (b *Bridge) Ask(ctx context.Context, r Request, into any) error {
	one, values, err := b.cfg.Plugins.Usable(ctx, r.Plugin)
	if err != nil {
		return err
	}
	timeout := cmp.Or(r.Timeout, one.Timeout())
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		if one.Runtime == plugin.Script {
			err = b.script(ctx, timed, one, values, r, into)
		} else {
			err = b.stdio(ctx, timed, one, values, r, into)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !isLost(err) || !r.Repeat || attempt > 1 || timed.Err() != nil:
			return explain(timed, one, r, timeout, err)
		}
	}
}

// stdio asks the process of a plugin, which is started where there is none. caller ends when the caller leaves, ctx when the time is up, too.
func (b *Bridge) stdio(caller, ctx context.Context, one installed.Plugin, values plugin.Values, r Request, into any) error {
	p, err := b.take(one, values)
	if err != nil {
		return err
	}
	defer b.release(p)
	select {
	case <-p.ready:
	case <-ctx.Done():
		return fault.Errorf(fault.Unavailable, "the plugin %s has not started in time", one.Plugin.ID)
	}
	if p.err != nil {
		return p.err
	}
	err = p.call(ctx, r.Method, r.Params, into)
	switch _, refused := asRefused(err); {
	case err == nil || refused:
		b.worked(p)
	case errors.Is(err, errUnanswered):
		p.doubt(caller.Err() == nil, r.Timeout == 0)
		if !errors.Is(caller.Err(), context.Canceled) {
			b.failed(one, "it did not answer "+r.Method+" in time")
		}
	}
	return err
}

// take counts the caller as a user of a process, which may still be starting.
func (b *Bridge) take(one installed.Plugin, values plugin.Values) (*process, error) {
	id := one.Plugin.ID
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosing
	}
	if p := b.usable(one); p != nil {
		p.users++
		return p, nil
	}
	if err := b.pause(one); err != nil {
		return nil, err
	}
	p := newProcess(b, one, values)
	p.users++
	b.open[id], b.all[p] = p, struct{}{}
	b.work.Go(p.run)
	return p, nil
}

// usable returns the open process of a plugin, and retires one that has ended or runs an older version. A process is removed a moment after it has
// ended, and a request that is repeated may come in that moment. The caller holds mu.
func (b *Bridge) usable(one installed.Plugin) *process {
	p := b.open[one.Plugin.ID]
	if p == nil {
		return nil
	}
	now := p.plugin // may be newer: requests do not come in the order in which they read the plugin
	if !p.hasEnded() && (now.Revision > one.Revision || now.Revision == one.Revision && now.Digest == one.Digest) {
		return p
	}
	b.retire(p)
	return nil
}

// release ends a use that take began.
func (b *Bridge) release(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.users--
	p.used = time.Now()
	if p.users == 0 && p.retired {
		p.leave()
	}
}

// retire excludes a process from new requests; it ends once its requests have. The caller holds mu.
func (b *Bridge) retire(p *process) {
	if b.open[p.plugin.Plugin.ID] == p {
		delete(b.open, p.plugin.Plugin.ID)
	}
	p.retire()
	if p.users == 0 {
		p.leave()
	}
}

// gone removes a process that has ended from the bridge.
func (b *Bridge) gone(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open[p.plugin.Plugin.ID] == p {
		delete(b.open, p.plugin.Plugin.ID)
	}
	p.retire()
	delete(b.all, p)
}

// Running returns the number of processes.
func (b *Bridge) Running() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.all)
}
