package format

import (
	"regexp"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// stars parses emphasis by stars as users mean it. The rules of Markdown assume words with blanks between them: by them **注意：**请看
// is none, since punctuation is inside and a letter outside, while 2*3*4 and x**2 + y**2 have some. Here stars next to Chinese and
// Japanese may open and close at punctuation, and those between two letters or digits of ASCII do neither.
type stars struct{}

// Trigger returns the character that it reads.
func (stars) Trigger() []byte { return []byte{'*'} }

// Parse takes a run of stars.
func (s stars) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	run := parser.ScanDelimiter(line, before, 1, s)
	if run == nil {
		return nil
	}
	after := ' '
	if run.OriginalLength < len(line) {
		after = util.ToRune(line, run.OriginalLength)
	}
	switch {
	case inWord(before) && inWord(after):
		run.CanOpen, run.CanClose = false, false
	default:
		run.CanOpen = run.CanOpen || unspaced(before) && !unicode.IsSpace(after)
		run.CanClose = run.CanClose || unspaced(after) && !unicode.IsSpace(before)
	}
	run.Segment = segment.WithStop(segment.Start + run.OriginalLength)
	block.Advance(run.OriginalLength)
	pc.PushDelimiter(run)
	return run
}

// IsDelimiter reports whether a character is one of a run.
func (stars) IsDelimiter(b byte) bool { return b == '*' }

// CanOpenCloser reports whether two runs belong together.
func (stars) CanOpenCloser(opener, closer *parser.Delimiter) bool { return opener.Char == closer.Char }

// OnMatch makes emphasis of so many stars.
func (stars) OnMatch(consumes int) ast.Node { return ast.NewEmphasis(consumes) }

// dunderForm is a name of Python between two underlines and two.
var dunderForm = regexp.MustCompile(`^__[a-z0-9_]+__$`)

// dunder is such a name if it is literal, as __init__ is; empty: it is emphasis.
func (w *writer) dunder(n *ast.Emphasis) string {
	inner, ok := n.FirstChild().(*ast.Text)
	if !ok || n.Level != 2 || n.ChildCount() != 1 {
		return ""
	}
	from, to := inner.Segment.Start-2, inner.Segment.Stop+2
	if from < 0 || to > len(w.src) || !dunderForm.Match(w.src[from:to]) {
		return ""
	}
	return string(w.src[from:to])
}

func inWord(r rune) bool {
	return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// unspaced reports whether a letter is of a script that writes no blanks between its words.
func unspaced(r rune) bool { return unicode.IsLetter(r) && !joins(r) }
