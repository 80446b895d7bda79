package qq

import (
	"html"
	"regexp"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
	"xbot/internal/i18n"
)

// Kinds of messages, QQ's msg_type.
const (
	kindText     = 0
	kindMarkdown = 2
	kindTyping   = 6
	kindMedia    = 7
)

// draft is a text in the form that is tried next.
type draft struct {
	text     string
	card     *channel.Question // replaces the text
	mentions map[string]string // names by id
	markdown bool
	keyboard *keyboard

	unbuttoned bool // it had buttons
	unlinked   bool // without addresses
}

// wordy returns the draft without buttons.
func (d draft) wordy() draft {
	d.unbuttoned = d.unbuttoned || d.keyboard != nil
	d.keyboard = nil
	return d
}

// says returns the text, that of a card in words.
func (d draft) says() string {
	if d.card == nil {
		return d.text
	}
	return questionText(*d.card, d.keyboard != nil)
}

// body returns the message as the API takes it.
func (d draft) body(s spot, m channel.Message) map[string]any {
	body := map[string]any{}
	if s.replyTo != "" {
		body["msg_id"] = s.replyTo
		if !s.inGuild() {
			body["msg_seq"] = d.seq(m)
		}
	}
	text := d.says()
	if d.unlinked {
		text = withoutLinks(text)
	}
	if d.markdown {
		text = format.Tableless(text) // QQ's Markdown has no tables, and shows their bars literally
	} else {
		text = format.Plain(text)
	}
	text = d.mentioning(s, inert(text))
	switch {
	case d.markdown:
		body["markdown"] = map[string]string{"content": text}
		if !s.inGuild() {
			body["msg_type"] = kindMarkdown
		}
		if d.keyboard != nil {
			body["keyboard"] = d.keyboard
		}
	default:
		body["content"] = text
		if !s.inGuild() {
			body["msg_type"] = kindText
		}
	}
	return body
}

// quotes restores the quotes that html.EscapeString escapes: guilds read only <, > and &.
var quotes = strings.NewReplacer("&#34;", `"`, "&#39;", "'")

// mentioning replaces @name by QQ's marks, and escapes text that guilds would read as such marks.
func (d draft) mentioning(s spot, text string) string {
	dialect := channel.Plain
	if d.markdown {
		dialect = channel.Markdown
	}
	if s.scene == guild && !d.markdown {
		text = quotes.Replace(html.EscapeString(text))
	}
	if s.scene != group && s.scene != guild {
		return text
	}
	return format.Mentions(dialect, text, d.mentions, s.mark)
}

// callTag and callWord match what QQ may read as a mark in a text, by any author: <qqbot-at-everyone />, <qqbot-at-user id="…" />, <@!all>, <@ID>,
// <#ID>, and @everyone. The platform's documents and its behaviour differ about where each of them works (a program that tried them saw @everyone
// taken in groups and direct chats, and refused in guilds), so none is left anywhere, code included.
var (
	callTag  = regexp.MustCompile(`(?i)(<|&lt;?|&#0*60;?|&#x0*3c;?)(\s*/?\s*(?:qqbot|@|#|!))`)
	callWord = regexp.MustCompile(`(?i)@(\s*everyone|\s*all\b|\s*here\b|\s*全[体部]成员|\s*所有人)`)
)

// inert disables such marks, by a space of no width behind the character that begins them: the text of a model must not mention
// users, and least of all everyone. A tag may hold such a word.
func inert(text string) string {
	return callWord.ReplaceAllString(callTag.ReplaceAllString(text, "$1\u200b$2"), "@\u200b$1")
}

// mark returns the mention of a user.
func (s spot) mark(id, name string) string {
	switch {
	case strings.ContainsAny(id, "<>\"\r\n"):
		return inert("@" + name)
	case s.scene == guild:
		return "<@!" + id + ">"
	}
	return `<qqbot-at-user id="` + id + `" />`
}

var (
	titledLink = regexp.MustCompile(`!?\[([^\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"\n]*")?\)`)
	bareLink   = regexp.MustCompile(`(?i)<?\b(?:https?|ftp)://[^\s<>"'“”，。；）)\]]+>?|\bwww\.[^\s<>"'“”，。；）)\]]+`)
	domain     = regexp.MustCompile(`(?i)\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|cn|net|org|io|dev|ai|app|top|xyz|me|co|cc|info|gov|edu|tv|site)\b(?:/[^\s<>"'，。；）)\]]*)?`)
)

// withoutLinks keeps the titles of links, removes their addresses, and adds a remark about it.
func withoutLinks(text string) string {
	lang := i18n.Of(text)
	text = titledLink.ReplaceAllString(text, "$1")
	text = bareLink.ReplaceAllString(text, "[…]")
	text = domain.ReplaceAllString(text, "[…]")
	return strings.TrimSpace(text) + "\n\n" + i18n.Say(lang, i18n.LinksLeftOut)
}
