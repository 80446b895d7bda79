// Package embed turns texts into numbers that are alike where the texts mean the like, by asking a service of the
// operator's: one that is compatible with OpenAI's API, or Ollama.
package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"xbot/internal/fault"
	"xbot/internal/tokens"
)

// The providers.
const (
	OpenAI = "openai"
	Ollama = "ollama"
)

// The addresses of the providers where no other is set.
const (
	openAIURL = "https://api.openai.com/v1"
	ollamaURL = "http://127.0.0.1:11434"
)

const (
	// DefaultMaxTokens is how much of a text is read where nobody says.
	DefaultMaxTokens = 2048
	// callTimeout bounds one call.
	callTimeout = 30 * time.Second
	// maxAnswer bounds what one call answers with, in bytes: 64 texts of 4096 numbers are 6 MB.
	maxAnswer = 64 << 20
)

// Embedder makes embeddings. It is safe for concurrent use.
type Embedder interface {
	// Embed returns one embedding of length 1 for each text, in order. Errors: RateLimited and Unavailable where another try
	// may help; Invalid where a text, or the request, is refused; Denied where the key is.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names what made the embeddings: only those of one model can be compared.
	Model() string
	// MaxTokens says how much of one text is read; what is longer is cut.
	MaxTokens() int
}

// Config says who makes embeddings: the LLM_EMBEDDING_ variables.
type Config struct {
	Provider  string // openai or ollama
	BaseURL   string // empty: the provider's own
	APIKey    string // of OpenAI, or a service that is compatible with it
	Model     string
	MaxTokens int // of one text; what is longer is cut. 0: DefaultMaxTokens
	Transport http.RoundTripper
}

// New makes an embedder. It calls nobody. Invalid names the variable to set.
func New(c Config) (Embedder, error) {
	switch {
	case c.Model == "":
		return nil, fault.Errorf(fault.Invalid, "LLM_EMBEDDING_MODEL is not set; name a model that makes embeddings")
	case c.Provider == OpenAI && c.APIKey == "" && c.BaseURL == "":
		return nil, fault.Errorf(fault.Invalid, "LLM_EMBEDDING_API_KEY is not set; openai needs a key (for a server of your own set LLM_EMBEDDING_BASE_URL)")
	}
	s := service{Config: c, client: &http.Client{Transport: c.Transport, Timeout: callTimeout}}
	if s.Config.MaxTokens <= 0 {
		s.Config.MaxTokens = DefaultMaxTokens
	}
	base := strings.TrimRight(c.BaseURL, "/")
	switch {
	case c.Provider == OpenAI && base == "":
		base = openAIURL
	case c.Provider == Ollama && base == "":
		base = ollamaURL
	}
	switch c.Provider {
	case OpenAI:
		s.url, s.read = base+"/embeddings", readOpenAI
	case Ollama:
		s.url, s.read = strings.TrimSuffix(base, "/api")+"/api/embed", readOllama
	default:
		return nil, fault.Errorf(fault.Invalid, "LLM_EMBEDDING_PROVIDER is %q; it must be openai or ollama", c.Provider)
	}
	return &s, nil
}

// service is one of the two; both take the same request.
type service struct {
	Config

	url    string
	client *http.Client
	read   func(body []byte) ([][]float32, error)
}

// Model implements Embedder.
func (s *service) Model() string { return s.Provider + "/" + s.Config.Model }

// MaxTokens implements Embedder.
func (s *service) MaxTokens() int { return s.Config.MaxTokens }

// Embed implements Embedder.
func (s *service) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	input := make([]string, len(texts))
	for i, text := range texts {
		input[i] = Fit(text, s.Config.MaxTokens)
	}
	body, err := json.Marshal(map[string]any{"model": s.Config.Model, "input": input})
	if err != nil {
		return nil, fmt.Errorf("encode texts: %w", err)
	}
	answer, err := s.call(ctx, body)
	if err != nil {
		return nil, err
	}
	found, err := s.read(answer)
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "the embeddings of %s cannot be read: %w", s.Model(), err)
	}
	if len(found) != len(texts) {
		return nil, fault.Errorf(fault.Unavailable, "%s made %d embeddings of %d texts", s.Model(), len(found), len(texts))
	}
	for _, e := range found {
		if !normalize(e) {
			return nil, fault.Errorf(fault.Unavailable, "%s made an embedding without a direction", s.Model())
		}
	}
	return found, nil
}

func (s *service) call(ctx context.Context, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "LLM_EMBEDDING_BASE_URL is not an address")
	}
	request.Header.Set("Content-Type", "application/json")
	if s.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+s.APIKey)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "ask %s for embeddings: %w", s.Model(), err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "read embeddings of %s: %w", s.Model(), err)
	}
	if response.StatusCode/100 == 2 {
		return answer, nil
	}
	return nil, fault.Errorf(kindOf(response.StatusCode), "%s makes no embeddings: %s", s.Model(), response.Status)
}

func kindOf(status int) fault.Kind {
	switch {
	case status == http.StatusTooManyRequests:
		return fault.RateLimited
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.Denied
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		return fault.Invalid
	}
	return fault.Unavailable
}

func readOpenAI(body []byte) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	out := make([][]float32, len(answer.Data))
	for i, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil || len(d.Embedding) == 0 {
			return nil, fmt.Errorf("embedding %d has the index %d and %d numbers", i, d.Index, len(d.Embedding))
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

func readOllama(body []byte) ([][]float32, error) {
	var answer struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	err := json.Unmarshal(body, &answer)
	return answer.Embeddings, err
}

// normalize gives an embedding the length 1; false: it has none.
func normalize(e []float32) bool {
	sum := 0.0
	for _, f := range e {
		sum += float64(f) * float64(f)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return false
	}
	for i := range e {
		e[i] = float32(float64(e[i]) / length)
	}
	return true
}

// Fit cuts a text to about some tokens. A text cannot be empty for a service.
func Fit(text string, most int) string {
	if strings.TrimSpace(text) == "" {
		return "-"
	}
	for {
		n := tokens.Count(text)
		if n <= most {
			return text
		}
		runes := []rune(text)
		text = string(runes[:max(1, min(len(runes)-1, len(runes)*most/n))])
		if len(runes) <= 2 {
			return text
		}
	}
}
