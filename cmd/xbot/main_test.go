package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/config"
	"xbot/server"
)

func TestDrivers_EveryVariableIsASettingOfConfigJSON(t *testing.T) {
	var named []string
	for _, d := range server.Drivers() {
		for _, o := range d.Options {
			if o.Env != "" {
				named = append(named, o.Env)
			}
		}
	}
	slices.Sort(named)
	require.Equal(t, slices.Sorted(slices.Values(config.ChannelVariables)), named)
}

func TestParse_SaysInOneSentenceWhatIsNotUnderstood(t *testing.T) {
	const help = " (xbot --help lists what there is)"
	for said, args := range map[string][]string{
		"unexpected argument frob":                          {"frob"},
		`unexpected argument doctr, did you mean "doctor"?`: {"doctr"},
		`unexpected argument sho, did you mean "show"?`:     {"session", "sho"},
		"unknown flag --foo":                                {"sessions", "--foo"},
		`expected "<id>"`:                                   {"token", "revoke"},
		`<id>: expected a valid 64 bit int but got "home"`:  {"token", "revoke", "home"},
	} {
		_, err := parse(args)
		require.EqualError(t, err, said+help)
	}
}

func TestParse_FindsTheCommand(t *testing.T) {
	parsed, err := parse([]string{"token", "revoke", "12"})
	require.NoError(t, err)
	require.Equal(t, "token revoke <id>", parsed.Command())
}

func TestParse_TakesTheVersionAsAWordAndAsAFlag(t *testing.T) {
	for _, asked := range []string{"version", "--version"} {
		parsed, err := parse([]string{asked})
		require.NoError(t, err)
		require.Equal(t, "version", parsed.Command())
	}
}
