package onebot_test

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot"
	ob "xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestReceive_DirectMessagesSayWhoWroteWhereAndWhen(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	before := time.Now().Add(-2 * time.Second)
	s.Say(ob.Person(ann), ann, ob.Text("hello\n"), ob.Face("14", "微笑"))
	e := i.next(t, 1)
	require.Equal(t, "napcat", e.Channel)
	require.Equal(t, "suite", e.Account)
	require.Equal(t, chat.ChatDirect, e.ChatType)
	require.Equal(t, ann, e.Chat)
	require.Equal(t, chat.Peer{ID: ann, Name: "Ann"}, e.Sender)
	require.Equal(t, "hello\n[face: 微笑]", e.Text)
	require.True(t, e.SentAt.After(before))
	require.NotZero(t, e.Seq)
	require.False(t, e.Mentioned)
	sound(t, s)
}

func TestReceive_MentionsInGroupsAreToldAndTakenOutOfTheText(t *testing.T) {
	for name, o := range map[string]ob.Options{"as arrays": {}, "as strings with CQ codes": {Strings: true}} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, o)
			_, i := connected(t, s)
			s.Say(ob.Group(group), ann, ob.At(bot), ob.Text(" ask "), ob.At(bob), ob.Text(" & [me], please"))
			e := i.next(t, 1)
			require.True(t, e.Mentioned)
			require.Equal(t, "ask @Bob & [me], please", e.Text)
			require.Equal(t, []chat.Peer{{ID: bob, Name: "Bob"}}, e.Mentions)
			require.Equal(t, chat.Peer{ID: ann, Name: "Ann of the garden"}, e.Sender)
			require.Equal(t, "Garden", e.Subject)
			require.Equal(t, group, e.Chat)

			s.Say(ob.Group(group), bob, ob.At("all"), ob.Text(" dinner"))
			e = i.next(t, 2)
			require.False(t, e.Mentioned)
			require.Equal(t, "@all dinner", e.Text)
			sound(t, s)
		})
	}
}

func TestReceive_AnAnswerToTheBotIsTold(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, i := connected(t, s)
	sent, err := a.Send(t.Context(), inGroup(""), text("k1", "two and two is four"))
	require.NoError(t, err)
	mine := s.OfBot(ob.Group(group))[0]
	theirs := s.Say(ob.Group(group), bob, ob.Text("five"))
	s.Say(ob.Group(group), ann, ob.Reply(mine.ID), ob.Text("really?"))
	s.Say(ob.Group(group), ann, ob.Reply(theirs), ob.Text("no"))
	e := i.next(t, 2)
	require.True(t, e.Answers)
	require.Equal(t, sent.ID, e.Parent)
	require.Equal(t, "two and two is four", e.Quote.Text)
	require.Equal(t, bot, e.Quote.Sender.ID)
	e = i.next(t, 3)
	require.False(t, e.Answers)
	require.Equal(t, i.all()[0].ID, e.Parent)
	require.Equal(t, &chat.Quote{Sender: chat.Peer{ID: bob, Name: "Bob"}, Text: "five"}, e.Quote)
}

func TestReceive_TheSameNumberLaterOrElsewhereIsAnotherMessage(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	now := time.Now()
	s.NextIDs(-7, -7, -7)
	s.SayAt(now, ob.Person(ann), ann, ob.Text("one"))
	s.SayAt(now, ob.Group(group), ann, ob.Text("two"))
	id := s.SayAt(now.Add(time.Hour), ob.Person(ann), ann, ob.Text("three"))
	i.next(t, 3)
	seen := map[string]bool{}
	for _, e := range i.all() {
		seen[e.ID] = true
	}
	require.Len(t, seen, 3)
	s.Again(id)
	again := i.next(t, 4)
	require.True(t, seen[again.ID], "delivered again it is the same message")
}

func TestReceive_MessagesOfAChatKeepTheirOrder(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	for n := range 100 {
		s.Say(ob.Group(group), ann, ob.Text(fmt.Sprint(n)))
		s.Say(ob.Person(bob), bob, ob.Text(fmt.Sprint(n)))
	}
	i.next(t, 200)
	next, seq := map[string]int{}, map[string]int64{}
	for _, e := range i.all() {
		require.Equal(t, fmt.Sprint(next[e.Chat]), e.Text)
		require.Greater(t, e.Seq, seq[e.Chat])
		next[e.Chat]++
		seq[e.Chat] = e.Seq
	}
}

func TestReceive_WhatIsNotCommittedIsTriedUntilItIs(t *testing.T) {
	s := newServer(t, ob.Options{})
	var tries sync.Map
	i := &inbox{fail: func(e chat.Envelope) error {
		if n, again := tries.LoadOrStore(e.Text, 1); e.Text == "shaky" && (!again || n.(int) < 3) {
			if again {
				tries.Store(e.Text, n.(int)+1)
			}
			return fault.Errorf(fault.Unavailable, "the database is away")
		}
		if e.Text == "malformed" {
			return fault.Errorf(fault.Invalid, "nobody can take this")
		}
		return nil
	}}
	run(t, openAccount(t, forwardTo(s, ""), nil), i)
	waitConnected(t, i)
	for _, t := range []string{"shaky", "malformed", "sound"} {
		s.Say(ob.Person(ann), ann, ob.Text(t))
	}
	require.Equal(t, "sound", i.next(t, 2).Text)
	require.Equal(t, "shaky", i.all()[0].Text)
	n, _ := tries.Load("shaky")
	require.Equal(t, 3, n)
}

func TestReceive_WhatKeepsFailingHoldsNeitherItsChatNorTheNextConnection(t *testing.T) {
	s, m := newServer(t, ob.Options{}), newMemory()
	i := &inbox{fail: func(e chat.Envelope) error {
		switch e.Text {
		case "poison":
			return errors.New("our bug")
		case "used":
			return fault.Errorf(fault.Conflict, "there was another message of this id")
		}
		return nil
	}}
	stop := run(t, openAccount(t, forwardTo(s, ""), m), i)
	waitConnected(t, i)
	s.Say(ob.Person(ann), ann, ob.Text("used"))
	s.Say(ob.Person(ann), ann, ob.Text("first"))
	require.Equal(t, "first", i.next(t, 1).Text)
	s.Say(ob.Person(ann), ann, ob.Text("poison"))
	s.Say(ob.Person(ann), ann, ob.Text("behind"))
	require.NoError(t, stop())
	next := openAccount(t, forwardTo(s, ""), m)
	onebot.Impatient(next, time.Millisecond)
	run(t, next, i)
	require.Eventually(t, func() bool { return contains(i, "behind") }, patience, 5*time.Millisecond)
}

func TestReceive_FilesAreAttached(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	s.Say(ob.Person(ann), ann, ob.Text("look"), s.File("image", "a.png", []byte("png")))
	s.Say(ob.Person(ann), ann, s.File("record", "v", []byte("amr")))
	s.Say(ob.Person(ann), ann, s.File("video", "v.mp4", []byte("mp4!")))
	s.Say(ob.Person(ann), ann, s.File("file", "report.pdf", []byte("%PDF")))
	i.next(t, 4)
	var kinds, texts []string
	for _, e := range i.all() {
		require.Len(t, e.Attachments, 1)
		kinds, texts = append(kinds, e.Attachments[0].Kind), append(texts, e.Text)
	}
	require.Equal(t, []string{"image", "audio", "video", "file"}, kinds)
	require.Equal(t, []string{"look", "", "", ""}, texts)
	require.Equal(t, "report.pdf", i.all()[3].Attachments[0].Name)
	require.EqualValues(t, 4, i.all()[3].Attachments[0].Size)
}

func TestReceive_AFileInAGroupComesOnceHoweverItIsTold(t *testing.T) {
	for name, c := range map[string]struct{ message, notice bool }{
		"by message and notice": {true, true}, "by notice alone": {false, true}, "by message alone": {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, ob.Options{})
			_, i := connected(t, s)
			s.Upload(group, bob, "seeds.xlsx", []byte("seeds"), c.message, c.notice)
			s.Say(ob.Group(group), bob, ob.Text("done"))
			require.Equal(t, "done", i.next(t, 2).Text)
			e := i.all()[0]
			require.Equal(t, "seeds.xlsx", e.Attachments[0].Name)
			require.NotEmpty(t, e.ID)
			require.Equal(t, chat.Peer{ID: bob, Name: "Bob"}, e.Sender)
		})
	}
}

func TestReceive_ForwardedMessagesAreReadWithTheirWriters(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	s.AddForward("fw-inner", ob.Message{Place: ob.Person(bob), By: bob, Segments: []ob.Segment{ob.Text("deep")}})
	s.AddForward("fw-1",
		ob.Message{Place: ob.Person(ann), By: ann, Segments: []ob.Segment{ob.Text("first")}},
		ob.Message{Place: ob.Person(bob), By: bob, Segments: []ob.Segment{s.File("image", "b.png", []byte("b"))}},
		ob.Message{Place: ob.Person(bob), By: bob, Segments: []ob.Segment{ob.Forward("fw-inner")}},
	)
	s.Say(ob.Person(ann), ann, ob.Forward("fw-1"))
	e := i.next(t, 1)
	require.Equal(t, "[forwarded messages]\nAnn: first\nBob: [image]\nBob: [forwarded messages]\nBob: deep\n[end of forwarded messages]\n[end of forwarded messages]", e.Text)
	require.Len(t, e.Attachments, 1)
	s.Say(ob.Person(ann), ann, ob.Text("see "), ob.Forward("fw-gone"))
	require.Equal(t, "see [forwarded messages that cannot be read]", i.next(t, 2).Text)
}

func TestReceive_AReplyToForwardedMessagesQuotesThem(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	s.AddForward("fw",
		ob.Message{Place: ob.Person(ann), By: ann, Segments: []ob.Segment{ob.Text("first")}},
		ob.Message{Place: ob.Person(bob), By: bob, Segments: []ob.Segment{ob.Text("second")}})
	inline := []any{map[string]any{"sender": map[string]any{"nickname": "Cy"}, "message": []any{map[string]any{"type": "text", "data": map[string]any{"text": "third"}}}}}
	for n, c := range []struct {
		bundle ob.Segment
		want   string
	}{
		{ob.Forward("fw"), "Ann: first\nBob: second"},
		{ob.Segment{Type: "forward", Data: map[string]any{"id": "gone", "content": inline}}, "Cy: third"},
	} {
		bundle := s.Say(ob.Person(ann), ann, c.bundle)
		s.Say(ob.Person(ann), ann, ob.Reply(bundle), ob.Text("sum up"))
		require.Contains(t, i.next(t, 2*n+2).Quote.Text, c.want)
	}
}

func TestReceive_ForwardedMessagesThatHoldThemselvesEnd(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	for range 60 {
		s.AddForward("loop", ob.Message{Place: ob.Person(bob), By: bob, Segments: []ob.Segment{ob.Forward("loop")}})
	}
	s.Say(ob.Person(ann), ann, ob.Forward("loop"))
	i.next(t, 1)
	require.Less(t, s.Calls("get_forward_msg"), 110)
}

func TestReceive_RecalledMessagesAreNamedAsTheyWereReceived(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	direct, inGroup := s.Say(ob.Person(ann), ann, ob.Text("oops")), s.Say(ob.Group(group), ann, ob.Text("oops, all"))
	i.next(t, 2)
	s.Recall(direct)
	s.Recall(inGroup)
	require.Eventually(t, func() bool { return len(i.takenBack()) == 2 }, patience, 5*time.Millisecond)
	var received, recalled []string
	for n := range 2 {
		received, recalled = append(received, i.all()[n].ID), append(recalled, i.takenBack()[n].ID)
	}
	require.ElementsMatch(t, received, recalled)
}

func TestReceive_PeopleOfAGroupWhoAreNoFriendsAreAnsweredThroughIt(t *testing.T) {
	s := newServer(t, ob.Options{})
	s.AddGroup("30002", "Strangers", map[string]string{"20009": "Zed"})
	a, i := connected(t, s)
	s.SayTemp("30002", "20009", "hi")
	e := i.next(t, 1)
	require.Equal(t, chat.ChatDirect, e.ChatType)
	to := direct(e.Sender.ID)
	to.Chat = e.Chat
	_, err := a.Send(t.Context(), to, text("k", "hello"))
	require.NoError(t, err)
	require.Equal(t, "hello", s.Read(s.OfBot(ob.Person("20009"))[0]))
}

// strange are frames that no client expects and that are no messages.
var strange = []string{
	"", "{", "null", "[]", "17", `"x"`, `{"post_type":7}`, `{"post_type":"message"}`, `{"post_type":"message","message_id":1}`,
	`{"post_type":"message","user_id":"20001","message_id":"x","message":[]}`, `{"post_type":"message","user_id":20001,"message_id":5,"message":{"type":4}}`,
	`{"post_type":"notice","notice_type":"group_recall"}`, `{"post_type":"notice","notice_type":"group_upload","group_id":1}`,
	`{"post_type":"meta_event","meta_event_type":"heartbeat","interval":-5,"status":7}`, `{"post_type":"request","request_type":"friend"}`,
	`{"status":"ok","retcode":0,"echo":{"a":1}}`, `{"status":"ok","retcode":0,"echo":"nobody","data":null}`, `{"retcode":"x","echo":null}`,
	`{"post_type":"unheard_of"}`,
}

func TestReceive_StrangeFramesHarmNothing(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	for _, frame := range append(strange, `{"post_type":"message","message_type":"private","user_id":20001,"message_id":5,"message":[7,null,{"type":"image"},{"type":"at","data":[]}]}`) {
		s.Raw(frame)
	}
	s.RawBinary([]byte{0, 1, 2})
	s.Poke(ann)
	s.Say(ob.Person(ann), ann, ob.Text("still there?"))
	require.Eventually(t, func() bool {
		got := i.all()
		return len(got) > 0 && got[len(got)-1].Text == "still there?"
	}, patience, 5*time.Millisecond)
	require.Equal(t, 1, s.Dials())
	for _, e := range i.all()[:len(i.all())-1] {
		require.Len(t, e.Attachments, 1, "only the message with an image that nobody can fetch is one")
	}
}

func TestReceive_WhatTheBotSaysItselfIsNotReceived(t *testing.T) {
	s := newServer(t, ob.Options{Echoes: true})
	a, i := connected(t, s)
	_, err := a.Send(t.Context(), inGroup(""), text("k", "mine"))
	require.NoError(t, err)
	s.Say(ob.Group(group), bot, ob.Text("written on the phone of the account"))
	s.Say(ob.Group(group), ann, ob.Text("theirs"))
	require.Equal(t, "theirs", i.next(t, 1).Text)
	require.Len(t, i.all(), 1)
}

func TestReceive_TheFilesOfAQuotedMessageComeAlong(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, i := connected(t, s)
	for n, file := range []ob.Segment{
		s.File("image", "a.png", []byte("png")), s.File("file", "b.txt", []byte("txt")), s.File("record", "v", []byte("amr")), s.File("video", "v.mp4", []byte("mp4")),
	} {
		shown := s.Say(ob.Group(group), bob, file)
		s.Say(ob.Group(group), ann, ob.Reply(shown), ob.At(bot), ob.Text(" what is this?"))
		e := i.next(t, 2*n+2)
		require.Len(t, e.Attachments, 1)
		require.Equal(t, i.all()[2*n].ID, e.Attachments[0].Of)
		body, err := a.(channel.Fetcher).Fetch(t.Context(), e.Attachments[0].Of, e.Attachments[0])
		require.NoError(t, err)
		raw, err := io.ReadAll(body)
		require.NoError(t, err)
		require.NoError(t, body.Close())
		require.Equal(t, []string{"png", "txt", "amr", "mp4"}[n], string(raw))
	}
	sound(t, s)
}

func TestReceive_AQuotedMessageThatIsGoneIsSaidToBeThere(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	s.Say(ob.Group(group), ann, ob.Reply(4711), ob.Text("what is this?"))
	require.Equal(t, &chat.Quote{Text: chat.Unread}, i.next(t, 1).Quote)
}
