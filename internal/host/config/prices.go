package config

import (
	"cmp"
	"strconv"
)

// Prices returns what the model costs, in USD for a million tokens. known is false unless the prices of reading and
// writing are both set; the default price of cached input is that of other input.
func (l LLM) Prices() (input, cached, output float64, known bool) {
	if l.PriceInput == "" || l.PriceOutput == "" {
		return 0, 0, 0, false
	}
	return price(l.PriceInput), price(cmp.Or(l.PriceCached, l.PriceInput)), price(l.PriceOutput), true
}

// price reads what check has accepted.
func price(text string) float64 {
	value, _ := strconv.ParseFloat(text, 64) // settings were checked when they were loaded
	return value
}
