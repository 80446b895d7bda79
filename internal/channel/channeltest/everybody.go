package channeltest

import (
	"context"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/channel"
	"xbot/internal/channel/card"
	"xbot/internal/fault"
)

// glue are texts that a writer may put between the letters of a mark so that a rendering removes them and leaves the mark.
var glue = []string{
	"", "", " ", "\n", "\t", "\r", "\u200b", "\u00ad", "\x00", "\\", "*", "**", "_", "__", "~~", "`", "``", "|", "![](", "![", "](", "[", ")", "()", "[]()",
	"![](https://a.example/x.png)", "[x](https://a.example)", "<!-- -->", "<b>", "</b>", "<br>", "&lt;", "&#60;", "&#x3c;", "&amp;", "&nbsp;", "<", ">", "/>", "@", "\"", "'",
}

// words are the words of marks, from which others can be composed.
var words = []string{
	"<", "at", " id=", "all", ">", "</at>", "\"", "<at id=all>", " user_id=\"all\"", "@", "everyone", "here", "全体成员", "所有人", "qqbot-at-", "/>", "<@", "!", "[CQ:at,qq=", "]", "&lt;",
	"@_all", "\x00all\x00", "at id=all", "](", "![](at) id=all>", "![at](",
}

// forms are the contexts that a mark may occur in.
var forms = []string{
	"%", "# %", "> %", "* %", "1. %", "`%`", "```\n%\n```", "~~~\n%\n~~~", "\n\n    %", "| a | b |\n|---|---|\n| % | % |", "[%](https://a.example)", "![%](https://a.example/x.png)",
	"[x](https://a.example/ \"%\")", "**%**", "~~%~~", "<%>", "![](%)", "[%][%]\n\n[%]: %", "<b>%</b>", "\\%",
}

// hostile returns a text that tries to mention all users.
func hostile(t *rapid.T, label string) string {
	fragment := rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom(callsForAll).Draw(t, "mark")
		case 1:
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(words, glue...)), 2, 8).Draw(t, "words"), "")
		}
		mark := []rune(rapid.SampledFrom(callsForAll).Draw(t, "mark"))
		var b strings.Builder
		for at := 0; at < len(mark); {
			next := min(len(mark), at+rapid.IntRange(1, len(mark)).Draw(t, "letters"))
			b.WriteString(string(mark[at:next]) + rapid.SampledFrom(glue).Draw(t, "glue"))
			at = next
		}
		return b.String()
	})
	said := strings.Join(rapid.SliceOfN(fragment, 1, 4).Draw(t, label), rapid.SampledFrom([]string{"", " ", "\n", "\n\n"}).Draw(t, "between"))
	return "x " + strings.ReplaceAll(rapid.SampledFrom(forms).Draw(t, "form"), "%", said)
}

// callsNobodyInAnyForm draws texts that a model may write, and shows each in every form that the account has.
func callsNobodyInAnyForm(b *bench) {
	p := b.run()
	where := b.places()
	to := map[Where]channel.Address{}
	for _, in := range where {
		e, _ := p.arrive(say(in, "call them all"))
		to[in] = answerTo(e)
		a := to[in]
		a.ReplyTo = ""
		to[in] = a
	}
	n := 0
	rapid.Check(b.TB, func(t *rapid.T) {
		n++
		in := rapid.SampledFrom(where).Draw(t, "where")
		w := writer{T: t, account: p.account, to: to[in], ctx: b.within(), n: n}
		before := len(b.Shown(in))
		switch n % 3 {
		case 0:
			w.texts()
		case 1:
			w.cards()
		default:
			w.changes()
		}
		shown := b.Shown(in)
		require.GreaterOrEqual(t, len(shown), before)
		for _, s := range shown[before:] {
			require.False(t, s.Calls, "in the %s: %q", in, s.Text)
		}
	})
}

// writer shows the drawn texts.
type writer struct {
	*rapid.T

	account channel.Account
	to      channel.Address
	ctx     context.Context
	n       int
}

// send sends a message. An empty or too long message is refused.
func (w writer) send(name string, m channel.Message) (channel.Sent, bool) {
	m.Key = fmt.Sprintf("every-%s-%d", name, w.n)
	sent, err := w.account.Send(w.ctx, w.to, m)
	return sent, w.took(err)
}

// took reports whether something was shown; its content may be refused.
func (w writer) took(err error) bool {
	if err != nil {
		require.Contains(w, []fault.Kind{fault.Invalid, fault.TooLarge}, fault.KindOf(err), "%v", err)
	}
	return err == nil
}

func (w writer) texts() {
	name := hostile(w.T, "name")
	w.send("text", channel.Message{Text: hostile(w.T, "text"), Mentions: map[string]string{"all": "所有人", `x" /><qqbot-at-everyone /`: "Everyone", name: "x"}})
	w.send("folded", channel.Message{Text: "x " + hostile(w.T, "summary"), Folded: hostile(w.T, "folded")})
	w.send("file", channel.Message{File: &channel.File{Name: hostile(w.T, "file") + ".txt", Type: "text/plain", Data: []byte("x")}})
}

// cards are questions, and what they are answered with.
func (w writer) cards() {
	asker, asks := w.account.(channel.Asker)
	if !asks && !channel.TraitsAt(w.account, w.to).Buttons {
		return
	}
	q := channel.Question{
		ID: "turn.1.1", Title: hostile(w.T, "title"), Text: hostile(w.T, "question"),
		Fields:  []channel.Field{{Name: "f", Label: hostile(w.T, "label"), Options: []string{hostile(w.T, "option"), "b"}}},
		Buttons: []channel.Button{{Name: "send", Label: hostile(w.T, "button")}},
	}
	if rapid.Bool().Draw(w.T, "buttons alone") {
		q.Fields = nil
	}
	if rapid.Bool().Draw(w.T, "designed") {
		q.Design = &card.Card{Title: hostile(w.T, "card"), Subtitle: hostile(w.T, "subtitle"), Elements: []card.Element{
			{Kind: card.Markdown, Text: hostile(w.T, "markdown")},
			{Kind: card.Table, Columns: []string{hostile(w.T, "head")}, Rows: [][]string{{hostile(w.T, "cell")}}},
			{Kind: card.Form, Name: "f"}, {Kind: card.Select, In: "f", Name: "s", Text: hostile(w.T, "field"), Options: []string{hostile(w.T, "choice")}},
			{Kind: card.Checker, In: "f", Name: "c", Text: hostile(w.T, "box")},
			{Kind: card.Button, In: "f", Text: hostile(w.T, "send")}, {Kind: card.Button, In: "f", Text: hostile(w.T, "link"), URL: "https://a.example"},
			{Kind: card.Panel, Name: "p", Text: hostile(w.T, "panel")}, {Kind: card.Person, In: "p", People: []string{hostile(w.T, "person")}},
			{Kind: card.Columns, Name: "two", Count: 2}, {Kind: card.People, In: "two", Column: 2, People: []string{"所有人", hostile(w.T, "people")}},
			{Kind: card.Image, Text: hostile(w.T, "picture"), Files: []string{"/p/1.png"}}, {Kind: card.Images, Files: []string{"/p/1.png", "/p/" + hostile(w.T, "file")}},
			{Kind: card.Area, Name: "a", Text: hostile(w.T, "area")}, {Kind: card.Overflow, Options: []string{hostile(w.T, "entry")}},
			{Kind: card.Chart, Chart: "bar", Text: hostile(w.T, "chart"), Columns: []string{"x", hostile(w.T, "series")}, Rows: [][]string{{hostile(w.T, "point"), "1"}}},
		}}
	}
	sent, ok := w.send("card", channel.Message{Card: &q, Mentions: map[string]string{"all": "所有人"}})
	if ok && asks {
		w.took(asker.Settle(w.ctx, w.to, sent.ID, q, hostile(w.T, "answer")))
	}
}

// changes are edits, and an answer that is seen while it is written.
func (w writer) changes() {
	if editor, edits := w.account.(channel.Editor); edits {
		if sent, ok := w.send("edited", channel.Message{Text: "x"}); ok {
			w.took(editor.Edit(w.ctx, w.to, sent.ID, channel.Message{Key: "edit", Text: hostile(w.T, "edit")}))
		}
	}
	streamer, streams := w.account.(channel.Streamer)
	if !streams {
		return
	}
	stream, err := streamer.Stream(w.ctx, w.to, channel.Message{Key: fmt.Sprint("every-stream-", w.n), Text: hostile(w.T, "begin")})
	if !w.took(err) {
		return
	}
	w.took(stream.Put(w.ctx, hostile(w.T, "put"), 1))
	if rapid.Bool().Draw(w.T, "ends") {
		w.took(stream.End(w.ctx, channel.Message{Key: "end", Text: hostile(w.T, "end")}, 2))
	}
}
