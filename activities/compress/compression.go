package compress

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"go.temporal.io/sdk/activity"

	"xbot/activities"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/command"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/tokens"
	"xbot/internal/turn/window"
)

// Sizes of a compaction, in tokens.
const (
	// keepRecent is about how much of the end of a conversation stays word for word.
	keepRecent = 20_000
	// maxSummary and minSummary bound the length that a summary is asked for.
	maxSummary = 8_000
	minSummary = 400
)

// compression is one running compression.
type compression struct {
	*Compressor
	in   Input
	step chat.Step

	asked chat.TurnOrigin
	focus string // what a user asked to keep in mind

	reader
	passage
	spending
}

// reader is the model that reads the conversation and writes the summary, and how it counts.
type reader struct {
	client llm.Client
	limits window.Limits
	ratio  float64 // of what the provider counts to our estimate
	static int     // tokens of system prompt and tools
	who    agentprofile.Profile
	tools  *toolset.Set
}

// passage is the part of a conversation that a compression replaces.
type passage struct {
	window chat.Window
	view   []chat.Line
	part   []chat.Line // the beginning of the view, to be summarized; empty: nothing is
	upto   chat.MessageID
	weight int // tokens of the part
	facts  window.Facts
	target int // tokens of the summary
}

// spending is what a compression has cost so far.
type spending struct {
	began    time.Time // of this attempt
	rounds   int       // answers of the model
	usage    chat.Usage
	failures atomic.Int32 // of the provider
	noted    atomic.Bool  // notes were saved
}

// progress is the heartbeat detail that this attempt leaves for the next one.
type progress struct {
	Failures int32 `json:"failures,omitempty"`
	Noted    bool  `json:"noted,omitempty"`
}

func (j *compression) progress() any {
	return progress{Failures: j.failures.Load(), Noted: j.noted.Load()}
}

// resume restores the progress from the heartbeats of the previous attempt.
func (j *compression) resume(ctx context.Context) {
	var p progress
	if activity.HasHeartbeatDetails(ctx) && activity.GetHeartbeatDetails(ctx, &p) == nil {
		j.failures.Store(p.Failures)
		j.noted.Store(p.Noted)
	}
}

// open reads the conversation and decides how much of it is summarized.
func (j *compression) open(ctx context.Context) (err error) {
	if parsed, ok := command.Parse(j.asked.Text); ok && j.asked.Control {
		j.focus = activities.Shorten(parsed.Args, maxFocus)
	}
	if j.window, err = j.Conversations.Window(ctx, j.in.Session); err != nil {
		return err
	}
	if j.client, err = j.Models.For(ctx, j.in.Session); err != nil {
		return err
	}
	var system string
	if system, j.tools, err = j.Prompts.System(ctx, j.step); err != nil {
		return err
	}
	j.limits = j.Context.Limits(j.window, j.client)
	if j.ratio, err = j.Context.Ratios.Of(ctx, j.client.Model()); err != nil {
		return err
	}
	if j.who, err = modelcall.ProfileOf(ctx, j.Profiles, j.in.Session); err != nil {
		return err
	}
	j.static = j.weigh(prompt.Request(system, nil, j.tools.Shown()))
	j.view = window.View(j.window)
	j.cut()
	return nil
}

// maxFocus bounds what a user asks to keep in mind, in characters.
const maxFocus = 2000

// cut takes as much of the beginning as leaves about 20 000 tokens, or a fifth of a smaller window. Each compression of
// the same step, whose request was still too long, leaves less.
func (j *compression) cut() {
	keep := min(keepRecent, j.limits.Context/5)
	for range j.in.N {
		keep /= 4
	}
	for ; ; keep /= 4 {
		if n := window.Cut(j.view, keep, j.weighLine); n > 0 {
			j.part, j.upto = j.view[:n], j.view[n-1].Message.ID
			break
		}
		if keep == 0 {
			return
		}
	}
	j.facts = window.FactsOf(j.window, j.part, j.upto)
	for _, l := range j.part {
		j.weight += j.weighLine(l)
	}
	j.target = max(minSummary, min(j.weight*3/10, maxSummary, j.limits.Context/10))
}

// worthwhile reports whether a summary can make the request smaller, before a model is asked for one. An automatic
// compression also needs a part that is larger than the smallest summary.
func (j *compression) worthwhile() bool {
	if len(j.part) == 0 || j.in.Trigger == chat.TriggerAuto && j.weight <= minSummary {
		return false
	}
	least, _ := j.record(chat.CompactedByRule, window.Bare)
	return least.Compaction.TokensAfter < least.Compaction.TokensBefore
}

// record makes the control record of a summary, and its archive.
func (j *compression) record(method, summary string) (chat.Control, chat.Offload) {
	body := window.Archive(j.part, j.facts)
	hash := sha256.Sum256([]byte(j.key()))
	archive := chat.Offload{ID: "ol_" + hex.EncodeToString(hash[:5]), Body: body, Tool: "compact"}
	summary = window.Close(window.Complete(summary, j.facts, j.target, j.count), archive.ID, len(body))
	c := chat.Compaction{
		Summary: summary, Trigger: j.in.Trigger, Focus: j.focus, Method: method, Model: j.client.Model(), Usage: j.usage,
		TokensBefore: j.static + j.weighLines(j.view),
	}
	if !j.began.IsZero() {
		c.StartedAt = &j.began
	}
	if j.window.Compaction != nil {
		c.Previous = j.window.Compaction.ID
	}
	control := chat.Control{Kind: chat.ControlCompact, Message: j.upto, Turn: j.in.Turn, Key: j.key(), Compaction: &c}
	c.TokensAfter = j.static + j.weighLines(window.View(window.After(j.window, control)))
	return control, archive
}

func (j *compression) weighLines(lines []chat.Line) int {
	return j.weigh(prompt.Request("", lines, nil))
}

func (j *compression) weighLine(l chat.Line) int { return j.expect(modelcall.EstimateLine(l)) }

func (j *compression) weigh(r llm.Request) int { return j.expect(modelcall.Estimate(r)) }

// count returns how many tokens the provider is expected to count for a text.
func (j *compression) count(text string) int { return j.expect(tokens.Count(text)) }

func (j *compression) expect(estimate int) int { return int(float64(estimate) * j.ratio) }

// chars returns how many characters of a text like this one make the target.
func (j *compression) chars(text string) int {
	return j.target * utf8.RuneCountInString(text) / max(1, j.count(text))
}
