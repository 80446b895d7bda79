package spans_test

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"xbot/internal/chat"
	"xbot/internal/tracing/spans"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

// plain is a turn with one call of a model.
func plain() spans.Turn {
	return spans.Turn{
		ID: "t1", Session: "agent:main:web:1", State: chat.TurnDone, Model: "openai/gpt-5.5", Started: at(0), Ended: at(3), Channel: "web", Agent: "main",
		User: spans.User{ID: 7, Name: "ann", Kind: "person"},
		Steps: []spans.Step{{
			N: 0, Model: "openai/gpt-5.5", ResponseModel: "gpt-5.5-2026-04-23", Finish: "stop", Attempts: 1, Started: at(.1), Finished: at(2.9), Asked: at(.2), FirstToken: 400 * time.Millisecond,
			Usage: chat.Usage{PromptTokens: 120, CachedTokens: 100, CompletionTokens: 9},
		}},
	}
}

// withTools has a call that waited for an approval, and one that began twice.
func withTools() spans.Turn {
	t := plain()
	t.Steps[0].Finish = "tool_calls"
	t.Steps = append(t.Steps, spans.Step{N: 1, Model: "openai/gpt-5.5", Finish: "stop", Attempts: 1, Started: at(2.91), Finished: at(2.99)})
	t.Calls = []spans.Call{
		{ID: "c1", Name: "Shell", Class: chat.ClassExec, Attempts: 2, Started: at(1.5), Finished: at(2), Rule: chat.RuleAsk, Runner: "local", Approval: "allowed", Asked: at(1), Answered: at(1.4)},
		{ID: "c2", Name: "Read", Class: chat.ClassRead, Attempts: 1, Started: at(1), Finished: at(1.2), Rule: chat.RuleAllow, IsError: true},
		{ID: "c3", Name: "Write", Class: chat.ClassIdempotent, Finished: at(2), Rule: chat.RuleDeny, IsError: true},
	}
	return t
}

// find returns the span of a name.
func find(t *testing.T, all []*tracepb.Span, name string) *tracepb.Span {
	t.Helper()
	for _, s := range all {
		if s.GetName() == name {
			return s
		}
	}
	require.Fail(t, "there is no span "+name)
	return nil
}

func attribute(s *tracepb.Span, key string) any { return valueOf(s.GetAttributes(), key) }

func valueOf(list []*commonpb.KeyValue, key string) any {
	for _, a := range list {
		if a.GetKey() != key {
			continue
		}
		switch v := a.GetValue().GetValue().(type) {
		case *commonpb.AnyValue_StringValue:
			return v.StringValue
		case *commonpb.AnyValue_IntValue:
			return int(v.IntValue)
		case *commonpb.AnyValue_DoubleValue:
			return v.DoubleValue
		case *commonpb.AnyValue_BoolValue:
			return v.BoolValue
		case *commonpb.AnyValue_ArrayValue:
			out := []string{}
			for _, one := range v.ArrayValue.GetValues() {
				out = append(out, one.GetStringValue())
			}
			return out
		}
	}
	return nil
}

func requireAttributes(t *testing.T, s *tracepb.Span, want map[string]any) {
	t.Helper()
	for key, value := range want {
		require.Equal(t, value, attribute(s, key), "%s of %s", key, s.GetName())
	}
}

func TestBuild_APlainTurnFollowsTheConventions(t *testing.T) {
	all := spans.Build(plain(), spans.Options{Cost: func(string, chat.Usage) (spans.Cost, bool) { return spans.Cost{Input: .25, Output: .5}, true }})
	require.Len(t, all, 2)
	root, call := all[0], all[1]
	require.Equal(t, "invoke_agent main", root.GetName())
	require.Empty(t, root.GetParentSpanId())
	require.Equal(t, tracepb.Span_SPAN_KIND_INTERNAL, root.GetKind())
	requireAttributes(t, root, map[string]any{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "main", "gen_ai.conversation.id": "agent:main:web:1", "gen_ai.provider.name": "openai",
		"user.id": "7", "user.name": "ann", "session.id": "agent:main:web:1", "xbot.channel": "web", "xbot.turn.state": "done", "xbot.service.id": nil,
		"gen_ai.usage.input_tokens": nil,
	})
	require.Equal(t, "chat gpt-5.5", call.GetName())
	require.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, call.GetKind())
	require.Equal(t, root.GetSpanId(), call.GetParentSpanId())
	require.Equal(t, root.GetTraceId(), call.GetTraceId())
	requireAttributes(t, call, map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5.5", "gen_ai.response.model": "gpt-5.5-2026-04-23",
		"gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 9, "gen_ai.usage.cache_read.input_tokens": 100,
		"gen_ai.response.finish_reasons": []string{"stop"}, "gen_ai.response.time_to_first_chunk": .4, "gen_ai.usage.cost": .75, "xbot.attempts": 1,
		"gen_ai.input.messages": nil, "langfuse.observation.type": nil,
	})
	require.EqualValues(t, at(.1).UnixNano(), call.GetStartTimeUnixNano())
	require.EqualValues(t, at(2.9).UnixNano(), call.GetEndTimeUnixNano())
}

func TestBuild_TheSameRowsGiveTheSameIDsAndEachSpanItsOwn(t *testing.T) {
	first, second := spans.Build(withTools(), spans.Options{}), spans.Build(withTools(), spans.Options{Langfuse: true, Content: true})
	require.Len(t, second, len(first))
	seen := map[string]bool{}
	for i, s := range first {
		require.Equal(t, s.GetSpanId(), second[i].GetSpanId())
		require.Len(t, s.GetSpanId(), 8)
		require.Len(t, s.GetTraceId(), 16)
		require.False(t, seen[hex.EncodeToString(s.GetSpanId())], s.GetName())
		seen[hex.EncodeToString(s.GetSpanId())] = true
	}
	other := plain()
	other.ID = "t2"
	require.NotEqual(t, first[0].GetTraceId(), spans.Build(other, spans.Options{})[0].GetTraceId())
}

func TestBuild_ACallOfAToolIsOneSpanWithItsAttemptsAndItsWait(t *testing.T) {
	all := spans.Build(withTools(), spans.Options{})
	require.Len(t, all, 7)
	shell := find(t, all, "execute_tool Shell")
	requireAttributes(t, shell, map[string]any{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "Shell", "gen_ai.tool.call.id": "c1", "gen_ai.tool.type": "function", "xbot.attempts": 2, "xbot.runner": "local", "error.type": nil,
	})
	require.Equal(t, tracepb.Status_STATUS_CODE_UNSET, shell.GetStatus().GetCode())
	wait := find(t, all, "wait_for_approval Shell")
	requireAttributes(t, wait, map[string]any{"xbot.approval": "allowed", "gen_ai.tool.call.id": "c1"})
	require.EqualValues(t, 400*time.Millisecond, wait.GetEndTimeUnixNano()-wait.GetStartTimeUnixNano())
	read := find(t, all, "execute_tool Read")
	require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, read.GetStatus().GetCode())
	requireAttributes(t, read, map[string]any{"error.type": "tool_error"})
	denied := find(t, all, "execute_tool Write")
	requireAttributes(t, denied, map[string]any{"xbot.tool.executed": false, "xbot.tool.rule": "deny"})
	require.Equal(t, denied.GetEndTimeUnixNano(), denied.GetStartTimeUnixNano(), "it never began")
}

func TestBuild_EndsOfTurns(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*spans.Turn)
		code   tracepb.Status_StatusCode
		class  any
		step   any
	}{
		"failed": {func(t *spans.Turn) {
			t.State, t.Steps[0].Finish, t.Steps[0].Fault = chat.TurnFailed, chat.FinishError, "unavailable"
		}, tracepb.Status_STATUS_CODE_ERROR, "failed", "unavailable"},
		"lost":    {func(t *spans.Turn) { t.State, t.Steps[0].Finish = chat.TurnLost, "lost" }, tracepb.Status_STATUS_CODE_ERROR, "lost", nil},
		"stopped": {func(t *spans.Turn) { t.State, t.Steps[0].Finish = chat.TurnStopped, chat.FinishStopped }, tracepb.Status_STATUS_CODE_UNSET, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			turn := plain()
			c.change(&turn)
			all := spans.Build(turn, spans.Options{})
			require.Equal(t, c.code, all[0].GetStatus().GetCode())
			requireAttributes(t, all[0], map[string]any{"error.type": c.class, "xbot.turn.state": name})
			requireAttributes(t, all[1], map[string]any{"error.type": c.step})
		})
	}
}

func TestBuild_RetriesAreEventsOfTheirCall(t *testing.T) {
	turn := plain()
	turn.Steps[0].Failures, turn.Steps[0].Attempts = 2, 4
	turn.Compactions = []spans.Compaction{{ID: 3, Model: "openai/gpt-5.5", Trigger: "auto", Method: "model", Started: at(1), Finished: at(1.8), Usage: chat.Usage{PromptTokens: 50, CompletionTokens: 5}, Before: 900, After: 90}}
	turn.Retries = []spans.Retry{
		{Step: 0, Attempt: 2, At: at(.5), Delay: time.Second, Reason: "rate limit"},
		{Step: 0, Attempt: 3, At: at(1.5), Delay: time.Second, Reason: "timeout"},
		{Step: 0, Attempt: 3, At: at(2), Delay: 2 * time.Second, Reason: "server error, HTTP 503"},
	}
	all := spans.Build(turn, spans.Options{})
	call, compression := find(t, all, "chat gpt-5.5"), find(t, all, "compress gpt-5.5")
	requireAttributes(t, call, map[string]any{"xbot.attempts": 4, "xbot.provider.failures": 2})
	require.Len(t, call.GetEvents(), 2)
	require.Equal(t, "xbot.retry", call.GetEvents()[0].GetName())
	require.Equal(t, "rate limit", valueOf(call.GetEvents()[0].GetAttributes(), "error.type"))
	require.Equal(t, 2, valueOf(call.GetEvents()[0].GetAttributes(), "xbot.attempt"))
	require.Len(t, compression.GetEvents(), 1, "that of the compression")
	requireAttributes(t, compression, map[string]any{
		"gen_ai.operation.name": "compress", "gen_ai.usage.input_tokens": 50, "xbot.compression.trigger": "auto", "xbot.compression.tokens_after": 90,
	})
}

func TestBuild_ACompressionByRuleCallsNoModel(t *testing.T) {
	turn := plain()
	turn.Compactions = []spans.Compaction{{ID: 3, Model: "openai/gpt-5.5", Trigger: "too_long", Method: "extract", Finished: at(1.8)}}
	s := find(t, spans.Build(turn, spans.Options{Langfuse: true}), "compress")
	requireAttributes(t, s, map[string]any{"gen_ai.request.model": nil, "langfuse.observation.type": "span"})
	require.Equal(t, tracepb.Span_SPAN_KIND_INTERNAL, s.GetKind())
}

func TestBuild_ALoopIsAnEventAndNoCallOfAModel(t *testing.T) {
	turn := plain()
	turn.Steps = append(turn.Steps, spans.Step{N: 1, Finish: chat.FinishLoop, Started: at(2), Finished: at(2)})
	all := spans.Build(turn, spans.Options{})
	require.Len(t, all, 2)
	require.Equal(t, "xbot.loop", all[0].GetEvents()[0].GetName())
}

func TestBuild_ASubagentIsNestedInTheCallThatAskedForIt(t *testing.T) {
	parent := withTools()
	child := plain()
	child.ID, child.Tree, child.AskedBy, child.Role = "t9", "t1", "c1", "explorer"
	above, below := spans.Build(parent, spans.Options{}), spans.Build(child, spans.Options{})
	require.Equal(t, above[0].GetTraceId(), below[0].GetTraceId())
	require.Equal(t, find(t, above, "execute_tool Shell").GetSpanId(), below[0].GetParentSpanId())
	require.Equal(t, "invoke_agent explorer", below[0].GetName())
	requireAttributes(t, below[1], map[string]any{"gen_ai.agent.name": "explorer"})
}

// TestBuild_LangfuseFindsWhatItsMappingNames has the attributes of https://langfuse.com/integrations/native/opentelemetry#property-mapping, which
// wants those of the trace on every span.
func TestBuild_LangfuseFindsWhatItsMappingNames(t *testing.T) {
	turn := withTools()
	turn.Service = "svc_0123abcd"
	all := spans.Build(turn, spans.Options{Langfuse: true, Cost: func(_ string, u chat.Usage) (spans.Cost, bool) {
		return spans.Cost{Input: .2, Cached: .05, Output: .75}, true
	}})
	types := map[string]string{"invoke_agent": "agent", "chat": "generation", "execute_tool": "tool", "wait_for_approval": "span"}
	for _, s := range all {
		operation, _, _ := strings.Cut(s.GetName(), " ")
		requireAttributes(t, s, map[string]any{
			"langfuse.observation.type": types[operation], "langfuse.trace.name": "invoke_agent main", "langfuse.user.id": "ann", "langfuse.session.id": "agent:main:web:1",
			"langfuse.trace.tags":             []string{"channel:web", "agent:main", "service:svc_0123abcd"},
			"langfuse.trace.metadata.channel": "web", "langfuse.trace.metadata.agent": "main", "langfuse.trace.metadata.service": "svc_0123abcd",
		})
	}
	call := find(t, all, "chat gpt-5.5")
	requireAttributes(t, call, map[string]any{"langfuse.observation.completion_start_time": "2026-11-30T12:00:00.6Z", "langfuse.observation.input": nil})
	var usage map[string]int
	require.NoError(t, json.Unmarshal([]byte(attribute(call, "langfuse.observation.usage_details").(string)), &usage))
	require.Equal(t, map[string]int{"input": 20, "input_cached_tokens": 100, "output": 9, "total": 129}, usage)
	var cost map[string]float64
	require.NoError(t, json.Unmarshal([]byte(attribute(call, "langfuse.observation.cost_details").(string)), &cost))
	require.Equal(t, map[string]float64{"input": .2, "input_cached_tokens": .05, "output": .75, "total": 1}, cost)
}

func TestBuild_ContentIsMaskedBoundedAndOnlyThereOnceItIsWanted(t *testing.T) {
	turn := withTools()
	turn.Input = []spans.Text{{At: at(0), Content: "my word is hunter2"}, {At: at(2.905), Content: "also"}}
	turn.Steps[1].Answer = "hunter2 is a word"
	turn.Calls[0].Arguments, turn.Calls[0].Result = `{"command":"echo hunter2"}`, strings.Repeat("字", spans.MaxText)
	for _, s := range spans.Build(turn, spans.Options{Langfuse: true}) {
		require.NotContains(t, s.String(), "hunter2", "content is off")
		require.NotContains(t, s.String(), "字")
	}
	all := spans.Build(turn, spans.Options{Langfuse: true, Content: true, Mask: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[hidden]") }})
	for _, s := range all {
		require.NotContains(t, s.String(), "hunter2")
		for _, a := range s.GetAttributes() {
			require.LessOrEqual(t, len(a.GetValue().GetStringValue()), 2*spans.MaxText)
		}
	}
	requireAttributes(t, find(t, all, "execute_tool Shell"), map[string]any{
		"gen_ai.tool.call.arguments": `{"command":"echo [hidden]"}`, "langfuse.observation.input": `{"command":"echo [hidden]"}`,
	})
	root := all[0]
	require.JSONEq(t, `[{"role":"user","parts":[{"type":"text","content":"my word is [hidden]"}]},{"role":"user","parts":[{"type":"text","content":"also"}]}]`, attribute(root, "langfuse.observation.input").(string))
	require.JSONEq(t, `[{"role":"assistant","parts":[{"type":"text","content":"[hidden] is a word"}]}]`, attribute(root, "gen_ai.output.messages").(string))
	first := all[1]
	require.JSONEq(t, `[{"role":"user","parts":[{"type":"text","content":"my word is [hidden]"}]}]`, attribute(first, "gen_ai.input.messages").(string))
	second := attribute(all[2], "gen_ai.input.messages").(string)
	require.Contains(t, second, `"tool_call_response"`)
	require.Contains(t, second, `"id":"c1"`)
	require.NotContains(t, second, "my word", "it was in the call before")
}

func TestScoreID_IsThatOfAUserAndAReply(t *testing.T) {
	one := spans.ScoreID(1, 2)
	require.Equal(t, one, spans.ScoreID(1, 2))
	require.NotEqual(t, spans.ScoreID(1, 2), spans.ScoreID(2, 1))
	require.NotEqual(t, spans.ScoreID(1, 23), spans.ScoreID(12, 3))
	require.Len(t, spans.ScoreID(1, 2), 32)
}
