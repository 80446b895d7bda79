package channeltest

import (
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

var accountClaims = []Claim{
	{"the bot learns who it is and that nothing is missing", nil, identifies},
	{"a wrong secret ends the account and its check", []Ability{Credentials}, deniesWrongSecret},
	{"what the platform permits is told", nil, hasTraits},
}

func identifies(b *bench) {
	var account channel.Account
	if b.has(Reach) {
		account = b.Open(b)
	} else {
		account = b.run().account
	}
	who, problems, err := account.Check(b.within())
	require.NoError(b, err)
	require.NotEmpty(b, who.ID)
	require.Empty(b, problems)
}

func deniesWrongSecret(b *bench) {
	account := b.OpenWrong(b)
	_, problems, err := account.Check(b.within())
	if err == nil {
		require.NotEmpty(b, problems, "a wrong secret passed the check")
	} else {
		require.Contains(b, []fault.Kind{fault.Denied, fault.Invalid}, fault.KindOf(err), "%v", err)
	}
	p := b.start(account)
	err = p.ended()
	require.Contains(b, []fault.Kind{fault.Denied, fault.Invalid}, fault.KindOf(err), "%v", err)
	require.False(b, p.connected(), "it reported that it was connected")
}

func hasTraits(b *bench) {
	account := b.Open(b)
	traits := account.Traits()
	require.GreaterOrEqual(b, traits.MaxText, 100)
	require.Contains(b, []channel.Dialect{channel.Markdown, channel.Card, channel.Plain}, traits.Dialect)
	if b.has(Outbound) {
		require.Positive(b, traits.MaxFile)
	}
	if e, ok := account.(channel.Editor); ok {
		require.GreaterOrEqual(b, e.EditEvery(), time.Duration(0))
	}
	_, finds := account.(channel.Finder)
	answer := channel.TraitsAt(account, channel.Address{ChatType: chat.ChatDirect, Chat: "chat", Peer: "peer", ReplyTo: "message"})
	require.Equal(b, b.has(Certainty), finds || answer.Window > 0, "an uncertain answer can be made certain by a window or a Finder")
}

var receiveClaims = []Claim{
	{"what a person writes arrives as it was written", nil, receivesDirect},
	{"a mention in a group arrives as one", []Ability{Groups}, receivesMention},
	{"what does not mention the bot in a group arrives as such", []Ability{Groups, Overhearing}, overhears},
	{"a thread is told from its group", []Ability{Groups, Threads}, tellsThreads},
	{"people are told apart", []Ability{Groups}, tellsPeople},
	{"people are called by their names", []Ability{Groups, Names}, tellsNames},
	{"an answer to a message says to which", []Ability{Quotes}, tellsQuotes},
	{"text of any kind arrives whole", nil, receivesAnyText},
}

func receivesDirect(b *bench) {
	p, before := b.run(), time.Now()
	e, _ := p.arrive(Written{Where: Direct, Text: "hello there"})
	require.Equal(b, "hello there", e.Text)
	require.Equal(b, chat.ChatDirect, e.ChatType)
	require.False(b, e.Answers)
	require.WithinRange(b, e.SentAt, before.Add(-2*time.Second), time.Now().Add(time.Second), "by the platform's clock")
	b.wait(func() bool {
		return slices.ContainsFunc(p.reports(), func(s channel.Status) bool { return s.Connected && !s.Event.IsZero() && s.Lag < time.Minute })
	}, "no report of the event")
}

func receivesMention(b *bench) {
	p := b.run()
	e, _ := p.arrive(Written{Where: Group, Text: "what is new?", Mention: true})
	require.Equal(b, "what is new?", e.Text, "without the mention of the bot")
	require.NotEqual(b, chat.ChatDirect, e.ChatType)
	require.True(b, e.Mentioned)
	require.Empty(b, e.Mentions, "the bot itself is not among the others")
	require.Empty(b, e.Thread)
	again, _ := p.arrive(Written{Where: Group, Text: "and now?", Mention: true})
	require.Equal(b, e.Chat, again.Chat)
}

func overhears(b *bench) {
	e, _ := b.run().arrive(Written{Where: Group, Text: "lunch?"})
	require.Equal(b, "lunch?", e.Text)
	require.False(b, e.Mentioned)
	require.False(b, e.Answers)
}

func tellsThreads(b *bench) {
	p := b.run()
	group, _ := p.arrive(say(Group, "in the group"))
	one, _ := p.arrive(say(Thread, "in the thread"))
	two, _ := p.arrive(say(Thread, "in it again"))
	require.Equal(b, group.Chat, one.Chat)
	require.NotEmpty(b, one.Thread)
	require.Equal(b, one.Thread, two.Thread)
}

func tellsPeople(b *bench) {
	p := b.run()
	w := say(Group, "it is me")
	mine, _ := p.arrive(w)
	w.Who = 1
	theirs, _ := p.arrive(w)
	again, _ := p.arrive(w)
	require.NotEqual(b, mine.Sender.ID, theirs.Sender.ID)
	require.Equal(b, theirs.Sender.ID, again.Sender.ID)
}

func tellsNames(b *bench) {
	p := b.run()
	w := say(Group, "look at this")
	w.Who = 1
	other, _ := p.arrive(w)
	require.NotEmpty(b, other.Sender.Name)
	w.Who, w.Other = 0, true
	e, _ := p.arrive(w)
	require.NotEqual(b, other.Sender.Name, e.Sender.Name)
	require.Len(b, e.Mentions, 1)
	require.Equal(b, other.Sender, e.Mentions[0])
	require.Contains(b, e.Text, "@"+other.Sender.Name)
	require.Contains(b, e.Text, "look at this")
}

func tellsQuotes(b *bench) {
	p := b.run()
	first, id := p.arrive(Written{Where: Direct, Text: "the first"})
	sent, err := p.account.Send(b.within(), answerTo(first), channel.Message{Key: "quoted", Text: "the answer", Seq: 1})
	require.NoError(b, err)
	toBot, _ := p.arrive(Written{Where: Direct, Text: "why?", Answers: sent.ID})
	require.True(b, toBot.Answers, "it answers to the bot")
	require.NotEmpty(b, toBot.Parent)
	require.NotNil(b, toBot.Quote)
	require.Contains(b, toBot.Quote.Text, "the answer")
	toPerson, _ := p.arrive(Written{Where: Direct, Text: "I meant this", Answers: id})
	require.False(b, toPerson.Answers, "it answers to a person")
	require.Equal(b, first.ID, toPerson.Parent)
	require.NotNil(b, toPerson.Quote)
	require.Contains(b, toPerson.Quote.Text, "the first")
}

func receivesAnyText(b *bench) {
	p := b.run()
	for _, text := range []string{
		"你好，世界", "two\nlines", "👩‍👩‍👧‍👦 and e\u0301", `quotes " and \ and {"json":true}`, "<b>a & b</b> &amp; [x](y) [CQ:at,qq=1]",
		"@nobody and @_user_9 and @all in plain words", "/status", strings.TrimSpace(strings.Repeat("long ", 1500)),
	} {
		e, _ := p.arrive(Written{Where: Direct, Text: text})
		require.Equal(b, text, e.Text)
	}
}
