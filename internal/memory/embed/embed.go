// Package embed turns texts into numbers that are alike where the texts mean the like, by asking a service of the
// operator's: one that is compatible with OpenAI's API, through go-openai, or Ollama.
package embed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"xbot/internal/fault"
	"xbot/internal/llm/wire"
	"xbot/internal/turn/tokens"
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
	// DefaultMaxTokens is how much of a text is read by default.
	DefaultMaxTokens = 2048
	// callTimeout bounds one call.
	callTimeout = 30 * time.Second
)

// Embedder makes embeddings. It is safe for concurrent use.
type Embedder interface {
	// Embed returns one embedding of length 1 for each text, in order. Errors: RateLimited and Unavailable where another try
	// may help; Invalid where a text, or the request, is refused; Denied where the key is.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names what made the embeddings: only those of one model can be compared.
	Model() string
	// MaxTokens returns how much of one text is read; what is longer is cut.
	MaxTokens() int
}

// Config selects the service that makes embeddings: the LLM_EMBEDDING_ variables.
type Config struct {
	Provider  string // openai or ollama
	BaseURL   string // empty: the provider's own
	APIKey    string // of OpenAI, or a service that is compatible with it
	Model     string
	MaxTokens int // of one text; what is longer is cut. 0: DefaultMaxTokens
	Transport http.RoundTripper
}

// New makes an embedder. It makes no requests. Invalid names the variable to set.
func New(c Config) (Embedder, error) {
	switch {
	case c.Model == "":
		return nil, fault.Errorf(fault.Invalid, "LLM_EMBEDDING_MODEL is not set; name a model that makes embeddings")
	case c.Provider == OpenAI && c.APIKey == "" && c.BaseURL == "":
		return nil, fault.Errorf(fault.Invalid, "LLM_EMBEDDING_API_KEY is not set; openai needs a key (for a server of your own set LLM_EMBEDDING_BASE_URL)")
	}
	s := service{Config: c, base: strings.TrimRight(c.BaseURL, "/")}
	if s.Config.MaxTokens <= 0 {
		s.Config.MaxTokens = DefaultMaxTokens
	}
	switch c.Provider {
	case OpenAI:
		s.base, s.ask = cmp.Or(s.base, openAIURL), s.askOpenAI
	case Ollama:
		s.base, s.ask = strings.TrimSuffix(cmp.Or(s.base, ollamaURL), "/api"), s.askOllama
	default:
		return nil, fault.Errorf(fault.Invalid, "LLM_EMBEDDING_PROVIDER is %q; it must be openai or ollama", c.Provider)
	}
	endpoint, err := wire.NewEndpoint(s.base, c.APIKey, callTimeout, c.Transport)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "LLM_EMBEDDING_BASE_URL must look like https://host/v1, without a user or query, and LLM_EMBEDDING_API_KEY must be one word")
	}
	s.endpoint = endpoint
	return &s, nil
}

// service is one of the two.
type service struct {
	Config

	base     string
	endpoint *wire.Endpoint
	ask      func(call *wire.Call, texts []string) ([][]float32, error)
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
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	call := s.endpoint.Begin(ctx, nil)
	defer call.End()
	found, err := s.ask(call, input)
	if err != nil {
		return nil, s.explain(call, err)
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

// explain returns why there are no embeddings, with the service's message and when it wants to be asked again.
func (s *service) explain(call *wire.Call, err error) error {
	err = call.Fail(err)
	kind := fault.Unavailable
	if refusal := wire.RefusalOf(err); refusal != nil {
		kind = kindOf(refusal.Status)
	}
	if fault.Is(err, fault.TooLarge) {
		kind = fault.Invalid
	}
	out := fault.Errorf(kind, "%s makes no embeddings: %w", s.Model(), err)
	out.After = fault.After(err)
	return out
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

// askOpenAI asks a service with OpenAI's API.
func (s *service) askOpenAI(call *wire.Call, texts []string) ([][]float32, error) {
	config := sdk.DefaultConfig(s.endpoint.Key)
	config.BaseURL, config.HTTPClient = s.base, call
	answer, err := sdk.NewClientWithConfig(config).CreateEmbeddings(call.Context(), sdk.EmbeddingRequest{
		Input: texts, Model: sdk.EmbeddingModel(s.Config.Model),
	})
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(answer.Data))
	for i, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil || len(d.Embedding) == 0 {
			return nil, call.Garbled(fmt.Sprintf("embedding %d with the index %d and %d numbers", i, d.Index, len(d.Embedding)))
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

// askOllama asks Ollama in its own way, which loads the model if it must.
func (s *service) askOllama(call *wire.Call, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": s.Config.Model, "input": texts})
	if err != nil {
		return nil, fmt.Errorf("encode texts: %w", err)
	}
	request, err := http.NewRequestWithContext(call.Context(), http.MethodPost, s.base+"/api/embed", bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if s.endpoint.Key != "" {
		request.Header.Set("Authorization", "Bearer "+s.endpoint.Key)
	}
	response, err := call.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	return answer.Embeddings, err
}

// normalize gives an embedding the length 1. It returns false if it has none.
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
