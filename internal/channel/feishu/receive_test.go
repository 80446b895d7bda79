package feishu_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/chat"
)

func TestReceive_AMessageToTheBotInAGroupHasNamesAndNoMentionOfTheBot(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	e := w.says(t, feishutest.Incoming{
		From: ann, Chat: w.group, Thread: w.thread, Text: "@_user_1 ask @_user_10 and @_all",
		Mentions: []feishutest.Mention{{Key: "@_user_1", Person: feishutest.Bot()}, {Key: "@_user_10", Person: bo}},
	})
	require.Equal(t, "ask @小博 and @all", e.Text)
	require.True(t, e.Mentioned)
	require.Equal(t, []chat.Peer{{ID: bo.OpenID, Name: bo.Name}}, e.Mentions)
	require.Equal(t, chat.Peer{ID: ann.OpenID, Name: "Ann"}, e.Sender)
	require.Equal(t, "The team", e.Subject)
	require.Equal(t, w.thread, e.Thread)
	require.Equal(t, chat.ChatGroup, e.ChatType)
	require.Empty(t, w.Broken())
}

func TestReceive_WhoSomebodyIsUnderAllAppsOfTheTenantIsToldAsFarAsItIsAnID(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	for _, c := range []struct {
		from          feishutest.Person
		union, member string
	}{
		{feishutest.Person{OpenID: "ou_carol", Name: "Carol", UnionID: "on_c", UserID: "7d8e"}, "on_c", "7d8e"},
		{feishutest.Person{OpenID: "ou_dave", Name: "Dave", UnionID: "on_d"}, "on_d", ""},
		{feishutest.Person{OpenID: "ou_eve", Name: "Eve", UnionID: "on_\x00e", UserID: strings.Repeat("x", 200)}, "", ""},
	} {
		e := w.says(t, feishutest.Incoming{From: c.from, Text: "hi"})
		require.Equal(t, chat.Peer{ID: c.from.OpenID, Name: c.from.Name, Union: c.union, Member: c.member}, e.Sender)
	}
	bot := feishutest.Mention{Key: "@_user_1", Person: feishutest.Bot()}
	helper := feishutest.Person{OpenID: "ou_helper", Name: "Helper", UnionID: "on_c"}
	e := w.says(t, feishutest.Incoming{From: helper, Bot: true, Chat: w.group, Text: "@_user_1 hi", Mentions: []feishutest.Mention{bot}})
	require.Empty(t, e.Sender.Union, "a bot is nobody's other self")
}

func TestReceive_EveryKindOfMessageSaysWhatItIs(t *testing.T) {
	w := newWorld(t, feishutest.Config{Fragment: 100})
	w.run(t)
	image, voice := w.Give(feishutest.File{Kind: "image", Data: []byte("an image")}), w.Give(feishutest.File{Kind: "file", Data: []byte("a voice")})
	for name, c := range map[string]struct {
		kind, content, text string
		files               []chat.Attachment
	}{
		"image":   {"image", `{"image_key":"` + image + `"}`, "[image]", []chat.Attachment{{Kind: "image", Key: image}}},
		"file":    {"file", `{"file_key":"f1","file_name":"a.pdf"}`, "[file]", []chat.Attachment{{Kind: "file", Key: "f1", Name: "a.pdf"}}},
		"audio":   {"audio", `{"file_key":"` + voice + `","duration":2000}`, "[audio]", []chat.Attachment{{Kind: "audio", Key: voice}}},
		"video":   {"media", `{"file_key":"f2","file_name":"v.mp4","image_key":"i"}`, "[video]", []chat.Attachment{{Kind: "video", Key: "f2", Name: "v.mp4"}}},
		"sticker": {"sticker", `{"file_key":"f3"}`, "[sticker]", []chat.Attachment{{Kind: "sticker", Key: "f3"}}},
		"post": {
			"post", `{"title":"T","content":[[{"tag":"text","text":"see "},{"tag":"a","text":"this","href":"https://x.y"},{"tag":"img","image_key":"i1"}],` +
				`[{"tag":"code_block","language":"GO","text":"x := 1\n"},{"tag":"emotion","emoji_type":"SMILE"}]]}`,
			"T\nsee [this](https://x.y)\n\n```go\nx := 1\n```[SMILE]", []chat.Attachment{{Kind: "image", Key: "i1"}},
		},
		"post of Markdown alone": {
			"post", `{"zh_cn":{"content_v2":[[{"tag":"md","text":"Hello **world** <at user_id=\"ou_bo\">Bo</at> ![image](img_v3_k)"}],[{"tag":"md","text":"![shown](https://a.example/x.png)"}]]}}`,
			"Hello **world** @Bo \n![shown](https://a.example/x.png)", []chat.Attachment{{Kind: "image", Key: "img_v3_k"}},
		},
		"post whose Markdown is empty": {"post", `{"zh_cn":{"title":"T","content":[[{"tag":"text","text":"rich"}]],"content_v2":[]}}`, "T\nrich", nil},
		"post whose Markdown is none":  {"post", `{"title":"T","content":[[{"tag":"text","text":"rich"}]],"content_v2":"x"}`, "T\nrich", nil},
		"post that cannot be read":     {"post", `{"zh_cn":{"content_v3":[]}}`, "[post]", nil},
		"post of code": {
			"post", "{\"content_v2\":[[{\"tag\":\"md\",\"text\":\"```go\\n<at user_id=\\\"ou_1\\\">n</at> ![i](k)\\n```\"}]]}", "```go\n<at user_id=\"ou_1\">n</at> ![i](k)\n```", nil,
		},
		"post in a language": {"post", `{"ja_jp":{"title":"","content":[[{"tag":"text","text":"やあ"}]]}}`, "やあ", nil},
		"card": {
			"interactive", `{"header":{"title":{"tag":"plain_text","content":"Build"}},"elements":[{"tag":"div","text":{"tag":"lark_md","content":"**failed**"}},` +
				`{"tag":"action","actions":[{"tag":"button","text":{"tag":"plain_text","content":"Retry"}}]}]}`,
			"Build\n**failed**\n[Retry]", nil,
		},
		"card with a table": {
			"interactive", `{"header":{"title":{"tag":"plain_text","content":"Day"}},"elements":[{"tag":"table","columns":[{"name":"c1","display_name":"Who"},{"name":"c2"}],` +
				`"rows":[{"c1":"Ann","c2":3},{"c1":"Bo","c2":[{"text":"P0","color":"red"},{"text":"P1"}]},{"c1":{"odd":1}}]}]}`,
			"Day\nWho | c2\nAnn | 3\nBo | P0, P1\n|", nil,
		},
		"card in languages": {"interactive", `{"i18n_elements":{"en_us":[{"tag":"markdown","content":"b"}],"zh_cn":[{"tag":"markdown","content":"a"}]}}`, "a", nil},
		"group":             {"share_chat", `{"chat_id":"` + w.group + `"}`, "[shared group: The team (" + w.group + ")]", nil},
		"contact":           {"share_user", `{"user_id":"ou_bo"}`, "[shared contact: 小博 (ou_bo)]", nil},
		"location":          {"location", `{"name":"The Wall","longitude":"1"}`, "[location: The Wall]", nil},
		"unknown":           {"hologram", `{"text":"hi"}`, "[hologram] hi", nil},
		"garbled":           {"image", `not json`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			e := w.says(t, feishutest.Incoming{From: ann, Kind: c.kind, Content: c.content})
			require.Equal(t, c.text, e.Text)
			require.Equal(t, c.files, e.Attachments)
		})
	}
	require.Empty(t, w.Broken())
}

func TestReceive_IsAcknowledgedInTimeThoughThePlatformAnswersNoQuestion(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Text: "the bot knows who it is"})
	w.client.Transport = mute{w.client.Transport}
	began := time.Now()
	for range 20 {
		w.Write(feishutest.Incoming{From: bo, Chat: w.group, Text: "@_user_1 hi", Mentions: []feishutest.Mention{{Key: "@_user_1", Person: feishutest.Bot()}}})
	}
	require.Eventually(t, func() bool { return len(w.all()) == 21 }, soon, tick)
	last := w.all()[20]
	require.Eventually(t, func() bool { return w.Acked(last.ID) }, soon, tick)
	require.Less(t, time.Since(began), 10*time.Second, "one after the other they would take 20 times the 1.5 s that one may look things up")
	require.True(t, last.Mentioned)
}

// mute is a network in which nothing that is looked up is ever answered.
type mute struct{ http.RoundTripper }

func (m mute) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return m.RoundTripper.RoundTrip(r)
}

func TestReceive_AForwardedConversationIsReadAndBounded(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	var all []feishutest.Incoming
	for range 60 {
		all = append(all, feishutest.Incoming{From: bo, Text: "line"})
	}
	e := w.says(t, feishutest.Incoming{From: ann, Kind: "merge_forward", Content: `{"content":"Merged and Forwarded Message"}`, Forwarded: all})
	require.True(t, strings.HasPrefix(e.Text, "[forwarded conversation]\n小博: line\n"), e.Text)
	require.Equal(t, 50, strings.Count(e.Text, "小博: line"))
	require.Contains(t, e.Text, "[10 more]")
}

func TestReceive_AnAnswerToACardOfTheBotQuotesIt(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	first := w.says(t, feishutest.Incoming{From: ann, Text: "hello"})
	sent, err := w.account.Send(t.Context(), answerTo(first), text("k", "The **answer**."))
	require.NoError(t, err)
	e := w.says(t, feishutest.Incoming{From: ann, Text: "why?", Parent: sent.ID})
	require.True(t, e.Answers)
	require.Equal(t, sent.ID, e.Parent)
	require.Equal(t, "The **answer**.", e.Quote.Text)
	require.Equal(t, feishutest.BotID, e.Quote.Sender.ID)
}

func TestReceive_NamesComeFromTheMembersWhereTheAddressBookIsClosed(t *testing.T) {
	w := newWorld(t, feishutest.Config{Lacks: map[string][]string{"GET /open-apis/contact": {"contact:contact.base:readonly"}}})
	w.run(t)
	e := w.says(t, feishutest.Incoming{From: bo, Chat: w.group, Text: "hi"})
	require.Equal(t, bo.Name, e.Sender.Name)
	w.says(t, feishutest.Incoming{From: bo, Chat: w.group, Text: "again"})
	require.Equal(t, 1, w.Calls("GET /open-apis/contact/v3/users/"+bo.OpenID), "a name is remembered")
}

func TestReceive_NamesComeWithTheMessageWhereNothingElseTellsThem(t *testing.T) {
	for name, c := range map[string]feishutest.Config{
		"the address book is closed": {Lacks: map[string][]string{
			"GET /open-apis/contact": {"contact:contact.base:readonly", "contact:user.base:readonly"}, "GET /open-apis/im/v1/chats": {"im:chat:readonly"},
		}},
		"the address book hides the name": {Nameless: true, Lacks: map[string][]string{"GET /open-apis/im/v1/chats": {"im:chat:readonly"}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c)
			w.run(t)
			first := w.says(t, feishutest.Incoming{From: ann, Text: "hi"})
			require.Equal(t, ann.Name, first.Sender.Name)
			read := "GET /open-apis/im/v1/messages/" + first.ID
			require.Equal(t, 1, w.Calls(read))
			second := w.says(t, feishutest.Incoming{From: ann, Text: "again"})
			require.Equal(t, ann.Name, second.Sender.Name)
			require.Zero(t, w.Calls("GET /open-apis/im/v1/messages/"+second.ID), "a name is remembered")
			quoting := w.says(t, feishutest.Incoming{From: bo, Chat: w.group, Text: "this?", Parent: w.Write(feishutest.Incoming{From: ann, Chat: w.group, Text: "that"})})
			require.Equal(t, ann.Name, quoting.Quote.Sender.Name)
		})
	}
}

func TestReceive_WhoseMessageCannotBeReadHasNoNameAndIsNotAskedForEachTime(t *testing.T) {
	w := newWorld(t, feishutest.Config{Lacks: map[string][]string{
		"GET /open-apis/contact": {"contact:contact.base:readonly"}, "GET /open-apis/im/v1/chats": {"im:chat:readonly"},
		"GET /open-apis/im/v1/messages/": {"im:message:readonly"},
	}})
	w.run(t)
	first := w.says(t, feishutest.Incoming{From: ann, Text: "hi"})
	require.Empty(t, first.Sender.Name)
	require.Equal(t, 1, w.Calls("GET /open-apis/im/v1/messages/"+first.ID))
	second := w.says(t, feishutest.Incoming{From: ann, Text: "again"})
	require.Zero(t, w.Calls("GET /open-apis/im/v1/messages/"+second.ID))
}

func TestReceive_ARecallNamesWhoWroteAlsoForAProcessThatDidNotSeeIt(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	id := w.Write(feishutest.Incoming{From: ann, Text: "oops"})
	w.run(t)
	require.Eventually(t, func() bool { return w.Acked(id) }, soon, tick)
	w.account = w.open(t)
	w.run2(t)
	w.Recall(id)
	require.Eventually(t, func() bool { return len(w.takenBack()) > 0 }, soon, tick)
	e := w.takenBack()[0]
	require.Equal(t, id, e.ID)
	require.Equal(t, ann.OpenID, e.Sender.ID)
	require.Equal(t, chat.ChatDirect, e.ChatType)
	require.Equal(t, w.Direct(ann), e.Chat)
}

// run2 lets another process of the same bot receive, too.
func (w *world) run2(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.account.Run(ctx, w.inbox, w.inbox) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	require.Eventually(t, func() bool { return w.Connected() == 2 }, soon, tick)
}

func TestReceive_WhatTheReceiverDoesNotCommitComesAgain(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	var tries atomic.Int32
	w.failing(func(context.Context, chat.Envelope) error {
		if tries.Add(1) < 3 {
			return errors.New("the database is away")
		}
		return nil
	})
	w.run(t)
	e := w.says(t, feishutest.Incoming{From: ann, Text: "keep me"})
	require.EqualValues(t, 3, tries.Load())
	require.Eventually(t, func() bool { return w.Acked(e.ID) }, soon, tick)
}

func TestReceive_AMessageIsNotTakenWhileNobodyKnowsWhoTheBotIs(t *testing.T) {
	w := newWorld(t, feishutest.Config{NoBot: true})
	w.run(t)
	e := w.says(t, feishutest.Incoming{
		From: ann, Chat: w.group, Text: "@_user_1 hi", Mentions: []feishutest.Mention{{Key: "@_user_1", Person: feishutest.Bot()}},
	})
	require.False(t, e.Mentioned, "an app without a bot is mentioned by nobody, and is not asked again and again")
}

func TestReceive_OtherEventsAndTheBotsOwnMessagesArePassedOver(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	w.Deliver("im.message.message_read_v1", map[string]any{})
	own := w.Write(feishutest.Incoming{From: feishutest.Bot(), Chat: w.group, Text: "me"})
	w.Raw([]byte(`[1,2`))
	w.Raw([]byte(`{"schema":"2.0","header":{"event_type":"im.message.receive_v1","app_id":"cli_other"},"event":{}}`))
	w.says(t, feishutest.Incoming{From: ann, Text: "hello"})
	require.Eventually(t, func() bool { return w.Acked(own) }, soon, tick)
	require.Len(t, w.all(), 1)
	require.Empty(t, w.Broken())
}

func TestReceive_WhoCallsEverybodyReadsAsThat(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	for _, in := range []feishutest.Incoming{
		{From: ann, Chat: w.group, Text: "@_all lunch"},
		{From: ann, Chat: w.group, Kind: "post", Content: `{"content":[[{"tag":"at","user_id":"@_all","user_name":"所有人"},{"tag":"text","text":" lunch"}]]}`},
	} {
		e := w.says(t, in)
		require.Equal(t, "@all lunch", e.Text)
		require.False(t, e.Mentioned)
	}
}

func TestReceive_MentionsInMarkdownAreMentions(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	e := w.says(t, feishutest.Incoming{
		From: ann, Chat: w.group, Kind: "post",
		Content:  `{"content_v2":[[{"tag":"md","text":"<at user_id=\"` + feishutest.BotID + `\">xbot</at> ask <at user_id=\"` + bo.OpenID + `\">x</at> and <at user_id=\"all\">所有人</at>"}]]}`,
		Mentions: []feishutest.Mention{{Key: "@_user_1", Person: feishutest.Bot()}, {Key: "@_user_2", Person: bo}},
	})
	require.Equal(t, "ask @小博 and @all", e.Text)
	require.True(t, e.Mentioned)
	e = w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Kind: "post", Content: `{"content_v2":[[{"tag":"md","text":"<at user_id=\"` + feishutest.BotID + `\">xbot</at> hi"}]]}`})
	require.Equal(t, "hi", e.Text)
	require.True(t, e.Mentioned, "also where the event lists no mentions")
}

func TestReceive_OtherBotsAreHeardOnlyWhereTheyMentionTheBotAndAreNotCalledBack(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	helper := feishutest.Person{OpenID: "ou_helper", Name: "Helper"}
	for _, in := range []feishutest.Incoming{
		{From: helper, Bot: true, Chat: w.group, Text: "all done"},
		{From: helper, Bot: true, Chat: w.group, Text: "/status"},
		{From: helper, Bot: true, Text: "hello"},
	} {
		id := w.Write(in)
		require.Eventually(t, func() bool { return w.Acked(id) }, soon, tick)
	}
	bot := feishutest.Mention{Key: "@_user_1", Person: feishutest.Bot()}
	e := w.says(t, feishutest.Incoming{From: helper, Bot: true, Chat: w.group, Text: "@_user_1 your turn", Mentions: []feishutest.Mention{bot}})
	require.True(t, e.Mentioned)
	require.Equal(t, "your turn", e.Text)
	require.Empty(t, e.Sender.Name, "an answer that names it would call it, and two bots would never end")
	require.Len(t, w.all(), 1)
}

func TestFetch_ReadsAFileAndRefreshesATokenThatHasEnded(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	data := bytes.Repeat([]byte("file"), 100000)
	key := w.Give(feishutest.File{Kind: "file", Name: "a.bin", Data: data})
	content, err := json.Marshal(map[string]string{"file_key": key, "file_name": "a.bin"})
	require.NoError(t, err)
	e := w.says(t, feishutest.Incoming{From: ann, Kind: "file", Content: string(content)})
	w.Expire()
	r, err := w.account.(channel.Fetcher).Fetch(t.Context(), e.ID, e.Attachments[0])
	require.NoError(t, err)
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.True(t, bytes.Equal(data, got))
}

func TestReceive_TheFilesOfAQuotedMessageComeAlong(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	picture := w.Give(feishutest.File{Kind: "image", Data: []byte("png")})
	table := w.Give(feishutest.File{Kind: "file", Name: "a.csv", Data: []byte("1,2")})
	shown := w.Write(feishutest.Incoming{From: bo, Chat: w.group, Kind: "image", Content: `{"image_key":"` + picture + `"}`})
	e := w.says(t, feishutest.Incoming{
		From: ann, Chat: w.group, Kind: "file", Content: `{"file_key":"` + table + `","file_name":"a.csv"}`, Parent: shown,
	})
	require.Equal(t, "[image]", e.Quote.Text)
	require.Equal(t, []chat.Attachment{{Kind: "file", Key: table, Name: "a.csv"}, {Kind: "image", Key: picture, Of: shown}}, e.Attachments)
	require.Equal(t, "png", w.fetch(t, e.Attachments[1].Of, e.Attachments[1]))

	rich := w.Write(feishutest.Incoming{From: bo, Chat: w.group, Kind: "post", Content: `{"title":"","content":[[{"tag":"text","text":"see"},{"tag":"img","image_key":"` + picture + `"}]]}`})
	e = w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Text: "and?", Parent: rich})
	require.Equal(t, "see", e.Quote.Text)
	require.Equal(t, "png", w.fetch(t, rich, e.Attachments[0]))
}

// fetch reads a file of a message.
func (w *world) fetch(t *testing.T, message string, file chat.Attachment) string {
	t.Helper()
	body, err := w.account.(channel.Fetcher).Fetch(t.Context(), message, file)
	require.NoError(t, err)
	raw, err := io.ReadAll(body)
	require.NoError(t, err)
	require.NoError(t, body.Close())
	return string(raw)
}

func TestReceive_FilesOfForwardedMessagesAreSaidToBeOutOfReach(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	picture := w.Give(feishutest.File{Kind: "image", Data: []byte("png")})
	all := []feishutest.Incoming{{From: bo, Text: "look"}, {From: bo, Kind: "image", Content: `{"image_key":"` + picture + `"}`}}
	e := w.says(t, feishutest.Incoming{From: ann, Kind: "merge_forward", Content: `{"content":"Merged and Forwarded Message"}`, Forwarded: all})
	want := "[forwarded conversation]\n[its files cannot be fetched: ask for them to be sent by themselves]\n小博: look\n小博: [image]"
	require.Equal(t, want, e.Text)
	require.Empty(t, e.Attachments)
	e = w.says(t, feishutest.Incoming{From: ann, Text: "what is in it?", Parent: e.ID})
	require.Equal(t, want, e.Quote.Text)
	require.Empty(t, e.Attachments)
}

func TestReceive_AQuotedMessageThatCannotBeReadIsSaidToBeThere(t *testing.T) {
	w := newWorld(t, feishutest.Config{Lacks: map[string][]string{"GET /open-apis/im/v1/messages/": {"im:message:readonly"}}})
	w.run(t)
	first := w.Write(feishutest.Incoming{From: bo, Chat: w.group, Text: "the first"})
	e := w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Text: "why?", Parent: first})
	require.Equal(t, &chat.Quote{Text: chat.Unread}, e.Quote)
	e = w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Thread: w.thread, Text: "why?", Parent: first})
	require.Nil(t, e.Quote, "in a thread every message answers to one")
}
