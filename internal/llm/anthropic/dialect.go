package anthropic

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"xbot/internal/llm/wire"
)

// defaultMaxTokens is the limit of an answer when the request names none; the API requires one.
const defaultMaxTokens = 32768

// dialect is a client's knowledge of its model. It is a value: learning makes a new one.
type dialect struct {
	maxTokens int  // the most that the model allows in an answer
	thinking  bool // adaptive thinking is asked for
	noCache   bool // cache_control is refused
	noReturn  bool // thinking blocks of earlier answers are refused
	noChoice  bool // tool_choice is refused
	strip     bool // thinking blocks are refused in a request that does not think
	blind     bool // the model reads no pictures
	lift      bool // pictures in the results of tools are refused
	effort    effort
}

// outputLimits are models that allow less than the default, by the beginning of their names.
var outputLimits = []struct {
	prefix string
	tokens int
}{
	{"claude-3-5", 8192}, {"claude-3-7", defaultMaxTokens}, {"claude-3", 4096}, {"claude-2", 4096}, {"claude-instant", 4096},
	{"claude-opus-4-0", 32000}, {"claude-opus-4-1", 32000}, {"claude-opus-4-2025", 32000},
}

func firstDialect(model string, thinking bool) dialect {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, known := range outputLimits {
		if strings.HasPrefix(name, known.prefix) {
			return dialect{maxTokens: known.tokens, thinking: thinking}
		}
	}
	return dialect{maxTokens: defaultMaxTokens, thinking: thinking}
}

// limit returns the value of max_tokens.
func (d dialect) limit(asked int) int {
	if asked <= 0 {
		return d.maxTokens
	}
	return min(asked, d.maxTokens)
}

// allowedTokens matches the limit of a model in a refusal.
var allowedTokens = regexp.MustCompile("(?:max_tokens: \\d+ >|\\[1,|value <=|less than or equal to|model limit of|at most|maximum output tokens)[ `(]*(\\d+)")

// resultRefused matches gateways' refusals of a picture in the result of a tool (ENTERPILOT/GoModel#878).
var resultRefused = regexp.MustCompile(`tool_result[^.]* type \W*image\W* is not supported`)

// learn returns a dialect that avoids what a refusal complains about, and false when it complains about something else
// or about something that was avoided already.
func (d dialect) learn(r *wire.Refusal) (dialect, bool) {
	if r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity {
		return d, false
	}
	text := r.Text()
	next := d
	switch {
	case wire.LimitRefused(text):
		next.maxTokens = smaller(d.maxTokens, text)
	case strings.Contains(text, "cache_control"):
		next.noCache = true
	// "Thinking mode does not support this tool_choice" (freelensapp/freelens-ai-extension#120), and the like of Kimi and Qwen
	// (can1357/oh-my-pi#827, #886)
	case !d.noChoice && strings.Contains(text, "tool_choice"):
		next.noChoice = true
	case wire.ThoughtsRefused(text):
		next.strip, next.noReturn = true, d.noReturn || d.strip
	case strings.Contains(text, "thinking") && (strings.Contains(text, "signature") || strings.Contains(text, "cannot be modified")):
		next.noReturn = true
	case !d.lift && resultRefused.MatchString(text):
		next.lift = true
	case effortRefused(text):
		next = d.lessThought(text)
	}
	return next, next != d
}

// smaller returns the limit that the refusal names, or half of the old one.
func smaller(old int, text string) int {
	if found := allowedTokens.FindStringSubmatch(text); found != nil {
		if named, err := strconv.Atoi(found[1]); err == nil && named > 0 && named < old {
			return named
		}
	}
	return max(1, old/2)
}
