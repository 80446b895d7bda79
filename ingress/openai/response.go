package openai

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"time"

	"xbot/ingress/largebody"
	"xbot/ingress/replystream"
	"xbot/internal/chat"
)

// response is an answer as an object that can be looked at again.
type response struct {
	ID         string           `json:"id"`
	Object     string           `json:"object"`
	CreatedAt  int64            `json:"created_at"`
	Status     string           `json:"status"`
	Error      *responseError   `json:"error"`
	Incomplete *incomplete      `json:"incomplete_details"`
	Model      string           `json:"model"`
	Output     []outputItem     `json:"output"`
	Usage      *responseUsage   `json:"usage"`
	Where      conversationBody `json:"conversation"`
	settings
}

// settings are members that clients expect, and that say the same for every answer.
type settings struct {
	Instructions      *string      `json:"instructions"`
	MaxOutputTokens   *int         `json:"max_output_tokens"`
	Metadata          struct{}     `json:"metadata"`
	ParallelToolCalls bool         `json:"parallel_tool_calls"`
	PreviousID        *string      `json:"previous_response_id"`
	Store             bool         `json:"store"`
	Temperature       *float64     `json:"temperature"`
	Text              textSettings `json:"text"`
	ToolChoice        string       `json:"tool_choice"`
	Tools             []toolEcho   `json:"tools"`
	TopP              *float64     `json:"top_p"`
	Truncation        string       `json:"truncation"`
}

type textSettings struct {
	Format formatEcho `json:"format"`
}

// formatEcho is the form of an answer as responses have it.
type formatEcho struct {
	Type        string          `json:"type"`
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Strict      bool            `json:"strict,omitempty"`
}

// toolEcho is a tool of the client as responses have it.
type toolEcho struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// echo has the members that repeat the request.
func echo(ask chat.ClientAsk) settings {
	out := settings{ParallelToolCalls: !ask.Single, Store: true, ToolChoice: "auto", Tools: []toolEcho{}, Truncation: "disabled"}
	if ask.Forced {
		out.ToolChoice = "required"
	}
	if ask.Previous != "" {
		out.PreviousID = &ask.Previous
	}
	for _, t := range ask.Tools {
		out.Tools = append(out.Tools, toolEcho{"function", t.Name, t.Description, t.Parameters, t.Strict})
	}
	out.Text.Format.Type = "text"
	if f := ask.Format; f != nil && f.Schema == nil {
		out.Text.Format.Type = "json_object"
	} else if f != nil {
		out.Text.Format = formatEcho{"json_schema", f.Name, f.Description, f.Schema, f.Strict}
	}
	return out
}

type conversationBody struct {
	ID string `json:"id"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

type outputItem struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Status  string       `json:"status"`
	Role    string       `json:"role,omitempty"`
	Content []outputText `json:"content,omitzero"`
	*calledBody
}

// calledBody has the members of an item that is a call of a tool of the client.
type calledBody struct {
	Call      string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// outputCall returns a call as an item.
func outputCall(c callBody) outputItem {
	return outputItem{ID: "fc_" + c.ID, Type: "function_call", Status: statusCompleted, calledBody: &calledBody{c.ID, c.Function.Name, string(c.Function.Arguments)}}
}

type outputText struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
}

func textPart(s string) outputText {
	return outputText{Type: "output_text", Text: s, Annotations: []struct{}{}, Logprobs: []struct{}{}}
}

// responseUsage counts tokens, over all steps of the turn.
type responseUsage struct {
	InputTokens  int           `json:"input_tokens"`
	Input        promptDetails `json:"input_tokens_details"`
	OutputTokens int           `json:"output_tokens"`
	Output       outputDetails `json:"output_tokens_details"`
	TotalTokens  int           `json:"total_tokens"`
}

type outputDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

func responseUsageOf(u chat.Usage) *responseUsage {
	return &responseUsage{u.PromptTokens, promptDetails{u.CachedTokens}, u.CompletionTokens, outputDetails{}, u.PromptTokens + u.CompletionTokens}
}

// The states of a response.
const (
	statusQueued     = "queued"
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

// responseOf returns a response that is not at its end.
func responseOf(a AcceptedMessage, status string) response {
	out := response{
		ID: a.ID, Object: "response", CreatedAt: a.Created.Unix(), Status: status, Model: a.Model, Output: []outputItem{}, Where: conversationBody{a.Conversation},
		settings: echo(a.Client),
	}
	return out
}

// messageID returns the id of the one message of a response: that of the response with another beginning, so that recalled finds it.
func messageID(a AcceptedMessage) string { return ofMessage + strings.TrimPrefix(a.ID, ofResponse) }

// ofResponse and ofMessage begin the ids of responses and of their messages.
const ofResponse, ofMessage = "resp_", "msg_"

// recalled returns the text of an item of an earlier response of the caller. A call has none.
func (a *ResponseAPI) recalled(ctx context.Context, item string) (string, error) {
	if strings.HasPrefix(item, "fc_") {
		return "", nil
	}
	id, _ := strings.CutPrefix(item, ofMessage)
	asked, err := a.Responses.Find(ctx, ofResponse+id)
	var out response
	if err == nil {
		out, err = a.now(ctx, asked)
	}
	if e, is := errors.AsType[*Error](err); is && e.Status == http.StatusNotFound {
		return "", invalid("input", "there is no item %.100q of yours; send the message itself instead of the item_reference", item)
	}
	if err != nil || len(out.Output) == 0 || len(out.Output[0].Content) == 0 {
		return "", err
	}
	return out.Output[0].Content[0].Text, nil
}

func outputMessage(a AcceptedMessage, status string, content ...outputText) outputItem {
	return outputItem{ID: messageID(a), Type: "message", Status: status, Role: "assistant", Content: append([]outputText{}, content...)}
}

// ended returns a response at its end; err is its failure, if any.
func ended(a AcceptedMessage, t *text, err error) response {
	out := responseOf(a, statusCompleted)
	out.Usage = responseUsageOf(t.usage)
	item := statusCompleted
	e, failed := err.(*Error) //nolint:errorlint // text.take returns no other one
	switch {
	case failed && e.Code == "stopped":
		out.Status, item = statusCancelled, statusIncomplete
	case failed && e.Status == http.StatusConflict: // dropped before it began
		out.Status, item = statusCancelled, statusIncomplete
	case failed:
		out.Status, item, out.Error = statusFailed, statusIncomplete, &responseError{"server_error", e.Message}
	case t.finishReason() == "length":
		out.Status, item, out.Incomplete = statusIncomplete, statusIncomplete, &incomplete{"max_output_tokens"}
	case t.finishReason() == "content_filter":
		out.Status, item, out.Incomplete = statusIncomplete, statusIncomplete, &incomplete{"content_filter"}
	}
	if t.whole.Len() > 0 || out.Status == statusCompleted && len(t.calls) == 0 {
		out.Output = []outputItem{outputMessage(a, item, textPart(t.whole.String()))}
	}
	if failed {
		return out
	}
	for _, c := range t.bodies(a.Client) {
		out.Output = append(out.Output, outputCall(c))
	}
	return out
}

// ResponseAPI answers requests for responses.
type ResponseAPI struct {
	Responses Responses
	Refusals  Refusals
}

// Create answers POST /v1/responses.
func (a *ResponseAPI) Create(w http.ResponseWriter, r *http.Request) {
	ask, asked, err := a.ask(w, r)
	if err != nil {
		Refuse(w, err, a.Refusals)
		return
	}
	w.Header().Set(conversationHeader, asked.Conversation)
	switch {
	case ask.stream:
		a.stream(r.Context(), w, asked)
	case ask.background:
		writeJSON(w, http.StatusOK, responseOf(asked, statusQueued))
		a.Responses.Delivered(r.Context(), asked)
	default:
		deliver(r.Context(), w, asked, a.Responses, a.Refusals, func(t *text) any { return ended(asked, t, nil) })
	}
}

func (a *ResponseAPI) ask(w http.ResponseWriter, r *http.Request) (ask responseRequest, asked AcceptedMessage, err error) {
	defer largebody.Read(r.Context())
	body, err := read(w, r)
	if err != nil {
		return ask, asked, err
	}
	if ask, err = parseResponse(body, r.Header, func(item string) (string, error) { return a.recalled(r.Context(), item) }); err != nil {
		return ask, asked, err
	}
	asked, err = accept(r, body, &ask.Ask, a.Responses.Ask)
	return ask, asked, err
}

// Get answers GET /v1/responses/{id}.
func (a *ResponseAPI) Get(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("stream") == "true" {
		Refuse(w, unsupported("stream", "stream is not supported here: create the response with stream, or get it again until its status is completed"), a.Refusals)
		return
	}
	asked, err := a.Responses.Find(r.Context(), r.PathValue("id"))
	if err == nil {
		var out response
		if out, err = a.now(r.Context(), asked); err == nil {
			writeJSON(w, http.StatusOK, out)
			return
		}
	}
	Refuse(w, err, a.Refusals)
}

// endTime bounds how long a cancelled response is waited for.
const endTime = 10 * time.Second

// Cancel answers POST /v1/responses/{id}/cancel, once the response has ended; where that takes long, with its state.
func (a *ResponseAPI) Cancel(w http.ResponseWriter, r *http.Request) {
	asked, err := a.Responses.Find(r.Context(), r.PathValue("id"))
	if err == nil {
		err = a.Responses.Cancel(r.Context(), asked)
	}
	if err != nil {
		Refuse(w, err, a.Refusals)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), endTime)
	defer cancel()
	out, err := standing(asked, a.Responses.Follow(ctx, asked))
	if err != nil && r.Context().Err() == nil {
		out, err = a.now(r.Context(), asked)
	}
	if err != nil {
		Refuse(w, err, a.Refusals)
		return
	}
	writeJSON(w, http.StatusOK, out)
}

// now returns the current state of a response.
func (a *ResponseAPI) now(ctx context.Context, asked AcceptedMessage) (response, error) {
	return standing(asked, a.Responses.Read(ctx, asked))
}

func standing(asked AcceptedMessage, events iter.Seq2[replystream.Event, error]) (response, error) {
	t, status := textOf(asked), statusQueued
	for e, err := range events {
		if err != nil {
			return response{}, err
		}
		switch e.Content.(type) {
		case replystream.TurnStarted:
			status = statusInProgress
		case replystream.Text, replystream.Restart:
			continue
		}
		if _, over, err := t.take(e.Content); err != nil || over {
			return ended(asked, t, err), nil
		}
	}
	out := responseOf(asked, status)
	if t.whole.Len() > 0 {
		out.Output = []outputItem{outputMessage(asked, statusInProgress, textPart(t.whole.String()))}
	}
	return out, nil
}
