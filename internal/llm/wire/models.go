package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// maxList bounds a provider's list of models, in bytes; that of OpenRouter has half a megabyte.
const maxList = 8 << 20

// maxWindow bounds the context windows that are believed, in tokens.
const maxWindow = 100_000_000

// Models asks for a list of models, as OpenAI and Anthropic write it. What services add is taken along: the context window, whether
// pictures are read, the price. Models that are no chat models are left out.
func (e *Endpoint) Models(ctx context.Context, url string, header http.Header) ([]chat.SubscribedModel, error) {
	call := e.Begin(ctx, nil)
	defer call.End()
	request, err := http.NewRequestWithContext(call.Context(), http.MethodGet, url, nil)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "ask for the list of models: %w", err)
	}
	maps.Copy(request.Header, header)
	response, err := call.Do(request)
	if err != nil {
		return nil, call.Fail(err)
	}
	defer func() { _ = response.Body.Close() }() // read as far as it is wanted
	body, err := io.ReadAll(io.LimitReader(response.Body, maxList))
	if err != nil {
		return nil, call.Fail(err)
	}
	if isRefusal(body) {
		return nil, call.Fail(call.Refuse(body))
	}
	listed, err := parseModels(body)
	if err != nil {
		return nil, call.Garbled("a list of models that cannot be understood")
	}
	return listed, nil
}

// isRefusal reports whether a body is an error object, which some send with a good status.
func isRefusal(body []byte) bool {
	var object struct {
		Error json.RawMessage `json:"error"`
		Data  json.RawMessage `json:"data"`
	}
	return json.Unmarshal(body, &object) == nil && object.Data == nil && len(object.Error) > 0 && string(object.Error) != "null"
}

// listedModel is a model as providers list it.
type listedModel struct {
	ID             string  `json:"id"`
	ContextLength  float64 `json:"context_length"`   // OpenRouter, Moonshot, Together
	MaxModelLen    float64 `json:"max_model_len"`    // vLLM
	MaxInputTokens float64 `json:"max_input_tokens"` // Anthropic (ModelInfo of its SDK)
	Architecture   struct {
		Input []string `json:"input_modalities"`
	} `json:"architecture"` // OpenRouter
	Capabilities struct {
		ImageInput *struct {
			Supported bool `json:"supported"`
		} `json:"image_input"`
	} `json:"capabilities"` // Anthropic
	Pricing struct {
		Prompt     json.RawMessage `json:"prompt"` // USD for one token, as a text
		Completion json.RawMessage `json:"completion"`
		CacheRead  json.RawMessage `json:"input_cache_read"`
	} `json:"pricing"` // OpenRouter
}

func parseModels(body []byte) ([]chat.SubscribedModel, error) {
	entries, err := entriesOf(body)
	if err != nil {
		return nil, err
	}
	out := []chat.SubscribedModel{}
	for _, raw := range entries {
		var m listedModel
		if json.Unmarshal(raw, &m) != nil { // what a gateway adds has another form: the name counts
			var plain struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(raw, &plain) != nil {
				continue
			}
			m = listedModel{ID: plain.ID}
		}
		if chats(m.ID) && !slices.ContainsFunc(out, func(known chat.SubscribedModel) bool { return known.ID == m.ID }) {
			out = append(out, m.model())
		}
	}
	slices.SortFunc(out, func(a, b chat.SubscribedModel) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

// entriesOf returns the entries of a list: those of its data, which is null where there are none, or of a bare list.
func entriesOf(body []byte) ([]json.RawMessage, error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) == nil {
		data, there := object["data"]
		if !there {
			return nil, errNoList
		}
		body = data
	}
	var entries []json.RawMessage
	err := json.Unmarshal(body, &entries)
	return entries, err
}

var errNoList = errors.New("no list of models")

func (m listedModel) model() chat.SubscribedModel {
	out := chat.SubscribedModel{ID: m.ID}
	if window := max(m.ContextLength, m.MaxModelLen, m.MaxInputTokens); window >= 1 && window <= maxWindow {
		out.MaxContext = int(window)
	}
	if len(m.Architecture.Input) > 0 {
		out.Vision = new(slices.Contains(m.Architecture.Input, "image"))
	} else if m.Capabilities.ImageInput != nil {
		out.Vision = new(m.Capabilities.ImageInput.Supported)
	}
	input, ok := perMillion(m.Pricing.Prompt)
	output, also := perMillion(m.Pricing.Completion)
	if ok && also {
		cached, known := perMillion(m.Pricing.CacheRead)
		if !known {
			cached = input
		}
		out.Price = &chat.Price{Input: input, Cached: cached, Output: output}
	}
	return out
}

// perMillion reads a price for one token and returns that for a million.
func perMillion(raw json.RawMessage) (float64, bool) {
	price, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || math.IsNaN(price) || price < 0 || price > 1 { // OpenRouter writes -1 for a price that varies
		return 0, false
	}
	return price * 1e6, true
}

// otherWords are parts of the names of models that do something else than answer.
var otherWords = []string{
	"embed", "whisper", "tts", "dall-e", "image", "moderation", "realtime", "transcribe", "audio", "davinci", "babbage", "sora", "rerank", "guard",
}

// chats reports whether a model answers messages, judged by its name.
func chats(id string) bool {
	low := strings.ToLower(id)
	odd := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '`' }
	return id != "" && len(id) <= 128 && !strings.ContainsFunc(id, odd) && !HasAny(low, otherWords...)
}
