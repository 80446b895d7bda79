package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"xbot/internal/extension/plugin"
	"xbot/internal/fault"
)

// Error codes of messages of either side. With any other one the request may have been carried out.
const (
	CodeRefused = -32001 // and it would be at any later time
	CodeLimited = -32002 // too many requests; data.retry_after is the time until a retry, in seconds
	CodeAway    = -32003 // nothing was done, and it may work later
)

// maxDelay limits the time until a retry that a plugin asks for.
const maxDelay = time.Hour

func (e *rpcError) after() time.Duration {
	if e.Data == nil || !(e.Data.RetryAfter > 0) {
		return 0
	}
	return time.Duration(min(e.Data.RetryAfter, maxDelay.Seconds()) * float64(time.Second))
}

// Peer answers requests of plugins that are platforms. An answer is an object.
type Peer interface {
	Serve(ctx context.Context, from Line, method string, params json.RawMessage) (any, error)
}

// Line is a process of a plugin that a caller holds: it is not ended for being idle. Two of the same process are equal.
type Line struct{ p *process }

// Hold takes the process of a plugin, which is started where there is none. The caller releases it, and does so soon once Over is closed.
func (b *Bridge) Hold(ctx context.Context, id string) (Line, error) {
	one, values, err := b.cfg.Plugins.Usable(ctx, id)
	if err != nil {
		return Line{}, err
	}
	if one.Runtime != plugin.Stdio {
		return Line{}, fault.Errorf(fault.Invalid, "the plugin %s is a script, which has no process to hold", id)
	}
	p, err := b.take(one, values)
	if err != nil {
		return Line{}, err
	}
	select {
	case <-p.ready:
		err = p.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		b.release(p)
		return Line{}, err
	}
	return Line{p}, nil
}

// Release ends a use that Hold began.
func (l Line) Release() { l.p.bridge.release(l.p) }

// Over returns a channel that is closed when the process has ended, or is about to: it was switched off, changed or removed.
func (l Line) Over() <-chan struct{} { return l.p.stale }

// Why returns how the process ended, if it has.
func (l Line) Why() string {
	select {
	case <-l.p.ended:
		return l.p.why
	default:
		return "it was switched off or changed"
	}
}

// Plugin returns the id of the plugin.
func (l Line) Plugin() string { return l.p.plugin.Plugin.ID }

// Hide adds secrets of the process that are removed from its texts.
func (l Line) Hide(secrets ...string) {
	b := l.p.bridge
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range secrets {
		if s = short(s); s != "" && !slices.Contains(l.p.hidden, s) {
			l.p.hidden = append(l.p.hidden, s)
		}
	}
}

// Ask sends a request to this process, and no other one; errors are those of Bridge.Ask. Repeat has no meaning here.
func (l Line) Ask(ctx context.Context, r Request, into any) error {
	one := l.p.plugin
	timeout := cmp.Or(r.Timeout, one.Timeout())
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := l.p.call(timed, r.Method, r.Params, into)
	switch _, refused := asRefused(err); {
	case err == nil || refused:
		l.p.bridge.worked(l.p)
	case errors.Is(err, errUnanswered):
		l.p.doubt(ctx.Err() == nil, r.Timeout == 0)
	}
	r.Repeat = false
	return explain(timed, one, r, timeout, err)
}

// Ping ends the process if it answers nothing any more.
func (l Line) Ping() { l.p.ping(pingTime) }

// isChannel reports whether a method is one of a platform.
func isChannel(method string) bool { return strings.HasPrefix(method, "channels/") }

// answerTo answers a request of the plugin.
func (p *process) answerTo(ctx context.Context, m received) (any, error) {
	if !isChannel(m.Method) {
		return p.storage(ctx, m.Method, m.Params)
	}
	if p.bridge.trial != nil {
		return nil, fault.Errorf(fault.Unavailable, "the plugin %s is not installed yet", p.plugin.Plugin.ID)
	}
	if p.bridge.cfg.Peer == nil || !p.plugin.Wants(plugin.ReceivesMessages) {
		return nil, fault.Errorf(fault.Denied, "the plugin %s has no permission channel", p.plugin.Plugin.ID)
	}
	return p.bridge.cfg.Peer.Serve(ctx, Line{p}, m.Method, m.Params)
}

// coded returns the error for a plugin whose request about messages failed.
func (p *process) coded(method string, err error) *rpcError {
	out := &rpcError{Code: CodeAway, Message: err.Error()}
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Denied, fault.NotFound, fault.Conflict:
		out.Code = CodeRefused
	case fault.RateLimited:
		out.Code, out.Data = CodeLimited, &delay{RetryAfter: max(fault.After(err), time.Second).Seconds()}
	case fault.Internal:
		p.bridge.cfg.Log.Warn("a request of a plugin failed", "plugin", p.plugin.Plugin.ID, "method", short(method), "error", err)
		out.Message = "it did not work"
	}
	return out
}

// clean removes the secrets of a process from a text of it.
func (p *process) clean(text string) string {
	text = redact(text, p.plugin, p.values)
	p.bridge.mu.Lock()
	defer p.bridge.mu.Unlock()
	for _, s := range p.hidden {
		text = strings.ReplaceAll(text, s, "…")
	}
	return text
}

// Clean removes the secrets of the process from a text of it.
func (l Line) Clean(text string) string { return l.p.clean(text) }
