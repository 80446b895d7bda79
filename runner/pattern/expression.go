package pattern

import (
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	"xbot/runner/wire"
)

// Limits of a regular expression. The time of a search is linear in the text and in the size of the compiled program: an expression of 30 bytes, such
// as (.{0,1000}){1000}, can compile to a program that takes hours for a file.
const (
	maxExpression = 10_000    // bytes
	maxProgram    = 20_000    // instructions
	maxSteps      = 100 << 20 // bytes times instructions of a search without a context: about a second
)

// Expression is an untrusted regular expression (RE2). The methods of Regexp have no time limit: check Fits first.
type Expression struct {
	*regexp.Regexp
	program int // instructions
}

// CompileExpression compiles a regular expression. Errors are Invalid if it is malformed or too large.
func CompileExpression(text string) (*Expression, error) {
	if len(text) > maxExpression {
		return nil, wire.Errorf(wire.Invalid, "it has more than %d bytes", maxExpression)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, wire.Errorf(wire.Invalid, "%v", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, wire.Errorf(wire.Invalid, "%v", err)
	}
	if len(program.Inst) > maxProgram {
		return nil, wire.Errorf(wire.Invalid, "it is too large: repeat less, or search for less at once")
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, wire.Errorf(wire.Invalid, "%v", err)
	}
	return &Expression{compiled, len(program.Inst)}, nil
}

// CrossesLines reports whether a regular expression names a line end, so that a match of it has more than one line.
func CrossesLines(text string) bool {
	parsed, err := syntax.Parse(text, syntax.Perl)
	return err == nil && namesLineEnd(parsed)
}

func namesLineEnd(re *syntax.Regexp) bool {
	literal := re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n')
	return literal || slices.ContainsFunc(re.Sub, namesLineEnd)
}

// Fits reports whether a search of so many bytes takes at most about a second.
func (e *Expression) Fits(size int) bool { return size <= maxSteps/e.program }

// Finds reports whether the expression matches anywhere in the data. It returns false if the context ends first.
func (e *Expression) Finds(ctx context.Context, data []byte) bool {
	if e.Fits(len(data)) {
		return e.Match(data)
	}
	return e.MatchReader(&runes{ctx: ctx, data: data})
}

// runes reads data until the context ends.
type runes struct {
	ctx  context.Context //nolint:containedctx // io.RuneReader has none
	data []byte
	read int
}

// lookEvery is how many characters are read between checks of the context.
const lookEvery = 1 << 10

// ReadRune reads one character.
func (r *runes) ReadRune() (char rune, size int, err error) {
	if r.read++; len(r.data) == 0 || r.read%lookEvery == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	char, size = utf8.DecodeRune(r.data)
	r.data = r.data[size:]
	return char, size, nil
}
