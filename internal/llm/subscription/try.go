package subscription

import (
	"context"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/provider"
)

// Limits of a test.
const (
	tryTime   = 60 * time.Second
	tryTokens = 2048 // some models think before they say a word
	triedText = 200  // characters that are shown
)

// Tried is the result of one short call.
type Tried struct {
	Model   string `json:"model"`
	Passed  bool   `json:"passed"`
	Text    string `json:"text,omitempty" doc:"The beginning of the model's answer."`
	Problem string `json:"problem,omitempty" doc:"The problem and its solution."`
	MS      int64  `json:"ms" doc:"How long the call took, in milliseconds."`
}

// Try makes one short call of a model with the settings of a draft, and stores nothing. An error describes a fault of the draft's form; a fault
// of the provider is in the result.
func (s *Store) Try(ctx context.Context, d Draft, model string) (Tried, error) {
	if model = strings.TrimSpace(model); model == "" {
		return Tried{}, fault.Errorf(fault.Invalid, "name the model that is to be tried")
	}
	o, err := s.whole(ctx, d)
	if err != nil {
		return Tried{}, err
	}
	client, err := provider.FromConfig(s.Config(o, model))
	if err != nil {
		return Tried{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	began := time.Now()
	answer, err := client.Generate(ctx, llm.Request{
		System: "You are being tested.", MaxTokens: tryTokens, Messages: []llm.Message{{Role: "user", Content: "Say OK and nothing else."}},
	}, nil)
	out := Tried{Model: model, MS: time.Since(began).Milliseconds()}
	if err != nil {
		out.Problem = problem(ctx, err)
		return out, nil
	}
	out.Passed, out.Text = true, chat.FirstWords(answer.Text, triedText)
	return out, nil
}

// Offered is a provider's answer to which models it offers.
type Offered struct {
	Models  []chat.SubscribedModel `json:"models" doc:"The models of the provider, by name, with their known properties."`
	Problem string                 `json:"problem,omitempty" doc:"Why there are none, and what to do."`
}

// Offered asks the provider which models it offers, with the settings of a draft. An error describes a fault of the draft's form; a fault
// of the provider is in the result.
func (s *Store) Offered(ctx context.Context, d Draft) (Offered, error) {
	out := Offered{Models: []chat.SubscribedModel{}}
	o, err := s.whole(ctx, d)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	found, err := provider.Models(ctx, s.Config(o, unnamed))
	switch {
	case err != nil:
		out.Problem = problem(ctx, err)
	case len(found) == 0:
		out.Problem = "it lists no models that answer: name one"
	default:
		out.Models = found
	}
	return out, nil
}

// problem describes why a call failed.
func problem(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "it did not answer in time"
	}
	return err.Error()
}
