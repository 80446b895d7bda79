package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"xbot/internal/llm/wire"
)

// hopeless lists the beginnings of codes for requests that no later attempt can answer: those of the Responses API
// (types/responses/response_error of openai-python, and codex), and others. They have the status 400.
var hopeless = []string{
	"invalid_prompt", "invalid_image", "invalid_base64_image", "image_", "unsupported_image", "empty_image", "bio_policy", "cyber_policy", "data_residency",
	"invalid_parameter", "InvalidParameter", // DashScope (anomalyco/opencode#40770)
}

// refuse returns the error for an error object inside a stream.
func refuse(call *wire.Call, object []byte) *wire.Refusal {
	r := call.Refuse(object)
	if r.Status == 0 && slices.ContainsFunc(hopeless, func(code string) bool { return strings.HasPrefix(r.Code, code) }) {
		r.Status = http.StatusBadRequest
	}
	return r
}

// refuseWith returns the error for the content of an error field inside a stream.
func refuseWith(call *wire.Call, content []byte) *wire.Refusal {
	return refuse(call, slices.Concat([]byte(`{"error":`), content, []byte("}")))
}

// isFailure reports whether the content of an error field is an error.
func isFailure(content json.RawMessage) bool {
	return isSet(content) && string(content) != "false" && string(content) != "{}"
}

// callUnreadable reports whether a provider failed since it could not read the call that its model wrote: Groq's tool_use_failed
// (pydantic/pydantic-ai#4354). Gateways leave out the code.
func callUnreadable(err error) bool {
	r := wire.RefusalOf(err)
	return r != nil && (strings.Contains(r.Text(), "tool_use_failed") || strings.Contains(r.Text(), "failed_generation"))
}

// isError reports whether an event is an error object: {"error":…} as most send it, {"object":"error"} as vLLM does,
// {"code":…,"message":…} as DashScope and the Responses API do, of whose other events some have a code, too,
// {"base_resp":{"status_code":…}} as MiniMax does, or an event that is called one.
func isError(event wire.Event) bool {
	payload := event.Data
	if event.Name != "error" && !bytes.Contains(payload, []byte(`"error"`)) && bytes.Contains(payload, []byte(`"choices"`)) &&
		!bytes.Contains(payload, []byte(`"base_resp"`)) {
		return false
	}
	var object struct {
		Error   json.RawMessage          `json:"error"`
		Errors  wire.List[struct{}]      `json:"errors"`
		Type    wire.Word                `json:"type"`
		Object  wire.Word                `json:"object"`
		Choices wire.List[choicePresent] `json:"choices"`
		Usage   json.RawMessage          `json:"usage"`
		Code    json.RawMessage          `json:"code"`
		Message wire.Word                `json:"message"`
		Msg     wire.Word                `json:"msg"`
		ErrMsg  wire.Word                `json:"error_msg"`
		Detail  json.RawMessage          `json:"detail"`
		Base    struct {
			Status wire.Count `json:"status_code"`
		} `json:"base_resp"`
	}
	if wire.Parse(payload, &object) != nil {
		return false // the chunk reader reports invalid JSON
	}
	if isFailure(object.Error) || object.Base.Status > 0 {
		return true
	}
	if len(object.Choices) > 0 {
		return false
	}
	says := object.Message != "" || object.Msg != "" || object.ErrMsg != "" || len(object.Errors) > 0
	return isSet(object.Error) && string(object.Error) != "false" || object.Object == "error" || object.Type == "error" || event.Name == "error" ||
		!strings.HasPrefix(string(object.Type), "response.") && object.Usage == nil && (says || isSet(object.Code) || isSet(object.Detail))
}

// choicePresent decodes a choice without reading its fields.
type choicePresent struct{}
