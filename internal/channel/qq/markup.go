package qq

import (
	"regexp"
	"strings"
)

// calling is what QQ may read as a mark in a text, whoever has written it: <qqbot-at-everyone />, <qqbot-at-user id="…" />, <@!all>,
// <@ID>, <#ID>, and @everyone. The platform's documents and its behaviour differ about where each of them works (a program that tried
// them saw @everyone taken in groups and direct chats, and refused in guilds), so that none is left anywhere, code included.
var calling = regexp.MustCompile(`(?i)(<|&lt;?|&#0*60;?|&#x0*3c;?)(\s*/?\s*(?:qqbot|@|#|!))|(@)(\s*everyone|\s*all\b|\s*here\b|\s*全[体部]成员|\s*所有人)`)

// inert takes the force out of such marks, by a space of no width behind the character that begins them: what a model writes must
// not call anybody, and least of all everybody.
func inert(text string) string {
	return calling.ReplaceAllString(text, "$1$3\u200b$2$4")
}

// mark is how the mention of somebody is written.
func (s spot) mark(id, name string) string {
	switch {
	case strings.ContainsAny(id, "<>\"\r\n"):
		return inert("@" + name)
	case s.scene == guild:
		return "<@!" + id + ">"
	}
	return `<qqbot-at-user id="` + id + `" />`
}
