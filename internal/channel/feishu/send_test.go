package feishu_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

const sendPath = "POST /open-apis/im/v1/messages"

// inGroup is the place of what answers nothing.
func (w *world) inGroup() channel.Address {
	return channel.Address{ChatType: chat.ChatGroup, Chat: w.group}
}

func TestSend_WhatIsRefusedAsACardGoesAsRichTextAndThenAsText(t *testing.T) {
	for name, c := range map[string]struct {
		refuses map[string]int
		kind    string
	}{
		"nothing is refused":                      {nil, "interactive"},
		"the card cannot be made":                 {map[string]int{"interactive": 230099}, "post"},
		"the card is too long":                    {map[string]int{"interactive": 230025}, "post"},
		"the card is refused for no known reason": {map[string]int{"interactive": 999999}, "post"},
		"cards and rich texts are refused":        {map[string]int{"interactive": 230099, "post": 230001}, "text"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, feishutest.Config{Refuses: c.refuses})
			for range 2 { // a second time, as after a crash
				_, err := w.account.Send(t.Context(), w.inGroup(), text("k", "The **answer**."))
				require.NoError(t, err)
			}
			shown := w.Shown(w.group, "")
			require.Len(t, shown, 1)
			require.Equal(t, c.kind, shown[0].Kind)
			require.Equal(t, "The **answer**.", shown[0].Text)
			require.Empty(t, w.Broken())
		})
	}
}

func TestSend_WhatNoOtherFormWouldMendIsNotTriedInOne(t *testing.T) {
	for name, c := range map[string]struct {
		code int
		kind fault.Kind
	}{
		"the bot is not in the chat":  {230002, fault.Denied},
		"the group lets it not":       {230018, fault.Denied},
		"the person cannot see it":    {230013, fault.Denied},
		"the review":                  {230028, fault.Denied},
		"a permission is missing":     {230027, fault.Denied},
		"too many calls":              {230020, fault.RateLimited},
		"the month's calls are spent": {99991403, fault.RateLimited},
		"the same is being sent":      {230049, fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, feishutest.Config{Refuses: map[string]int{"interactive": c.code}})
			_, err := w.account.Send(t.Context(), w.inGroup(), text("k", "x"))
			require.Equal(t, c.kind, fault.KindOf(err))
			require.LessOrEqual(t, fault.After(err), time.Minute, "what waits is sent soon after the limit is lifted")
			require.Equal(t, c.code == 230049, channel.Unknown(err))
			require.Equal(t, 1, w.Calls(sendPath))
			require.Empty(t, w.Shown(w.group, ""))
		})
	}
}

func TestSend_EveryCodeOfALimitIsHeeded(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	for i, code := range []int{99991400, 230020, 11232, 11233, 11247} {
		w.Befall(feishutest.Trouble{Kind: feishutest.Limited, Times: 1, Code: code})
		_, err := w.account.Send(t.Context(), w.inGroup(), text(strconv.Itoa(i), "x"))
		require.True(t, fault.Is(err, fault.RateLimited), "%d: %v", code, err)
		require.Positive(t, fault.After(err))
		require.False(t, channel.Unknown(err), "nothing was sent")
		w.Befall(feishutest.Trouble{Kind: feishutest.Limited, Times: 1, Code: code, After: 7 * time.Second})
		_, err = w.account.Send(t.Context(), w.inGroup(), text(strconv.Itoa(i), "x"))
		require.Equal(t, 7*time.Second, fault.After(err), "the platform says when to come back")
	}
	require.Empty(t, w.Shown(w.group, ""))
}

func TestSend_WhereThereAreNoThreadsTheAnswerStandsBesideItsQuestion(t *testing.T) {
	w := newWorld(t, feishutest.Config{NoThreads: true})
	w.run(t)
	e := w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Text: "hi"})
	to := answerTo(e)
	to.InThread = true
	for range 2 {
		sent, err := w.account.Send(t.Context(), to, text("k", "hello"))
		require.NoError(t, err)
		require.Empty(t, sent.Thread)
	}
	shown := w.Shown(w.group, "")
	require.Len(t, shown, 1)
	require.Equal(t, e.ID, shown[0].Parent)
}

func TestSend_TheAnswerToWhatWasTakenBackGoesToItsChat(t *testing.T) {
	w := newWorld(t, feishutest.Config{NoThreads: true})
	w.run(t)
	e := w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Text: "hi"})
	w.Recall(e.ID)
	for _, inThread := range []bool{false, true} {
		to := answerTo(e)
		to.InThread = inThread
		_, err := w.account.Send(t.Context(), to, text("k"+strconv.FormatBool(inThread), "hello"))
		require.NoError(t, err)
	}
	shown := w.Shown(w.group, "")
	require.Len(t, shown, 2)
	require.Empty(t, shown[0].Parent)
	require.Empty(t, shown[1].Parent)
}

func TestSend_TheAnswerToWhatWasTakenBackStaysInItsThread(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	first := w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Thread: w.thread, Text: "one"})
	second := w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Thread: w.thread, Text: "two"})
	w.Recall(second.ID)
	for range 2 {
		sent, err := w.account.Send(t.Context(), answerTo(second), text("k", "hello"))
		require.NoError(t, err)
		require.Equal(t, w.thread, sent.Thread)
	}
	shown := w.Shown(w.group, w.thread)
	require.Len(t, shown, 1)
	require.Equal(t, first.ID, shown[0].Parent)
	w.Recall(first.ID)
	require.NoError(t, w.account.(channel.Deleter).Delete(t.Context(), answerTo(first), shown[0].ID))
	_, err := w.account.Send(t.Context(), answerTo(second), text("k2", "nobody is left"))
	require.NoError(t, err)
	require.Len(t, w.Shown(w.group, ""), 1, "the thread has no message any more, so its chat gets the answer")
}

func TestSend_AnImageOfTheTextIsALinkThatReads(t *testing.T) {
	for kind, refuses := range map[string]map[string]int{"interactive": nil, "post": {"interactive": 230099}} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, feishutest.Config{Refuses: refuses})
			said := "See ![](https://e.org/a.png), ![a map](https://e.org/b.png \"north\") and ![x]().\n\n`![c](d)`"
			_, err := w.account.Send(t.Context(), w.inGroup(), text("k", said))
			require.NoError(t, err)
			shown := w.Shown(w.group, "")
			require.Len(t, shown, 1)
			require.Equal(t, kind, shown[0].Kind, "an image must not cost the form")
			require.Equal(t, "See [https://e.org/a.png](https://e.org/a.png), [a map](https://e.org/b.png) and x.\n\n`![c](d)`", shown[0].Text)
			require.Empty(t, w.Broken())
		})
	}
}

func TestSend_NoWordOfTheModelCallsEverybody(t *testing.T) {
	for kind, refuses := range map[string]map[string]int{
		"interactive": nil, "post": {"interactive": 230099}, "text": {"interactive": 230099, "post": 230099},
	} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, feishutest.Config{Refuses: refuses})
			m := text("k", `<at id=all></at> <at user_id="all">x</at> <AT id="ou_bo"></AT> `+"`<at id=all></at>`"+` and @小博`)
			m.Mentions = map[string]string{bo.OpenID: bo.Name}
			_, err := w.account.Send(t.Context(), w.inGroup(), m)
			require.NoError(t, err)
			shown := w.Shown(w.group, "")[0]
			require.Equal(t, kind, shown.Kind)
			require.NotContains(t, shown.Text, "@all!")
			require.Equal(t, 1, strings.Count(shown.Text, "@小博"))
		})
	}
}

func TestSend_CodeArrivesAsItWasWritten(t *testing.T) {
	for kind, refuses := range map[string]map[string]int{
		"interactive": nil, "post": {"interactive": 230099}, "text": {"interactive": 230099, "post": 230099},
	} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t, feishutest.Config{Refuses: refuses})
			body := "Use `<link rel=\"icon\">`:\n\n```html\n<font color=\"red\">x</font>\n<audio src=\"a.mp3\"></audio>\n```"
			_, err := w.account.Send(t.Context(), w.inGroup(), text("k", body+"\n\nnot <font color=red>so</font>"))
			require.NoError(t, err)
			require.Contains(t, w.Shown(w.group, "")[0].Text, body)
			require.NotContains(t, w.Shown(w.group, "")[0].Text, "<font color=red>so")
		})
	}
}

func TestSend_ANameThatTwoPeopleHaveCallsNeither(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	m := text("k", "@Ann and @小博")
	m.Mentions = map[string]string{ann.OpenID: "Ann", "ou_other": "Ann", bo.OpenID: bo.Name}
	_, err := w.account.Send(t.Context(), w.inGroup(), m)
	require.NoError(t, err)
	content := w.Shown(w.group, "")[0].Content
	require.Contains(t, content, "<at id="+bo.OpenID+"></at>")
	require.NotContains(t, content, ann.OpenID)
	require.NotContains(t, content, "ou_other")
}

func TestSend_ManyWithATokenThatEndedShareOneNewOne(t *testing.T) {
	const token = "POST /open-apis/auth/v3/tenant_access_token/internal"
	w := newWorld(t, feishutest.Config{})
	_, err := w.account.Send(t.Context(), w.inGroup(), text("first", "x"))
	require.NoError(t, err)
	require.Equal(t, 1, w.Calls(token))
	w.Expire()
	errs := make(chan error)
	for i := range 20 {
		go func() {
			_, err := w.account.Send(t.Context(), w.inGroup(), text("k"+strconv.Itoa(i), "x"))
			errs <- err
		}()
	}
	for range 20 {
		require.NoError(t, <-errs)
	}
	require.Equal(t, 2, w.Calls(token))
	require.Len(t, w.Shown(w.group, ""), 21)
}

func TestSend_ATokenThatIsRefusedTwiceIsNoLoop(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.Befall(feishutest.Trouble{Kind: feishutest.BadToken, Times: -1})
	_, err := w.account.Send(t.Context(), w.inGroup(), text("k", "x"))
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
	require.Contains(t, err.Error(), "App Secret")
	require.Equal(t, 2, w.Calls("POST /open-apis/auth/v3/tenant_access_token/internal"))
}

func TestFind_FindsWhatWasSentInItsChatOrThread(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	finder := w.account.(channel.Finder)
	first := w.says(t, feishutest.Incoming{From: ann, Text: "hello"})
	inThread := w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Thread: w.thread, Text: "hello"})
	opening := answerTo(w.says(t, feishutest.Incoming{From: ann, Chat: w.group, Text: "hello"}))
	opening.InThread = true
	since := time.Now()
	for name, to := range map[string]channel.Address{"a chat": answerTo(first), "a thread": answerTo(inThread), "a thread that it opens": opening} {
		t.Run(name, func(t *testing.T) {
			for i, m := range []channel.Message{
				text("k", "The **answer**, [here](https://example.com)."),
				{Key: "q", Card: &channel.Question{ID: "1", Title: "May Shell run?", Text: "rm -r", Buttons: []channel.Button{{Name: "yes", Label: "Yes"}}}},
				{Key: "f", File: &channel.File{Name: "a.csv", Data: []byte("1,2")}},
				{Key: "i", File: &channel.File{Name: "a.png", Data: []byte("\x89PNG\r\n\x1a\n and so on")}},
			} {
				m.Key += strconv.Itoa(i) + to.ReplyTo
				_, found, err := finder.Find(t.Context(), to, m, since)
				require.NoError(t, err)
				require.False(t, found, "%d", i)
				sent, err := w.account.Send(t.Context(), to, m)
				require.NoError(t, err)
				got, found, err := finder.Find(t.Context(), to, m, since)
				require.NoError(t, err)
				require.True(t, found, "%d", i)
				require.Equal(t, sent.ID, got.ID)
				_, found, err = finder.Find(t.Context(), to, m, time.Now().Add(time.Hour))
				require.NoError(t, err)
				require.False(t, found, "it was sent before")
				require.NoError(t, w.account.(channel.Deleter).Delete(t.Context(), to, sent.ID))
			}
		})
	}
	require.Empty(t, w.Broken())
}

func TestFind_LooksThroughPagesAndTellsWhereItStops(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	w.run(t)
	to, m, since := answerTo(w.says(t, feishutest.Incoming{From: ann, Text: "hello"})), text("k", "mine"), time.Now()
	sent, err := w.account.Send(t.Context(), to, m)
	require.NoError(t, err)
	w.Hold()
	write := func(n int) {
		for range n {
			w.Write(feishutest.Incoming{From: ann, Text: "mine"})
		}
	}
	write(120)
	got, found, err := w.account.(channel.Finder).Find(t.Context(), to, m, since)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, sent.ID, got.ID, "what others write is not the bot's")
	write(900)
	_, found, err = w.account.(channel.Finder).Find(t.Context(), to, m, since)
	require.False(t, found)
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	require.Empty(t, w.Broken())
}

func TestFind_WithoutThePermissionIsDenied(t *testing.T) {
	w := newWorld(t, feishutest.Config{Lacks: map[string][]string{"GET /open-apis/im/v1/messages": {"im:message.group_msg"}}})
	_, found, err := w.account.(channel.Finder).Find(t.Context(), channel.Address{ChatType: chat.ChatGroup, Chat: w.group}, text("k", "mine"), time.Now())
	require.False(t, found)
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
}
