package service_test

import (
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
)

func TestAllows_PatternsAreOfPathsAndOfNothingAboveThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		patterns []string
		file     string
		want     bool
	}{
		{nil, "a.md", false},
		{[]string{"*"}, "deep/below/a.md", true},
		{[]string{"*.md"}, "a.md", true},
		{[]string{"*.md"}, "deep/a.md", false},
		{[]string{"deep/*.md"}, "deep/a.md", true},
		{[]string{"/deep/**"}, "deep/below/a.md", true},
		{[]string{"deep/**"}, "deeper/a.md", false},
		{[]string{"deep/**"}, "deep/../secret.md", false},
		{[]string{"a.md"}, "../a.md", true}, // it is a.md: nothing lies above
		{[]string{"[a"}, "[a", false},
		{[]string{"**/*.md"}, "a.md", true},
		{[]string{"**/*.md"}, "deep/below/a.md", true},
		{[]string{"**/*.md"}, "deep/below/a.txt", false},
		{[]string{"deep/**/a.md"}, "deep/a.md", true},
		{[]string{"deep/**/a.md"}, "deep/below/further/a.md", true},
		{[]string{"deep/**/a.md"}, "deeper/a.md", false},
		{[]string{"deep/**.md"}, "deep/below/a.md", false}, // it is no whole part
		{[]string{"*/a.md"}, "deep/below/a.md", false},
		{[]string{"[!a].md"}, "a.md", false},
		{[]string{"[!a].md"}, "b.md", true},
		{[]string{"{a,b}.md"}, "a.md", false},
	} {
		require.Equal(t, c.want, service.Allows(c.patterns, c.file), "%v %s", c.patterns, c.file)
	}
}

func TestOf_OnlyConversationsOfConsumersAreOnes(t *testing.T) {
	t.Parallel()
	svc, conv, ok := service.Of(service.SessionKey("svc_0a1b2c3d", "0123456789"))
	require.True(t, ok)
	require.Equal(t, []string{"svc_0a1b2c3d", "0123456789"}, []string{svc, conv})
	for _, key := range []chat.SessionKey{
		"agent:main:svc:thread:0123456789", "agent:svc_0a1b2c3d:web:thread:0123456789", "agent:svc_0a1b2c3d:svc:thread:x", "agent:svc_0a1b2c3d:svc:dm:0123456789",
		"agent:svc_0a1b2c3d:main", "cron:job_1", "",
	} {
		_, _, ok := service.Of(key)
		require.False(t, ok, key)
	}
}

func TestApply_RefusesWhatNoServiceCanBe(t *testing.T) {
	t.Parallel()
	good := service.Patch{Name: new(" Help  desk ")}
	d, err := service.Defaults().Apply(good)
	require.NoError(t, err)
	require.Equal(t, "Help desk", d.Name)
	require.Equal(t, 1000, d.MaxConversations)
	for what, p := range map[string]service.Patch{
		"no name":               {Name: new(" ")},
		"a long name":           {Name: new(strings.Repeat("x", 101))},
		"a control character":   {Name: new("a\x1b[2J")},
		"an unknown capability": {Capabilities: &[]service.Capability{"root"}},
		"a pattern above":       {AllowedDocs: &[]string{"../*"}},
		"a broken pattern":      {AllowedScripts: &[]string{"[a"}},
		"a pattern of nothing":  {AllowedDocs: &[]string{"faq/"}},
		"alternatives":          {AllowedDocs: &[]string{"{a,b}.md"}},
		"a folder in brackets":  {AllowedDocs: &[]string{"[a/b].md"}},
		"no conversations":      {MaxConversations: new(0)},
		"a path as origin":      {Origins: &[]string{"https://shop.example/a"}},
		"a policy as origin":    {Origins: &[]string{"https://shop.example; script-src *"}},
		"any origin":            {Origins: &[]string{"*"}},
		"no limit":              {Limits: service.Limits{}.Patch()},
		"an empty question":     {Questions: &[]string{" "}},
	} {
		_, err := d.Apply(p)
		require.Equal(t, fault.Invalid, fault.KindOf(err), what)
	}
	d, err = d.Apply(service.Patch{Origins: &[]string{"https://Shop.example/"}, Capabilities: &[]service.Capability{"web", "image", "web"}})
	require.NoError(t, err)
	require.Equal(t, []string{"https://shop.example"}, d.Origins)
	require.Equal(t, []service.Capability{"image", "web"}, d.Capabilities)
}

func TestApply_LimitsThatAreLeftOutStay(t *testing.T) {
	t.Parallel()
	d, err := service.Defaults().Apply(service.Patch{Name: new("Shop"), Limits: &service.LimitsPatch{TokensPerDay: new(int64(9))}})
	require.NoError(t, err)
	d, err = d.Apply(service.Patch{Limits: &service.LimitsPatch{RequestsPerMinute: new(5)}})
	require.NoError(t, err)
	require.Equal(t, service.Limits{RequestsPerMinute: 5, Concurrent: 4, TokensPerDay: 9, PicturesPerDay: 100, SpeechCharactersPerDay: 100_000, VideoSecondsPerDay: 60}, d.Limits)
	_, err = d.Apply(service.Patch{Limits: &service.LimitsPatch{Concurrent: new(0)}})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestAgent_HasTheToolsOfItsCapabilitiesAndNoOther(t *testing.T) {
	t.Parallel()
	bare := service.Service{ID: "svc_0a1b2c3d", Definition: service.Defaults()}
	for _, name := range []string{"Shell", "WebSearch", "Fetch", "DownloadFile", "Cron", "config", "ManageTools", "SendMessage", "memory_write", "soul_write", "logs", "Logs", "AskUser", "Skill", "*"} {
		require.False(t, slices.Contains(bare.Tools(), name), name)
	}
	require.True(t, slices.Contains(bare.Tools(), "Read"))
	bare.Capabilities = []service.Capability{service.Web}
	require.True(t, slices.Contains(bare.Agent().Tools.Allow, "WebSearch"))
}

func TestAllows_NoPatternIsSlow(t *testing.T) {
	t.Parallel()
	pattern, file := strings.Repeat("**/a/", 40)+"b", strings.Repeat("a/", 2000)+"c"
	done := make(chan bool)
	go func() { done <- service.Allows([]string{pattern}, file) }()
	select {
	case allowed := <-done:
		require.False(t, allowed)
	case <-time.After(10 * time.Second):
		require.Fail(t, "each part is looked at once for each name")
	}
}

func FuzzAllows_ReadsPatternsAsTheToolGlob(f *testing.F) {
	f.Add("docs/**", "docs/../../etc/passwd")
	f.Add("*", "a")
	f.Add("**/*.md", "a/b/c.md")
	f.Add("a/**/b/**/c", "a/b/x/b/c")
	f.Add("a/**/[!b]?.md", "a/ab.md")
	f.Fuzz(func(t *testing.T, pattern, file string) {
		clean := path.Clean("/" + file)[1:]
		_, err := service.Defaults().Apply(service.Patch{Name: new("Shop"), AllowedDocs: &[]string{pattern}})
		if err != nil || clean == "" {
			return
		}
		glob := strings.TrimPrefix(strings.TrimSpace(pattern), "/")
		if glob == "*" {
			glob = "**"
		}
		for strings.Contains(glob, "**/**") { // doublestar does not end a path at two of them
			glob = strings.ReplaceAll(glob, "**/**", "**")
		}
		require.Equal(t, doublestar.MatchUnvalidated(glob, clean), service.Allows([]string{pattern}, file), "%q %q", pattern, file)
		require.False(t, service.Allows(nil, file))
	})
}

func TestAllowsBelow_OpensFoldersThatHoldSomethingAllowed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		patterns []string
		folder   string
		want     bool
	}{
		{nil, "", false}, {[]string{"a.md"}, "", true}, {[]string{"a.md"}, "deep", false}, {[]string{"*"}, "deep/below", true},
		{[]string{"deep/*.md"}, "deep", true}, {[]string{"deep/*.md"}, "deep/below", false}, {[]string{"deep/below/**"}, "deep", true},
		{[]string{"deep/**"}, "deeper", false}, {[]string{"deep/**"}, "deep/below", true}, {[]string{"*/a.md"}, "any", true}, {[]string{"deep/**"}, "deep/../other", false},
		{[]string{"**/a.md"}, "deep/below", true}, {[]string{"deep/**/a.md"}, "deep/below/further", true}, {[]string{"deep/**/a.md"}, "deeper", false},
	} {
		require.Equal(t, c.want, service.AllowsBelow(c.patterns, c.folder), "%v %s", c.patterns, c.folder)
	}
}

func FuzzAllowsBelow_EachFolderAboveWhatIsAllowedOpens(f *testing.F) {
	f.Add("docs/**", "docs/a/b.md")
	f.Add("*/b/*.md", "a/b/c.md")
	f.Add("a/**/b/*.md", "a/x/y/b/c.md")
	f.Fuzz(func(t *testing.T, pattern, file string) {
		clean := path.Clean("/" + file)[1:]
		if clean == "" || !service.Allows([]string{pattern}, clean) {
			return
		}
		for dir := path.Dir(clean); dir != "."; dir = path.Dir(dir) {
			if !service.AllowsBelow([]string{pattern}, dir) {
				t.Fatalf("%q is allowed by %q, and %q does not open", clean, pattern, dir)
			}
		}
	})
}
