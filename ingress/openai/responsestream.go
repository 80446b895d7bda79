package openai

import (
	"context"
	"net/http"
)

// responseEvent is an event of the stream of a response. Which members it has depends on its type.
type responseEvent struct {
	Type      string      `json:"type"`
	Number    int         `json:"sequence_number"`
	Response  *response   `json:"response,omitempty"`
	Output    *int        `json:"output_index,omitempty"`
	Item      *outputItem `json:"item,omitempty"`
	ItemID    string      `json:"item_id,omitempty"`
	Content   *int        `json:"content_index,omitempty"`
	Part      *outputText `json:"part,omitempty"`
	Delta     string      `json:"delta,omitempty"`
	Text      *string     `json:"text,omitempty"`
	Logprobs  *[]struct{} `json:"logprobs,omitempty"`
	Name      string      `json:"name,omitempty"`
	Arguments string      `json:"arguments,omitempty"`
}

// responseStream writes a response piece by piece.
type responseStream struct {
	*stream
	asked AcceptedMessage
	text  *text
	begun bool // the message
	n     int
}

// stream sends the response while it is written.
func (a *ResponseAPI) stream(ctx context.Context, w http.ResponseWriter, asked AcceptedMessage) {
	s := &responseStream{stream: openStream(w), asked: asked, text: textOf(asked)}
	s.tellResponse("response.created", responseOf(asked, statusInProgress))
	s.tellResponse("response.in_progress", responseOf(asked, statusInProgress))
	s.follow(ctx, asked, a.Responses, a.Refusals, s.text, s)
}

// event sends an event with the next number.
func (s *responseStream) event(e responseEvent) {
	e.Number = s.n
	s.n++
	s.send(e.Type, e)
}

func (s *responseStream) tellResponse(kind string, r response) {
	s.event(responseEvent{Type: kind, Response: &r})
}

// ofText is an event about the one text of the response.
func (s *responseStream) ofText(e responseEvent) {
	e.ItemID, e.Output, e.Content = messageID(s.asked), new(0), new(0)
	s.event(e)
}

func (s *responseStream) piece(text string) {
	s.begin()
	s.ofText(responseEvent{Type: "response.output_text.delta", Delta: text, Logprobs: &[]struct{}{}})
}

// begin opens the message before its first piece.
func (s *responseStream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	s.event(responseEvent{Type: "response.output_item.added", Output: new(0), Item: new(outputMessage(s.asked, statusInProgress))})
	s.ofText(responseEvent{Type: "response.content_part.added", Part: new(textPart(""))})
}

func (s *responseStream) end() {
	out := ended(s.asked, s.text, nil)
	for i, item := range out.Output {
		if item.Type == "message" {
			s.endText(item)
			continue
		}
		s.endCall(i, item)
	}
	kind := "response.completed"
	if out.Status == statusIncomplete {
		kind = "response.incomplete"
	}
	s.tellResponse(kind, out)
}

func (s *responseStream) endText(item outputItem) {
	s.begin()
	whole := s.text.whole.String()
	s.ofText(responseEvent{Type: "response.output_text.done", Text: &whole, Logprobs: &[]struct{}{}})
	s.ofText(responseEvent{Type: "response.content_part.done", Part: new(textPart(whole))})
	s.event(responseEvent{Type: "response.output_item.done", Output: new(0), Item: &item})
}

// endCall sends a call, whose arguments come at once.
func (s *responseStream) endCall(at int, item outputItem) {
	begun := item
	begun.Status, begun.calledBody = statusInProgress, &calledBody{Call: item.Call, Name: item.Name}
	s.event(responseEvent{Type: "response.output_item.added", Output: &at, Item: &begun})
	s.event(responseEvent{Type: "response.function_call_arguments.delta", Output: &at, ItemID: item.ID, Delta: item.Arguments})
	s.event(responseEvent{Type: "response.function_call_arguments.done", Output: &at, ItemID: item.ID, Name: item.Name, Arguments: item.Arguments})
	s.event(responseEvent{Type: "response.output_item.done", Output: &at, Item: &item})
}

func (s *responseStream) fail(e *Error) {
	out := responseOf(s.asked, statusFailed)
	out.Usage, out.Error = responseUsageOf(s.text.usage), &responseError{e.body().Error.Code, e.Message}
	s.tellResponse("response.failed", out)
}
