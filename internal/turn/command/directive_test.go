package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/command"
)

var grammar = command.Grammar{
	Name: func(typed string) string {
		if typed == "t" {
			return "think"
		}
		return typed
	},
	IsModel: func(word string, alone bool) bool {
		return alone && word == "fas" || word == "fast" || word == "openai/GPT-5"
	},
}

func TestDirectives_AreTakenOffTheBeginning(t *testing.T) {
	type d = command.Directive
	for _, c := range []struct {
		text string
		want []d
		rest string
	}{
		{"/think high why is the sky blue?", []d{{"think", "high"}}, "why is the sky blue?"},
		{"/think high /model fast why is the sky blue?", []d{{"think", "high"}, {"model", "fast"}}, "why is the sky blue?"},
		{"/think: xhigh\n\nwhy?\n", []d{{"think", "xhigh"}}, "why?"},
		{"/t low why?", []d{{"think", "low"}}, "why?"},
		{"/THINK Off", []d{{"think", "off"}}, ""},
		{"/verbose full /think minimal", []d{{"verbose", "full"}, {"think", "minimal"}}, ""},
		{"／think high 天为什么是蓝的", []d{{"think", "high"}}, "天为什么是蓝的"},
		{"/think@xbot medium hi", []d{{"think", "medium"}}, "hi"},
		{"/model openai/GPT-5 hi", []d{{"model", "openai/GPT-5"}}, "hi"},
		{"/queue collect debounce:2s cap:25 drop:summarize", []d{{"queue", "collect debounce:2s cap:25 drop:summarize"}}, ""},
		{"/queue Steer and go on", []d{{"queue", "steer"}}, "and go on"},
		{"/think high /model", []d{{"think", "high"}}, "/model"},
		{"/think high /status", []d{{"think", "high"}}, "/status"},
		{"/think high /etc/hosts is odd", []d{{"think", "high"}}, "/etc/hosts is odd"},
		{"/plan tidy up", []d{{"plan", ""}}, "tidy up"},
		{"/plan /think high tidy up", []d{{"plan", ""}, {"think", "high"}}, "tidy up"},
		{"/think high /plan on Monday I travel", []d{{"think", "high"}, {"plan", ""}}, "on Monday I travel"},
		{"/plan On", nil, "/plan On"},
		{"/plan", nil, "/plan"},
		{"/think", nil, "/think"},
		{"/think why is the sky blue?", nil, "/think why is the sky blue?"},
		{"/think high, please", nil, "/think high, please"},
		{"/model list", nil, "/model list"},
		{"/queue", nil, "/queue"},
		{"/queue collect debounce:x", nil, "/queue collect debounce:x"}, // a mistake, not a message for the model
		{"/queue steer Cap:0 hello", nil, "/queue steer Cap:0 hello"},
		{"/queue steer captain: hello", []d{{"queue", "steer"}}, "captain: hello"},
		{"/status /think high", nil, "/status /think high"},
		{"what does /think high do?", nil, "what does /think high do?"},
		{"  hello  ", nil, "  hello  "},
	} {
		found, rest := grammar.Directives(c.text)
		require.Equal(t, c.want, found, c.text)
		require.Equal(t, c.rest, rest, c.text)
	}
}

func TestDirectives_NotForWhoeverMayNotUseTheCommand(t *testing.T) {
	g := command.Grammar{Name: only("think")}
	for _, text := range []string{"/verbose on why?", "/model fast why?"} {
		found, rest := g.Directives(text)
		require.Empty(t, found)
		require.Equal(t, text, rest)
	}
	found, rest := g.Directives("/think high /model fast why?")
	require.Len(t, found, 1)
	require.Equal(t, "/model fast why?", rest)
}

func TestDirective_IsACommandOfItsOwn(t *testing.T) {
	require.Equal(t, "/queue collect cap:3", command.Directive{Name: "queue", Value: "collect cap:3"}.String())
}

func TestQueueSettings_AreReadInAnyOrder(t *testing.T) {
	for _, c := range []struct {
		text string
		want chat.Queue
		rest string
	}{
		{"collect debounce:2s cap:25 drop:summarize", chat.Queue{Mode: "collect", DebounceMS: 2000, Cap: 25, Drop: "summarize"}, ""},
		{"drop:old followup", chat.Queue{Mode: "followup", Drop: "old"}, ""},
		{"DEBOUNCE:750 hello", chat.Queue{DebounceMS: 750}, " hello"},
		{"debounce:0.5s", chat.Queue{DebounceMS: 500}, ""},
		{"steer collect", chat.Queue{Mode: "steer"}, " collect"},
		{"steer cap:0", chat.Queue{Mode: "steer"}, " cap:0"},
		{"interrupt drop:all", chat.Queue{Mode: "interrupt"}, " drop:all"},
		{"steer debounce:2h", chat.Queue{Mode: "steer"}, " debounce:2h"},
	} {
		q, rest, ok := command.QueueSettings(c.text)
		require.True(t, ok, c.text)
		require.Equal(t, c.want, q, c.text)
		require.Equal(t, c.rest, rest, c.text)
	}
	for _, text := range []string{"", "default", "fast", "cap:", "cap:-1", "cap:1001", "debounce:", "debounce:-1s", "debounce:1ns", ":steer", "steer:"} {
		q, rest, ok := command.QueueSettings(text)
		require.False(t, ok, text)
		require.Zero(t, q, text)
		require.Equal(t, text, rest)
	}
}

func TestShortcuts_AreTakenOutOfTheText(t *testing.T) {
	is := only("help", "status", "usage")
	for _, c := range []struct {
		text  string
		names []string
		rest  string
	}{
		{"hey /status what is up?", []string{"status"}, "hey what is up?"},
		{"/status what is up?", []string{"status"}, "what is up?"},
		{"what is up? /STATUS", []string{"status"}, "what is up?"},
		{"a /help b ／usage c /help", []string{"help", "usage"}, "a b c"},
		{"one\n/status@xbot\ntwo", []string{"status"}, "one\n\ntwo"},
		{"what is /s up", []string{"help"}, "what is up"},
		{"/status /help", []string{"status", "help"}, ""},
		{"it is `/status` or /status", []string{"status"}, "it is `/status` or"},
		{"run `x` /status", []string{"status"}, "run `x`"},
	} {
		names, rest := command.Shortcuts(c.text, is)
		require.Equal(t, c.names, names, c.text)
		require.Equal(t, c.rest, rest, c.text)
	}
	for _, text := range []string{
		"  no command here  ", "what does /stop do?", "see /status, please", "see a/status", "/status: x", "```\nrun /status now\n```", "`a /status b`", "(/status)", "http://x/status /statuses",
	} {
		names, rest := command.Shortcuts(text, is)
		require.Empty(t, names, text)
		require.Equal(t, text, rest)
	}
}

func FuzzDirectives(f *testing.F) {
	for _, seed := range []string{"/think high /model fast why?", "/queue collect cap:3 x", "why /think high", "／verbose: on"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, rest := grammar.Directives(text)
		if len(found) == 0 && rest != text {
			t.Fatalf("%q came back as %q", text, rest)
		}
		if !strings.Contains(text, rest) {
			t.Fatalf("%q is not in %q", rest, text)
		}
		line := ""
		for _, d := range found {
			if d.Value == "" {
				t.Fatalf("%q has a directive without a value", text)
			}
			line += d.String() + " "
		}
		again, left := grammar.Directives(line)
		if len(again) != len(found) || len(found) > 0 && left != "" {
			t.Fatalf("%q says %v and %q, of %q", line, again, left, text)
		}
	})
}

func FuzzShortcuts(f *testing.F) {
	f.Add("hey /status `x` /help")
	f.Add("one\n/usage\ntwo")
	f.Fuzz(func(t *testing.T, text string) {
		is := only("help", "status")
		names, rest := command.Shortcuts(text, is)
		if len(names) == 0 && rest != text {
			t.Fatalf("%q came back as %q", text, rest)
		}
		if len(rest) > len(text) || len(names) > 2 {
			t.Fatalf("%q became %q without %v", text, rest, names)
		}
		if strings.Contains(rest, "`") {
			return // what stands beside a backtick may be code by then
		}
		if more, _ := command.Shortcuts(rest, is); len(more) > 0 {
			t.Fatalf("%q still holds %v, of %q", rest, more, text)
		}
	})
}
