package onebot_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	ob "xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func direct(who string) channel.Address {
	return channel.Address{ChatType: chat.ChatDirect, Chat: who, Peer: who}
}

func inGroup(answers string) channel.Address {
	return channel.Address{ChatType: chat.ChatGroup, Chat: group, Peer: ann, ReplyTo: answers}
}

func text(key, t string) channel.Message { return channel.Message{Key: key, Text: t} }

func TestSend_AnswersQuoteAndMention(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, i := connected(t, s)
	asked := s.Say(ob.Group(group), ann, ob.At(bot), ob.Text(" who waters?"))
	m := text("k1", "**@Bob** does, @Bobby does not")
	m.Mentions = map[string]string{bob: "Bob", ann: "Ann"}
	sent, err := a.Send(t.Context(), inGroup(i.next(t, 1).ID), m)
	require.NoError(t, err)
	shown := s.OfBot(ob.Group(group))
	require.Len(t, shown, 1)
	require.Equal(t, ob.Reply(asked), shown[0].Segments[0])
	require.Equal(t, ob.At(bob), shown[0].Segments[1])
	require.Equal(t, "@Bob does, @Bobby does not", s.Read(shown[0]))
	require.Equal(t, shown[0].At.Unix(), sent.At.Unix())
	require.NotEmpty(t, sent.ID)
	sound(t, s)
}

func TestSend_MarkdownIsShownAsPlainText(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, _ := connected(t, s)
	_, err := a.Send(t.Context(), direct(ann), text("k", "# Plan\n\n- [x] **dig**\n- sow `a_b`\n\n```go\nx := `*p*`\n```\n[map](https://e.org)"))
	require.NoError(t, err)
	require.Equal(t, "Plan\n\n☑ dig\n• sow a_b\n\nx := `*p*`\n\nmap (https://e.org)", s.Read(s.OfBot(ob.Person(ann))[0]))
}

func TestSend_FilesArriveWhole(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, _ := connected(t, s)
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // 2 MB
	for _, f := range []channel.File{
		{Name: "plot.png", Type: "image/png", Data: []byte("png")},
		{Name: "all.bin", Type: "application/octet-stream", Data: big},
		{Name: "v.ogg", Type: "audio/ogg; codecs=opus", Data: []byte("ogg")},
		{Name: "film.mp4", Type: "video/mp4", Data: []byte("mp4")},
	} {
		_, err := a.Send(t.Context(), direct(ann), channel.Message{Key: "k", File: &f})
		require.NoError(t, err)
	}
	var kinds []string
	for _, m := range s.OfBot(ob.Person(ann)) {
		kinds = append(kinds, s.Files(m)[0].Kind)
	}
	require.Equal(t, []string{"image", "file", "record", "video"}, kinds)
	got := s.Files(s.OfBot(ob.Person(ann))[1])[0]
	require.Equal(t, "all.bin", got.Name)
	require.Equal(t, big, got.Data)
	sound(t, s)
}

func TestSend_WhatCannotBeSentIsSaidBeforehand(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, _ := connected(t, s)
	for name, c := range map[string]struct {
		to   channel.Address
		m    channel.Message
		kind fault.Kind
	}{
		"nothing":            {direct(ann), channel.Message{Key: "k"}, fault.Invalid},
		"an empty file":      {direct(ann), channel.Message{Key: "k", File: &channel.File{Name: "a"}}, fault.Invalid},
		"a file too large":   {direct(ann), channel.Message{Key: "k", File: &channel.File{Data: make([]byte, 37<<20)}}, fault.TooLarge},
		"nobody":             {channel.Address{ChatType: chat.ChatDirect}, text("k", "x"), fault.Invalid},
		"no group of QQ":     {channel.Address{ChatType: chat.ChatGroup, Chat: "garden"}, text("k", "x"), fault.Invalid},
		"a group without it": {channel.Address{ChatType: chat.ChatGroup, Chat: "99999"}, text("k", "x"), fault.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := a.Send(t.Context(), c.to, c.m)
			require.Equal(t, c.kind, fault.KindOf(err), "%v", err)
			require.False(t, channel.Unknown(err))
		})
	}
	sound(t, s)
}

func TestSend_RefusalsAreTold(t *testing.T) {
	for kind, want := range map[ob.TroubleKind]fault.Kind{ob.Limited: fault.RateLimited, ob.Refused: fault.Denied, ob.Down: fault.Unavailable} {
		t.Run(string(kind), func(t *testing.T) {
			s := newServer(t, ob.Options{})
			a, _ := connected(t, s)
			s.Befall(ob.Trouble{Kind: kind, Times: 1})
			_, err := a.Send(t.Context(), direct(ann), text("k", "x"))
			require.Equal(t, want, fault.KindOf(err), "%v", err)
			require.False(t, channel.Unknown(err), "nothing was accepted")
			_, err = a.Send(t.Context(), direct(ann), text("k", "x"))
			require.NoError(t, err)
			require.Len(t, s.OfBot(ob.Person(ann)), 1)
		})
	}
}

func TestSend_AnUnknownOutcomeIsFoundInTheHistory(t *testing.T) {
	for kind, shown := range map[ob.TroubleKind]bool{ob.LostAnswer: true, ob.LostRequest: false, ob.Late: true} {
		t.Run(string(kind), func(t *testing.T) {
			s := newServer(t, ob.Options{})
			a, i := connected(t, s)
			image := channel.Message{Key: "k2", File: &channel.File{Name: "plot.png", Type: "image/png", Data: []byte("png of " + kind)}}
			named := text("k3", "ask @Bob, **please**")
			named.Mentions = map[string]string{bob: "Bob"}
			for _, m := range []channel.Message{text("k1", "line one\n\nline two"), image, named} {
				_, err := a.Send(t.Context(), inGroup(""), text("k0", "something else"))
				require.NoError(t, err)
				since := time.Now()
				s.Befall(ob.Trouble{Kind: kind, Times: 1})
				_, err = a.Send(t.Context(), inGroup(""), m)
				require.True(t, channel.Unknown(err), "%v", err)
				require.Eventually(t, func() bool { return s.Connected() == 1 && i.last().Connected }, patience, 5*time.Millisecond)
				got, found, err := a.(channel.Finder).Find(t.Context(), inGroup(""), m, since)
				require.NoError(t, err)
				require.Equal(t, shown, found)
				if shown {
					require.NotEmpty(t, got.ID)
				}
			}
		})
	}
}

func TestFind_OlderMessagesAreNotTheOne(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, _ := connected(t, s)
	finder := a.(channel.Finder)
	_, found, err := finder.Find(t.Context(), direct(ann), text("k", "good"), time.Now())
	require.True(t, fault.Is(err, fault.Denied), "a history that was lost tells of nothing: %v", err)
	require.False(t, found)
	s.SayAt(time.Now().Add(-time.Minute), ob.Person(ann), bot, ob.Text("good"))
	s.Say(ob.Person(ann), ann, ob.Text("good"))
	_, found, err = finder.Find(t.Context(), direct(ann), text("k", "good"), time.Now().Add(-10*time.Second))
	require.NoError(t, err)
	require.False(t, found)
	_, found, err = finder.Find(t.Context(), direct(ann), text("k", "good"), time.Now().Add(-2*time.Minute))
	require.NoError(t, err)
	require.True(t, found)
}

func TestSend_WithoutAReceivingProcessDialsForItself(t *testing.T) {
	s := newServer(t, ob.Options{Token: "secret"})
	a := openAccount(t, forwardTo(s, "secret"), nil)
	_, err := a.Send(t.Context(), direct(ann), text("k", "from a worker"))
	require.NoError(t, err)
	require.Equal(t, "from a worker", s.Read(s.OfBot(ob.Person(ann))[0]))
	_, found, err := a.(channel.Finder).Find(t.Context(), direct(ann), text("k", "from a worker"), time.Now().Add(-time.Minute))
	require.NoError(t, err)
	require.True(t, found)
	require.Eventually(t, func() bool { return s.Connected() == 0 }, patience, 5*time.Millisecond)

	_, err = openAccount(t, forwardTo(s, "wrong"), nil).Send(t.Context(), direct(ann), text("k", "x"))
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.False(t, channel.Unknown(err))
}

func TestSend_KeepsThePauseBetweenMessages(t *testing.T) {
	s := newServer(t, ob.Options{})
	given := forwardTo(s, "")
	given["send_pause"] = "60s"
	a := openAccount(t, given, nil)
	_, err := a.Send(t.Context(), direct(ann), text("k", "first"))
	require.NoError(t, err)
	ctx, cancel := contextWith(t, 100*time.Millisecond)
	defer cancel()
	_, err = a.Send(ctx, direct(ann), text("k", "second"))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.False(t, channel.Unknown(err), "it was never handed over")
	require.Len(t, s.OfBot(ob.Person(ann)), 1)
}

func TestSend_QuestionsAreNumbered(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, _ := connected(t, s)
	send := func(q channel.Question) string {
		_, err := a.Send(t.Context(), direct(ann), channel.Message{Key: "k", Card: &q})
		require.NoError(t, err)
		all := s.OfBot(ob.Person(ann))
		return s.Read(all[len(all)-1])
	}
	require.Equal(t, "Run it?\nrm x\n1. Allow\n2. Deny\nAnswer with a number or in your own words.", send(channel.Question{
		Title: "Run it?", Text: "`rm x`", Buttons: []channel.Button{{Name: "a", Label: "Allow"}, {Name: "d", Label: "Deny"}},
	}))
	require.Equal(t, "选择\n颜色?\n1. 红\n2. 蓝\n\n可以回复一个或多个编号，例如 1 3，也可以直接用文字回答。", send(channel.Question{
		Title: "选择", Fields: []channel.Field{{Name: "c", Label: "颜色?", Options: []string{"红", "蓝"}, Multi: true}}, Buttons: []channel.Button{{Name: "ok", Label: "OK"}},
	}))
	require.Equal(t, "1) Size?\n1. S\n2. L\n\n2) Name?\n\nAnswer with one line for each question.", send(channel.Question{
		Fields: []channel.Field{{Name: "s", Label: "Size?", Options: []string{"S", "L"}}, {Name: "n", Label: "Name?"}},
	}))
}

func TestGestures_ReactionsTypingAndTakingBack(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, i := connected(t, s)
	s.Say(ob.Group(group), ann, ob.At(bot), ob.Text("hi"))
	e := i.next(t, 1)
	for range 2 {
		require.NoError(t, a.(channel.Reactor).React(t.Context(), inGroup(""), e.ID, "OK"))
	}
	require.Equal(t, []string{"124"}, s.Messages(ob.Group(group))[0].Reactions)
	require.Equal(t, fault.Denied, fault.KindOf(a.(channel.Reactor).React(t.Context(), direct(ann), e.ID, "OK")))
	require.Equal(t, fault.Invalid, fault.KindOf(a.(channel.Reactor).React(t.Context(), inGroup(""), e.ID, "no such face")))
	require.NoError(t, a.(channel.Typist).Typing(t.Context(), direct(ann)))
	require.NoError(t, a.(channel.Typist).Typing(t.Context(), inGroup("")))
	require.Equal(t, 1, s.Typing(ann))
	sent, err := a.Send(t.Context(), direct(ann), text("k", "wrong"))
	require.NoError(t, err)
	require.NoError(t, a.(channel.Deleter).Delete(t.Context(), direct(ann), sent.ID))
	require.Empty(t, s.OfBot(ob.Person(ann)))
	sound(t, s)
}
