package qq_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/qq/qqtest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestRun_MessagesOfEverySceneArriveWithTheirPlace(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	at := time.Now().Add(-time.Minute).UTC().Truncate(time.Second)
	for scene, place := range map[string]chat.Source{
		qqtest.Direct:      {ChatType: chat.ChatDirect, Chat: ann.ID},
		qqtest.Group:       {ChatType: chat.ChatGroup, Chat: "GROUP0"},
		qqtest.Guild:       {ChatType: chat.ChatChannel, Chat: "CHAN0", Room: "CHAN0", Space: qqtest.GuildID},
		qqtest.GuildDirect: {ChatType: chat.ChatDirect, Chat: "dms/DM0", Room: "CDM0", Space: "DM0"},
	} {
		t.Run(scene, func(t *testing.T) {
			before := len(w.all())
			id := w.Write(qqtest.Incoming{
				Scene: scene, Chat: chats[scene], From: ann, Text: "hello  there ", Mention: scene != qqtest.Direct && scene != qqtest.GuildDirect, At: at,
			})
			got := w.got(t, before+1)[before]
			place.Channel, place.Account = "qq", "suite"
			require.Equal(t, chat.Envelope{
				ID: id, Source: place, Sender: chat.Peer{ID: ann.ID, Name: ann.Name}, SentAt: at, Seq: got.Seq, Text: "hello  there", Mentioned: true,
			}, got)
			require.Equal(t, scene == qqtest.Guild, got.Seq > 0, "guilds number their messages")
		})
	}
	require.Empty(t, w.Broken())
}

func TestRun_GroupsThatAreOverheardTellWhoIsMeant(t *testing.T) {
	w := newWorld(t, qqtest.Config{Overhear: true})
	w.run(t)
	w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: ann, Text: "ask @小博, not you", Others: []qqtest.Person{bo}})
	w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: ann, Text: "and you?", Mention: true})
	got := w.got(t, 2)
	require.Equal(t, "ask @小博, not you", got[0].Text)
	require.False(t, got[0].Mentioned)
	require.Equal(t, []chat.Peer{{ID: bo.ID, Name: bo.Name}}, got[0].Mentions)
	require.Equal(t, "and you?", got[1].Text)
	require.True(t, got[1].Mentioned)
	require.Empty(t, got[1].Mentions)
}

func TestRun_AnAnswerToTheBotIsMeantForItWithoutAMention(t *testing.T) {
	w := newWorld(t, qqtest.Config{Overhear: true})
	w.run(t)
	sent, err := w.send(t, qqtest.Group, "", 0, "it is ten")
	require.NoError(t, err)
	theirs := w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: bo, Text: "it is eleven"})
	w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: ann, Text: "sure?", Answers: sent.ID})
	w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: ann, Text: "sure?", Answers: theirs})
	got := w.got(t, 3)
	require.True(t, got[1].Answers)
	require.Equal(t, "it is ten", got[1].Quote.Text)
	require.False(t, got[2].Answers)
	require.Equal(t, "it is eleven", got[2].Quote.Text)
	require.Equal(t, bo.Name, got[2].Quote.Sender.Name)
}

func TestRun_AMentionOfEverybodyIsNoneOfTheBot(t *testing.T) {
	w := newWorld(t, qqtest.Config{Overhear: true})
	w.run(t)
	w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: ann, Text: "lunch is ready", All: true})
	got := w.got(t, 1)[0]
	require.False(t, got.Mentioned)
	require.Empty(t, got.Mentions)
	require.Equal(t, "@全体成员 lunch is ready", got.Text)
}

func TestRun_WhatAGroupSaidBeforeIsNoQuotation(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	context := []string{"I would leave at nine", "so would I"}
	w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: ann, Text: "when?", Mention: true, Context: context})
	unseen := w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: bo, Text: "the train is late"})
	w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: ann, Text: "really?", Mention: true, Context: context, Answers: unseen})
	got := w.got(t, 2)
	require.Nil(t, got[0].Quote)
	require.Empty(t, got[0].Parent)
	require.Equal(t, "the train is late", got[1].Quote.Text)
}

func TestRun_MarksOfEitherFormBecomeNames(t *testing.T) {
	w := newWorld(t, qqtest.Config{Overhear: true})
	w.run(t)
	w.Emit("GROUP_MESSAGE_CREATE", `{"id":"m","group_openid":"GROUP0","author":{"member_openid":"ANN"},"content":" <qqbot-at-user id=\"BO\" /> and <@BO>",
		"mentions":[{"scope":"single","id":"BO","member_openid":"BO","username":"小博","is_you":false,"bot":false}],
		"msg_elements":[{"content":"before","author":{"id":"BO","member_openid":"BO","username":"小博","bot":false}}],"message_type":103}`)
	got := w.got(t, 1)[0]
	require.Equal(t, "@小博 and @小博", got.Text)
	require.Equal(t, "before", got.Quote.Text, "of clients that send no numbers")
	require.Equal(t, "BO", got.Quote.Sender.ID)
}

func TestRun_FilesVoicesAndQuotesComeAlong(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	w.Write(qqtest.Incoming{Scene: qqtest.Direct, From: ann, Text: "look", Files: []qqtest.File{
		{Kind: "image", Name: "a.png", Data: []byte("png")}, {Kind: "file", Name: "../b.pdf", Data: []byte("pdf")},
	}})
	w.Write(qqtest.Incoming{Scene: qqtest.Direct, From: ann, Files: []qqtest.File{{Kind: "voice", Name: "v.silk", Data: []byte("wav"), Words: "what time is it"}}})
	got := w.got(t, 2)
	require.Len(t, got[0].Attachments, 2)
	require.Equal(t, "image", got[0].Attachments[0].Kind)
	require.Equal(t, int64(3), got[0].Attachments[0].Size)
	require.Equal(t, "file", got[0].Attachments[1].Kind)
	require.Equal(t, "b.pdf", got[0].Attachments[1].Name)
	require.Equal(t, "what time is it", got[1].Text)
	require.Equal(t, "audio", got[1].Attachments[0].Kind)

	body, err := w.account.(channel.Fetcher).Fetch(t.Context(), got[0].ID, got[0].Attachments[1])
	require.NoError(t, err)
	raw, err := io.ReadAll(body)
	require.NoError(t, err)
	require.NoError(t, body.Close())
	require.Equal(t, "pdf", string(raw))
	w.Expire()
	_, err = w.account.(channel.Fetcher).Fetch(t.Context(), got[0].ID, got[0].Attachments[1])
	require.True(t, fault.Is(err, fault.NotFound), "an expired link: %v", err)

	sent, err := w.account.Send(t.Context(), to(qqtest.Direct, got[0].ID), channel.Message{Key: "k", Seq: 1, Text: "it is ten"})
	require.NoError(t, err)
	w.Write(qqtest.Incoming{Scene: qqtest.Direct, From: ann, Text: "sure?", Answers: sent.ID})
	quoting := w.got(t, 3)[2]
	require.True(t, quoting.Answers)
	require.Equal(t, "it is ten", quoting.Quote.Text)
	require.Empty(t, quoting.Attachments)
	require.Empty(t, w.Broken())
}

func TestRun_WhatGuildsTakeBackIsRecalled(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	for _, scene := range []string{qqtest.Guild, qqtest.GuildDirect} {
		w.Recall(w.says(scene, "never mind"))
	}
	got := w.got(t, 2)
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.recalled) == 2
	}, soon, tick)
	for i, r := range w.recalled {
		require.Equal(t, []string{got[i].ID, got[i].Chat, got[i].Sender.ID}, []string{r.ID, r.Chat, r.Sender.ID})
	}
}

func TestRun_MessagesOfBotsAndUnreadableEventsAreLeftOut(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	w.Emit("C2C_MESSAGE_CREATE", `{"id":"1","author":{"user_openid":"X","bot":true},"content":"loop"}`)
	w.Emit("C2C_MESSAGE_CREATE", `{"id":"2","author":{},"content":"from nobody"}`)
	w.Emit("C2C_MESSAGE_CREATE", `{"author":{"user_openid":"X"},"content":"no id"}`)
	w.Emit("C2C_MESSAGE_CREATE", `["not","an","object"]`)
	w.Emit("GROUP_AT_MESSAGE_CREATE", `{"id":"3","author":{"member_openid":"X"},"content":"no group"}`)
	w.Emit("SOMETHING_NEW", `{"id":"4"}`)
	w.Emit("INTERACTION_CREATE", `{"id":7}`)
	w.Emit("MESSAGE_DELETE", `null`)
	w.Send(`this is no frame`)
	w.Send(`{"op":"zero"}`)
	w.Send(`{"op":99}`)
	w.says(qqtest.Direct, "still there?")
	require.Equal(t, []string{"still there?"}, texts(w.got(t, 1)))
	require.Equal(t, 1, w.Connected())
	require.Empty(t, w.Broken())
}

func TestRun_EmojiHaveNames(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	w.says(qqtest.Direct, `ok <faceType=1,faceId="13",ext="eyJ0ZXh0Ijoi5ZGy54mZIn0="> <faceType=1,faceId="13",ext="%%">`)
	w.says(qqtest.Guild, "1 &lt; 2 &amp; 3")
	require.Equal(t, []string{"ok [呲牙]", "1 < 2 & 3"}, texts(w.got(t, 2)))
}

func TestRun_TheFilesOfAQuotedMessageComeAlong(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	unseen := w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: bo, Files: []qqtest.File{{Kind: "image", Name: "a.png", Data: []byte("png")}}})
	w.Write(qqtest.Incoming{Scene: qqtest.Group, Chat: "GROUP0", From: ann, Text: "what is this?", Mention: true, Answers: unseen, Files: []qqtest.File{
		{Kind: "file", Name: "own.txt", Data: []byte("own")},
	}})
	e := w.got(t, 1)[0]
	require.Len(t, e.Attachments, 2)
	require.Equal(t, "own.txt", e.Attachments[0].Name)
	require.Empty(t, e.Attachments[0].Of)
	require.Equal(t, e.Parent, e.Attachments[1].Of)
	body, err := w.account.(channel.Fetcher).Fetch(t.Context(), e.Attachments[1].Of, e.Attachments[1])
	require.NoError(t, err)
	raw, err := io.ReadAll(body)
	require.NoError(t, err)
	require.NoError(t, body.Close())
	require.Equal(t, "png", string(raw))
	require.Empty(t, w.Broken())
}

func TestRun_WhatQQDoesNotShowOfAQuotedMessageIsSaid(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	first := w.says(qqtest.Guild, "the first")
	w.Write(qqtest.Incoming{Scene: qqtest.Guild, Chat: chats[qqtest.Guild], From: ann, Text: "and this?", Mention: true, Answers: first})
	require.Equal(t, &chat.Quote{Text: chat.Unread}, w.got(t, 2)[1].Quote, "guilds send an id alone")
	nothing := w.Write(qqtest.Incoming{Scene: qqtest.Direct, From: ann})
	w.Write(qqtest.Incoming{Scene: qqtest.Direct, From: ann, Text: "and this?", Answers: nothing})
	require.Equal(t, chat.Unread, w.got(t, 4)[3].Quote.Text, "such as a forwarded conversation")
}
