// Package usage computes the cost of the tokens that users spent.
package usage

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
)

// Currency is the currency of prices.
const Currency = "USD"

// Prices are the prices of providers, by provider/model. The price of a model that is not there is unknown.
type Prices map[string]chat.Price

// Pricer returns the prices of the models that a user can choose; 0: those that all users can choose.
type Pricer interface {
	Prices(ctx context.Context, user chat.UserID) (Prices, error)
}

var _ Pricer = Prices{}

// Prices returns p for every user.
func (p Prices) Prices(context.Context, chat.UserID) (Prices, error) { return p, nil }

// Cost returns what was paid for, nil where no price is known.
func (p Prices) Cost(s ops.Spent) *float64 {
	price, known := p[s.Model]
	if !known {
		return nil
	}
	const million = 1e6
	fresh := float64(s.PromptTokens - s.CachedTokens)
	return new((fresh*price.Input + float64(s.CachedTokens)*price.Cached + float64(s.CompletionTokens)*price.Output) / million)
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
