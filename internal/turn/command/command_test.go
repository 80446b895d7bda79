package command_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/command"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]command.Command{
		"/stop":                  {Name: "stop"},
		"  /STOP  ":              {Name: "stop"},
		"/new gpt-5 hello\n":     {Name: "new", Args: "gpt-5 hello"},
		"/set-model\tx":          {Name: "set-model", Args: "x"},
		"/skill_2 go":            {Name: "skill_2", Args: "go"},
		"/think: high":           {Name: "think", Args: "high"},
		"/think:high":            {Name: "think", Args: "high"},
		"/think：high":            {Name: "think", Args: "high"},
		"/status:":               {Name: "status"},
		"／help":                  {Name: "help"},
		"／帮助":                    {},
		"/help　中文":               {Name: "help", Args: "中文"},
		"/status@xbot":           {Name: "status", Bot: "xbot"},
		"/model@my_bot-2: fast":  {Name: "model", Args: "fast", Bot: "my_bot-2"},
		"/help@小助手 now":          {Name: "help", Args: "now", Bot: "小助手"},
		"/cd 'a b'\n/x":          {Name: "cd", Args: "'a b'\n/x"},
		"/queue collect cap:25 ": {Name: "queue", Args: "collect cap:25"},
	} {
		got, ok := command.Parse(text)
		require.Equal(t, want.Name != "", ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "/", "stop", "/etc/hosts", "/ stop", "//x", "/1", "see /stop", "/-x", "/_x", "/x@", "/x@ y", "/me@example.com", "/file://x", "/a,b", "/stop.", `\/stop`, "/日",
	} {
		c, ok := command.Parse(text)
		require.False(t, ok, text)
		require.Empty(t, c.Name, text)
	}
}

func TestCommand_IsFolderWhereTheMessageSpeaksOfOne(t *testing.T) {
	for text, want := range map[string]bool{"/tmp is full": true, "/HOME": true, "/status": false, "/temp": false} {
		c, ok := command.Parse(text)
		require.True(t, ok)
		require.Equal(t, want, c.IsFolder(), text)
	}
}

func TestUnescape_TakesOneSlashOrTheBackslashAway(t *testing.T) {
	is := only("stop")
	for text, want := range map[string]string{
		`\/stop now`:   "/stop now",
		` \/etc/hosts`: "/etc/hosts",
		`\／stop`:       "／stop",
		"//stop":       "/stop",
		"／／stop x":     "／stop x",
	} {
		got, escaped := command.Unescape(text, is)
		require.True(t, escaped, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "/stop", "// a comment", "//todo: mend", `\stop`, `\`, "//", "a //stop"} {
		got, escaped := command.Unescape(text, is)
		require.False(t, escaped, text)
		require.Equal(t, text, got)
	}
}

// only knows these names, and "s" for the first.
func only(names ...string) func(string) string {
	return func(typed string) string {
		switch {
		case slices.Contains(names, typed):
			return typed
		case typed == "s":
			return names[0]
		}
		return ""
	}
}

func TestNearest_FindsWhatWasMeant(t *testing.T) {
	names := []string{"stop", "cancel", "help", "status", "model", "models", "compact", "compress", "cd", "ls", "context", "queue"}
	for typed, want := range map[string][]string{
		"statsu":   {"status"},
		"stat":     {"status", "stop"},
		"STAUS":    {"status"},
		"hlep":     {"help"},
		"modell":   {"model", "models"},
		"comp":     {"compact", "compress"},
		"contexts": {"context"},
		"sl":       {"ls"},
		"x":        nil,
		"frobnize": nil,
		"":         nil,
	} {
		require.Equal(t, want, command.Nearest(typed, names, 3), typed)
	}
	require.Len(t, command.Nearest("co", names, 2), 2)
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
	for _, seed := range []string{"/stop now", "／help@x: a", "/think: high", "/etc/hosts", "//x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := command.Parse(text)
		if !ok && c != (command.Command{}) {
			t.Fatalf("%q is no command, yet has %+v", text, c)
		}
		if !ok {
			return
		}
		if c.Name == "" || strings.ToLower(c.Name) != c.Name || c.Args != strings.TrimSpace(c.Args) {
			t.Fatalf("%q is %+v", text, c)
		}
		again, ok := command.Parse("/" + c.Name + " " + c.Args)
		if again.Bot = c.Bot; !ok || again != c {
			t.Fatalf("%q is %+v, then %+v", text, c, again)
		}
	})
}

func FuzzUnescape(f *testing.F) {
	f.Add(`\/stop`)
	f.Add("//stop")
	f.Fuzz(func(t *testing.T, text string) {
		meant, escaped := command.Unescape(text, strings.Clone)
		switch {
		case !escaped && meant != text:
			t.Fatalf("%q became %q", text, meant)
		case escaped && (!strings.HasSuffix(text, meant) || len(strings.TrimLeftFunc(text, unicode.IsSpace))-len(meant) > 3):
			t.Fatalf("%q became %q", text, meant)
		}
	})
}
