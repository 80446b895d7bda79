package llmtest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// Window makes the server count tokens as a provider does: usage is true, and longer input is refused.
type Window struct {
	// Tokens is the context window: requests with more are refused in the words of their dialect. 0: none is.
	Tokens int
	// Vocabulary is the encoding that tokens are counted with; empty means cl100k_base, which is not what the product estimates with.
	Vocabulary tokenizer.Encoding
	// Scale multiplies every count, for a provider that counts otherwise; 0 means 1.
	Scale float64
}

// keptWhole is how many of the newest requests are kept with their messages while tokens are counted: the tests that
// do so send long conversations.
const keptWhole = 100

// messageOverhead is the cost of a message in addition to its text, in tokens.
const messageOverhead = 4

// counter counts the tokens of requests. Texts come again and again, so it caches their counts.
type counter struct {
	window Window
	codec  tokenizer.Codec

	mu    sync.Mutex
	known map[string]int
	last  string // the prompt before
}

// SetWindow makes the server count tokens. It stays so until the server is thrown away.
func (s *Server) SetWindow(w Window) error {
	if w.Vocabulary == "" {
		w.Vocabulary = tokenizer.Cl100kBase
	}
	if w.Scale == 0 {
		w.Scale = 1
	}
	codec, err := tokenizer.Get(w.Vocabulary)
	if err != nil {
		return fmt.Errorf("load the vocabulary %s: %w", w.Vocabulary, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counter = &counter{window: w, codec: codec, known: map[string]int{}}
	return nil
}

// measure fills in what a request weighs.
func (c *counter) measure(req *Request) {
	prompt := req.Prompt()
	c.mu.Lock()
	defer c.mu.Unlock()
	tokens := 0
	for _, text := range prompt {
		tokens += c.count(text) + messageOverhead
	}
	req.Tokens = int(float64(tokens) * c.window.Scale)
	whole := strings.Join(prompt, "\x00")
	req.Shared = common(c.last, whole)
	c.last = whole
}

func (c *counter) count(text string) int {
	if n, ok := c.known[text]; ok {
		return n
	}
	n, err := c.codec.Count(text)
	if err != nil {
		n = len(text) / 4 // what cannot be encoded is still not free
	}
	c.known[text] = n
	return n
}

// refuse answers a request that is longer than the window.
func (c *counter) refuse(req Request) (Reply, bool) {
	if c.window.Tokens == 0 || req.Tokens <= c.window.Tokens {
		return Reply{}, false
	}
	said := fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.", c.window.Tokens, req.Tokens)
	switch req.Dialect {
	case Responses:
		said = fmt.Sprintf("Your input exceeds the context window of this model: %d tokens > %d maximum. Please adjust your input and try again.", req.Tokens, c.window.Tokens)
	case Anthropic:
		said = fmt.Sprintf("prompt is too long: %d tokens > %d maximum", req.Tokens, c.window.Tokens)
	}
	return Reply{Status: http.StatusBadRequest, Error: said}, true
}

// usage counts the tokens of the request and the answer.
func (c *counter) usage(req Request, reply Reply) *Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	written := c.count(reply.Text) + c.count(reply.Reasoning)
	for _, call := range reply.Calls {
		written += c.count(call.Name) + c.count(call.Arguments)
	}
	return &Usage{Prompt: req.Tokens, Completion: max(1, int(float64(written)*c.window.Scale))}
}

// Prompt returns a request as a list of texts, in the order in which a provider's cache sees them.
func (r Request) Prompt() []string {
	var out []string
	for _, tool := range r.Tools {
		out = append(out, tool.Name+"\n"+tool.Description+"\n"+string(tool.Parameters))
	}
	out = append(out, r.System)
	for _, m := range r.Messages {
		parts := []string{m.Role, m.Content}
		for _, call := range m.Calls {
			parts = append(parts, call.Name+" "+call.Arguments)
		}
		out = append(out, strings.Join(parts, "\n"))
	}
	return out
}

// common returns how many bytes two texts have in common from their start.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
