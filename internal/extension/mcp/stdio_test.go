package mcp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/fault"
)

// times counts the lines of a file that a server writes, in the workspace of the box.
func (f *fixture) times(name string) int {
	data, err := os.ReadFile(filepath.Join(f.box.Workspace(), name))
	if err != nil {
		return 0
	}
	return strings.Count(string(data), "\n")
}

func TestRefresh_StoresWhatACommandOffers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("normal")
	s, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	require.Equal(t, []int{9, 1, 1}, []int{s.Tools, s.MCPState.Prompts, s.MCPState.Resources})
	require.Equal(t, "use echo first", s.Guide)
	require.Empty(t, s.Problem)
	offers, err := f.servers.Offers(t.Context(), ann, at.Server)
	require.NoError(t, err)
	i := 0
	for offers.Tools[i].Name != "echo" {
		i++
	}
	require.True(t, offers.Tools[i].Hints.ReadOnly)
	require.JSONEq(t, `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`, string(offers.Tools[i].Schema))
	require.Equal(t, 1, f.Open())
	_, err = f.Refresh(t.Context(), at)
	require.NoError(t, err)
	_, err = f.servers.Offers(t.Context(), bob, at.Server)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestCall_AnswersOfAnyKindAreReadable(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("normal")
	require.Equal(t, "you said hello", f.call(at, "echo", chat.ClassRead, `{"text":"hello"}`).Content)

	got := f.call(at, "mixed", chat.ClassOnce, "")
	require.False(t, got.IsError)
	require.Len(t, got.Pictures, 1)
	require.Equal(t, "mixed-1.png", got.Pictures[0].Name)
	require.Empty(t, got.Pictures[0].Path)
	for _, part := range []string{
		"abred\n", "[image: mixed-1.png", "shown with 3 × 2 pixels", "left out: this is no picture", "[audio: audio/wav · 5 bytes · left out]", "[resource: note:///x]\ninside",
		"[resource: note:///y · application/zip · 3 bytes · left out]", "[link: note:///z · z]",
	} {
		require.Contains(t, got.Content, part)
	}

	got = f.call(at, "fail", chat.ClassOnce, "{}")
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "it is raining")
	got = f.call(at, "echo", chat.ClassRead, `{"other":1}`)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, `unexpected additional properties ["other"]`)
	got = f.call(at, "no such tool", chat.ClassRead, "{}")
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "says:")
	require.Equal(t, 1, f.Open(), "one connection served all of them")
}

func TestCall_TwentyMegabytesBecomeOne(t *testing.T) {
	t.Parallel()
	f := setup(t)
	got := f.call(f.command("normal"), "big", chat.ClassOnce, "{}")
	require.False(t, got.IsError)
	require.LessOrEqual(t, len(got.Content), 1<<20+100)
	require.True(t, strings.HasPrefix(got.Content, "begin"))
	require.True(t, strings.HasSuffix(got.Content, "end"))
	require.Contains(t, got.Content, "bytes left out")
}

func TestCall_ProgressIsShownLineByLine(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("normal")
	var mu sync.Mutex
	var lines []string
	got, err := f.Call(t.Context(), at, "steps", chat.ClassOnce, nil, func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if lines = append(lines, line); len(lines) == 3 {
			f.box.Put(t, "heard", "")
		}
	})
	require.NoError(t, err)
	require.Equal(t, "done", got.Content)
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"1/3 step 1", "2/3 step 2", "3/3 step 3"}, lines)
}

func TestCall_AServerThatDiesInTheMiddleLeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("normal")
	got := f.call(at, "die", chat.ClassOnce, `{"text":"always"}`)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "outcome unknown")
	require.Contains(t, got.Content, "exit code 3; it wrote: out of luck")
	require.Equal(t, 1, f.times("died"), "it is not tried again")
	require.Equal(t, "you said again", f.call(at, "echo", chat.ClassRead, `{"text":"again"}`).Content, "the next call starts it anew")
}

func TestCall_WhatMayBeRepeatedIsTriedOnceMoreAfterADeath(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("normal")
	require.Equal(t, "alive", f.call(at, "die", chat.ClassIdempotent, `{"text":"once"}`).Content)
	require.Equal(t, 2, f.times("died"))
	got := f.call(at, "die", chat.ClassRead, `{"text":"always"}`)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "outcome unknown")
	require.Equal(t, 4, f.times("died"), "and not more often")
}

func TestCall_TheEndOfTheCallersWaitReachesTheServer(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("normal")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := f.Call(ctx, at, "hang", chat.ClassOnce, nil, nil)
		done <- err
	}()
	require.Eventually(t, func() bool { return f.times("hangs") == 1 }, waitLong, waitShort)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Eventually(t, func() bool { return f.times("canceled") == 1 }, waitLong, waitShort)
	require.Equal(t, "you said x", f.call(at, "echo", chat.ClassRead, `{"text":"x"}`).Content)
	require.Equal(t, 1, f.Open(), "the connection is as good as before")
}

func TestCall_AServerThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *mcp.Config) { c.Call = 3 * time.Second })
	at := f.command("normal")
	f.call(at, "echo", chat.ClassRead, `{"text":"x"}`)
	got := f.call(at, "hang", chat.ClassRead, "")
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "outcome unknown")
	require.Contains(t, got.Content, "3s were up")
	require.Equal(t, 1, f.times("hangs"), "there is no time for another try")
}

func TestCall_AFloodOfNotificationsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at, quiet := f.command("floods"), f.command("normal")
	var mu sync.Mutex
	heard := 0
	for range 3 {
		got, err := f.Call(t.Context(), at, "echo", chat.ClassRead, []byte(`{"text":"x"}`), func(string) {
			mu.Lock()
			defer mu.Unlock()
			heard++
		})
		require.NoError(t, err)
		require.Equal(t, "you said x", got.Content)
		require.Equal(t, "you said y", f.call(quiet, "echo", chat.ClassRead, `{"text":"y"}`).Content)
	}
	mu.Lock()
	defer mu.Unlock()
	require.Less(t, heard, 100_000)
}

func TestRefresh_ToolsWithLyingSchemasAreLeftOutWithANote(t *testing.T) {
	t.Parallel()
	f := setup(t)
	s, err := f.Refresh(t.Context(), f.command("lies"))
	require.NoError(t, err)
	offers := f.rows.offers[s.ID]
	var names []string
	for _, tool := range offers.Tools {
		names = append(names, tool.Name)
	}
	require.Equal(t, []string{"good", "none", "reference", "argument", "long"}, names)
	require.JSONEq(t, `{"type":"object","properties":{"a":{"type":"string","description":"nul  there"}},"required":["a"]}`, string(offers.Tools[0].Schema))
	require.JSONEq(t, `{"type":"object","properties":{}}`, string(offers.Tools[1].Schema))
	require.LessOrEqual(t, len(offers.Tools[4].Description), 4<<10)
	all := strings.Join(s.LeftOut, "\n")
	for _, note := range []string{
		"tool text: its input schema is no JSON object", "tool string: its input schema does not describe an object",
		"tool properties: ", "tool nested: its input schema is no JSON Schema", "tool task: it can be called as a task only",
		"tool deep: its input schema is nested", "tool large: its input schema has more than 64 kB", "tool good: there are two of that name", "tool: the name must have",
		"the name has characters that cannot be shown", "tools: the server's list goes in circles",
	} {
		require.Contains(t, all, note)
	}
}

func TestRefresh_AnOldServerThatPrintsAndKnowsNoNewWordsWorks(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("old")
	s, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	require.Equal(t, 1, s.Tools)
	got := f.call(at, "one", chat.ClassOnce, "{}")
	require.Equal(t, "old\n[image: image/png · left out: its data cannot be decoded]\n[a part of the kind hologram: left out]", got.Content)
	require.False(t, got.IsError)
}

func TestRefresh_RemembersWhyAServerCannotBeUsedAndTellsNoSecret(t *testing.T) {
	t.Parallel()
	f := setup(t, func(c *mcp.Config) { c.Connect = 2 * time.Second })
	d := command("broken", "broken")
	d.Env["TOKEN"] = "secret-value-of-hers"
	at := f.add(d)
	_, err := f.Refresh(t.Context(), at)
	require.ErrorContains(t, err, "the MCP server broken cannot be used: the command ended with exit code 9; it wrote: no such module: [hidden]")
	require.Equal(t, err.Error(), f.rows.problem(at.Server))
	got := f.call(at, "echo", chat.ClassRead, "{}")
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "nothing was done")

	silent := f.command("silent")
	_, err = f.Refresh(t.Context(), silent)
	require.ErrorContains(t, err, "it did not answer within 2s")

	missing := command("none", "normal")
	missing.Command = "/no/such/program"
	_, err = f.Refresh(t.Context(), f.add(missing))
	require.ErrorContains(t, err, "the MCP server none cannot be used")

	d = command("valueless", "normal")
	d.Env["TOKEN"] = ""
	_, err = f.Refresh(t.Context(), f.add(d))
	require.ErrorContains(t, err, "the value of its environment variable TOKEN is missing")
	require.Eventually(t, func() bool { return f.Open() == 0 }, waitLong, waitShort)
}

func TestCall_OfSomebodyElsesOrASwitchedOffServerIsRefused(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("normal")
	at.Person = bob
	require.Contains(t, f.call(at, "echo", chat.ClassRead, `{"text":"x"}`).Content, "no such MCP server")
	f.rows.list[0].Enabled = false
	at.Person = ann
	require.Contains(t, f.call(at, "echo", chat.ClassRead, `{"text":"x"}`).Content, "is switched off")
	require.Zero(t, f.Open())
}

func TestConnections_AreOneForEachPersonAndEndWithAChange(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.addFor(0, command("shared", "normal"))
	f.call(at, "echo", chat.ClassRead, `{"text":"x"}`)
	f.call(at, "echo", chat.ClassRead, `{"text":"x"}`)
	require.Equal(t, 1, f.Open())
	his := at
	his.Person = bob
	f.call(his, "echo", chat.ClassRead, `{"text":"x"}`)
	require.Equal(t, 2, f.Open())

	d := command("shared", "old")
	d.Enabled, d.Revision = true, 1
	_, err := f.servers.Save(t.Context(), 0, d, ann)
	require.NoError(t, err)
	require.Contains(t, f.call(at, "one", chat.ClassRead, `{}`).Content, "old\n")
}

func TestFollow_ManyChangesOfAListAreReadOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("normal")
	_, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	before := f.rows.listings()
	require.Equal(t, "grown", f.call(at, "grow", chat.ClassOnce, `{"text":"n"}`).Content)
	require.Eventually(t, func() bool {
		f.rows.mu.Lock()
		defer f.rows.mu.Unlock()
		return len(f.rows.offers[at.Server].Tools) == 29
	}, waitLong, waitShort)
	require.LessOrEqual(t, f.rows.listings()-before, 3)
}

func TestPromptsAndResources_AreListedFromRowsAndReadFromTheServer(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("normal")
	_, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	prompts, err := f.Prompts(t.Context(), ann)
	require.NoError(t, err)
	require.Len(t, prompts, 1)
	require.Equal(t, []any{"greet", "snormal", at.Server}, []any{prompts[0].Name, prompts[0].ServerName, prompts[0].Server})
	said, _, err := f.Prompt(t.Context(), at, "greet", map[string]string{"who": "Bob"})
	require.NoError(t, err)
	require.Equal(t, "Greet Bob\n[assistant]\nHello", said)
	_, _, err = f.Prompt(t.Context(), at, "other", nil)
	require.ErrorContains(t, err, "says:")

	list, err := f.Resources(t.Context(), at)
	require.NoError(t, err)
	require.Equal(t, "note:///one · one · text/plain", list.Content)
	got, err := f.Read(t.Context(), at, "note:///one")
	require.NoError(t, err)
	require.Equal(t, "[resource: note:///one]\nthe first note", got.Content)
	got, err = f.Read(t.Context(), at, "note:///none")
	require.NoError(t, err)
	require.True(t, got.IsError)
}

func TestConnections_ACommandOfTheInstallationIsListedOnlyByWhomItIsVouchedFor(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.addFor(0, command("shared", "normal"))
	_, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	require.Contains(t, f.call(at, "echo", chat.ClassRead, `{"text":"hi"}`).Content, "you said hi", "it is used all the same")
	require.Zero(t, f.rows.listings(), "anybody's runner could say anything")
	at.Vouched = true
	listed, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	require.Positive(t, listed.Tools)

	broken := f.addFor(0, command("broken", "broken"))
	_, err = f.Refresh(t.Context(), broken)
	require.ErrorContains(t, err, "cannot be used")
	require.Empty(t, f.rows.problem(broken.Server))
	broken.Vouched = true
	_, err = f.Refresh(t.Context(), broken)
	require.ErrorContains(t, err, "cannot be used")
	require.NotEmpty(t, f.rows.problem(broken.Server))
}
