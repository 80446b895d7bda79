package media

import (
	"strings"

	"xbot/internal/extension/toolkey"
)

// million is the number of tokens and characters that prices are for.
const million = 1e6

// price is what a provider charges for a model, in USD.
type price struct {
	unit                float64 // a picture, a second of video; of speech: a million characters
	text, image, output float64 // a million tokens; 0: tokens do not count
}

// prices are those of models whose price is public, as of November 2026, by the beginning of their name. The longest beginning counts. Sources:
// developers.openai.com/api/docs/pricing, ai.google.dev/gemini-api/docs/pricing, alibabacloud.com/help/en/model-studio/model-pricing,
// platform.minimax.io/docs/pricing.
var prices = map[string]price{
	"openai/gpt-image-2":           {text: 5, image: 8, output: 30}, // the rates of 2.5 and 2.6 are the same
	"openai/gpt-image-1.5":         {text: 5, image: 8, output: 32},
	"openai/gpt-image-1":           {text: 5, image: 10, output: 40},
	"openai/gpt-image-1-mini":      {text: 2, image: 2.5, output: 8},
	"openai/tts-1":                 {unit: 15},
	"openai/tts-1-hd":              {unit: 30},
	"openai/sora-2":                {unit: 0.10},
	"openai/sora-2-pro":            {unit: 0.30},
	"gemini/gemini-nano-banana-2":  {text: 1.5, image: 1.5, output: 30},
	"gemini/veo-3.1-generate":      {unit: 0.40},
	"gemini/veo-3.1-fast-generate": {unit: 0.15},
	"dashscope/qwen-image-2.0":     {unit: 0.035},
	"minimax/speech-2.8-hd":        {unit: 100},
	"minimax/speech-2.8-turbo":     {unit: 60},
}

// costOf returns the cost of a generation: by the price of the key, else by the public one. nil: there is no price, or the provider did not
// report the tokens that it is for.
func costOf(a toolkey.Access, kind Kind, model string, units int64, u Usage) *float64 {
	if a.Price != nil {
		return cost(price{unit: *a.Price}, kind, units, u)
	}
	name, best := a.Provider+"/"+model, ""
	for known := range prices {
		if strings.HasPrefix(name, known) && len(known) > len(best) {
			best = known
		}
	}
	if best == "" {
		return nil
	}
	return cost(prices[best], kind, units, u)
}

func cost(p price, kind Kind, units int64, u Usage) *float64 {
	switch {
	case p.output > 0 && u.Tokens == 0:
		return nil
	case p.output > 0:
		return new((float64(u.TextTokens)*p.text + float64(u.ImageTokens)*p.image + float64(u.Tokens)*p.output) / million)
	case kind == Speech:
		return new(float64(units) * p.unit / million)
	}
	return new(float64(units) * p.unit)
}
