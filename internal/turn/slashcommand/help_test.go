package slashcommand_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// named is a command that has nothing but a name.
type named slashcommand.Spec

func (n named) Spec() slashcommand.Spec { return slashcommand.Spec(n) }

// somebody is who asks.
type somebody slashcommand.Caller

func (s somebody) Caller(context.Context, chat.UserID, chat.SessionKey) (slashcommand.Caller, error) {
	return slashcommand.Caller(s), nil
}

// help asks a registry with the essential commands for help. Some are for owners, some for administrators.
func help(t *testing.T, who slashcommand.Caller, in slashcommand.Request, args string) string {
	t.Helper()
	var list []slashcommand.Command
	for _, name := range slashcommand.Essential() {
		c := named{Name: name, Help: i18n.HelpUsage, Group: slashcommand.GroupModel}
		switch name {
		case "activation", "send", "model", "export":
			c.Who = slashcommand.Owner
		case "pair", "config", "hooks":
			c.Who = slashcommand.Admin
		}
		list = append(list, c)
	}
	list = append(list, named{Name: "rare", Help: i18n.HelpUsage, Group: slashcommand.GroupServer})
	known, found := slashcommand.NewRegistry(somebody(who), list...).Find("help")
	require.True(t, found)
	said, err := known.(slashcommand.Runner).Run(t.Context(), in, args)
	require.NoError(t, err)
	return said
}

var (
	admin      = slashcommand.Caller{Admin: true, Owner: true}
	onPlatform = chat.Peer{ID: "ou_1"}
	inTicks    = regexp.MustCompile("`/([a-z-]+)`")
)

func TestHelp_FitsOnOneScreenInBothLanguages(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.English, i18n.Chinese} {
		said := help(t, admin, slashcommand.Request{Lang: lang, Peer: onPlatform}, "")
		require.LessOrEqual(t, strings.Count(said, "\n"), 12)
		require.LessOrEqual(t, utf8.RuneCountInString(said), 1300)
		require.NotContains(t, said, "/rare", "not all that there is")
	}
}

func TestHelp_InChineseHasNoEnglishBesideTheNames(t *testing.T) {
	said := help(t, admin, slashcommand.Request{Lang: i18n.Chinese, Peer: onPlatform}, "")
	for line := range strings.SplitSeq(said, "\n") {
		require.NotRegexp(t, "[A-Za-z]", regexp.MustCompile("`[^`]*`").ReplaceAllString(line, ""), line)
		require.NotRegexp(t, "`/[a-z-]+`(；|$)", line, "each name is explained")
	}
	english := help(t, admin, slashcommand.Request{Lang: i18n.English, Peer: onPlatform}, "")
	require.NotRegexp(t, `\p{Han}`, english)
}

func TestHelp_TellsEachWhatTheyMayUseWhereTheyAre(t *testing.T) {
	told := func(who slashcommand.Caller, in slashcommand.Request) (names []string) {
		for _, found := range inTicks.FindAllStringSubmatch(help(t, who, in, ""), -1) {
			names = append(names, found[1])
		}
		return names
	}
	all := told(admin, slashcommand.Request{Peer: onPlatform})
	for _, name := range slashcommand.Essential() {
		require.Contains(t, all, name, "an administrator in a group is told all")
	}
	direct := told(slashcommand.Caller{Owner: true, Direct: true}, slashcommand.Request{Peer: onPlatform})
	for _, name := range []string{"activation", "send", "pair", "config", "hooks"} {
		require.NotContains(t, direct, name, "of a member in a direct chat")
	}
	require.Contains(t, direct, "model")
	member := told(slashcommand.Caller{}, slashcommand.Request{Peer: onPlatform})
	for _, name := range []string{"activation", "model", "export", "pair"} {
		require.NotContains(t, member, name, "of a member in a group")
	}
	page := told(admin, slashcommand.Request{})
	require.NotContains(t, page, "activation", "there are no groups on the page")
	require.Contains(t, page, "config")
}

func TestHelp_KnowsChineseNamesAndNamesAll(t *testing.T) {
	said := help(t, admin, slashcommand.Request{Lang: i18n.Chinese}, "停止")
	require.Contains(t, said, i18n.Say(i18n.Chinese, i18n.HelpStop))
	require.Contains(t, said, "`/停下`")
	require.Equal(t, said, help(t, admin, slashcommand.Request{Lang: i18n.Chinese}, "/stop"))
	for _, word := range []string{"all", "全部"} {
		every := help(t, admin, slashcommand.Request{Lang: i18n.Chinese}, word)
		require.Contains(t, every, "`/rare`")
		for _, name := range slashcommand.Essential() {
			require.Contains(t, every, "`/"+name+"`")
		}
	}
}
