// Package modelcall holds what every call of a model needs: the request, the limits of the model, the lease, retries and who answers.
package modelcall

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/tokens"
	"xbot/internal/turn/window"
)

// Attachments reads the pictures of messages.
type Attachments interface {
	Pictures(ctx context.Context, key chat.SessionKey, hashes []string) (map[string]chat.Picture, error)
}

// Conversations reads the context window of a conversation, and appends control records.
type Conversations interface {
	AddControl(ctx context.Context, key chat.SessionKey, c chat.Control) (stored chat.Control, added bool, err error)
	Window(ctx context.Context, key chat.SessionKey) (chat.Window, error)
}

// ModelRefusals records requests that a model refused.
type ModelRefusals interface {
	RecordRefusedRequest(ctx context.Context, key chat.SessionKey, r chat.RefusedRequest) error
}

// Staleness finds files that have changed since the model read them. The records that it returns are stored.
type Staleness interface {
	Check(ctx context.Context, step chat.Step, w chat.Window) ([]chat.Control, error)
}

// Limits of a turn that repeats itself, in steps with the same calls and the same results.
const (
	loopTold = 2 // the model is warned
	LoopEnds = 6 // the turn ends
)

// remindEvery is the number of steps after which a model gets the list of its background tasks again.
const remindEvery = 10

// Assembler makes the requests of steps: it reads the conversation, applies the layers of the context and
// decides whether a compression has to come first. What it decides is stored as control records, so that the request
// can be made again. Safe for concurrent use; it must not be copied.
type Assembler struct {
	Attachments   Attachments
	Conversations Conversations
	ModelRefusals ModelRefusals
	Stale         Staleness // nil: files are not looked at
	Ratios        Ratios
	Budget        Budget
}

// Ask names a step and what is known of it.
type Ask struct {
	Step       chat.Step
	Model      string // provider/model
	Takes      limits.Model
	System     string
	Tools      []llm.Tool
	Compressed int // how often the step was compressed before
	Plan       chat.PlanState
	Most       int // tokens that the request may have, since the provider has refused more in this step; 0: as many as the model takes
}

// Assembled is a request with what it was made from, or what has to happen instead.
type Assembled struct {
	Request llm.Request
	Sent    chat.Sent
	Limits  window.Limits
	// Compress is the trigger of a compression that has to come first; nothing is to be sent then.
	Compress string
	// Loop is a call that the model makes over and over, without end: the turn has to end. Name is empty otherwise.
	Loop chat.ToolCall
	// Refused is true if the provider has refused this very request as too long.
	Refused bool
	// Compressible is true if a summary could replace anything.
	Compressible bool

	estimate int // of the whole request, by our own vocabulary
}

// Assemble makes the request of a step.
func (a *Assembler) Assemble(ctx context.Context, in Ask) (Assembled, error) {
	w, err := a.Conversations.Window(ctx, in.Step.Session)
	if err != nil {
		return Assembled{}, err
	}
	ratio, err := a.Ratios.Of(ctx, in.Model)
	if err != nil {
		return Assembled{}, err
	}
	d := &draft{Ask: in, w: w, ratio: ratio}
	d.leaveOut()
	learnt := w.Refusals.Request(in.Model).Window
	d.limits = atMost(atMost(a.Budget.within(in.Takes), learnt), in.Most)
	d.bounded = learnt > 0 || in.Most > 0
	if d.loop, d.times = loop(w.Lines); d.times >= LoopEnds {
		return Assembled{Loop: d.loop}, nil
	}
	if err := a.look(ctx, d); err != nil {
		return Assembled{}, err
	}
	d.show()
	if err := a.mask(ctx, d); err != nil {
		return Assembled{}, err
	}
	if err := a.picture(ctx, d); err != nil {
		return Assembled{}, err
	}
	if err := a.fitNewest(ctx, d); err != nil {
		return Assembled{}, err
	}
	out := Assembled{Limits: d.limits, Compressible: window.Cut(d.lines, 0, EstimateLine) > 0}
	if in.Compressed == 0 && out.Compressible && d.used >= d.limits.CompressAt() && a.Budget.acts(w) && a.Budget.rested(w) {
		out.Compress = chat.TriggerAuto
		return out, nil
	}
	if err := a.fit(ctx, d, d.lines); err != nil {
		return Assembled{}, err
	}
	return a.compose(d, out), nil
}

// Learn records what the provider counted for a request. Only later estimates depend on it.
func (a *Assembler) Learn(ctx context.Context, model string, r Assembled, counted int) error {
	return a.Ratios.Learn(ctx, model, r.estimate, counted)
}

// draft is a request that is being assembled.
type draft struct {
	Ask

	w       chat.Window
	ratio   float64
	limits  window.Limits
	bounded bool        // the provider has refused a longer request
	refused []string    // tools that the provider has refused, which are left out
	lines   []chat.Line // of the window as it is shown
	used    int         // tokens of the request, as the provider is expected to count them
	stale   []chat.Stale
	loop    chat.ToolCall
	times   int

	counted         int            // lines whose tokens the provider has counted, with their pictures
	picturesFrom    chat.MessageID // as in chat.Sent
	picturesSkipped int            // as in chat.Sent
	unseen          int            // pictures of the newest line that are not shown
}

// loop returns a call that is made over and over. Looking at background tasks again and again is no loop.
func loop(lines []chat.Line) (chat.ToolCall, int) {
	call, times := window.Loop(lines)
	if strings.HasPrefix(call.Name, "task_") {
		return chat.ToolCall{}, 0
	}
	return call, times
}

// look adds records about files that have changed since the model read them.
func (a *Assembler) look(ctx context.Context, d *draft) error {
	if a.Stale == nil {
		return nil
	}
	found, err := a.Stale.Check(ctx, d.Step, d.w)
	if err != nil {
		return err
	}
	for _, c := range found {
		if d.addControl(c) && c.Stale != nil {
			d.stale = append(d.stale, *c.Stale)
		}
	}
	return nil
}

// addControl adds a record to the window, unless it is in there.
func (d *draft) addControl(c chat.Control) bool {
	if slices.ContainsFunc(d.w.Controls, func(known chat.Control) bool { return known.ID == c.ID }) {
		return false
	}
	d.w.Controls = append(d.w.Controls, c)
	d.w.Upto = max(d.w.Upto, c.ID)
	return true
}

// show folds the window and counts its tokens. What the provider counted for the last answer is exact, as long as nothing
// has changed how the conversation before it is shown; only what came after it is estimated. Without such an answer all of
// it is estimated.
func (d *draft) show() {
	d.lines = window.View(d.w)
	known, from := 0, 0
	if d.w.Counted == d.w.Upto {
		for i, l := range slices.Backward(d.lines) {
			if l.Message.Role == chat.RoleAssistant {
				if u := l.Message.Usage; u != nil && u.PromptTokens > 0 && l.Message.Model == d.Model {
					known, from = u.PromptTokens, i
				}
				break
			}
		}
	}
	d.counted = from
	estimate := 0
	if known == 0 {
		estimate = Estimate(prompt.Request(d.System, nil, nil)) + tokens.Count(prompt.Static(llm.Request{Tools: d.Tools}))
	}
	for _, l := range d.lines[from:] {
		estimate += EstimateLine(l)
	}
	d.used = known + d.expect(estimate)
}

// expect returns what the provider is expected to count for an estimate.
func (d *draft) expect(estimate int) int { return int(float64(estimate) * d.ratio) }

// mask hides old results where the context is filling up, in one record a step, so that a repeated attempt finds it.
func (a *Assembler) mask(ctx context.Context, d *draft) error {
	if d.used < d.limits.MaskAt() || !a.Budget.acts(d.w) {
		return nil
	}
	hidden := map[chat.CallID]bool{}
	for _, c := range d.w.Controls {
		for _, m := range c.Masks {
			hidden[m.Call] = true
		}
	}
	masks := window.Mask(d.lines, func(id chat.CallID) bool { return hidden[id] }, d.limits.Fill(d.used), tokens.Count)
	if len(masks) == 0 {
		return nil
	}
	return a.addMasks(ctx, d, maskKey(d.Step, d.Compressed), masks)
}

// addMasks stores masks under a key and shows the conversation with them.
func (a *Assembler) addMasks(ctx context.Context, d *draft, key string, masks []chat.Mask) error {
	newest := slices.MaxFunc(masks, func(a, b chat.Mask) int { return cmp.Compare(a.Message, b.Message) })
	stored, _, err := a.Conversations.AddControl(ctx, d.Step.Session, chat.Control{
		Kind: chat.ControlMask, Message: newest.Message, Turn: d.Step.Turn, Key: key, Masks: masks,
	})
	if err != nil {
		return err
	}
	if d.addControl(stored) {
		d.show()
	}
	return nil
}

func maskKey(step chat.Step, compressed int) string {
	key := "mask/" + string(step.Turn) + "/" + strconv.Itoa(step.N)
	if compressed > 0 {
		key += "/" + strconv.Itoa(compressed)
	}
	return key
}

// compose writes the request and notes what it was made from.
func (a *Assembler) compose(d *draft, out Assembled) Assembled {
	out.Sent = chat.Sent{ControlUpto: d.w.Upto, MessageUpto: d.w.Last(), Reminder: d.reminder().Text(), PicturesFrom: d.picturesFrom, PicturesSkipped: d.picturesSkipped}
	if d.w.Compaction != nil {
		out.Sent.Compaction = d.w.Compaction.ID
	}
	out.Sent.Fill, out.Sent.PrunedUpto = a.prune(d)
	out.Request = prompt.Compose(d.System, d.Tools, d.w, out.Sent)
	out.estimate = Estimate(out.Request)
	out.Sent.Tokens = d.used + d.expect(tokens.Count(out.Sent.Reminder))
	if out.Sent.Fill > 0 {
		out.Sent.Tokens = d.expect(out.estimate)
	}
	out.Sent.Hash, out.Sent.Bytes = prompt.Digest(out.Request)
	out.Refused = d.w.Refusals.Request(d.Model).Hash == hex.EncodeToString(out.Sent.Hash)
	out.Request.MaxTokens = a.outputLimit(d, out.Sent.Tokens)
	return out
}

// prune returns how old results are pruned for the request. Pruning by age begins once the provider's cache has expired anyway; from then on the
// beginning of the conversation is shown in the same way, so that the cache works again.
func (a *Assembler) prune(d *draft) (fill float64, upto chat.MessageID) {
	last := d.w.Answered
	warm := !last.At.IsZero() && last.Model == d.Model && time.Since(last.At) < a.Budget.PruneAfter
	switch {
	case a.Budget.Prune:
	case a.Budget.PruneAfter <= 0 || last.At.IsZero() || !a.Budget.acts(d.w):
		return 0, 0
	case warm:
		if last.PrunedUpto == 0 {
			return 0, 0
		}
		if _, pruned := window.PruneUpto(d.lines, last.Fill, last.PrunedUpto); pruned {
			return last.Fill, last.PrunedUpto
		}
		return 0, 0
	default:
		upto = d.w.Last()
	}
	fill = float64(d.used) / float64(max(1, d.limits.Context))
	if _, pruned := window.PruneUpto(d.lines, fill, upto); pruned {
		return fill, upto
	}
	return 0, 0
}

// reminder collects what the model is to keep in mind at this step.
func (d *draft) reminder() prompt.Reminder {
	r := prompt.Reminder{Stale: d.stale, Refused: d.refused}
	if d.times >= loopTold {
		r.Loop, r.Times = d.loop, d.times
	}
	r.Todos = d.w.Todos // at the end of each request, behind all that a provider keeps
	if d.Step.N%remindEvery == 0 {
		r.Tasks = d.w.Tasks
	}
	r.Unseen = d.unseen
	r.Plan = d.Plan == chat.PlanWanted
	r.Proposes = slices.ContainsFunc(d.Tools, func(t llm.Tool) bool { return t.Name == chat.PlanTool })
	if d.used >= d.limits.MaskAt() {
		r.Full = d.used * 100 / max(1, d.limits.Context)
	}
	return r
}

// minOutput is the smallest output limit worth requesting, in tokens.
const minOutput = 1024

// outputLimit returns the output limit to request, in tokens: that of the settings, and never more than the window has left. It returns 0, no limit,
// if nothing is set and the longest answer of the model fits into the window.
func (a *Assembler) outputLimit(d *draft, sent int) int {
	limit := d.Takes.Asked
	if left := d.limits.Context - sent; left < d.limits.Output {
		limit = max(left, min(minOutput, d.limits.Output))
	}
	return limit
}
