package spans

import (
	"encoding/json"
	"strconv"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"xbot/internal/chat"
	"xbot/internal/llm"
)

// Operations of the conventions, and our own for what they do not name.
const (
	opAgent    = "invoke_agent"
	opChat     = "chat"
	opTool     = "execute_tool"
	opCompress = "compress"
	opApproval = "wait_for_approval"
)

// Types of Langfuse's observations.
const (
	observedAgent      = "agent"
	observedGeneration = "generation"
	observedTool       = "tool"
	observedSpan       = "span"
)

// Build returns the spans of a turn, that of the turn first.
func Build(t Turn, o Options) []*tracepb.Span {
	if t.Ended.Before(t.Started) {
		t.Ended = t.Started
	}
	b := &builder{Turn: t, Options: o}
	b.shared = b.context()
	out := []*tracepb.Span{b.turn()}
	for _, s := range t.Steps {
		if s.Finish != chat.FinishLoop { // no model was called
			out = append(out, b.step(s))
		}
	}
	for _, c := range t.Calls {
		if !c.Asked.IsZero() {
			out = append(out, b.approval(c))
		}
		out = append(out, b.call(c))
	}
	for _, c := range t.Compactions {
		out = append(out, b.compaction(c))
	}
	return out
}

type builder struct {
	Turn
	Options

	shared Attributes // of all spans
}

// context returns the attributes of all spans: backends filter single spans by them.
func (b *builder) context() (a Attributes) {
	a.Text("gen_ai.conversation.id", string(b.Session))
	a.Text("gen_ai.agent.name", b.agentName())
	a.Text("session.id", string(b.Session))
	a.Text("user.id", strconv.FormatInt(int64(b.User.ID), 10))
	a.Text("user.name", b.User.Name)
	a.Text("xbot.channel", b.Channel)
	a.Text("xbot.service.id", b.Service)
	a.Text("xbot.turn.id", string(b.ID))
	if !b.Langfuse {
		return a
	}
	a.Text("langfuse.trace.name", opAgent+" "+b.Agent)
	a.Text("langfuse.session.id", string(b.Session))
	a.Text("langfuse.user.id", b.User.Name)
	tags := []string{"channel:" + b.Channel, "agent:" + b.Agent}
	if b.Service != "" {
		tags = append(tags, "service:"+b.Service)
	}
	a.Texts("langfuse.trace.tags", tags)
	a.Text("langfuse.trace.metadata.channel", b.Channel)
	a.Text("langfuse.trace.metadata.agent", b.Agent)
	a.Text("langfuse.trace.metadata.service", b.Service)
	return a
}

// agentName returns the agent, or the role of a subagent.
func (b *builder) agentName() string {
	if b.Role != "" {
		return b.Role
	}
	return b.Agent
}

// span returns a span of the turn with the attributes of all.
func (b *builder) span(id, parent []byte, name, operation, observed string, start, end time.Time) *tracepb.Span {
	if start.IsZero() {
		start = end
	}
	if end.Before(start) {
		end = start
	}
	s := &tracepb.Span{
		TraceId: TraceID(b.ID, b.Tree), SpanId: id, ParentSpanId: parent, Name: name, Kind: tracepb.Span_SPAN_KIND_INTERNAL, Flags: sampled,
		StartTimeUnixNano: nanoseconds(start), EndTimeUnixNano: nanoseconds(end), Status: &tracepb.Status{},
	}
	a := append(Attributes{}, b.shared...)
	a.Text("gen_ai.operation.name", operation)
	if b.Langfuse {
		a.Text("langfuse.observation.type", observed)
	}
	s.Attributes = a
	return s
}

// sampled is the flag of spans of a sampled trace.
const sampled = 1

// fail marks a span as failed with a class of errors.
func fail(s *tracepb.Span, class string) {
	s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: class}
	(*Attributes)(&s.Attributes).Text("error.type", class)
}

// turn returns the span of the turn. That of a subagent is a child of the call that asked for it.
func (b *builder) turn() *tracepb.Span {
	var parent []byte
	if b.AskedBy != "" && b.Tree != "" {
		parent = callID(b.AskedBy)
	}
	s := b.span(turnID(b.ID), parent, opAgent+" "+b.agentName(), opAgent, observedAgent, b.Started, b.Ended)
	a := (*Attributes)(&s.Attributes)
	if b.Model != "" {
		provider, model := llm.SplitModel(b.Model)
		a.Text("gen_ai.provider.name", provider)
		a.Text("gen_ai.request.model", model)
	}
	a.Text("xbot.turn.state", string(b.State))
	a.Text("xbot.chat.type", string(b.ChatType))
	a.Text("xbot.user.kind", b.User.Kind)
	a.Text("xbot.subagent.role", b.Role)
	if b.Command {
		a.Bool("xbot.turn.command", true)
	}
	for _, step := range b.Steps {
		if step.Finish == chat.FinishLoop {
			s.Events = append(s.Events, event("xbot.loop", step.Finished, nil))
		}
	}
	if b.State == chat.TurnFailed || b.State == chat.TurnLost {
		fail(s, string(b.State))
	}
	if b.Content {
		b.content(s, messagesOf("user", b.Input), answer(b.finalAnswer(), ""))
	}
	return s
}

// finalAnswer returns the text of the last step that has one.
func (b *builder) finalAnswer() (text string) {
	for _, s := range b.Steps {
		if s.Answer != "" {
			text = s.Answer
		}
	}
	return text
}

// step returns the span of a call of a model, with all its attempts.
func (b *builder) step(step Step) *tracepb.Span {
	id := step.Model
	if id == "" {
		id = b.Model
	}
	provider, model := llm.SplitModel(id)
	end := step.Finished
	if end.IsZero() {
		end = b.Ended
	}
	s := b.span(stepID(b.ID, step.N), turnID(b.ID), named(opChat, model), opChat, observedGeneration, step.Started, end)
	s.Kind = tracepb.Span_SPAN_KIND_CLIENT
	a := (*Attributes)(&s.Attributes)
	b.modelCall(a, provider, model, id, step.Usage)
	a.Text("gen_ai.response.model", step.ResponseModel)
	if step.Finish != "" && step.Finish != chat.FinishError {
		a.Texts("gen_ai.response.finish_reasons", []string{step.Finish})
	}
	a.Bool("gen_ai.request.stream", true)
	if step.Compacted {
		a.Bool("gen_ai.conversation.compacted", true)
	}
	if step.FirstToken > 0 && !step.Asked.IsZero() {
		a.Float("gen_ai.response.time_to_first_chunk", step.FirstToken.Seconds())
		if b.Langfuse {
			a.Text("langfuse.observation.completion_start_time", step.Asked.Add(step.FirstToken).UTC().Format(time.RFC3339Nano))
		}
	}
	a.Int("xbot.step", step.N)
	b.attempts(s, step)
	if step.Finish == chat.FinishError || step.Fault != "" {
		fail(s, orElse(step.Fault, "error"))
	}
	if b.Content {
		b.content(s, b.inputOf(step), answer(step.Answer, step.Finish))
	}
	return s
}

// modelCall adds the model of a call, its tokens and its cost.
func (b *builder) modelCall(a *Attributes, provider, model, id string, u chat.Usage) {
	a.Text("gen_ai.provider.name", provider)
	a.Text("gen_ai.request.model", model)
	a.Text("xbot.model", id)
	if u == (chat.Usage{}) {
		return
	}
	a.Int("gen_ai.usage.input_tokens", u.PromptTokens)
	a.Int("gen_ai.usage.output_tokens", u.CompletionTokens)
	a.Positive("gen_ai.usage.cache_read.input_tokens", u.CachedTokens)
	cost, known := Cost{}, false
	if b.Cost != nil {
		cost, known = b.Cost(id, u)
	}
	if known {
		a.Float("gen_ai.usage.cost", cost.Total())
	}
	if !b.Langfuse {
		return
	}
	a.Text("langfuse.observation.usage_details", encode(map[string]int{
		"input": u.PromptTokens - u.CachedTokens, "input_cached_tokens": u.CachedTokens, "output": u.CompletionTokens, "total": u.PromptTokens + u.CompletionTokens,
	}))
	if known {
		a.Text("langfuse.observation.cost_details", encode(map[string]float64{
			"input": cost.Input, "input_cached_tokens": cost.Cached, "output": cost.Output, "total": cost.Total(),
		}))
	}
}

// attempts adds the attempts of a step, with an event for each failure of the provider.
func (b *builder) attempts(s *tracepb.Span, step Step) {
	a := (*Attributes)(&s.Attributes)
	a.Positive("xbot.attempts", step.Attempts)
	a.Positive("xbot.provider.failures", step.Failures)
	for _, r := range b.Retries {
		if r.Step == step.N && !r.At.Before(step.Started) && (step.Finished.IsZero() || !r.At.After(step.Finished)) && !b.ofCompaction(r) {
			s.Events = append(s.Events, retryEvent(r))
		}
	}
}

// ofCompaction reports whether a failure was one of a compression.
func (b *builder) ofCompaction(r Retry) bool {
	for _, c := range b.Compactions {
		if !c.Started.IsZero() && !r.At.Before(c.Started) && !r.At.After(c.Finished) {
			return true
		}
	}
	return false
}

func retryEvent(r Retry) *tracepb.Span_Event {
	var a Attributes
	a.Int("xbot.attempt", r.Attempt)
	a.Text("error.type", r.Reason)
	a.Float("xbot.delay", r.Delay.Seconds())
	return event("xbot.retry", r.At, a)
}

// call returns the span of a call of a tool, with all its attempts.
func (b *builder) call(c Call) *tracepb.Span {
	end := c.Finished
	if end.IsZero() {
		end = b.Ended
	}
	s := b.span(callID(c.ID), turnID(b.ID), opTool+" "+c.Name, opTool, observedTool, c.Started, end)
	a := (*Attributes)(&s.Attributes)
	a.Text("gen_ai.tool.name", c.Name)
	a.Text("gen_ai.tool.call.id", string(c.ID))
	a.Text("gen_ai.tool.type", "function")
	a.Int("xbot.step", c.Step)
	a.Text("xbot.tool.class", string(c.Class))
	a.Text("xbot.tool.rule", string(c.Rule))
	a.Text("xbot.runner", c.Runner)
	a.Text("xbot.task", c.Task)
	a.Positive("xbot.attempts", c.Attempts)
	if c.Started.IsZero() {
		a.Bool("xbot.tool.executed", false)
	}
	if c.IsError {
		fail(s, "tool_error")
	}
	if b.Content {
		a.Text("gen_ai.tool.call.arguments", b.text(c.Arguments))
		a.Text("gen_ai.tool.call.result", b.text(c.Result))
		if b.Langfuse {
			a.Text("langfuse.observation.input", b.text(c.Arguments))
			a.Text("langfuse.observation.output", b.text(c.Result))
		}
	}
	return s
}

// approval returns the span of the time for which a call waited for a person.
func (b *builder) approval(c Call) *tracepb.Span {
	end := c.Answered
	if end.IsZero() {
		end = c.Finished
	}
	if end.IsZero() {
		end = b.Ended
	}
	s := b.span(approvalID(c.ID), turnID(b.ID), opApproval+" "+c.Name, opApproval, observedSpan, c.Asked, end)
	a := (*Attributes)(&s.Attributes)
	a.Text("gen_ai.tool.name", c.Name)
	a.Text("gen_ai.tool.call.id", string(c.ID))
	a.Text("xbot.approval", string(c.Approval))
	if c.Inquires {
		a.Bool("xbot.question", true)
	}
	return s
}

// compaction returns the span of a compression of the context.
func (b *builder) compaction(c Compaction) *tracepb.Span {
	provider, model := llm.SplitModel(c.Model)
	observed := observedGeneration
	if c.Usage == (chat.Usage{}) { // by rule, without a model
		observed, provider, model = observedSpan, "", ""
	}
	s := b.span(compactionID(b.ID, c.ID), turnID(b.ID), named(opCompress, model), opCompress, observed, c.Started, c.Finished)
	a := (*Attributes)(&s.Attributes)
	if model != "" {
		s.Kind = tracepb.Span_SPAN_KIND_CLIENT
		b.modelCall(a, provider, model, c.Model, c.Usage)
	}
	a.Text("xbot.compression.trigger", c.Trigger)
	a.Text("xbot.compression.method", c.Method)
	a.Int("xbot.compression.tokens_before", c.Before)
	a.Int("xbot.compression.tokens_after", c.After)
	for _, r := range b.Retries {
		if !c.Started.IsZero() && !r.At.Before(c.Started) && !r.At.After(c.Finished) {
			s.Events = append(s.Events, retryEvent(r))
		}
	}
	if b.Content {
		b.content(s, nil, answer(c.Summary, ""))
	}
	return s
}

func named(operation, model string) string {
	if model == "" {
		return operation
	}
	return operation + " " + model
}

func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

// encode returns the JSON of a map of numbers.
func encode(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return "" // an infinite price
	}
	return string(out)
}
