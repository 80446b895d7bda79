package modelcall

import (
	"context"
	"strconv"
	"sync"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/tokens"
	"xbot/internal/window"
)

// Bounds of what is learnt from refusals.
const (
	leastWindow  = 2048   // tokens: a refusal that names less is not believed
	refusedShare = 0.8    // of a refused request, where the refusal names no figures
	maxRefusals  = 10_000 // conversations of which refusals are known
)

// refusals are what providers refused as too long, by conversation and model: people may have models of one id with other
// windows. A process that starts learns them again from one refusal each.
type refusals struct {
	mu    sync.Mutex
	known map[refusedBy]refused
}

type refusedBy struct {
	session chat.SessionKey
	model   string
}

type refused struct {
	window int    // tokens that the model takes, as we estimate them
	hash   string // of the request that was refused last
}

func (r *refusals) of(by refusedBy) refused {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[by]
}

func (r *refusals) set(by refusedBy, to refused) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxRefusals {
		r.known = map[refusedBy]refused{}
	}
	r.known[by] = to
}

// Refused notes that a request was too long. The window is what the refusal says, or less than the request had.
func (a *Assembler) Refused(step chat.Step, model string, r Assembled, why error) {
	said, counted := limits.Refused(why.Error())
	expected := r.Sent.Tokens
	learnt := int(refusedShare * float64(expected))
	switch {
	case said >= leastWindow && counted > said && counted > expected: // we estimate less than the provider counts
		learnt = int(float64(said) * float64(expected) / float64(counted))
	case said >= leastWindow && said < expected:
		learnt = said
	}
	a.refusals.set(refusedBy{step.Session, model}, refused{window: max(learnt, leastWindow), hash: string(r.Sent.Hash)})
}

// RefusedBefore reports whether the provider has refused this very request as too long.
func (a *Assembler) RefusedBefore(step chat.Step, model string, r Assembled) bool {
	hash := a.refusals.of(refusedBy{step.Session, model}).hash
	return hash != "" && hash == string(r.Sent.Hash)
}

// Limits returns those of the model of a client for a conversation: what was learnt from refusals there counts.
func (a *Assembler) Limits(key chat.SessionKey, client llm.Client) window.Limits {
	return a.learnt(key, client.Model(), a.Budget.Limits(client))
}

func (a *Assembler) learnt(key chat.SessionKey, model string, l window.Limits) window.Limits {
	if w := a.refusals.of(refusedBy{key, model}).window; w > 0 && w < l.Context {
		l.Context = w
	}
	return l
}

// fitNewest masks results of the newest group where they alone fill half of what the model takes: a summary of what came before
// could not make the request short enough.
func (a *Assembler) fitNewest(ctx context.Context, d *draft) error {
	if len(d.lines) == 0 {
		return nil
	}
	newest := d.lines[len(d.lines)-1:]
	if d.expect(EstimateLine(newest[0])) < d.limits.CompressAt()/2 {
		return nil
	}
	return a.fit(ctx, d, newest)
}

// fit masks results of these lines, also of the running turn, where the provider has refused a request of the conversation as too long.
func (a *Assembler) fit(ctx context.Context, d *draft, lines []chat.Line) error {
	known := a.refusals.of(refusedBy{d.Step.Session, d.Model})
	over := d.used - d.limits.CompressAt()
	if known.window == 0 || over <= 0 {
		return nil
	}
	masks := window.MaskEnough(lines, window.Masked(d.w.Controls), int(float64(over)/d.ratio)+1, tokens.Count)
	if len(masks) == 0 {
		return nil
	}
	key := maskKey(d.Step, d.Compressed) + "/fit/" + strconv.Itoa(known.window) + "/" + strconv.Itoa(len(lines))
	return a.addMasks(ctx, d, key, masks)
}
