package mcp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

// tools are those of a person, by name.
func (f *fixture) tools(source *mcp.Source, user chat.UserID) map[string]tool.Tool {
	f.t.Helper()
	list, err := source.Tools(f.t.Context(), toolset.Place{User: user})
	require.NoError(f.t, err)
	out := map[string]tool.Tool{}
	for _, t := range list {
		out[t.Spec().Name] = t
	}
	require.Len(f.t, out, len(list))
	tool.New(list...) // no two are alike
	return out
}

func TestSource_ShowsToolsWithoutAConnection(t *testing.T) {
	t.Parallel()
	f := setup(t)
	source := mcp.NewSource(f.rows, f.Connections)
	at := f.command("normal")
	require.Empty(t, f.tools(source, ann), "nothing is known of it yet")
	_, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	f.Forget(at.Server)
	require.Eventually(t, func() bool { return f.Open() == 0 }, waitLong, waitShort)
	tools := f.tools(source, ann)
	require.Len(t, tools, 11)
	require.Empty(t, f.tools(source, bob))
	require.Zero(t, f.Open())

	echo, die := tools["mcp_snormal_echo"].Spec(), tools["mcp_snormal_die"].Spec()
	require.Equal(t, chat.ClassOnce, echo.Class)
	require.True(t, echo.Acts(), "nobody trusts it")
	require.Equal(t, chat.ClassOnce, die.Class)
	require.True(t, die.Acts())
	require.True(t, echo.Optional)
	require.Equal(t, "snormal", echo.Group)
	require.Equal(t, "Says it again.", echo.Description)
	require.Contains(t, tools, "mcp_snormal_resources")
}

func TestSource_PeopleAskForAPromptByAWord(t *testing.T) {
	t.Parallel()
	f := setup(t)
	source := mcp.NewSource(f.rows, f.Connections)
	at := f.command("normal")
	asks := func(who chat.UserID, word string) string {
		t.Helper()
		tool, err := source.PromptTool(t.Context(), who, word)
		require.NoError(t, err)
		return tool
	}
	require.Empty(t, asks(ann, "mcp_snormal_greet"), "nothing is known of it yet")
	_, err := f.Refresh(t.Context(), at)
	require.NoError(t, err)
	for _, word := range []string{"mcp_snormal_greet", "mcp-snormal-greet"} {
		require.Equal(t, "mcp_snormal_prompts", asks(ann, word))
	}
	for _, word := range []string{"greet", "mcp_snormal_echo", "mcp_snormal_", "mcp", ""} {
		require.Empty(t, asks(ann, word), word)
	}
	require.Empty(t, asks(bob, "mcp_snormal_greet"))
	require.Contains(t, f.tools(source, ann)["mcp_snormal_prompts"].Spec().Description, "They are: greet(who).")
}

func TestSource_ToolsCallTheServer(t *testing.T) {
	t.Parallel()
	f := setup(t)
	source := mcp.NewSource(f.rows, f.Connections)
	_, err := f.Refresh(t.Context(), f.command("normal"))
	require.NoError(t, err)
	tools := f.tools(source, ann)
	run := func(name, arguments string) (chat.ToolResult, string) {
		t.Helper()
		call := f.box.Call("t.0.0", arguments)
		shown := ""
		call.Output = func(offset int64, piece []byte) {
			require.EqualValues(t, len(shown), offset)
			if shown += string(piece); strings.Count(shown, "\n") == 3 {
				f.box.Put(t, "heard", "")
			}
		}
		got, err := tools[name].Run(t.Context(), call)
		require.NoError(t, err)
		return got, shown
	}
	got, _ := run("mcp_snormal_echo", `{"text":"hello"}`)
	require.Equal(t, "you said hello", got.Content)
	got, shown := run("mcp_snormal_steps", "")
	require.Equal(t, "done", got.Content)
	require.Equal(t, "1/3 step 1\n2/3 step 2\n3/3 step 3\n", shown)
	got, _ = run("mcp_snormal_echo", `[1]`)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "not a valid JSON object")
	got, _ = run("mcp_snormal_resources", `{}`)
	require.Contains(t, got.Content, "note:///one")
	got, _ = run("mcp_snormal_resources", `{"uri":"note:///one"}`)
	require.Contains(t, got.Content, "the first note")
	got, _ = run("mcp_snormal_prompts", `{"name":"/mcp_snormal_greet","arguments":{"who":"Bob"}}`)
	require.Equal(t, "Greet Bob\n[assistant]\nHello", got.Content)
	got, _ = run("mcp_snormal_prompts", `{"name":"greet"}`)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "the prompt greet needs the argument who")
	got, _ = run("mcp_snormal_prompts", `{"name":"leave"}`)
	require.Contains(t, got.Content, "has no prompt of this name; it has: greet")

	require.Equal(t, "second", tools["mcp_snormal_echo"].Summary(`{"a":1,"b":{"c":"no"},"d":"","e":"second","f":"third"}`))
	require.Empty(t, tools["mcp_snormal_echo"].Summary(`["x"]`))
	require.Empty(t, tools["mcp_snormal_echo"].Summary(`{"a":`))
}

func TestSource_APersonsOwnServerTakesThePlaceOfTheInstallations(t *testing.T) {
	t.Parallel()
	f := setup(t)
	source := mcp.NewSource(f.rows, f.Connections)
	shared := f.addFor(0, command("git", "old"))
	shared.Vouched = true
	_, err := f.Refresh(t.Context(), shared)
	require.NoError(t, err)
	require.Contains(t, f.tools(source, ann), "mcp_git_one")
	require.Contains(t, f.tools(source, 0), "mcp_git_one", "in no conversation the installation's are known")

	own := f.add(command("git", "normal"))
	require.Empty(t, f.tools(source, ann), "it has not been asked yet")
	_, err = f.Refresh(t.Context(), own)
	require.NoError(t, err)
	require.Contains(t, f.tools(source, ann), "mcp_git_echo")
	require.NotContains(t, f.tools(source, ann), "mcp_git_one")
	require.Contains(t, f.tools(source, bob), "mcp_git_one")

	d := command("git", "")
	d.Revision = 1
	_, err = f.servers.Save(t.Context(), ann, d, ann)
	require.NoError(t, err)
	require.Empty(t, f.tools(source, ann), "with one that is switched off she does without")
}

func TestInstructions_AreTheOwnersOfTheServersInForce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	source := mcp.NewSource(f.rows, f.Connections)
	shared, own := command("git", "old"), command("notes", "normal")
	shared.Instructions, own.Instructions = "Ask before\nyou push.", "Mine."
	f.addFor(0, shared)
	f.add(own)
	said, err := source.Instructions(t.Context(), toolset.Place{User: ann})
	require.NoError(t, err)
	require.Equal(t, "# MCP servers\n\n- git: Ask before you push.\n- notes: Mine.", said)
	said, err = source.Instructions(t.Context(), toolset.Place{User: bob})
	require.NoError(t, err)
	require.NotContains(t, said, "Mine")
}

func TestSource_ListsToolsOfServersThatAreNotInForce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	source := mcp.NewSource(f.rows, f.Connections)
	shared := f.addFor(0, command("git", "old"))
	shared.Vouched = true
	_, err := f.Refresh(t.Context(), shared)
	require.NoError(t, err)
	own := f.add(command("git", "normal"))
	_, err = f.Refresh(t.Context(), own)
	require.NoError(t, err)

	listed, err := source.Listed(t.Context(), ann, shared.Server)
	require.NoError(t, err)
	require.Equal(t, "mcp_git_one", listed[0].Name, "though hers stands before it")
	listed, err = source.Listed(t.Context(), ann, own.Server)
	require.NoError(t, err)
	require.Contains(t, listed, mcp.Listed{Name: "mcp_git_echo", Description: "Says it again.", Class: chat.ClassOnce})
	_, err = source.Listed(t.Context(), bob, own.Server)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}
