// Package usage says what the tokens that people spent have cost.
package usage

import (
	"xbot/internal/chat/ops"
)

// Currency is what prices are in.
const Currency = "USD"

// Prices are what the provider of one model asks, in USD for a million tokens.
type Prices struct {
	Model  string // provider/model; of other models nothing is known
	Known  bool   // false: no price is set, and no cost is told
	Input  float64
	Cached float64 // for the part of the input that the provider served from its cache
	Output float64
}

// Cost returns what was paid for, nil where no price is known.
func (p Prices) Cost(s ops.Spent) *float64 {
	if !p.Known || s.Model != p.Model {
		return nil
	}
	const million = 1e6
	fresh := float64(s.PromptTokens - s.CachedTokens)
	return new((fresh*p.Input + float64(s.CachedTokens)*p.Cached + float64(s.CompletionTokens)*p.Output) / million)
}

// Sum adds what was spent on one model to a sum. A cost that is not known adds nothing.
func Sum(sum, s ops.Spent) ops.Spent {
	sum.Calls, sum.PromptTokens = sum.Calls+s.Calls, sum.PromptTokens+s.PromptTokens
	sum.CachedTokens, sum.CompletionTokens = sum.CachedTokens+s.CachedTokens, sum.CompletionTokens+s.CompletionTokens
	if s.Cost != nil {
		cost := *s.Cost
		if sum.Cost != nil {
			cost += *sum.Cost
		}
		sum.Cost = &cost
	}
	return sum
}
