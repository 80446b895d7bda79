package modelcall

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/tokens"
	"xbot/internal/turn/window"
)

// Bounds of the context windows that refusals name.
const (
	leastWindow  = 2048 // tokens: a refusal that names less is not believed
	refusedShare = 0.8  // of a refused request, where the refusal names no figures
)

// Refused records that a provider refused a request of a step as too long. Later requests of the conversation to this model are held to the context
// window learnt from it. most is how many tokens the step's next request may have if the refusal is about this request alone; 0: the window decides.
func (a *Assembler) Refused(ctx context.Context, step chat.Step, model string, r Assembled, why error) (most int, err error) {
	status, words, ok := llm.RefusalOf(why)
	if !ok {
		words = why.Error()
	}
	refusal := limits.Refused(status, words)
	row := chat.RefusedRequest{Model: model, Hash: hex.EncodeToString(r.Sent.Hash)}
	learnt := max(learntFrom(refusal, r.Sent.Tokens), leastWindow)
	if refusal.Once {
		most = learnt
	} else {
		row.Window = learnt
	}
	return most, a.ModelRefusals.RecordRefusedRequest(ctx, step.Session, row)
}

// learntFrom returns how many tokens a request may have, by our estimate: as the refusal of one states that was expected to have so many, or less
// than it had.
func learntFrom(r limits.Refusal, expected int) int {
	switch {
	case r.Window >= leastWindow && r.Sent > r.Window && r.Sent > expected: // we estimate less than the provider counts
		return int(float64(r.Window) * float64(expected) / float64(r.Sent))
	case r.Window >= leastWindow && r.Window < expected:
		return r.Window
	}
	return int(refusedShare * float64(expected))
}

// Limits returns those of the model of a client for a conversation: what was learnt from refusals there counts.
func (a *Assembler) Limits(w chat.Window, client llm.Client) window.Limits {
	return atMost(a.Budget.Limits(client), w.Refusals.Request(client.Model()).Window)
}

// atMost lowers the context window of limits to so many tokens; 0: it stays.
func atMost(l window.Limits, most int) window.Limits {
	if most > 0 && most < l.Context {
		l.Context = most
	}
	return l
}

// leaveOut removes the tools from the draft that the provider has refused with their present definition.
func (d *draft) leaveOut() {
	if len(d.w.Refusals.Tools) == 0 {
		return
	}
	d.Tools = slices.DeleteFunc(slices.Clone(d.Tools), func(t llm.Tool) bool {
		refused := d.w.Refusals.Refuses(d.Model, t.Name, ToolDigest(t))
		if refused {
			d.refused = append(d.refused, t.Name)
		}
		return refused
	})
}

// ToolDigest returns the SHA-256 of the definition of a tool, hexadecimal.
func ToolDigest(t llm.Tool) string {
	sum, _ := prompt.Digest(llm.Request{Tools: []llm.Tool{t}})
	return hex.EncodeToString(sum)
}

// Drop removes tools, by their names, from a request and informs the model that they are not available.
func (r *Assembled) Drop(names []string) {
	r.Request.Tools = slices.DeleteFunc(slices.Clone(r.Request.Tools), func(t llm.Tool) bool { return slices.Contains(names, t.Name) })
	r.Remind(prompt.Reminder{Refused: names}.Text())
}

// Remind adds to the reminder of a request, and to what the step stores of it, so that prompt.Rebuild makes the same request.
func (r *Assembled) Remind(text string) {
	messages := slices.Clone(r.Request.Messages)
	if last := len(messages) - 1; last >= 0 && messages[last].Volatile { // the reminder, or what prompt.Compose adds where there is none
		messages = messages[:last]
	}
	if r.Sent.Reminder != "" {
		text = r.Sent.Reminder + "\n" + text
	}
	messages = append(messages, llm.Message{Role: "user", Content: text, Volatile: true})
	r.Request.Messages, r.Sent.Reminder = messages, text
	r.Sent.Hash, r.Sent.Bytes = prompt.Digest(r.Request)
	r.estimate = Estimate(r.Request)
}

// fitNewest masks results of the newest group if they alone fill half of the context window: a summary of the messages before them would not make
// the request short enough.
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

// fit masks results of these lines, also of the running turn, if the provider has refused a request of the conversation as too long.
func (a *Assembler) fit(ctx context.Context, d *draft, lines []chat.Line) error {
	over := d.used - d.limits.CompressAt()
	if !d.bounded || over <= 0 {
		return nil
	}
	masks := window.MaskEnough(lines, window.Masked(d.w.Controls), int(float64(over)/d.ratio)+1, tokens.Count)
	if len(masks) == 0 {
		return nil
	}
	key := maskKey(d.Step, d.Compressed) + "/fit/" + strconv.Itoa(d.limits.Context) + "/" + strconv.Itoa(len(lines))
	return a.addMasks(ctx, d, key, masks)
}
