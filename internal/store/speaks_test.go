package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
	"xbot/internal/user/settings"
)

// photo is a message that is a picture alone.
const photo = "[image: IMG_1.jpg · 2048 bytes · /home/xbot/IMG_1.jpg]"

// addressed is the language of a bare command of a person in a conversation.
func (b *bundle) addressed(user chat.UserID, in chat.SessionKey) i18n.Lang {
	b.t.Helper()
	lang, err := b.Users.Speaks(b.t.Context(), user, in, "/help")
	require.NoError(b.t, err)
	return lang
}

func (b *bundle) speaksBy(document string) {
	b.t.Helper()
	_, err := b.Settings.SetPolicy(b.t.Context(), b.user.ID, []byte(document))
	require.NoError(b.t, err)
}

func TestAsked_ABareCommandIsAnsweredInTheChosenLanguage(t *testing.T) {
	b := setup(t)
	for turn, chosen := range map[chat.TurnID]string{"t1": "zh", "t2": "en"} {
		require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.Language, chosen))
		in := b.inbound("m-"+string(turn), "/compact")
		in.Control = true
		_, err := b.Turns.Accept(t.Context(), in)
		require.NoError(t, err)
		_, ok := b.claim(turn)
		require.True(t, ok)
		asked, err := b.Turns.TurnOrigin(t.Context(), turn)
		require.NoError(t, err)
		require.Equal(t, i18n.Lang(chosen), i18n.Lang(asked.Lang))
		b.finish(turn, chat.TurnDone)
	}
}

func TestSpeaks_IsThatOfTheConversationThenOfThePolicy(t *testing.T) {
	b := setup(t)
	require.Equal(t, i18n.English, b.addressed(b.user.ID, key), "nobody has said anything")
	b.speaksBy(`{"language": "zh"}`)
	require.Equal(t, i18n.Chinese, b.addressed(b.user.ID, key), "the operator says so")
	require.Equal(t, i18n.Chinese, b.addressed(0, "agent:main:nowhere"), "where there is no conversation, too")

	b.send("m1", "what is the weather like?")
	require.Equal(t, i18n.English, b.addressed(b.user.ID, key), "what waits counts")
	_, ok := b.claim("t1")
	require.True(t, ok)
	b.finish("t1", chat.TurnDone)
	require.Equal(t, i18n.English, b.addressed(b.user.ID, key), "what was said counts")
	b.session("agent:main:web:2")
	require.Equal(t, i18n.English, b.addressed(b.user.ID, "agent:main:web:2"), "elsewhere, too")

	for i, text := range []string{"明天呢？", photo, "后天呢？"} {
		b.send("z"+string(rune('0'+i)), text)
	}
	require.Equal(t, i18n.Chinese, b.addressed(b.user.ID, key))
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.Language, "en"))
	require.Equal(t, i18n.English, b.addressed(b.user.ID, key), "a choice decides")
	require.Equal(t, i18n.English, b.addressed(0, key), "the owner's, where nobody is named")
}

func TestSpeaks_OfAGroupIsWhatItsPeopleSay(t *testing.T) {
	b := setup(t)
	group := b.group()
	b.speaksBy(`{"language": "en"}`)
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.Language, "en"))
	at := time.Now().Add(-time.Hour)
	b.overhear("o1", "Bob", "今天吃什么？", at, 50)
	b.overhear("o2", "Al", "吃面吧", at.Add(time.Second), 50)
	require.Equal(t, i18n.Chinese, b.addressed(b.user.ID, groupKey), "what was overheard counts, and a choice of one of them does not")

	_, err := b.Turns.Accept(t.Context(), engine.NewRow{Session: groupKey, User: b.user.ID, Channel: "feishu", PlatformID: "m1", Text: photo, Sender: "Al"})
	require.NoError(t, err)
	_, ok, err := b.Turns.Claim(t.Context(), groupKey, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok)
	lang, err := b.Deliveries.TurnLang(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, i18n.Chinese, lang, "a photo says nothing, and what was overheard before it does, without its names")
	require.Equal(t, i18n.Chinese, b.addressed(group.ID, groupKey))
}

func TestHeld_IsToldInTheLanguageOfTheConversation(t *testing.T) {
	b := setup(t)
	b.send("m1", "你好，今天怎么样？")
	got := b.send("m2", photo)
	require.NoError(t, b.Turns.NotifyMessageHeld(t.Context(), engine.Waiting{Inbox: got.ID, Session: key}))
	said := b.transcript().Messages
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.Held), said[len(said)-1].Content)
}
