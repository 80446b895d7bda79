package hook_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
)

var grants = hook.Grants{Host: true, Callbacks: []string{"log"}}

func parse(text string) hook.Config {
	return hook.Parse([]byte(text), "hooks.json", hook.LayerHome, grants)
}

// on is a file with one handler.
func on(event hook.Event, matcher, handler string) string {
	return `{"enable_command_hooks":true,"hooks":{"` + string(event) + `":[{"matcher":` + quote(matcher) + `,"hooks":[` + handler + `]}]}}`
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestParse_ReadsWhatTheUpstreamWrites(t *testing.T) {
	t.Parallel()
	c := parse(`{"enable_command_hooks": true, "hooks": {
		"PreToolUse": [{"matcher": "Shell|FileCreate", "hooks": [
			{"type": "command", "command": "check.sh", "timeout": 5},
			{"type": "http", "url": "https://example.org/h?k=v", "headers": {"Authorization": "Bearer ${TOKEN}"}, "allowed_env_vars": ["TOKEN"], "if": "Shell(git push*)"}]}],
		"AgentStop": [{"hooks": [{"type": "callback", "callback": "log", "async": true}]}]}}`)
	require.Empty(t, c.Faults)
	require.Len(t, c.Handlers, 3)
	require.Equal(t, hook.AgentStop, c.Handlers[0].Event)
	require.True(t, c.Handlers[0].Async)
	require.Equal(t, 5*time.Second, c.Handlers[1].Timeout)
	require.Equal(t, hook.Deny, c.Handlers[1].OnError, "before a call a handler that fails is a no")
	require.Equal(t, hook.HTTPTime, c.Handlers[2].Timeout)
	require.Equal(t, "hooks.PreToolUse[0].hooks[1]", c.Handlers[2].Place)
	require.Equal(t, "http: https://example.org/h", c.Handlers[2].Label(), "a query may hold a secret")
}

func TestParse_EveryFaultNamesItsPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{`:                           `it is no JSON object: line 1: unexpected end`,
		"{\n\"hooks\": {,}}":          `line 2`,
		`[]`:                          `it is no JSON object: it is an array, not an object`,
		`null`:                        `it is null`,
		`{"hook":{}}`:                 `hook: it is unknown here; known are enable_command_hooks, project_hooks, hooks`,
		`{"hooks":[]}`:                `hooks: it is no object of events`,
		`{"hooks":{"Pre":[]}}`:        `hooks.Pre: there is no event "Pre"; the events are AgentError, AgentStop`,
		`{"hooks":{"PreToolUse":{}}}`: `hooks.PreToolUse: it is no list`,
		`{"hooks":{"PreToolUse":[{"hooks":{}}]}}`:                                          `hooks.PreToolUse[0].hooks: it is an object, not a list`,
		`{"hooks":{"PreToolUse":[{"Matcher":"x"}]}}`:                                       `hooks.PreToolUse[0].Matcher: it is unknown here`,
		`{"enable_command_hooks":"yes"}`:                                                   `enable_command_hooks: it is a string, not true or false`,
		on(hook.PreToolUse, "Shell(", `{"type":"x"}`):                                      `hooks.PreToolUse[0].matcher: "Shell(" is no list of names and no regular expression: error parsing regexp`,
		on(hook.AgentStop, "Shell", `{"type":"x"}`):                                        `AgentStop has nothing to match`,
		on(hook.PreToolUse, "", `{"type":"shell"}`):                                        `hooks.PreToolUse[0].hooks[0].type: there is no kind of handler "shell"`,
		on(hook.PreToolUse, "", `{"command":"x"}`):                                         `there is no kind of handler ""`,
		on(hook.PreToolUse, "", `7`):                                                       `hooks.PreToolUse[0].hooks[0]: it is no handler`,
		on(hook.PreToolUse, "", `{"type":"command"}`):                                      `hooks[0].command: it is missing`,
		on(hook.PreToolUse, "", `{"type":"command","command":"x","url":"y"}`):              `hooks[0].url: it is unknown here; known are type, if, timeout, async, on_error, command, host`,
		on(hook.PreToolUse, "", `{"type":"command","command":"x","timeout":61}`):           `hooks[0].timeout: it is a number of seconds, at most 60`,
		on(hook.PreToolUse, "", `{"type":"command","command":"x","timeout":"5"}`):          `hooks[0].timeout: it is a string, not a number`,
		on(hook.PreToolUse, "", `{"type":"command","command":"x","if":"Shell(git"}`):       `hooks[0].if: "Shell(git" is no condition such as Shell(git push*): the closing parenthesis is missing`,
		on(hook.AgentStop, "", `{"type":"command","command":"x","if":"Shell"}`):            `AgentStop is about no call of a tool`,
		on(hook.PreToolUse, "", `{"type":"command","command":"x","on_error":"maybe"}`):     `hooks[0].on_error: it is one of allow, ask and deny`,
		on(hook.AgentStop, "", `{"type":"command","command":"x","on_error":"deny"}`):       `only handlers of PreToolUse have this`,
		on(hook.PreToolUse, "", `{"type":"http","url":"file:///etc/passwd"}`):              `hooks[0].url: it is no address that begins with http`,
		on(hook.PreToolUse, "", `{"type":"http","url":"http://a","headers":{"A":"$KEY"}}`): `hooks[0].headers: A names the variable KEY, which is not among allowed_env_vars`,
		on(hook.PreToolUse, "", `{"type":"http","url":"http://a","headers":{"A b":"x"}}`):  `"A b" is no header`,
		on(hook.PreToolUse, "", `{"type":"mcp_tool","server":"s"}`):                        `hooks[0].tool: it is missing`,
		on(hook.PreToolUse, "", `{"type":"mcp_tool","tool":"t"}`):                          `hooks[0].server: it is missing`,
		on(hook.PreToolUse, "", `{"type":"mcp_tool","server":"s","tool":"t","input":[1]}`): `hooks[0].input: it is no object of arguments`,
		on(hook.PreToolUse, "", `{"type":"callback","callback":"nobody"}`):                 `hooks[0].callback: there is no function "nobody"; there are log`,
		strings.Repeat(" ", hook.MaxBytes+1):                                               `at most 262144 are read`,
	} {
		c := parse(text)
		require.NotEmpty(t, c.Faults, text)
		require.Contains(t, c.Faults[0].String(), "hooks.json")
		require.Contains(t, c.Faults[0].String(), want, text)
		require.Empty(t, c.Handlers, text)
	}
}

func TestParse_AProjectGetsLessThanTheAdministrator(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		on(hook.AgentStop, "", `{"type":"command","command":"x","host":true}`):              "runs nothing on the server's host",
		on(hook.AgentStop, "", `{"type":"http","url":"http://a","allowed_env_vars":["A"]}`): "only the administrator's file may name variables",
		`{"project_hooks":true}`: "only the administrator's file may have this",
	} {
		require.Empty(t, parse(text).Faults, text)
		c := hook.Parse([]byte(text), "p", hook.LayerProject, grants)
		require.Len(t, c.Faults, 1)
		require.Contains(t, c.Faults[0].Text, want)
	}
	c := hook.Parse([]byte(on(hook.AgentStop, "", `{"type":"command","command":"x","host":true}`)), "h", hook.LayerHome, hook.Grants{})
	require.Contains(t, c.Faults[0].Text, "XBOT_HOST_HOOKS=on")
}

func TestMerge_IsAUnionInTheOrderOfTheLayers(t *testing.T) {
	t.Parallel()
	command := func(s string) string { return `{"type":"command","command":"` + s + `"}` }
	home := parse(on(hook.PreToolUse, "Shell", command("a")))
	project := hook.Parse([]byte(on(hook.PreToolUse, "Shell", command("b"))), "p", hook.LayerProject, grants)
	local := hook.Parse([]byte(on(hook.PreToolUse, "Shell", command("c"))), "l", hook.LayerLocal, grants)
	set := hook.Merge(home, project, local)
	var got []string
	for _, h := range set.For(hook.Payload{Event: hook.PreToolUse, ToolName: "Shell"}) {
		got = append(got, h.Command)
	}
	require.Equal(t, []string{"a", "b", "c"}, got)
	require.Empty(t, set.Faults())

	set = hook.Merge(hook.Config{}, project)
	require.Empty(t, set.Handlers(), "a project cannot switch its own commands on")
	require.Contains(t, set.Faults()[0].Text, "enable_command_hooks")
	require.True(t, set.Wants(hook.PreToolUse), "what cannot be asked is refused, not passed over")
	require.False(t, set.Wants(hook.AgentStop))
}

func TestSet_AFaultClosesPreToolUseOnly(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{`, `{"hooks":{"PreToolUze":[]}}`, on(hook.PreToolUse, "(", "")} {
		set := hook.Merge(parse(text))
		require.True(t, set.Matches(hook.Payload{Event: hook.PreToolUse, ToolName: "Read"}), text)
		require.False(t, set.Wants(hook.UserPromptSubmit, hook.AgentStop, hook.PostToolUse), text)
	}
	set := hook.Merge(parse(on(hook.AgentStop, "(", "")))
	require.False(t, set.Wants(hook.PreToolUse), "a fault of another event closes nothing")
	require.False(t, (hook.Set{}).Wants(hook.Events()...))
}

func TestHandler_HeedsItsMatcherAndCondition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		matcher, when, tool, input string
		want                       bool
	}{
		{"", "", "Shell", `{}`, true},
		{"*", "", "Shell", `{}`, true},
		{"Shell", "", "Shell", `{}`, true},
		{"Shell", "", "ShellX", `{}`, false},
		{"Read|Shell", "", "Shell", `{}`, true},
		{"^File.*", "", "FileCreate", `{}`, true},
		{"^File.*", "", "ReadFile", `{}`, false},
		{"", "Shell", "Shell", `{}`, true},
		{"", "Shell", "Read", `{}`, false},
		{"", "Shell(git push*)", "Shell", `{"command":"git push origin"}`, true},
		{"", "Shell(git push*)", "Shell", `{"command":"echo git push"}`, false},
		{"", "Shell(*rm -rf*)", "Shell", `{"command":"cd /;\nrm -rf x"}`, true},
		{"", "Shell(*a*b)", "Shell", `{"command":"xaxb"}`, true},
		{"", "Shell(*a*b)", "Shell", `{"command":"xbxa"}`, false},
		{"", "Shell(*rm*)", "Shell", `rm without JSON`, true},
		{"", "Shell(rm)", "Shell", `{"deep":[{"x":"rm"}]}`, true},
		{"", "Shell(a*a)", "Shell", `{"command":"a"}`, false},
	} {
		set := hook.Merge(parse(on(hook.PreToolUse, c.matcher, `{"type":"command","command":"x","if":`+quote(c.when)+`}`)))
		require.Empty(t, set.Faults())
		got := set.Matches(hook.Payload{Event: hook.PreToolUse, ToolName: c.tool, ToolInput: hook.Input(c.input)})
		require.Equal(t, c.want, got, "%+v", c)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(on(hook.PreToolUse, "Shell|Read", `{"type":"command","command":"x","if":"Shell(a*b)","timeout":0.5}`)), `{"command":"rm"}`)
	f.Add([]byte(on(hook.AgentStop, "", `{"type":"http","url":"http://a/b","headers":{"A":"${B}"},"allowed_env_vars":["B"]}`)), "x")
	f.Add([]byte(`{"hooks":{"PreToolUse":[{"matcher":"(","hooks":[null,{}]}]}}`), "")
	f.Fuzz(func(t *testing.T, text []byte, input string) {
		for _, layer := range []hook.Layer{hook.LayerHome, hook.LayerProject} {
			c := hook.Parse(text, "f", layer, hook.Grants{})
			set := hook.Merge(c)
			for _, e := range hook.Events() {
				set.For(hook.Sample(e, "Shell", input))
			}
			for _, h := range c.Handlers {
				require.True(t, h.Event.Known())
				require.Positive(t, h.Timeout)
				require.LessOrEqual(t, h.Timeout, hook.MaxTime)
				require.False(t, h.Host, "nobody allowed it")
				require.False(t, h.Kind == hook.KindMCP && (h.Server == "" || h.Tool == ""))
			}
			if !json.Valid(text) && len(strings.TrimSpace(string(text))) > 0 && !strings.HasPrefix(string(text), "\ufeff") {
				require.True(t, set.Wants(hook.PreToolUse), "what cannot be read closes")
			}
		}
	})
}

func TestSet_KnowsOfWhichToolsAHookMayChangeACall(t *testing.T) {
	t.Parallel()
	http := func(more string) string { return `{"type":"http","url":"https://policy.example/"` + more + `}` }
	for name, c := range map[string]struct {
		file        string
		shell, read bool
	}{
		"one of it":           {on(hook.PreToolUse, "Shell", http("")), true, false},
		"one of any":          {on(hook.PreToolUse, "", http("")), true, true},
		"one of some of its":  {on(hook.PreToolUse, "", http(`,"if":"Shell(git push*)"`)), true, false},
		"one that only hears": {on(hook.PreToolUse, "", http(`,"async":true`)), false, false},
		"one after it":        {on(hook.PostToolUse, "", http("")), false, false},
		"a fault":             {`{`, true, true},
	} {
		set := hook.Merge(parse(c.file))
		require.Equal(t, [2]bool{c.shell, c.read}, [2]bool{set.MayChange("Shell"), set.MayChange("Read")}, name)
	}
}
