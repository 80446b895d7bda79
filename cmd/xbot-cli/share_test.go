package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/completion"
)

func TestShare_PrintsTheWholeLinkAloneAndRevokesIt(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	r := b.run("", "share")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.err, "there is no session to resume yet")

	require.Zero(t, b.run("", "-p", "first words").code)
	key := b.server.Keys()[0]
	r = b.run("", "share", "--days", "30", string(key))
	require.Zero(t, r.code, r.err)
	require.Equal(t, b.server.Endpoint().URL+"/shared/token-1\n", r.out, "a script takes it as it is")
	require.Contains(t, r.err, "Link 1: whoever has it reads the conversation as it is now, until ")
	links := b.server.Links(key)
	require.Len(t, links, 1)
	require.InDelta(t, 30*24, links[0].ExpiresAt.Sub(links[0].MadeAt).Hours(), 2)

	b.server.PublicURL("https://xbot.example.org")
	require.Equal(t, "https://xbot.example.org/shared/token-2\n", b.run("", "share", string(key)).out)
	r = b.run("", "share", "--list", string(key))
	require.Zero(t, r.code, r.err)
	require.Equal(t, 2, strings.Count(r.out, "good until"), r.out)
	require.NotContains(t, r.out, "token-", "a link is shown once")
	require.Equal(t, "Link 2 is useless now.\n", b.run("", "share", "--revoke", "2", string(key)).out)
	require.Len(t, b.server.Links(key), 1)
}

func TestShare_RefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	require.Zero(t, b.run("", "-p", "first words").code)
	key := string(b.server.Keys()[0])
	for said, args := range map[string][]string{
		"a link is good for 1 to 90 days":               {"share", "--days", "91", key},
		"there is no session agent:main:web:thread:no":  {"share", "agent:main:web:thread:no"},
		"no link of this conversation has the number 7": {"share", "--revoke", "7", key},
		"--list and --revoke can't be used together":    {"share", "--list", "--revoke", "1", key},
		"xbot-cli share --help":                         {"share", "--nonsense"},
	} {
		r := b.run("", args...)
		require.Equal(t, 2, r.code, "%v", args)
		require.Contains(t, r.err, said)
		require.Empty(t, r.out)
	}
	require.Empty(t, b.server.Links(b.server.Keys()[0]))
	require.Contains(t, b.run("", "share", "--help").out, "--days")
	require.Contains(t, b.run("", completion.Asked, "words", "").out, "share\tPrint a link")
	require.Contains(t, b.run("", completion.Asked, "words", "share", "").out, key)
	require.Contains(t, b.run("", completion.Asked, "words", "share", "--").out, "--revoke")
}

func TestShare_InATerminalThatCanOnlyPrint(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	term := newTerminal(t, b, "TERM=dumb")
	term.shows("/help says what can be typed")
	term.keys("hi", "Enter")
	term.shows("You said: hi")
	term.keys("/share 3", "Enter")
	term.shows("Link 1: whoever has it", "/shared/token-1")
	term.keys("/share revoke 1", "Enter")
	term.shows("Link 1 is useless now.")
}
