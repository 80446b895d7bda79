package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/command"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]command.Command{
		"/stop":              {Name: "stop"},
		"  /STOP  ":          {Name: "stop"},
		"/new gpt-5 hello\n": {Name: "new", Args: "gpt-5 hello"},
		"/set-model\tx":      {Name: "set-model", Args: "x"},
	} {
		got, ok := command.Parse(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "/", "stop", "/etc/hosts", "/ stop", "//x", "/1", "see /stop"} {
		_, ok := command.Parse(text)
		require.False(t, ok, text)
	}
}

func TestBang(t *testing.T) {
	for text, want := range map[string]string{
		"!ls -la":               "ls -la",
		"  ! ls":                "ls",
		"!for i in 1\ndo x":     "for i in 1\ndo x",
		"!! -x":                 "! -x",
		"!echo 'a!'  \n":        "echo 'a!'",
		"!/usr/bin/env -S true": "/usr/bin/env -S true",
	} {
		got, ok := command.Bang(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "!", "!   ", "!!!", "! !\n!", "！ls", "ls !", "hello!", "/stop"} {
		_, ok := command.Bang(text)
		require.False(t, ok, text)
	}
}

func FuzzBang(f *testing.F) {
	f.Add("!ls")
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := command.Bang(text); ok && (strings.TrimSpace(c) != c || c == "") {
			t.Fatalf("%q is no command", c)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("/stop now")
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := command.Parse(text); ok && c.Name == "" {
			t.Fatal("a command without a name")
		}
	})
}
