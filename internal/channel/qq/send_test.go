package qq_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/qq/qqtest"
	"xbot/internal/fault"
)

var scenes = []string{qqtest.Direct, qqtest.Group, qqtest.Guild, qqtest.GuildDirect}

// send sends a text as the answer of a number to a message.
func (w *world) send(t *testing.T, scene, reply string, seq int, text string) (channel.Sent, error) {
	t.Helper()
	return w.account.Send(t.Context(), to(scene, reply), channel.Message{Key: fmt.Sprint("turn-1.", seq), Seq: seq, Text: text})
}

func TestSend_AnAnswerIsShownWhereItWasAsked(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	for _, scene := range scenes {
		t.Run(scene, func(t *testing.T) {
			id := w.says(scene, "hi")
			sent, err := w.send(t, scene, id, 1, "**bold** & <b>")
			require.NoError(t, err)
			shown := w.Messages(scene, chats[scene])
			require.Len(t, shown, 1)
			require.Equal(t, sent.ID, shown[0].ID)
			require.WithinDuration(t, time.Now(), sent.At, time.Minute)
			require.Equal(t, id, shown[0].ReplyTo)
			require.Equal(t, "**bold** & <b>", shown[0].Text)
			require.True(t, shown[0].Markdown)
		})
	}
	require.Empty(t, w.Broken())
}

func TestSend_TheSameAnswerTwiceIsShownOnce(t *testing.T) {
	for _, seq := range []int{1, 0} { // 0: the number is made of the key
		for _, trouble := range []string{qqtest.LostAnswer, qqtest.LostRequest, qqtest.Down} {
			t.Run(fmt.Sprint(trouble, seq), func(t *testing.T) {
				w := newWorld(t, qqtest.Config{})
				id := w.says(qqtest.Group, "hi")
				w.Befall(qqtest.Trouble{Kind: trouble, Times: 1})
				_, err := w.send(t, qqtest.Group, id, seq, "once")
				require.Error(t, err)
				require.True(t, channel.Unknown(err), "%v", err)
				w.open(t) // another process tries again
				_, err = w.send(t, qqtest.Group, id, seq, "once")
				require.NoError(t, err)
				require.Len(t, w.Messages(qqtest.Group, "GROUP0"), 1)
			})
		}
	}
}

func TestSend_AnAnswerInAPlainerFormIsShownOnceToo(t *testing.T) {
	w := newWorld(t, qqtest.Config{NoMarkdown: true, BlockLinks: true})
	id := w.says(qqtest.Group, "hi")
	for range 3 {
		_, err := w.send(t, qqtest.Group, id, 1, "**see** https://example.com/a?b=c")
		require.NoError(t, err)
		w.open(t)
	}
	shown := w.Messages(qqtest.Group, "GROUP0")
	require.Len(t, shown, 1)
	require.Equal(t, "see […]\n\n(Links are not permitted here: their addresses were left out.)", shown[0].Text)
}

func TestSend_TablesAreShownAsAlignedText(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	_, err := w.send(t, qqtest.Group, "", 0, "**Prices**\n\n| what | price |\n|---|---|\n| tea | 3 |\n\nThat is `a|b`.")
	require.NoError(t, err)
	require.Equal(t, "**Prices**\n\n```\nwhat  price\n----  -----\ntea   3\n```\n\nThat is `a|b`.", w.Messages(qqtest.Group, "GROUP0")[0].Text)
}

func TestSend_AnOutcomeIsOpenOnlyWhereTheRequestMayHaveArrived(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	for trouble, unknown := range map[string]bool{qqtest.LostAnswer: true, qqtest.LostRequest: true, qqtest.Down: true, qqtest.Limited: false, qqtest.Refused: false} {
		w.Befall(qqtest.Trouble{Kind: trouble, Times: 1})
		_, err := w.send(t, qqtest.Direct, "", 0, "a message of its own")
		require.Error(t, err, trouble)
		require.Equal(t, unknown, channel.Unknown(err), trouble)
	}
	w.Server.Close()
	w.client.CloseIdleConnections() // one that is open might have carried the request
	_, err := w.send(t, qqtest.Direct, "", 0, "nobody is there")
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.False(t, channel.Unknown(err))
}

func TestSend_LateAnswersAndTooManyAreDenied(t *testing.T) {
	for scene, window := range map[string]time.Duration{qqtest.Direct: time.Hour, qqtest.Group: 5 * time.Minute} {
		t.Run(scene, func(t *testing.T) {
			w := newWorld(t, qqtest.Config{})
			traits := channel.TraitsAt(w.account, to(scene, "x"))
			require.Equal(t, window, traits.ReplyWindow)
			require.Equal(t, window, traits.Window)
			id := w.says(scene, "hi")
			for n := range traits.Replies {
				_, err := w.send(t, scene, id, n+1, "part")
				require.NoError(t, err)
			}
			_, err := w.send(t, scene, id, traits.Replies+1, "one too many")
			require.True(t, fault.Is(err, fault.Denied), "%v", err)
			late := w.says(scene, "hi again")
			w.Pass(window + time.Second)
			_, err = w.send(t, scene, late, 1, "too late")
			require.True(t, fault.Is(err, fault.Denied), "%v", err)
			require.Contains(t, err.Error(), "a message of its own")
			_, err = w.send(t, scene, "", 0, "of its own")
			require.NoError(t, err)
			require.Len(t, w.Messages(scene, chats[scene]), traits.Replies+1)
			require.Empty(t, w.Broken())
		})
	}
}

func TestSend_MarkdownThatIsNotPermittedIsNotTriedAgainThere(t *testing.T) {
	w := newWorld(t, qqtest.Config{NoMarkdown: true})
	for n := range 2 {
		id := w.says(qqtest.Group, "hi")
		_, err := w.send(t, qqtest.Group, id, 1, "# Title\n\n- [x] **done** [here](https://e.example)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nx := \"**\"\n```")
		require.NoError(t, err)
		if n == 0 {
			w.Permit(func(c *qqtest.Config) { c.NoMarkdown = false })
		}
	}
	_, err := w.send(t, qqtest.Direct, "", 0, "**bold**")
	require.NoError(t, err)
	shown := w.Messages(qqtest.Group, "GROUP0")
	require.Len(t, shown, 2)
	for _, m := range shown {
		require.False(t, m.Markdown)
		require.Equal(t, "Title\n\n☑ done here (https://e.example)\n\na  b\n-  -\n1  2\n\nx := \"**\"", m.Text)
	}
	require.True(t, w.Messages(qqtest.Direct, ann.ID)[0].Markdown, "other scenes are not concerned")
}

func TestSend_MarkdownThatIsNotUnderstoodIsPlainThisTime(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.Befall(qqtest.Trouble{Kind: qqtest.Refused, Code: 40034011, Times: 1})
	for range 2 {
		_, err := w.send(t, qqtest.Direct, "", 0, "**bold**")
		require.NoError(t, err)
	}
	shown := w.Messages(qqtest.Direct, ann.ID)
	require.Equal(t, []bool{false, true}, []bool{shown[0].Markdown, shown[1].Markdown})
}

func TestSend_BlockedLinksAreLeftOutOrRefused(t *testing.T) {
	const text = "看 [文档](https://example.com/a_(b)) 和 www.example.com/x，还有 example.com。"
	w := newWorld(t, qqtest.Config{BlockLinks: true})
	_, err := w.send(t, qqtest.Group, "", 0, text)
	require.NoError(t, err)
	require.Equal(t, "看 文档 和 […]，还有 […]。\n\n(此处不允许发送链接，网址已略去。)", w.Messages(qqtest.Group, "GROUP0")[0].Text)
	w.open(t, "links", "refuse")
	_, err = w.send(t, qqtest.Group, "", 0, text)
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
	require.Contains(t, err.Error(), "addresses of web pages")
	require.Len(t, w.Messages(qqtest.Group, "GROUP0"), 1)
}

func TestSend_RefusalsSayWhatToDo(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	for code, kind := range map[int]fault.Kind{
		40034005: fault.Denied, 40034128: fault.Denied, 304103: fault.Denied, 40054003: fault.Denied, 40054013: fault.Denied,
		40034105: fault.Denied, 40034006: fault.Denied, 11253: fault.Denied, 40054007: fault.TooLarge, 40034100: fault.RateLimited,
		304049: fault.RateLimited, 50055001: fault.Unavailable, 999: fault.Invalid,
	} {
		w.Befall(qqtest.Trouble{Kind: qqtest.Refused, Code: code, Times: 1})
		_, err := w.send(t, qqtest.Direct, "", 0, "hello")
		require.Equal(t, kind, fault.KindOf(err), "%d: %v", code, err)
		require.Contains(t, err.Error(), fmt.Sprint(code))
		require.LessOrEqual(t, fault.After(err), time.Minute, "what waits is sent soon after a quota is lifted")
	}
	w.Befall(qqtest.Trouble{Kind: qqtest.Limited, Times: 1, After: 7 * time.Second})
	_, err := w.send(t, qqtest.Direct, "", 0, "hello")
	require.Equal(t, 7*time.Second, fault.After(err))
	w.Befall(qqtest.Trouble{Kind: qqtest.Refused, Code: 304023, Times: 1})
	_, err = w.send(t, qqtest.Guild, "", 0, "hello")
	require.NoError(t, err, "what is reviewed is sent")
}

func TestSend_BadRequestsAreRefusedWithoutAsking(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	for name, c := range map[string]struct {
		to channel.Address
		m  channel.Message
	}{
		"no place":   {channel.Address{}, channel.Message{Key: "k", Text: "x"}},
		"no person":  {channel.Address{ChatType: "direct"}, channel.Message{Key: "k", Text: "x"}},
		"no text":    {to(qqtest.Direct, ""), channel.Message{Key: "k", Text: " \n"}},
		"a wild seq": {to(qqtest.Direct, ""), channel.Message{Key: "k", Text: "x", Seq: 100}},
		"empty file": {to(qqtest.Direct, ""), channel.Message{Key: "k", File: &channel.File{Name: "a"}}},
	} {
		_, err := w.account.Send(t.Context(), c.to, c.m)
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", name, err)
	}
}

func TestSend_NamesBecomeMentionsWherePeopleCanBeMentioned(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	m := channel.Message{Key: "k", Text: "@Ann Lee、@Ann，谢谢@小博的 mail@Ann @Anna", Mentions: map[string]string{"A": "Ann", "AL": "Ann Lee", "B": "小博"}}
	for scene, want := range map[string]string{
		qqtest.Group:  `<qqbot-at-user id="AL" />、<qqbot-at-user id="A" />，谢谢<qqbot-at-user id="B" />的 mail@Ann @Anna`,
		qqtest.Guild:  `<@!AL>、<@!A>，谢谢<@!B>的 mail@Ann @Anna`,
		qqtest.Direct: m.Text,
	} {
		_, err := w.account.Send(t.Context(), to(scene, ""), m)
		require.NoError(t, err)
		require.Equal(t, want, w.Messages(scene, chats[scene])[0].Text)
	}
	w.Permit(func(c *qqtest.Config) { c.NoMarkdown = true })
	m.Text = "1 < 2 & @Ann"
	_, err := w.account.Send(t.Context(), to(qqtest.Guild, ""), m)
	require.NoError(t, err)
	require.Equal(t, "1 &lt; 2 &amp; <@!A>", w.Messages(qqtest.Guild, "CHAN0")[1].Text)
}

func TestSend_FilesArriveWhole(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	data := bytes.Repeat([]byte("0123456789abcdef"), 20000) // several parts
	for name, c := range map[string]struct{ media, kind, shown string }{
		"picture.png": {"image/png", "image", "picture.png"},
		"film.mp4":    {"video/mp4", "video", "film.mp4"},
		"voice.mp3":   {"audio/mpeg", "audio", "voice.mp3"},
		"/tmp/report": {"text/csv; charset=utf-8", "file", "report"},
		"":            {"image/png", "image", "file.png"},
	} {
		for _, scene := range []string{qqtest.Direct, qqtest.Group} {
			id := w.says(scene, "send it")
			_, err := w.account.Send(t.Context(), to(scene, id), channel.Message{Key: "f", Seq: 1, File: &channel.File{Name: name, Type: c.media, Data: data}})
			require.NoError(t, err)
			all := w.Messages(scene, chats[scene])
			shown := all[len(all)-1]
			require.Equal(t, id, shown.ReplyTo)
			require.Equal(t, []qqtest.File{{Kind: c.kind, Name: c.shown, Data: data}}, shown.Files)
		}
	}
	require.Empty(t, w.Broken())
}

func TestSend_AFileIsShownOnceAndAFailedUploadLeavesNothingOpen(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	id := w.says(qqtest.Direct, "send it")
	m := channel.Message{Key: "f", Seq: 1, File: &channel.File{Name: "a.txt", Type: "text/plain", Data: []byte("text")}}
	for _, trouble := range []string{qqtest.Down, qqtest.LostRequest} {
		w.Befall(qqtest.Trouble{Kind: trouble, Times: 1}) // it meets the upload
		_, err := w.account.Send(t.Context(), to(qqtest.Direct, id), m)
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
		require.False(t, channel.Unknown(err))
	}
	for range 2 {
		_, err := w.account.Send(t.Context(), to(qqtest.Direct, id), m)
		require.NoError(t, err)
	}
	require.Len(t, w.Messages(qqtest.Direct, ann.ID), 1)
	w.Befall(qqtest.Trouble{Kind: qqtest.Refused, Code: 850031, Times: 1})
	_, err := w.account.Send(t.Context(), to(qqtest.Direct, ""), m)
	require.True(t, fault.Is(err, fault.TooLarge), "%v", err)
}

func TestSend_GuildsTakeImagesOnly(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	for _, scene := range []string{qqtest.Guild, qqtest.GuildDirect} {
		id := w.says(scene, "send it")
		_, err := w.account.Send(t.Context(), to(scene, id), channel.Message{Key: "f", File: &channel.File{Name: "a.png", Type: "image/png", Data: []byte("png")}})
		require.NoError(t, err)
		require.Equal(t, []qqtest.File{{Kind: "image", Name: "a.png", Data: []byte("png")}}, w.Messages(scene, chats[scene])[0].Files)
		_, err = w.account.Send(t.Context(), to(scene, id), channel.Message{Key: "g", File: &channel.File{Name: "a.pdf", Type: "application/pdf", Data: []byte("pdf")}})
		require.True(t, fault.Is(err, fault.Denied), "%v", err)
		_, err = w.account.Send(t.Context(), to(scene, id), channel.Message{Key: "g", File: &channel.File{Name: "a.png", Type: "image/png", Data: make([]byte, 11<<20)}})
		require.True(t, fault.Is(err, fault.TooLarge), "%v", err)
	}
	require.Empty(t, w.Broken())
}

func TestTyping_IsShownAgainAndEachTakesThePlaceOfAnAnswer(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	id := w.says(qqtest.Direct, "hi")
	traits := channel.TraitsAt(w.account, to(qqtest.Direct, id))
	require.Equal(t, channel.Writing{Every: 50 * time.Second, Times: 2}, traits.Writing)
	for n := range traits.Writing.Times {
		require.NoError(t, w.account.(channel.Typist).Typing(t.Context(), to(qqtest.Direct, id)))
		require.Equal(t, n+1, w.Writing(id))
	}
	for n := range traits.Replies - traits.Writing.Times {
		_, err := w.send(t, qqtest.Direct, id, n+1, "part")
		require.NoError(t, err)
	}
	_, err := w.send(t, qqtest.Direct, id, 9, "one more")
	require.True(t, channel.TooLate(err), "%v", err)
	group := w.says(qqtest.Group, "hi")
	require.NoError(t, w.account.(channel.Typist).Typing(t.Context(), to(qqtest.Group, group)))
	require.Zero(t, w.Writing(group))
	require.Zero(t, channel.TraitsAt(w.account, to(qqtest.Group, group)).Writing.Times)
	require.Empty(t, w.Broken())
}

func TestTyping_IsSetForTheAccount(t *testing.T) {
	for value, times := range map[string]int{"always": -1, "off": 0, "": 2} {
		w := newWorld(t, qqtest.Config{})
		w.open(t, "typing", value)
		id := w.says(qqtest.Direct, "hi")
		require.Equal(t, times, channel.TraitsAt(w.account, to(qqtest.Direct, id)).Writing.Times)
		require.NoError(t, w.account.(channel.Typist).Typing(t.Context(), to(qqtest.Direct, id)))
		require.Equal(t, value != "off", w.Writing(id) == 1)
	}
}

func TestDelete_WithinTwoMinutes(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	for _, scene := range scenes {
		var ids []string
		for range 2 {
			sent, err := w.send(t, scene, "", 0, "oops")
			require.NoError(t, err)
			ids = append(ids, sent.ID)
		}
		d := w.account.(channel.Deleter)
		require.NoError(t, d.Delete(t.Context(), to(scene, ""), ids[0]))
		w.Pass(3 * time.Minute)
		err := d.Delete(t.Context(), to(scene, ""), ids[1])
		require.True(t, fault.Is(err, fault.Denied), "%v", err)
		require.Len(t, w.Messages(scene, chats[scene]), 1)
		require.True(t, fault.Is(d.Delete(t.Context(), to(scene, ""), ""), fault.NotFound))
	}
}

func TestSend_ARefusedTokenIsReplacedAndTheMessageSent(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	for range 3 {
		_, err := w.send(t, qqtest.Direct, "", 0, "hello")
		require.NoError(t, err)
		w.Revoke()
	}
	require.Len(t, w.Messages(qqtest.Direct, ann.ID), 3)
	require.Empty(t, w.Broken())
}

func TestSend_TokensAreReplacedBeforeTheirEnd(t *testing.T) {
	w := newWorld(t, qqtest.Config{Life: 40 * time.Second}) // shorter than the margin: each is used once
	for range 3 {
		_, err := w.send(t, qqtest.Direct, "", 0, "hello")
		require.NoError(t, err)
	}
	require.Empty(t, w.Broken())
}

func TestCheck_NamesTheBotAndWhatIsMissing(t *testing.T) {
	w := newWorld(t, qqtest.Config{Starts: 100})
	who, problems, err := w.account.Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, channel.Identity{ID: "BOT0", Name: "xbot"}, who)
	require.Empty(t, problems)
	require.Zero(t, w.Connected(), "it must not take the session of who runs")
	w.client.Transport = edited{w.client.Transport, `"remaining":100`, `"remaining":2`}
	_, problems, err = w.account.Check(t.Context())
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Equal(t, "session_start_limit", problems[0].What)
}

// edited changes what a server answers.
type edited struct {
	http.RoundTripper

	old, new string
}

func (e edited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := e.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = b.ReadFrom(res.Body)
	_ = res.Body.Close()
	text := strings.ReplaceAll(b.String(), e.old, e.new)
	res.Body, res.ContentLength = http.NoBody, int64(len(text))
	if text != "" {
		res.Body = readCloser{strings.NewReader(text)}
	}
	return res, err
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func TestOpen_WrongSettingsAreNamed(t *testing.T) {
	for option, value := range map[string]string{
		"app_id": "abc", "app_secret": "", "mode": "pigeon", "api_url": "ftp://x", "token_url": "nowhere", "links": "maybe", "sandbox": "1",
	} {
		w := newWorld(t, qqtest.Config{})
		given := w.Settings()
		given[option] = value
		_, err := openWith(given)
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", option, err)
		require.Contains(t, err.Error(), option)
	}
}

func TestSend_AReplyNamesTheMessageByItsIDOrByWhatQQSaidOfIt(t *testing.T) {
	w := newWorld(t, qqtest.Config{})
	w.run(t)
	for n, scene := range scenes {
		asked := w.says(scene, "what time is it?")
		sent, err := w.send(t, scene, asked, 1, "it is ten")
		require.NoError(t, err)
		w.Write(qqtest.Incoming{Scene: scene, Chat: chats[scene], From: ann, Text: "thanks", Mention: true, Answers: sent.ID})
		all := w.got(t, 2*n+2)
		parent := all[2*n+1].Parent
		require.NotEmpty(t, parent, scene)
		require.Contains(t, []string{sent.ID, sent.Quoted}, parent, scene)
	}
}
