package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"xbot/internal/fault"
	"xbot/internal/llm"
)

// quotaDelay is how long to wait when the account has run dry: a quick retry cannot help, added credit can.
const quotaDelay = 30 * time.Second

// Refusal is a provider's "no", by status or by an error object inside a stream.
type Refusal struct {
	Status  int    // 0 inside a stream, unless the object carries one
	Code    string // as the provider sent it, with its type
	Message string // redacted, one line, bounded; safe to show

	host  string
	words string // of Message, and where in the request the fault is; longer than it
	after time.Duration
	html  bool
}

// Error returns the provider's message.
func (r *Refusal) Error() string { return r.Message }

// HTTPStatus returns the status by which the provider refused, or 0 if the refusal came inside a stream.
func (r *Refusal) HTTPStatus() int { return r.Status }

// Text returns the refusal in lower case, code included, for looking for words.
func (r *Refusal) Text() string { return strings.ToLower(r.Code + " " + r.Message) }

// Words returns the provider's full message, code and place of the fault included, redacted and in one line. It is longer than Message.
func (r *Refusal) Words() string { return r.words }

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
	r.words = clip(e.redact(r.Code+" "+faultPlace(body)+" "+message), maxWordRunes)
	r.after = retryAfter(header, message, time.Now())
	if r.html && r.Status < http.StatusMultipleChoices {
		r.Message = "it answered with a web page"
	}
	if r.Message == "" {
		r.Message = cmp.Or(http.StatusText(r.Status), "no reason given")
	}
	return r
}

// fault translates the refusal for the caller.
func (r *Refusal) fault() error {
	kind := r.kind()
	var sentence string
	switch kind {
	case fault.Denied:
		sentence = "%s does not accept the API key or the account%s: %w; check the key"
		if r.Status == http.StatusPaymentRequired || noCredit(r.Text()) {
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

// Error returns the provider's message, with the reason that all causes carry.
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
// another status.
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
	case r.Status == http.StatusTooManyRequests:
		return fault.RateLimited
	case noCredit(text): // Anthropic, Qwen: 400; MiniMax: 500, or inside a 200
		return fault.Denied
	case r.Status == http.StatusRequestTimeout, r.Status == http.StatusConflict, r.Status == http.StatusTooEarly,
		r.Status == 499, r.Status >= http.StatusInternalServerError:
		return fault.Unavailable
	case r.Status == 0:
		return kindByWords(text)
	default:
		return fault.Invalid
	}
}

// HasAny reports whether a text contains one of the words.
func HasAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// kindByWords decides for an error object without a status, inside a stream.
func kindByWords(text string) fault.Kind {
	has := func(words ...string) bool { return HasAny(text, words...) }
	switch {
	case has("rate_limit", "rate limit", "ratelimit", "too many requests", "too_many_requests", "throttling", "throttled", "insufficient_quota", "exceeded your current quota",
		"quota exceeded", "resource_exhausted", "tokens per min", "requests per min", "concurrency limit", "slow down", "请求过于频繁", "速率限制", "访问量过大", "并发"):
		return fault.RateLimited
	case has("authentication", "invalid_api_key", "invalid api key", "incorrect api key", "api key not valid", "permission", "unauthorized", "forbidden", "access denied",
		"accessdenied", "invalid token", "token is invalid", "account is not active", "无效的令牌", "无权"):
		return fault.Denied
	case has("invalid_request", "invalid request", "invalidparameter", "invalid_parameter", "invalid_argument", "not_found", "model not found", "no such model", "does not exist",
		"unsupported", "not supported", "badrequest", "bad_request", "bad request", "failed_precondition", "content_policy", "content policy", "data_inspection_failed", "content_filter"):
		return fault.Invalid
	default: // server_error, api_error, overloaded_error, and unknown ones: worth another attempt
		return fault.Unavailable
	}
}

// noCredit reports whether an error means that the account has no money left, which no later attempt brings back: DeepSeek, MiniMax, Zhipu,
// Anthropic, Qwen, OpenRouter, Kimi, one-api and its like.
func noCredit(text string) bool {
	return HasAny(text,
		"insufficient balance", "insufficient_balance", "insufficient account balance", "balance is insufficient", "insufficient credit", "insufficient_credit",
		"insufficient funds", "credit balance is too low", "requires more credits", "out of credits", "insufficient_user_quota", "user quota is not enough",
		"payment required", "payment_required", "arrearage", "overdue", "余额不足", "额度不足", "欠费",
	)
}

func outOfQuota(text string) bool {
	return strings.Contains(text, "insufficient_quota") || strings.Contains(text, "exceeded your current quota") || noCredit(text)
}

// tooLongWords are the words of providers for an input that exceeds the context window: OpenAI, Azure, DeepSeek, Qwen, vLLM,
// SGLang, TGI, llama.cpp, Gemini, Mistral, Moonshot, Groq, xAI, Zhipu, Bedrock, Anthropic, GitHub Copilot, OpenRouter, Cohere, SiliconFlow.
var tooLongWords = []string{
	"context_length_exceeded", "context length", "context window", "context_window", "context limit",
	"available context size", "exceed_context_size", "context size has been exceeded", "context size exceeded", "context shift is disabled",
	"maximum model length", "max_model_len", "maximum allowed input length", "prompt token count", "total number of tokens",
	"prompt is too long", "prompt too long", "input is too long", "input too long", "too many input tokens",
	"range of input length", "input token count", "maximum prompt length", "input tokens exceed",
	"reduce the length of the messages", "reduce the length of your", "exceeded model token limit",
	"prompt exceeds max length", "too large for model with", "`inputs` tokens +", "number of tokens allowed",
	"exceeds context size", "max input token limit", "tokens in request more than max tokens", "total tokens exceeds the model", "total message size",
	"exceeded max_prompt_tokens", "tokens) exceeds the maximum allowed length",
	"request_too_large", "request too large", "上下文长度", "输入长度", "超过最大长度",
}

// tooLong reports whether an error means that the input exceeds the context window. An error about the limit asked for
// the output is not that, though vLLM mentions the context length in it: a shorter conversation would not help.
func tooLong(text string) bool {
	return !LimitRefused(text) && HasAny(text, tooLongWords...)
}

// LimitRefused reports whether an error, in lower case, means that the limit asked for the output is too high.
func LimitRefused(text string) bool {
	if strings.Contains(text, "maximum tokens you requested exceeds the model limit") { // Bedrock
		return true
	}
	if !strings.Contains(text, "max_tokens") && !strings.Contains(text, "max_completion_tokens") {
		return false
	}
	return HasAny(text,
		"is too large", "valid range", "range of max_", "at most", "maximum allowed number of output", "above maximum value", "must be less than or equal to",
		"maximum output tokens",
	)
}

// ThoughtsRefused reports whether a lower-case error refuses thinking blocks in a request without thinking: "When thinking is
// disabled, an `assistant` message in the final position cannot contain `thinking`." (tailcallhq/forgecode#1853, microsoft/vscode#282326). This happens
// after a user switches thinking off during a turn.
func ThoughtsRefused(text string) bool {
	return strings.Contains(text, "thinking is disabled") && strings.Contains(text, "cannot contain")
}

// describe finds the message, code and status of an error object in the shapes that providers use:
// {"error":{…}}, {"error":"…"}, {"error":"{…}"}, [{"error":{…}}], {"errors":[{…}]}, {"message":…,"code":…}, {"detail":…}, {"response":{"error":{…}}},
// {"base_resp":{"status_code":…,"status_msg":…}}, {"error_code":…,"error_msg":…}.
func describe(body []byte) (message, code string, status int) {
	object := errorObject(body)
	if object == nil {
		return "", "", 0
	}
	if text := str(object["error"]); text != "" {
		return text, str(object["code"]), statusOf(object)
	}
	message = cmp.Or(str(object["message"]), str(object["msg"]), str(object["error_msg"]), str(object["status_msg"]), str(object["detail"]), detail(object["detail"]))
	if inner, _, innerStatus := nestedIn(message); inner != "" {
		message, status = inner, innerStatus
	}
	if raw := metadata(object["metadata"]); raw != "" {
		message += ": " + raw
	}
	code = strings.Join(strings.Fields(str(object["code"])+" "+str(object["type"])+" "+str(object["status"])), " ")
	return message, code, cmp.Or(statusOf(object), status)
}

// errorObject returns the object that has the message, or nil if there is none.
func errorObject(body []byte) map[string]json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) != nil {
		return nil
	}
	for _, name := range []string{"response", "error", "errors", "base_resp"} {
		var inner map[string]json.RawMessage
		raw := object[name]
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 && name == "errors" {
			raw = list[0]
		}
		if json.Unmarshal(raw, &inner) == nil && len(inner) > 0 {
			object = inner
		}
	}
	return object
}

// nestedIn parses a message that is itself an error object, as gateways forward it.
func nestedIn(message string) (inner, code string, status int) {
	if !strings.HasPrefix(message, "{") {
		return "", "", 0
	}
	return describe([]byte(message))
}

// statusOf returns the status of HTTP that an error object names, or 0 if there is none.
func statusOf(object map[string]json.RawMessage) int {
	for _, name := range []string{"code", "status", "status_code", "http_code", "http_status"} {
		status, err := strconv.Atoi(strings.Trim(string(object[name]), `"`))
		if err == nil && status >= 400 && status <= 599 {
			return status
		}
	}
	return 0
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

// faultPlace returns where in the request the fault is, by an error object: "param" of OpenAI, "loc" of gateways that validate with Pydantic.
func faultPlace(body []byte) string {
	object := errorObject(body)
	places := []string{str(object["param"])}
	var list []struct {
		Loc []any `json:"loc"`
	}
	if json.Unmarshal(object["detail"], &list) == nil {
		for _, d := range list {
			places = append(places, strings.Join(strings.Fields(strings.Trim(fmt.Sprint(d.Loc), "[]")), "."))
		}
	}
	return strings.Join(places, " ")
}

// metadata reads the message of the provider behind a gateway: {"raw":"…"}.
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
