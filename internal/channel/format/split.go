package format

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"xbot/internal/channel"
)

// MinSplit is the smallest limit that Split respects.
const MinSplit = 100

// Split cuts an answer into parts of at most limit characters in the dialect; each part is complete Markdown. Code that
// continues in the next part is closed and reopened with its language, tables repeat their heads, and links, formulas,
// inline code, addresses and characters stay whole unless one alone exceeds the limit. Parts end between paragraphs if
// possible, else between lines, sentences, words.
func Split(answer string, d channel.Dialect, limit int) []string {
	answer = strings.ToValidUTF8(strings.ReplaceAll(answer, "\r\n", "\n"), "\uFFFD")
	if utf8.RuneCountInString(answer) <= limit && Size(d, answer) <= limit { // a long one is not read as a whole in vain
		return []string{answer}
	}
	limit = max(limit, MinSplit)
	return splitTo(answer, d, limit, limit)
}

// splitTo cuts with a budget for the Markdown; parts that are larger in the dialect are cut again with a smaller one.
func splitTo(answer string, d channel.Dialect, limit, budget int) (parts []string) {
	for _, part := range cut(answer, budget) {
		switch size := Size(d, part); {
		case size <= limit:
			parts = append(parts, part)
		case budget > 16:
			parts = append(parts, splitTo(part, d, limit, max(16, min(budget*3/4, budget*limit/size)))...)
		default: // only marks that grow: the rendered size counts
			parts = append(parts, chunks(Render(channel.Plain, part), limit/8)...)
		}
	}
	return parts
}

// cut cuts a text into parts of at most budget characters as they are written.
func cut(answer string, budget int) []string {
	c := &cutter{budget: budget}
	for _, b := range blocksOf(answer, budget) {
		c.add(b)
	}
	c.end()
	return c.parts
}

// block is a group of lines.
type block struct {
	lines []string
	// open and shut enclose the parts cut from code, head precedes the parts cut from a table.
	open, shut string
	closed     bool // the last line shuts the code
	head       []string
}

// body returns the lines that are distributed, without fences and heads.
func (b block) body() []string {
	switch {
	case b.closed:
		return b.lines[1 : len(b.lines)-1]
	case b.open != "":
		return b.lines[1:]
	}
	return b.lines[len(b.head):]
}

// reserve returns the size of the end of a part.
func (b block) reserve() int {
	if b.open == "" {
		return 0
	}
	return utf8.RuneCountInString(b.shut) + 1
}

func (b block) size() int {
	n := 0
	for _, line := range b.lines {
		n += utf8.RuneCountInString(line) + 1
	}
	return n
}

var (
	fence = regexp.MustCompile("^([ >]{0,12}(?:[-*+] +|\\d{1,9}[.)] +)?)(`{3,10}|~{3,10})([^`]*)$")
	rule  = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$`)
)

// blocksOf finds the blocks of an answer: code, tables, paragraphs. Empty lines are blocks, too.
func blocksOf(answer string, budget int) (all []block) {
	lines := strings.Split(answer, "\n")
	for i := 0; i < len(lines); {
		var b block
		n := 1
		switch open := fence.FindStringSubmatch(lines[i]); {
		case open != nil:
			n, b.closed = codeLines(lines[i:], open[2])
			b.open, b.shut = reopened(open), strings.Map(keepQuote, open[1])+open[2]
			if 2*(len(b.open)+len(b.shut)) > budget {
				b.open, b.shut, b.closed = "", "", false
			}
		case i+1 < len(lines) && strings.Contains(lines[i], "|") && strings.Contains(lines[i+1], "-") && rule.MatchString(lines[i+1]):
			n = 2 + run(lines[i+2:], func(line string) bool { return strings.Contains(line, "|") })
			if len(lines[i])+len(lines[i+1]) < budget/2 {
				b.head = lines[i : i+2]
			}
		case strings.TrimSpace(lines[i]) != "":
			n = 1 + run(lines[i+1:], func(line string) bool {
				return strings.TrimSpace(line) != "" && !fence.MatchString(line) && !strings.Contains(line, "|")
			})
		}
		b.lines = lines[i : i+n]
		all = append(all, b)
		i += n
	}
	return all
}

// keepQuote turns the bullet before a fence into blanks, so that what follows stays in its item.
func keepQuote(r rune) rune {
	if r == '>' {
		return r
	}
	return ' '
}

// reopened returns the line that code continues with.
func reopened(open []string) string {
	info := strings.TrimSpace(open[3])
	if utf8.RuneCountInString(info) > 40 {
		info = ""
	}
	return strings.Map(keepQuote, open[1]) + open[2] + info
}

// codeLines counts the lines of code with their fences; without a closing one it goes to the end.
func codeLines(lines []string, mark string) (n int, closed bool) {
	for i, line := range lines[1:] {
		line = strings.Trim(line, " >")
		if len(line) >= len(mark) && strings.Trim(line, mark[:1]) == "" {
			return i + 2, true
		}
	}
	return len(lines), false
}

func run(lines []string, belongs func(string) bool) int {
	for i, line := range lines {
		if !belongs(line) {
			return i
		}
	}
	return len(lines)
}

// cutter fills parts one after another.
type cutter struct {
	budget int
	parts  []string
	lines  []string
	size   int
	fresh  int // so many lines of the part hold nothing of the block that is poured
}

// add puts a block into the part, or begins another one.
func (c *cutter) add(b block) {
	size := b.size()
	if c.size+size <= c.budget+1 {
		c.put(b.lines...)
		return
	}
	if size <= c.budget+1 || c.size > c.budget*2/3 {
		c.next()
	}
	if c.size+size <= c.budget+1 {
		c.put(b.lines...)
		return
	}
	if c.size+len(b.open)+b.reserve() > c.budget*3/4 {
		c.next()
	}
	c.pour(b)
}

// pour puts the lines of a block into as many parts as it needs.
func (c *cutter) pour(b block) {
	if b.open != "" {
		c.put(b.lines[0])
	}
	c.put(b.head...)
	c.fresh = len(c.lines)
	for _, line := range b.body() {
		c.pourLine(b, line)
	}
	if b.open != "" {
		c.put(b.shut)
	}
}

func (c *cutter) pourLine(b block, line string) {
	for {
		size, room := utf8.RuneCountInString(line), c.budget-c.size-b.reserve()
		if size <= room {
			c.put(line)
			return
		}
		if len(c.lines) > c.fresh && (size <= c.budget/2 || room < c.budget/3) {
			c.turn(b)
			continue
		}
		broken := softBreak
		if b.open != "" {
			broken = hardBreak
		}
		piece, rest := broken(line, max(1, room))
		c.put(piece)
		if line = rest; line == "" {
			return
		}
		c.turn(b)
	}
}

// turn continues a block in the next part.
func (c *cutter) turn(b block) {
	if b.open != "" {
		c.put(b.shut)
	}
	c.end()
	if b.open != "" {
		c.put(b.open)
	}
	c.put(b.head...)
	c.fresh = len(c.lines)
}

func (c *cutter) put(lines ...string) {
	for _, line := range lines {
		c.lines = append(c.lines, line)
		c.size += utf8.RuneCountInString(line) + 1
	}
}

// next ends the part, but for a heading at its end, which goes with what follows.
func (c *cutter) next() {
	var heading []string
	last := len(c.lines)
	for last > 0 && strings.TrimSpace(c.lines[last-1]) == "" {
		last--
	}
	if last > 1 && strings.HasPrefix(c.lines[last-1], "#") && utf8.RuneCountInString(c.lines[last-1]) < c.budget/4 {
		heading = append(heading, c.lines[last-1:]...)
		c.lines = c.lines[:last-1]
	}
	c.end()
	c.put(heading...)
}

// end ends the part. Empty lines at its ends are no part of it.
func (c *cutter) end() {
	lines := c.lines
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > 0 {
		c.parts = append(c.parts, strings.Join(lines, "\n"))
	}
	c.lines, c.size = nil, 0
}

// atoms are pieces of a line that stay whole, besides words, code and blanks: links, formulas, emphasis, addresses, mentions.
var atoms = regexp.MustCompile(`^(?:!?\[[^\[\]]*\]\((?:[^()\s]|\([^()\s]*\))*\)|\$[^$\s](?:[^$]*[^$\s])?\$|\*\*[^*]+\*\*|~~[^~]+~~|https?://[^\s<>]+|@[^\s@]{1,40})`)

// softBreak takes a piece of at most room characters off a line: it ends after a sentence, else after a word, else anywhere
// between characters. The blanks at the break are dropped.
func softBreak(line string, room int) (piece, rest string) {
	size, at, word, sentence := 0, 0, 0, 0
	for at < len(line) {
		n := atomAt(line[at:], room)
		size += utf8.RuneCountInString(line[at : at+n])
		if size > room {
			break
		}
		at += n
		if between(line[:at], line[at:]) {
			word = at
		}
		if endsSentence(line[:at]) {
			sentence = at
		}
	}
	switch {
	case utf8.RuneCountInString(line[:sentence]) > room/2:
		at = sentence
	case word > 0:
		at = word
	case at == 0:
		return hardBreak(line, room)
	}
	return strings.TrimRight(line[:at], " "), strings.TrimLeft(line[at:], " ")
}

// atomAt returns the length of the piece that a text begins with, which is not cut if it fits into one part. It looks at most
// room characters ahead, because it is called at every position of a line that may be as long as an answer.
func atomAt(text string, room int) int {
	text = text[:min(len(text), utf8.UTFMax*room)]
	switch text[0] {
	case ' ', '\t':
		return min(room, len(text)-len(strings.TrimLeft(text, " \t")))
	case '`':
		if n := spanAt(text); utf8.RuneCountInString(text[:n]) <= room {
			return n
		}
		return min(room, len(text)-len(strings.TrimLeft(text, "`")))
	}
	if at := atoms.FindStringIndex(text); at != nil && utf8.RuneCountInString(text[:at[1]]) <= room {
		return at[1]
	}
	n, size := 0, 0
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		r, _ := utf8.DecodeRuneInString(g.Value())
		if n > 0 && !joins(r) {
			return n
		}
		if size += utf8.RuneCountInString(g.Value()); size > room {
			break
		}
		n += len(g.Value())
		if !joins(r) {
			return n
		}
	}
	g := displaywidth.StringGraphemes(text)
	g.Next()
	return max(n, len(g.Value()))
}

// spanAt returns the length of code in a line that a text begins with, or of the backticks alone that open none.
func spanAt(text string) int {
	open := len(text) - len(strings.TrimLeft(text, "`"))
	shut := strings.IndexByte(text[open:], '`')
	if shut < 0 {
		return open
	}
	shut += open
	return len(text) - len(strings.TrimLeft(text[shut:], "`"))
}

// between reports whether a line may end between two texts: at a blank, or between characters that make no words, but not
// before punctuation.
func between(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case after == "" || unicode.IsSpace(last) || unicode.IsSpace(next):
		return true
	case unicode.IsPunct(next):
		return false
	}
	return last > 0x2E80 || next > 0x2E80
}

// endsSentence reports whether a text ends with a sentence, and the blank after it where the language has one.
func endsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	if last == ' ' {
		before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " "))
		return strings.ContainsRune(".!?;", before)
	}
	return strings.ContainsRune("。！？；…", last)
}

// hardBreak takes a piece of at most room characters off a line, between characters as displayed.
func hardBreak(line string, room int) (piece, rest string) {
	size, at := 0, 0
	for g := displaywidth.StringGraphemes(line); g.Next(); {
		n := utf8.RuneCountInString(g.Value())
		if size+n > room {
			break
		}
		size, at = size+n, at+len(g.Value())
	}
	if at == 0 { // one character alone is too large
		for range room {
			_, n := utf8.DecodeRuneInString(line[at:])
			at += n
		}
	}
	return line[:at], line[at:]
}

// chunks cuts a text into pieces of at most room characters.
func chunks(text string, room int) (pieces []string) {
	for text != "" {
		var piece string
		piece, text = hardBreak(text, max(1, room))
		pieces = append(pieces, piece)
	}
	return pieces
}
