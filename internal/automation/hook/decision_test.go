package hook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/fault"
)

func TestCombine_TheStrongestDecisionWins(t *testing.T) {
	t.Parallel()
	say := func(d hook.Decision, reason string) hook.Answer { return hook.Answer{Decision: d, Reason: reason} }
	order := []hook.Decision{hook.Allow, hook.Ask, hook.Defer, hook.Deny}
	for i, weak := range order {
		for _, strong := range order[i:] {
			for _, answers := range [][]hook.Answer{{say(weak, "w"), say(strong, "s")}, {say(strong, "s"), say(weak, "w")}} {
				require.Equal(t, strong, hook.Combine(hook.PreToolUse, answers).Decision)
			}
		}
	}
	out := hook.Combine(hook.PreToolUse, []hook.Answer{say(hook.Ask, "one"), say(hook.Deny, "two"), {}, say(hook.Deny, "three"), say(hook.Allow, "four")})
	require.Equal(t, "two\nthree", out.Reason)
	require.Equal(t, hook.Allow, hook.Combine(hook.PreToolUse, nil).Decision)
}

func TestCombine_WhereNothingIsDecidedAReasonIsContext(t *testing.T) {
	t.Parallel()
	out := hook.Combine(hook.PostToolUse, []hook.Answer{{Context: "c"}, {Decision: hook.Deny, Reason: "wrong format"}, {Decision: hook.Ask, Reason: "ignored"}})
	require.Equal(t, hook.Outcome{Decision: hook.Allow, Context: "c\n\nwrong format"}, out)
	out = hook.Combine(hook.UserPromptSubmit, []hook.Answer{{Decision: hook.Ask}, {Updated: json.RawMessage(`{}`)}})
	require.Equal(t, hook.Outcome{Decision: hook.Allow}, out, "a prompt is denied or not")
}

func TestCombine_TheLastUpdateStands(t *testing.T) {
	t.Parallel()
	out := hook.Combine(hook.PreToolUse, []hook.Answer{{Updated: json.RawMessage(`{"a":1}`)}, {Updated: json.RawMessage(`{"a":2}`)}, {}})
	require.JSONEq(t, `{"a":2}`, string(out.Updated))
}

func TestParseAnswer_ReadsObjectsAndTexts(t *testing.T) {
	t.Parallel()
	a, err := hook.ParseAnswer([]byte(" {\"decision\":\"ask\",\"reason\":\"r\",\"context\":\"c\",\"updatedInput\":{\"x\":1},\"other\":7}\n"))
	require.NoError(t, err)
	require.Equal(t, hook.Answer{Decision: hook.Ask, Reason: "r", Context: "c", Updated: json.RawMessage(`{"x":1}`)}, a)
	a, err = hook.ParseAnswer([]byte("mind the gap\n"))
	require.NoError(t, err)
	require.Equal(t, hook.Answer{Context: "mind the gap"}, a)
	for _, bad := range []string{`{"decision":"deny"`, `{"decision":"block"}`, `{"decision":1}`, `{"updatedInput":[1]}`, "{" + strings.Repeat(" ", hook.MaxAnswer)} {
		_, err := hook.ParseAnswer([]byte(bad))
		require.Error(t, err, "what was meant as a decision is not taken for a text: %.40s", bad)
		require.Contains(t, []fault.Kind{fault.Invalid, fault.TooLarge}, fault.KindOf(err))
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte(`{"decision":"deny","reason":"no"}`))
	f.Add([]byte("text"))
	f.Add([]byte(`{"updatedInput":null}`))
	f.Fuzz(func(t *testing.T, out []byte) {
		a, err := hook.ParseAnswer(out)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len([]rune(a.Context)), hook.MaxContext)
		require.LessOrEqual(t, len([]rune(a.Reason)), hook.MaxReason)
		if a.Updated != nil {
			var object map[string]any
			require.NoError(t, json.Unmarshal(a.Updated, &object))
		}
		hook.Combine(hook.PreToolUse, []hook.Answer{a})
	})
}
