package channeltest

import (
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
	"xbot/internal/fault"
)

var sendClaims = []Claim{
	{"an answer is shown where the question was asked", nil, answers},
	{"a message that answers nothing is shown", nil, speaksFirst},
	{"an answer in pieces quotes the question once", []Ability{Quotes}, quotesOnce},
	{"messages are shown in the order of their sending", nil, keepsSendOrder},
	{"keys of any form are taken", nil, takesAnyKey},
	{"markup of any kind loses no words", nil, showsMarkup},
	{"nothing that a model writes calls everybody", nil, callsNobody},
	{"whatever a model writes, and wherever it is shown, it calls nobody", nil, callsNobodyInAnyForm},
	{"a text over the limit is refused or shown whole, never cut", nil, cutsNothing},
	{"a long answer is shown whole, in parts that are whole", nil, showsLongText},
	{"answers to one message end where the platform's limit is", nil, boundsReplies},
}

func text(key, body string, seq int) channel.Message {
	return channel.Message{Key: key, Text: body, Seq: seq}
}

func answers(b *bench) {
	p := b.run()
	for _, in := range b.places() {
		e, id := p.arrive(say(in, "question in the "+string(in)))
		sent, err := p.account.Send(b.within(), answerTo(e), text("answer-"+string(in), "The answer in the "+string(in)+".", 1))
		require.NoError(b, err)
		require.NotEmpty(b, sent.ID)
		shown := b.Shown(in)
		require.Len(b, shown, 1, "in the %s", in)
		require.Equal(b, sent.ID, shown[0].ID)
		require.Contains(b, shown[0].Text, "The answer in the "+string(in)+".")
		if b.has(Quotes) {
			require.Contains(b, []string{id, ""}, shown[0].ReplyTo, "it is shown as an answer to something else")
		}
	}
}

func speaksFirst(b *bench) {
	p := b.run()
	for _, in := range b.places()[:min(2, len(b.places()))] {
		e, _ := p.arrive(say(in, "remember where I am"))
		to := answerTo(e)
		to.ReplyTo = ""
		_, err := p.account.Send(b.within(), to, text("first-"+string(in), "By the way.", 0))
		require.NoError(b, err)
		require.Len(b, b.Shown(in), 1, "in the %s", in)
		require.Contains(b, b.Shown(in)[0].Text, "By the way.")
		require.Empty(b, b.Shown(in)[0].ReplyTo)
	}
}

func quotesOnce(b *bench) {
	p := b.run()
	e, _ := p.arrive(say(Direct, "tell me a long story"))
	_, err := p.account.Send(b.within(), answerTo(e), text("story-0", "It begins.", 1))
	require.NoError(b, err)
	next := text("story-1", "It goes on.", 2)
	next.Follows = true
	_, err = p.account.Send(b.within(), answerTo(e), next)
	require.NoError(b, err)
	shown := b.Shown(Direct)
	require.Len(b, shown, 2)
	require.Empty(b, shown[1].ReplyTo, "the question is quoted again")
}

func keepsSendOrder(b *bench) {
	p := b.run()
	e, _ := p.arrive(say(Direct, "count"))
	n := 4
	if limit := channel.TraitsAt(p.account, answerTo(e)).Replies; limit > 0 {
		n = min(n, limit)
	}
	for i := range n {
		_, err := p.account.Send(b.within(), answerTo(e), text(fmt.Sprintf("count-%d", i), fmt.Sprintf("number %d", i), i+1))
		require.NoError(b, err)
	}
	shown := b.Shown(Direct)
	require.Len(b, shown, n)
	for i, s := range shown {
		require.Contains(b, s.Text, fmt.Sprintf("number %d", i))
	}
}

func takesAnyKey(b *bench) {
	p := b.run()
	e, _ := p.arrive(say(Direct, "go"))
	for i, key := range []string{"k", strings.Repeat("k", 50), "A.b_c-9", strings.Repeat("k", 49) + "j"} {
		_, err := p.account.Send(b.within(), answerTo(e), text(key, "said with "+key, i+1))
		require.NoError(b, err)
	}
	require.Len(b, b.Shown(Direct), 4)
}

// rich has a distinct word, such as w07, in every part that must be readable in the result.
const rich = "# w01 heading\n\nw02 **w03** _w04_ ~~w05~~ `w06` [w07](https://example.com/w08).\n\n- w09\n  - w10\n- [ ] w11\n- [x] w12\n\n" +
	"1. w13\n2. w14\n\n> w15\n\n```go\nfunc w16() { return \"<w17>\" }\n```\n\n| w18 | w19 |\n|---|---|\n| w20 | w21 |\n\n" +
	"$$\\frac{w22}{2}$$ and $w23$\n\n---\n\nw24 你好 👩‍👩‍👧‍👦 w25 <w26 & w27> 3 < 4\n"

func showsMarkup(b *bench) {
	p := b.run()
	e, _ := p.arrive(say(Direct, "show me everything"))
	_, err := p.account.Send(b.within(), answerTo(e), text("rich", rich, 1))
	require.NoError(b, err)
	var all strings.Builder
	for _, s := range b.Shown(Direct) {
		all.WriteString(s.Text)
	}
	for i := 1; i <= 27; i++ {
		word := fmt.Sprintf("w%02d", i)
		require.Equal(b, 1, strings.Count(all.String(), word), "%s in %s", word, all.String())
	}
}

// callsForAll are marks by which platforms mention all users of a chat, and similar texts.
var callsForAll = []string{
	`<qqbot-at-everyone />`, `<QQBOT-AT-EVERYONE/>`, `< qqbot-at-everyone >`, `&lt;qqbot-at-everyone /&gt;`, `&#60;qqbot-at-everyone /&#62;`,
	`@everyone`, `@Everyone`, `x@everyone`, `\@everyone`, `<@!all>`, `<@all>`, `<@!everyone>`, "<@\u200ball>", "@全体成员", "@所有人", `@all`,
	`<at user_id="all"></at>`, `<at user_id='all'>x</at>`, `<at id=all></at>`, `<AT ID="all"></AT>`, "<at\nid=all></at>", `<at  user_id = "all" />`, `&lt;at id=all&gt;&lt;/at&gt;`,
	`[CQ:at,qq=all]`, `[CQ:at,type=all,qq=all]`, `&#91;CQ:at,qq=all&#93;`, `@_all`, `@_user_1`, `**@everyone**`, `@**everyone**`, `@ev<!-- -->eryone`, "@`everyone`",
	`[@everyone](https://a.example/)`, `![@everyone](https://a.example/x.png)`, `[x](https://a.example/ "@everyone")`, `<https://a.example/@everyone>`, `<@everyone>`, "<\n@everyone>", `<![](at) id=all></at>`, `<![at]() id=all></at>`,
}

func callsNobody(b *bench) {
	p := b.run()
	lines := strings.Join(callsForAll, "\n\n")
	forms := map[string]string{
		"prose": lines, "code": "```\n" + strings.Join(callsForAll, "\n") + "\n```", "table": "| a | b |\n|---|---|\n| " + strings.Join(callsForAll[:20], " | x |\n| ") + " | x |",
		"inline": "`" + strings.Join(callsForAll[:16], "` `") + "`", "heading": "# " + strings.Join(callsForAll[:16], " "),
	}
	for _, in := range b.places() {
		e, _ := p.arrive(say(in, "call them all"))
		to := answerTo(e)
		to.ReplyTo = ""
		for name, form := range forms {
			m := text("calls-"+string(in)+name, form, 0)
			m.Mentions = map[string]string{"all": "所有人", `x" /><qqbot-at-everyone /`: "Everyone", e.Sender.ID: "everyone"}
			_, err := p.account.Send(b.within(), to, m)
			require.NoError(b, err, name)
		}
		if _, asks := p.account.(channel.Asker); asks {
			q := channel.Question{Text: lines, Title: "@everyone <qqbot-at-everyone /> <at id=all></at>"}
			_, err := p.account.Send(b.within(), to, channel.Message{Key: "calls-card-" + string(in), Card: &q})
			require.NoError(b, err)
		}
		shown := b.Shown(in)
		require.GreaterOrEqual(b, len(shown), len(forms))
		for _, s := range shown {
			require.False(b, s.Calls, "in the %s: %q", in, s.Text)
		}
	}
}

func cutsNothing(b *bench) {
	p := b.run()
	e, _ := p.arrive(say(Direct, "tell me a long story"))
	story := strings.TrimSpace(strings.Repeat("word ", channel.TraitsAt(p.account, answerTo(e)).MaxText/5+200)) + " end."
	_, err := p.account.Send(b.within(), answerTo(e), text("long", story, 1))
	if err != nil {
		require.Contains(b, []fault.Kind{fault.TooLarge, fault.Invalid}, fault.KindOf(err), "%v", err)
		require.False(b, channel.Unknown(err))
		require.Empty(b, b.Shown(Direct))
		return
	}
	words := 0
	for _, s := range b.Shown(Direct) {
		words += strings.Count(s.Text, "word")
	}
	require.Equal(b, strings.Count(story, "word"), words)
}

// longText has numbered lines w0000, w0001 ... in text, code and a table, so that it makes several parts. It respects the
// platform's limit of answers.
func longText(limit, parts int) (body string, words int) {
	var b strings.Builder
	line := func(form string) {
		fmt.Fprintf(&b, form, words)
		words++
	}
	share := limit * (parts - 1) / 3
	for b.Len() < share {
		line("The word of this sentence is w%04d, and it ends here.\n\n")
	}
	b.WriteString("```go\n")
	for b.Len() < 2*share {
		line("\tfmt.Println(\"w%04d\", a < b)\n")
	}
	b.WriteString("```\n\n| head | other |\n|---|---|\n")
	for b.Len() < 3*share {
		line("| w%04d | 格 |\n")
	}
	return b.String(), words
}

func showsLongText(b *bench) {
	p := b.run()
	traits := p.account.Traits()
	e, _ := p.arrive(say(Direct, "tell me everything"))
	body, words := longText(traits.MaxText, 3)
	parts := format.Split(body, traits.Dialect, traits.MaxText)
	require.GreaterOrEqual(b, len(parts), 2)
	to := answerTo(e)
	if traits.Replies > 0 && len(parts) > traits.Replies {
		to.ReplyTo = ""
	}
	for i, part := range parts {
		_, err := p.account.Send(b.within(), to, text(fmt.Sprintf("long-%d", i), part, i+1))
		require.NoError(b, err, "part %d of %d", i+1, len(parts))
	}
	var all strings.Builder
	for _, s := range b.Shown(Direct) {
		all.WriteString(s.Text + "\n")
	}
	last := -1
	for i := range words {
		word := fmt.Sprintf("w%04d", i)
		require.Equal(b, 1, strings.Count(all.String(), word), word)
		at := strings.Index(all.String(), word)
		require.Greater(b, at, last, "%s is not in its place", word)
		last = at
	}
}

func boundsReplies(b *bench) {
	p := b.run()
	e, _ := p.arrive(say(Direct, "go on"))
	traits := channel.TraitsAt(p.account, answerTo(e))
	n := 8
	if traits.Replies > 0 {
		n = traits.Replies
	}
	for i := range n {
		_, err := p.account.Send(b.within(), answerTo(e), text(fmt.Sprintf("bounded-%d", i), fmt.Sprintf("part %d", i), i+1))
		require.NoError(b, err)
	}
	require.Len(b, b.Shown(Direct), n)
	if traits.Replies == 0 {
		return
	}
	require.Greater(b, traits.ReplyWindow, time.Duration(0))
	_, err := p.account.Send(b.within(), answerTo(e), text("over", "one too many", n+1))
	require.Equal(b, fault.Denied, fault.KindOf(err), "%v", err)
	require.False(b, channel.Unknown(err))
	require.Len(b, b.Shown(Direct), n)
}
