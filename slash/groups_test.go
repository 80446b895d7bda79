package slash_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/conversation"
)

// chats are group chats that stand still.
type chats struct {
	all   []chat.Group
	ended []chat.GroupID
}

func (c *chats) GroupsOf(context.Context, chat.SessionKey) ([]chat.Group, error) {
	return append([]chat.Group{}, c.all...), nil
}

func (c *chats) EndGroup(_ context.Context, id chat.GroupID, _ chat.SessionKey) (bool, error) {
	c.ended = append(c.ended, id)
	return id != "g3", nil
}

func TestGroupsCommand_ListsShowsAndEndsChats(t *testing.T) {
	t.Parallel()
	c := &chats{all: []chat.Group{
		{
			ID: "g1", Topic: "which *way*", Total: 4, Members: []chat.Member{{Name: "coder"}, {Name: "reviewer:a"}},
			Lines: []chat.GroupLine{
				{Said: "begin | now", Outcome: "done"}, {Speaker: "coder", Said: "left", Outcome: "done"},
				{Speaker: "reviewer:a", Outcome: "passed"}, {Speaker: "coder", Said: "cut", Outcome: "stopped"},
			},
		},
		{ID: "g2", Topic: "b"},
		{ID: "g3", Topic: "c", Ended: "budget"},
	}}
	run := conversation.Groups{Store: c}.Run
	say := func(lang i18n.Lang, args string) string {
		text, err := run(t.Context(), slashcommand.Request{Lang: lang}, args)
		if err != nil {
			text = i18n.Explain(lang, err)
		}
		return text
	}
	list := say(i18n.English, "")
	require.Contains(t, list, "| `g1` | goes on | 4 | coder, reviewer:a | which \\*way\\* |")
	require.Contains(t, list, "| `g3` | its agents have used up the tokens of the request |")
	require.Contains(t, say(i18n.Chinese, "LIST"), "| `g3` | 代理已用完单次请求允许的 token |")

	shown := say(i18n.English, "show group:G1")
	require.Contains(t, shown, "Group chat `g1` · goes on · coder, reviewer:a\n> which \\*way\\*")
	require.Contains(t, shown, "**moderator**: begin \\| now\n\n**coder**: left\n\n**reviewer:a**: (nothing to add)\n\n**coder**: (could not answer) cut")
	require.Contains(t, say(i18n.English, "show g2"), "Nothing has been said yet.")
	require.Empty(t, c.ended)

	require.Equal(t, "Group chat `g3` was over already.", say(i18n.English, "end g3"))
	require.Equal(t, "群聊 `g1` 已结束，正在发言的成员可以说完。\n群聊 `g2` 已结束，正在发言的成员可以说完。", say(i18n.Chinese, "end"))
	require.Equal(t, []chat.GroupID{"g3", "g1", "g2"}, c.ended)

	require.Contains(t, say(i18n.English, "end g9"), "There is no group chat `g9` here")
	require.Contains(t, say(i18n.English, "show"), "Write `/groups`")
	require.Contains(t, say(i18n.English, "begin g1"), "Write `/groups`")
	c.all = nil
	require.Equal(t, "There are no group chats here.", say(i18n.English, ""))
	require.Equal(t, "There are no group chats here.", say(i18n.English, "end"))
}
