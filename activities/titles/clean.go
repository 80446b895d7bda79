package titles

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/chat"
)

// maxRead bounds what is looked at of an answer, in bytes.
const maxRead = 16 << 10

var (
	// thought is what models think aloud; where the end of it is missing, the rest is thought.
	thought = regexp.MustCompile(`(?is)<think(?:ing)?>.*?(?:</think(?:ing)?>|\z)`)
	// link is a link of Markdown, of which the words stay.
	link = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	// tag is one of HTML.
	tag = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
	// label is a prefix that models write before a title in spite of their instructions.
	label = regexp.MustCompile(`(?i)^(?:title|titel|titre|título|标题|標題|タイトル)\s*[:：]\s*`)
	// list begins a line that is an item, a heading or a quotation.
	list = regexp.MustCompile(`^(?:[-+*•>]|#{1,6}|\d{1,3}[.)])\s+`)
)

// Marks around and behind a title that are no part of it. A question mark is.
const (
	around = "\"'`*_~“”„‟‘’‚«»‹›「」『』《》〈〉 "
	behind = ".。．,，;；:：…、"
)

// Clean makes a title of what a model answered: its first line with words, without what it thought, Markdown, quotation marks, a full
// stop and characters that show nothing, at most chat.MaxTitle characters long. Empty: there was no title in it.
func Clean(text string) string {
	if len(text) > maxRead {
		text = text[:maxRead]
	}
	text = thought.ReplaceAllString(strings.ToValidUTF8(text, ""), "\n")
	for line := range strings.FieldsFuncSeq(text, isBreak) {
		if title := cleanLine(line); title != "" {
			return shorten(title)
		}
	}
	return ""
}

// isBreak reports whether a line ends at a character.
func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

func cleanLine(line string) string {
	line = strings.Join(strings.Fields(strings.Map(shown, line)), " ")
	line = tag.ReplaceAllString(link.ReplaceAllString(line, "$1"), "")
	line = list.ReplaceAllString(strings.TrimSpace(line), "")
	line = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "").Replace(line)
	line = bare(line)
	line = bare(label.ReplaceAllString(line, ""))
	if !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return ""
	}
	return line
}

// bare takes marks away as long as there are any.
func bare(line string) string {
	for {
		shorter := strings.TrimRight(strings.Trim(line, around), behind)
		if shorter == line {
			return line
		}
		line = shorter
	}
}

// shown turns white space into blanks, and leaves out what shows nothing or turns the direction of what follows.
func shown(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.C, r) || r == utf8.RuneError:
		return -1
	}
	return r
}

// shorten cuts a title to its limit, between two words where there are any.
func shorten(title string) string {
	runes := []rune(title)
	if len(runes) <= chat.MaxTitle {
		return title
	}
	head := string(runes[:chat.MaxTitle-1])
	if at := strings.LastIndexByte(head, ' '); at > len(head)/2 {
		head = head[:at]
	}
	return strings.TrimRight(head, around+behind) + "…"
}
