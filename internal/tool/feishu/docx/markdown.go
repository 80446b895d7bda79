package docx

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	larkdocx "github.com/larksuite/oapi-sdk-go/v3/service/docx/v1"

	"xbot/internal/channel/markdown"
	"xbot/internal/tool/feishu"
)

// Bounds of a document that is shown as Markdown.
const (
	maxText  = 1 << 20 // bytes
	maxCode  = 1000    // bytes of code in a line that is marked as such
	maxDepth = 16      // blocks in blocks
	maxCells = 10_000  // of a table
)

// Markdown shows blocks, each once, where its parent first names it. Content that is not text is in brackets. Texts are not
// escaped: they are for reading.
func Markdown(blocks []*larkdocx.Block) string {
	w := &writer{of: make(map[string]*larkdocx.Block, len(blocks)), seen: map[string]bool{}}
	order := make([]string, 0, len(blocks))
	for _, b := range blocks {
		if b == nil || w.of[feishu.Text(b.BlockId)] != nil {
			continue
		}
		id := feishu.Text(b.BlockId)
		w.of[id], order = b, append(order, id)
	}
	return w.all(order, 0)
}

type writer struct {
	of   map[string]*larkdocx.Block
	seen map[string]bool
}

// all shows blocks one below the other. Items of a list have no blank line between them.
func (w *writer) all(ids []string, depth int) string {
	if depth > maxDepth {
		return ""
	}
	var out strings.Builder
	number, before := 0, ""
	for _, id := range ids {
		b := w.of[id]
		if b == nil || w.seen[id] || out.Len() > maxText {
			continue
		}
		w.seen[id] = true
		if b.Ordered == nil {
			number = 0
		} else {
			number = next(number, b.Ordered.Style)
		}
		text, list := w.one(b, number, depth)
		if text = strings.TrimRight(text, " \n"); text == "" {
			continue
		}
		switch {
		case out.Len() == 0:
		case list != "" && list == before:
			out.WriteString("\n")
		default:
			out.WriteString("\n\n")
		}
		out.WriteString(text)
		before = list
	}
	return cut(out.String())
}

// next returns the number of an item: it continues, or begins with the document's number.
func next(number int, style *larkdocx.TextStyle) int {
	if style != nil {
		if n, err := strconv.Atoi(feishu.Text(style.Sequence)); err == nil && n >= 0 {
			return n
		}
	}
	return number + 1
}

// one shows a block with its children; list names the kind of list that it is an item of.
func (w *writer) one(b *larkdocx.Block, number, depth int) (text, list string) {
	inside := func() string { return w.all(b.Children, depth+1) }
	switch {
	case b.Table != nil:
		return w.table(b.Table, depth), ""
	case b.Bullet != nil:
		return item("- ", inline(b.Bullet), inside()), "bullet"
	case b.Ordered != nil:
		return item(strconv.Itoa(number)+". ", inline(b.Ordered), inside()), "ordered"
	case b.Todo != nil:
		box := "- [ ] "
		if b.Todo.Style != nil && feishu.True(b.Todo.Style.Done) {
			box = "- [x] "
		}
		return item(box, inline(b.Todo), inside()), "todo"
	case b.Code != nil:
		return markdown.Block(plain(b.Code)), ""
	case b.Quote != nil:
		return prefixed("> ", "> ", below(inline(b.Quote), inside())), ""
	case b.Callout != nil, b.QuoteContainer != nil:
		return prefixed("> ", "> ", inside()), ""
	}
	if level, heading := headed(b); heading != nil {
		title := strings.Join(strings.Fields(inline(heading)), " ")
		if title != "" {
			title = strings.Repeat("#", level) + " " + title
		}
		return below(title, inside()), ""
	}
	return below(alone(b), inside()), ""
}

// headed returns the level of a heading; the title of the document is the first.
func headed(b *larkdocx.Block) (level int, text *larkdocx.Text) {
	for i, t := range []*larkdocx.Text{b.Page, b.Heading1, b.Heading2, b.Heading3, b.Heading4, b.Heading5, b.Heading6, b.Heading7, b.Heading8, b.Heading9} {
		if t != nil {
			return min(max(i, 1), 6), t
		}
	}
	return 0, nil
}

// alone shows a block that is no part of a list.
func alone(b *larkdocx.Block) string {
	switch {
	case b.Text != nil:
		return inline(b.Text)
	case b.Equation != nil:
		return "$$\n" + plain(b.Equation) + "\n$$"
	case b.Divider != nil:
		return "---"
	case b.Image != nil:
		return "[picture]"
	case b.File != nil:
		return "[file " + feishu.Text(b.File.Name) + "]"
	case b.Bitable != nil:
		return "[base " + feishu.Text(b.Bitable.Token) + "]"
	case b.Sheet != nil:
		return "[sheet " + feishu.Text(b.Sheet.Token) + "]"
	}
	return ""
}

// table shows the cells in rows, the first of which is the head.
func (w *writer) table(t *larkdocx.Table, depth int) string {
	columns := 1
	if t.Property != nil && t.Property.ColumnSize != nil {
		columns = min(max(*t.Property.ColumnSize, 1), 100)
	}
	var out strings.Builder
	for i, id := range t.Cells[:min(len(t.Cells), maxCells)] {
		text := ""
		if b := w.of[id]; b != nil && !w.seen[id] {
			w.seen[id] = true
			text = w.all(b.Children, depth+1)
		}
		out.WriteString("| " + inCell.Replace(text) + " ")
		if (i+1)%columns == 0 {
			out.WriteString("|\n")
		}
		if i+1 == columns {
			out.WriteString(strings.Repeat("| --- ", columns) + "|\n")
		}
		if out.Len() > maxText {
			break
		}
	}
	return cut(out.String())
}

var inCell = strings.NewReplacer("\r", "", "\n", "<br>", "|", `\|`)

// item returns an item of a list, with its content indented.
func item(mark, text, inside string) string {
	if inside != "" {
		text += "\n" + inside
	}
	if text == "" {
		return strings.TrimRight(mark, " ")
	}
	return prefixed(mark, strings.Repeat(" ", len(strings.TrimSuffix(mark, "[ ] "))), text)
}

// prefixed puts something before the first line, and something before the others.
func prefixed(first, others, text string) string {
	if text == "" {
		return ""
	}
	return cut(first + strings.ReplaceAll(text, "\n", "\n"+others))
}

func below(text, inside string) string {
	if text == "" || inside == "" {
		return text + inside
	}
	return text + "\n\n" + inside
}

// inline returns the text of a block with its emphasis, code and links.
func inline(t *larkdocx.Text) string {
	var out strings.Builder
	for _, e := range t.Elements {
		switch {
		case e == nil || out.Len() > maxText:
		case e.TextRun != nil:
			out.WriteString(styled(feishu.Text(e.TextRun.Content), e.TextRun.TextElementStyle))
		case e.MentionDoc != nil:
			out.WriteString(linked(feishu.Text(e.MentionDoc.Title), feishu.Text(e.MentionDoc.Url)))
		case e.MentionUser != nil:
			out.WriteString("@" + feishu.Text(e.MentionUser.UserId))
		case e.Equation != nil:
			out.WriteString("$" + strings.TrimSpace(feishu.Text(e.Equation.Content)) + "$")
		}
	}
	return cut(out.String())
}

// plain returns the text of a block as it was written.
func plain(t *larkdocx.Text) string {
	var out strings.Builder
	for _, e := range t.Elements {
		switch {
		case e == nil || out.Len() > maxText:
		case e.TextRun != nil:
			out.WriteString(feishu.Text(e.TextRun.Content))
		case e.Equation != nil:
			out.WriteString(feishu.Text(e.Equation.Content))
		}
	}
	return cut(out.String())
}

func styled(text string, s *larkdocx.TextElementStyle) string {
	word := strings.TrimSpace(text)
	if s == nil || word == "" {
		return text
	}
	from := strings.Index(text, word)
	before, after := text[:from], text[from+len(word):]
	if feishu.True(s.InlineCode) && len(word) <= maxCode {
		word = markdown.Code(word)
	}
	for _, mark := range []struct {
		on   *bool
		sign string
	}{{s.Bold, "**"}, {s.Italic, "*"}, {s.Strikethrough, "~~"}} {
		if feishu.True(mark.on) {
			word = mark.sign + word + mark.sign
		}
	}
	if s.Link != nil {
		word = linked(word, feishu.Text(s.Link.Url))
	}
	return before + word + after
}

// linked returns a link. Feishu escapes the address whole.
func linked(text, address string) string {
	if plain, err := url.QueryUnescape(address); err == nil && strings.Contains(address, "%3A%2F%2F") {
		address = plain
	}
	if address == "" || len(address) > 2000 || !utf8.ValidString(address) || strings.ContainsAny(address, "() <>\x00\t\r\n") {
		return text
	}
	return fmt.Sprintf("[%s](%s)", text, address)
}

// cut bounds a text, between characters.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	at := maxText
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at]
}
