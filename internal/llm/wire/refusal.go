package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"xbot/internal/fault"
	"xbot/internal/llm"
)

// quotaDelay is how long to wait when the account has run dry: a quick retry cannot help, somebody adding credit can.
const quotaDelay = 30 * time.Second

// Refusal is a provider's "no", by status or by an error object inside a stream.
type Refusal struct {
	Status  int    // 0 inside a stream, unless the object carries one
	Code    string // as the provider sent it, with its type
	Message string // redacted, one line, bounded; safe to show

	host  string
	after time.Duration
	html  bool
}

// Error returns what the provider said.
func (r *Refusal) Error() string { return r.Message }

// HTTPStatus is the status by which the provider refused; 0: it said so inside a stream.
func (r *Refusal) HTTPStatus() int { return r.Status }

// Text is what the refusal says in lower case, code included, for looking for words.
func (r *Refusal) Text() string { return strings.ToLower(r.Code + " " + r.Message) }

// refusal reads an error body of any provider; a body that is no error object is quoted when it is short text.
func (e *Endpoint) refusal(status int, header http.Header, body []byte) *Refusal {
	r := &Refusal{Status: status, host: e.Host}
	message, code, inner := describe(body)
	r.Code = clip(code, 100)
	if status == 0 {
		r.Status = inner
	}
	start := strings.ToLower(strings.TrimSpace(string(body[:min(len(body), 64)])))
	r.html = strings.HasPrefix(start, "<")
	if message == "" && !r.html {
		message = string(body)
	}
	r.Message = e.quote(message)
	r.after = retryAfter(header, message, time.Now())
	if r.html && r.Status < http.StatusMultipleChoices {
		r.Message = "it answered with a web page"
	}
	if r.Message == "" {
		r.Message = cmp.Or(http.StatusText(r.Status), "no reason given")
	}
	return r
}

// fault says what the refusal means for the caller.
func (r *Refusal) fault() error {
	kind := r.kind()
	var sentence string
	switch kind {
	case fault.Denied:
		sentence = "%s does not accept the API key or the account%s: %w; check the key"
		if r.Status == http.StatusPaymentRequired {
			sentence = "the account at %s has no credit left%s: %w"
		}
	case fault.RateLimited:
		return fault.Limited(r.delay(), "%s asks to slow down%s: %w", r.host, r.status(), r)
	case fault.TooLarge:
		sentence = "the conversation is too long for the model at %s%s: %w"
	case fault.Unavailable:
		err := fault.Errorf(kind, "%s failed%s: %w", r.host, r.status(), &serverError{r})
		err.After = r.after
		return err
	default:
		sentence = "%s refused the request%s: %w"
		if r.Status == http.StatusNotFound || 200 <= r.Status && r.Status < 400 {
			sentence = "%s has no such model or no such API there%s: %w; check the model's name and the base URL"
		}
	}
	return fault.Errorf(kind, sentence, r.host, r.status(), r)
}

// serverError is a refusal that is also llm.ErrServer.
type serverError struct{ *Refusal }

// Error returns what the provider said, with the reason that all causes carry.
func (e *serverError) Error() string { return fmt.Sprintf("%s (%s)", e.Message, llm.ErrServer) }

// Unwrap returns the refusal and the cause.
func (e *serverError) Unwrap() []error { return []error{e.Refusal, llm.ErrServer} }

func (r *Refusal) status() string {
	if r.Status == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d)", r.Status)
}

func (r *Refusal) delay() time.Duration {
	if r.after == 0 && outOfQuota(r.Text()) {
		return quotaDelay
	}
	return r.after
}

// kind decides by status first where a status is beyond doubt, then by words: gateways pass on a provider's text under
// a status of their own.
func (r *Refusal) kind() fault.Kind {
	text := r.Text()
	switch r.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return fault.Denied
	case http.StatusRequestEntityTooLarge:
		return fault.TooLarge
	}
	switch {
	case tooLong(text):
		return fault.TooLarge
	case strings.Contains(text, "credit balance is too low"), strings.Contains(text, "arrearage"): // Anthropic, Qwen: 400
		return fault.Denied
	case r.Status == http.StatusTooManyRequests:
		return fault.RateLimited
	case r.Status == http.StatusRequestTimeout, r.Status == http.StatusConflict, r.Status == http.StatusTooEarly,
		r.Status == 499, r.Status >= http.StatusInternalServerError:
		return fault.Unavailable
	case r.Status == 0:
		return kindByWords(text)
	default:
		return fault.Invalid
	}
}

// kindByWords decides for an error object without a status, inside a stream.
func kindByWords(text string) fault.Kind {
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(text, word) {
				return true
			}
		}
		return false
	}
	switch {
	case has("rate_limit", "rate limit", "too many requests", "throttling", "insufficient_quota"):
		return fault.RateLimited
	case has("authentication", "invalid_api_key", "permission", "unauthorized"):
		return fault.Denied
	case has("invalid_request", "invalidparameter", "invalid_parameter", "not_found", "model_not_found"):
		return fault.Invalid
	default: // server_error, api_error, overloaded_error, and what nobody has seen yet: worth another attempt
		return fault.Unavailable
	}
}

func outOfQuota(text string) bool {
	return strings.Contains(text, "insufficient_quota") || strings.Contains(text, "exceeded your current quota") ||
		strings.Contains(text, "insufficient balance") || strings.Contains(text, "余额不足")
}

// tooLongWords are what providers say when the input exceeds the context window: OpenAI, Azure, DeepSeek, Qwen, vLLM,
// SGLang, TGI, llama.cpp, Gemini, Mistral, Moonshot, Groq, xAI, Zhipu, Bedrock, Anthropic.
var tooLongWords = []string{
	"context_length_exceeded", "context length", "context window", "context_window", "context limit",
	"available context size", "exceed_context_size", "maximum model length", "max_model_len",
	"prompt is too long", "prompt too long", "input is too long", "input too long", "too many input tokens",
	"range of input length", "input token count", "maximum prompt length", "input tokens exceed",
	"reduce the length of the messages", "reduce the length of your", "exceeded model token limit",
	"prompt exceeds max length", "too large for model with", "`inputs` tokens +", "number of tokens allowed",
	"request_too_large", "request too large", "上下文长度", "输入长度", "超过最大长度",
}

// tooLong reports whether an error says that the input exceeds the context window. An error about the limit asked for
// the output is not that, though vLLM mentions the context length in it: a shorter conversation would not help.
func tooLong(text string) bool {
	if LimitRefused(text) {
		return false
	}
	for _, words := range tooLongWords {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// LimitRefused reports whether an error, in lower case, says that the limit asked for the output is too high.
func LimitRefused(text string) bool {
	if !strings.Contains(text, "max_tokens") && !strings.Contains(text, "max_completion_tokens") {
		return false
	}
	for _, words := range []string{"is too large", "valid range", "at most", "maximum allowed number of output"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// describe finds the message, code and status of an error object in the shapes that providers use:
// {"error":{…}}, {"error":"…"}, [{"error":{…}}], {"message":…,"code":…}, {"detail":…}.
func describe(body []byte) (message, code string, status int) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) != nil {
		return "", "", 0
	}
	object := outer
	if inner := outer["error"]; len(inner) > 0 {
		if text := str(inner); text != "" {
			return text, str(outer["code"]), 0
		}
		var nested map[string]json.RawMessage
		if json.Unmarshal(inner, &nested) == nil && nested != nil {
			object = nested
		}
	}
	message = cmp.Or(str(object["message"]), str(object["detail"]), detail(object["detail"]))
	if raw := metadata(object["metadata"]); raw != "" {
		message += ": " + raw
	}
	code = strings.TrimSpace(str(object["code"]) + " " + str(object["type"]) + " " + str(object["status"]))
	status, err := strconv.Atoi(strings.Trim(string(object["code"]), `"`))
	if err != nil || status < 400 || status > 599 {
		status = 0
	}
	return message, code, status
}

// str returns a JSON string's value, or "" for anything else.
func str(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// detail reads the list of complaints of a validating gateway: [{"msg":"…"}].
func detail(raw json.RawMessage) string {
	var list []struct {
		Msg string `json:"msg"`
	}
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return ""
	}
	return list[0].Msg
}

// metadata reads what the provider behind a gateway said: {"raw":"…"}.
func metadata(raw json.RawMessage) string {
	var m struct {
		Raw json.RawMessage `json:"raw"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	text := str(m.Raw)
	if message, _, _ := describe([]byte(text)); message != "" {
		return message
	}
	return text
}

// RefusalOf returns the refusal that err came from, nil if it did not come from one.
func RefusalOf(err error) *Refusal {
	r, _ := errors.AsType[*Refusal](err)
	return r
}
