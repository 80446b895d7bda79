package llmtest

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	maxEchoRunes = 200
	maxSteps     = 10_000
	maxChunks    = 100_000
)

// Run is the handler that runs the last user message as a program; see the package comment.
func Run(req Request) Reply {
	p := parseProgram(req.User)
	switch {
	case p == nil:
		return Reply{Text: "echo: " + clip(req.User, maxEchoRunes)}
	case req.Step < len(p):
		return p[req.Step].reply(req)
	default:
		return Reply{Text: "done"}
	}
}

func clip(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n])
	}
	return text
}

// step is one answer of a program.
type step struct {
	Reply
	said   bool // a say or an empty was there, so that the text is what it should be
	stream bool // stream without say makes up words
	faults []fault
}

// fault hits the first attempts of a step, or all of them when times is 0.
type fault struct {
	times int
	after time.Duration
	text  string
	apply func(*Reply)
}

func (s step) reply(req Request) Reply {
	reply := s.Reply
	if s.stream && !s.said {
		reply.Text = words(reply.Chunks)
	}
	for _, f := range s.faults {
		if f.times != 0 && req.Attempt > f.times {
			continue
		}
		reply.Error = f.text
		f.apply(&reply)
		break
	}
	return reply
}

// words returns "w1 w2 … wn", whose n words have one length so that n pieces hold one each.
func words(n int) string {
	width := len(strconv.Itoa(n))
	var all strings.Builder
	for i := range n {
		number := strconv.Itoa(i + 1)
		all.WriteString("w" + number + strings.Repeat(" ", width-len(number)+1))
	}
	return all.String()
}

// parser builds the steps of a program line by line.
type parser struct {
	steps []step
	each  bool
}

// directives are the words that make a line an instruction.
var directives = map[string]func(*parser, string){
	"say":     func(p *parser, rest string) { p.say(strings.ReplaceAll(rest, `\n`, "\n")) },
	"think":   func(p *parser, rest string) { p.text().Reasoning = strings.ReplaceAll(rest, `\n`, "\n") },
	"call":    (*parser).call,
	"then":    func(p *parser, _ string) { p.steps = append(p.steps, step{}) },
	"each":    func(p *parser, _ string) { p.each = true },
	"repeat":  (*parser).repeat,
	"delay":   func(p *parser, rest string) { p.last().Delay = duration(rest) },
	"gap":     func(p *parser, rest string) { p.last().Gap = duration(rest) },
	"chunks":  func(p *parser, rest string) { p.last().Chunks = number(rest, maxChunks) },
	"stream":  (*parser).stream,
	"fail":    (*parser).fail,
	"error":   func(p *parser, rest string) { p.fault(rest, func(r *Reply) { r.Break = ErrorPart }) },
	"hang":    func(p *parser, rest string) { p.fault(rest, func(r *Reply) { r.Break = Hang }) },
	"reset":   func(p *parser, rest string) { p.fault(rest, func(r *Reply) { r.Break = Reset }) },
	"garbage": func(p *parser, rest string) { p.fault(rest, func(r *Reply) { r.Break = Garbage }) },
	"truncate": func(p *parser, rest string) {
		p.fault(rest, func(r *Reply) { r.Break = Truncate })
	},
	"empty":   func(p *parser, _ string) { p.say("") },
	"finish":  func(p *parser, rest string) { p.last().Finish = rest },
	"ids":     func(p *parser, rest string) { p.last().IDs = map[string]IDs{"same": SameIDs, "none": NoIDs}[rest] },
	"noindex": func(p *parser, _ string) { p.last().NoIndex = true },
	"whole":   func(p *parser, _ string) { p.last().Whole = true },
	"nousage": func(p *parser, _ string) { p.last().NoUsage = true },
	"plain":   func(p *parser, _ string) { p.last().Plain = true },
	"usage":   (*parser).usage,
}

// parseProgram returns the steps of a program, nil when the text is none.
func parseProgram(text string) []step {
	p := &parser{}
	for line := range strings.Lines(text) {
		word, rest := splitWord(line)
		if do := directives[word]; do != nil {
			do(p, rest)
		}
	}
	return p.steps
}

// programText returns the lines that make a message the program it is, comments included, or the whole text of a
// message that is none. A product may add lines that change from attempt to attempt.
func programText(text string) string {
	var lines []string
	found := false
	for line := range strings.Lines(text) {
		word, rest := splitWord(line)
		if directives[word] != nil {
			found = true
		} else if !strings.HasPrefix(word, "#") {
			continue
		}
		lines = append(lines, word+" "+rest)
	}
	if !found {
		return text
	}
	return strings.Join(lines, "\n")
}

func splitWord(line string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	return word, strings.TrimSpace(rest)
}

// last returns the step being written.
func (p *parser) last() *step {
	if len(p.steps) == 0 {
		p.steps = append(p.steps, step{})
	}
	return &p.steps[len(p.steps)-1]
}

// text returns the step that text belongs to: after a call it is the next one.
func (p *parser) text() *step {
	if s := p.last(); len(s.Calls) > 0 || s.said {
		p.steps = append(p.steps, step{})
	}
	return p.last()
}

func (p *parser) say(text string) {
	s := p.text()
	s.Text, s.said = text, true
}

func (p *parser) call(rest string) {
	if p.each && len(p.last().Calls) > 0 {
		p.steps = append(p.steps, step{})
	}
	name, arguments := splitWord(rest)
	if arguments == "" {
		arguments = "{}"
	}
	s := p.last()
	s.Calls = append(s.Calls, Call{Name: name, Arguments: arguments})
}

func (p *parser) repeat(rest string) {
	count, rest := splitWord(rest)
	word, rest := splitWord(rest)
	if word != "call" {
		return
	}
	for i := range number(count, maxSteps) {
		if s := p.last(); len(s.Calls) > 0 {
			p.steps = append(p.steps, step{})
		}
		p.call(strings.ReplaceAll(rest, "{{n}}", strconv.Itoa(i+1)))
	}
}

func (p *parser) stream(rest string) {
	count, gap := splitWord(rest)
	s := p.last()
	s.Chunks, s.Gap, s.stream = number(count, maxChunks), duration(gap), true
}

func (p *parser) usage(rest string) {
	fields := strings.Fields(rest + " 0 0 0")
	p.last().Usage = &Usage{
		Prompt: number(fields[0], 1<<30), Completion: number(fields[1], 1<<30), Cached: number(fields[2], 1<<30),
	}
}

func (p *parser) fail(rest string) {
	word, rest := splitWord(rest)
	status := number(word, 999)
	if status < 200 { // 1xx would not end the request
		status = http.StatusInternalServerError
	}
	p.fault(rest, func(r *Reply) { r.Status = status })
}

// fault adds a fault from "[TIMES] [after D] [TEXT]".
func (p *parser) fault(rest string, apply func(*Reply)) {
	var f fault
	if word, tail := splitWord(rest); word != "" {
		if times, err := strconv.Atoi(word); err == nil && times > 0 {
			f.times, rest = times, tail
		}
	}
	if word, tail := splitWord(rest); word == "after" {
		word, rest = splitWord(tail)
		f.after = duration(word)
	}
	f.text = rest
	f.apply = func(r *Reply) {
		apply(r)
		if f.after > 0 {
			r.Header = retryAfter(f.after)
		}
	}
	s := p.last()
	s.faults = append(s.faults, f)
}

// retryAfter returns the header in seconds, and in milliseconds as OpenAI does when a second is too coarse.
func retryAfter(d time.Duration) http.Header {
	if d%time.Second == 0 {
		return http.Header{"Retry-After": {strconv.Itoa(int(d / time.Second))}}
	}
	return http.Header{"Retry-After-Ms": {strconv.FormatInt(d.Milliseconds(), 10)}}
}

// number reads a count; anything else is 0, since a program cannot report errors.
func number(text string, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return min(max(n, 0), most)
}

// duration reads a Go duration, 0 when it is none.
func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return d
}
