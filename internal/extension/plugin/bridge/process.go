package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

const (
	// goodbye is how long a process may take to end after it was asked to.
	goodbye = 3 * time.Second
	// waitingMost limits the messages that wait for a process that does not read.
	waitingMost = 16
)

// process is a process of a plugin. Its goroutine, run, owns it from its start to its end.
type process struct {
	bridge *Bridge
	plugin installed.Plugin
	values plugin.Values

	life   context.Context //nolint:containedctx // of the process, which outlives the request that needed it first
	end    context.CancelCauseFunc
	ready  chan struct{} // closed when it can be asked, or err is set
	err    error
	ended  chan struct{} // closed when it has ended; why is set then
	why    string
	stream stream

	usage
}

// usage is the state of a process in the bridge, guarded by its mu.
type usage struct {
	users   int
	used    time.Time     // when the last user left
	retired bool          // new requests do not use it
	cleared bool          // the problem stored before its start is removed
	over    chan struct{} // closed: it has to end in order
	stale   chan struct{} // closed once it is retired
	hidden  []string      // secrets of accounts that it knows
}

// retire excludes the process from new requests.
func (u *usage) retire() {
	if !u.retired {
		u.retired = true
		close(u.stale)
	}
}

// leave asks run to end the process in order.
func (u *usage) leave() {
	select {
	case <-u.over:
	default:
		close(u.over)
	}
}

// stream holds the messages to and from a process.
type stream struct {
	out     chan []byte // lines to write
	doubt   doubt
	pace    *rate.Limiter
	own     chan struct{} // holds a token for each request of the plugin that is at work
	logs    *rate.Limiter
	storage gate

	mu      sync.Mutex
	next    int64
	waiting map[int64]chan reply
}

func newProcess(b *Bridge, one installed.Plugin, values plugin.Values) *process {
	p := &process{bridge: b, plugin: one, values: values, ready: make(chan struct{}), ended: make(chan struct{}), usage: usage{over: make(chan struct{}), stale: make(chan struct{}), used: time.Now()}}
	p.stream = stream{
		out: make(chan []byte, waitingMost), pace: rate.NewLimiter(bytesASecond, bytesAtOnce), own: make(chan struct{}, ownRequests), logs: rate.NewLimiter(logsASecond, logsAtOnce),
		storage: newGate(), waiting: map[int64]chan reply{},
	}
	p.life, p.end = context.WithCancelCause(context.Background())
	return p
}

// run starts the process, and follows it to its end.
func (p *process) run() {
	defer p.bridge.gone(p)
	defer p.end(nil)
	late := time.AfterFunc(p.bridge.cfg.Start, func() {
		select {
		case <-p.ready:
		default:
			p.end(fault.Errorf(fault.Unavailable, "it could not be asked anything within %s", p.bridge.cfg.Start))
		}
	})
	defer late.Stop()
	started, err := p.bridge.start(p.life, p.plugin)
	if err != nil {
		p.fail(err)
		return
	}
	var said sandbox.LastOutput
	var streams sync.WaitGroup
	streams.Go(func() {
		_, _ = io.Copy(&said, paced{started.Stderr(), p.life, rate.NewLimiter(wordsASecond, wordsAtOnce)})
	}) // Wait returns how it ended
	streams.Go(func() { p.end(p.read(started.Stdout())) })
	streams.Go(func() { p.write(started.Stdin()) })
	if err := p.initialize(); err != nil {
		p.end(err)
	} else {
		close(p.ready)
	}
	peace := p.follow(started)
	streams.Wait()
	code, waited := started.Wait()
	cause := context.Cause(p.life)
	blameless := peace || lostRunner(cause) || lostRunner(waited)
	if !blameless {
		p.bridge.trial.note(code, p.clean(lastLine(&said)))
	}
	p.finish(blameless, ending(cause, code, waited), p.clean(lastLine(&said)))
}

// fail marks the process as never started.
func (p *process) fail(err error) {
	if cause := context.Cause(p.life); cause != nil {
		err = cause
	}
	p.err = fault.Errorf(kind(err), "the plugin %s cannot be started: %w", p.plugin.Plugin.ID, err)
	p.why = p.err.Error()
	if !p.closing() && itsOwn(err) {
		p.bridge.crashed(p.plugin, short(err.Error()), "")
	}
	close(p.ended)
	close(p.ready)
}

// itsOwn reports whether a failed start is the plugin's fault, not that of the database or the runner, which may be away.
func itsOwn(err error) bool {
	k := fault.KindOf(err)
	return k == fault.Invalid || k == fault.TooLarge
}

func kind(err error) fault.Kind {
	if k := fault.KindOf(err); k != fault.Internal {
		return k
	}
	return fault.Unavailable
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (p *process) closing() bool { return context.Cause(p.life) == errClosing } //nolint:errorlint // it is the very error

// follow waits for the end of the process, or ends it in order, which it reports.
func (p *process) follow(started sandbox.Process) (peace bool) {
	select {
	case <-p.life.Done():
	case <-p.over:
		peace = true
		_, _ = p.send(p.life, message{Method: "shutdown"}, false) // it may not read any more
		cut := time.AfterFunc(goodbye, func() { p.end(nil) })
		defer cut.Stop()
		<-p.life.Done()
	}
	started.Kill()
	return peace
}

func lostRunner(err error) bool {
	_, ok := errors.AsType[*sandbox.SessionLostError](err)
	return ok
}

// finish wakes the waiting callers after the end of the process. blameless: it is no crash. Its standard error is for
// administrators alone: it may be about anyone.
func (p *process) finish(blameless bool, why, wrote string) {
	p.why = why
	if !blameless && !p.closing() {
		p.bridge.crashed(p.plugin, short(why), wrote)
	}
	close(p.ended)
	select {
	case <-p.ready:
	default:
		p.err = fault.Errorf(fault.Unavailable, "the plugin %s cannot be started: %s", p.plugin.Plugin.ID, why)
		close(p.ready)
	}
}

// ending describes how a process ended.
func ending(cause error, code int, waited error) string {
	why := fmt.Sprintf("its process ended with exit code %d", code)
	if cause != nil && cause != context.Canceled && cause != io.EOF { //nolint:errorlint // they are the very errors
		why = cause.Error()
	} else if waited != nil && cause == nil {
		why = waited.Error()
	}
	return why
}

// redact removes the secrets of a plugin from a text of it.
func redact(text string, one installed.Plugin, values plugin.Values) string {
	for _, s := range one.Contributes.Settings {
		if secret, ok := values[s.Name].(string); ok && s.Type == plugin.Secret && secret != "" {
			text = strings.ReplaceAll(text, short(secret), "…")
		}
	}
	return text
}

// welcome has the parameters of initialize, the first request to a plugin.
type welcome struct {
	Protocol int           `json:"protocol"`
	Plugin   about         `json:"plugin"`
	XBot     string        `json:"xbot"`
	Settings plugin.Values `json:"settings"`
}

type about struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

func (b *Bridge) welcome(one installed.Plugin, values plugin.Values) welcome {
	return welcome{1, about{one.Plugin.ID, one.Plugin.Version}, b.cfg.Version, values}
}

// initialize sends the process its settings, and waits until it has accepted them.
func (p *process) initialize() error {
	err := p.call(p.life, "initialize", p.bridge.welcome(p.plugin, p.values), &json.RawMessage{})
	if errors.Is(err, errUnanswered) {
		return context.Cause(p.life)
	}
	return err
}

// short returns the text of a failure as one line.
func short(text string) string { return tool.OneLine(tool.Clean([]byte(text)), 500) }

// lastLine returns the last output of a process on its standard error, as one line.
func lastLine(said *sandbox.LastOutput) string {
	text := tool.Clean(said.Bytes())
	return tool.OneLine(text, len(text))
}

// paced reads no faster than its pace.
type paced struct {
	from io.Reader
	life context.Context //nolint:containedctx // of the process
	pace *rate.Limiter
}

// Read reads at most as much as the pace allows at once.
func (r paced) Read(into []byte) (int, error) {
	n, err := r.from.Read(into[:min(len(into), wordsAtOnce)])
	if waited := r.pace.WaitN(r.life, n); waited != nil && err == nil {
		err = waited
	}
	return n, err
}
