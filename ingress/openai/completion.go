package openai

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"

	"xbot/ingress/largebody"
	"xbot/internal/chat"
	"xbot/internal/document/webpicture"
)

// Chat answers requests for chat completions.
type Chat struct {
	Backend  Backend
	Refusals Refusals
}

// completion is a whole answer.
type completion struct {
	ID           string   `json:"id"`
	Object       string   `json:"object"`
	Created      int64    `json:"created"`
	Model        string   `json:"model"`
	Choices      []choice `json:"choices"`
	Usage        *usage   `json:"usage"`
	Conversation string   `json:"conversation_id"`
}

type choice struct {
	Index        int         `json:"index"`
	Message      chatMessage `json:"message"`
	Logprobs     *struct{}   `json:"logprobs"`
	FinishReason string      `json:"finish_reason"`
}

type chatMessage struct {
	Role        string     `json:"role"`
	Content     *string    `json:"content"` // null where there are calls alone
	ToolCalls   []callBody `json:"tool_calls,omitempty"`
	Refusal     *string    `json:"refusal"`
	Annotations []struct{} `json:"annotations"`
}

// usage counts tokens, over all steps of the turn.
type usage struct {
	PromptTokens     int           `json:"prompt_tokens"`
	CompletionTokens int           `json:"completion_tokens"`
	TotalTokens      int           `json:"total_tokens"`
	Prompt           promptDetails `json:"prompt_tokens_details"`
}

type promptDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

func usageOf(u chat.Usage) *usage {
	return &usage{u.PromptTokens, u.CompletionTokens, u.PromptTokens + u.CompletionTokens, promptDetails{u.CachedTokens}}
}

// ServeHTTP implements http.Handler.
func (c *Chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ask, asked, err := c.ask(w, r)
	if err != nil {
		Refuse(w, err, c.Refusals)
		return
	}
	w.Header().Set(conversationHeader, asked.Conversation)
	if ask.stream {
		c.stream(r.Context(), w, ask, asked)
		return
	}
	deliver(r.Context(), w, asked, c.Backend, c.Refusals, func(t *text) any {
		return completion{
			ID: completionID(asked), Object: "chat.completion", Created: asked.Created.Unix(), Model: asked.Model,
			Choices:      []choice{{Message: messageOf(asked, t), FinishReason: t.finishReason()}},
			Usage:        usageOf(t.usage),
			Conversation: asked.Conversation,
		}
	})
}

func (c *Chat) ask(w http.ResponseWriter, r *http.Request) (ask chatRequest, asked AcceptedMessage, err error) {
	defer largebody.Read(r.Context())
	body, err := read(w, r)
	if err != nil {
		return ask, asked, err
	}
	if ask, err = parseChat(body, r.Header); err != nil {
		return ask, asked, err
	}
	asked, err = accept(r, body, &ask.Ask, c.Backend.Ask)
	return ask, asked, err
}

// accept hands a request that was read to who answers it.
func accept(r *http.Request, body []byte, ask *Ask, answerer func(context.Context, Ask) (AcceptedMessage, error)) (asked AcceptedMessage, err error) {
	if ask.Identity, err = identityOf(r, body); err != nil {
		return asked, err
	}
	if webpicture.Fetched(ask.Files()) {
		largebody.Read(r.Context()) // a sender of pictures that is slow keeps no others from sending requests
	}
	asked, err = answerer(r.Context(), *ask)
	asked.Model, asked.Client = cmp.Or(asked.Model, ask.Model), ask.Client
	return asked, err
}

// completionID is the same for the same message.
func completionID(a AcceptedMessage) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", a.Session, a.Message))
	return "chatcmpl-" + hex.EncodeToString(sum[:12])
}

// messageOf returns the message of an answer.
func messageOf(asked AcceptedMessage, t *text) chatMessage {
	out := chatMessage{Role: "assistant", ToolCalls: t.bodies(asked.Client), Annotations: []struct{}{}}
	if said := t.whole.String(); said != "" || len(out.ToolCalls) == 0 {
		out.Content = &said
	}
	return out
}

// chunk is a piece of an answer.
type chunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []chunkChoice `json:"choices"`
	Usage   *usage        `json:"usage,omitempty"`
	// Conversation names the conversation for later requests.
	Conversation string `json:"conversation_id"`
}

type chunkChoice struct {
	Index        int       `json:"index"`
	Delta        delta     `json:"delta"`
	Logprobs     *struct{} `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}

type delta struct {
	Role    string      `json:"role,omitempty"`
	Content *string     `json:"content,omitempty"`
	Calls   []callDelta `json:"tool_calls,omitempty"`
}

// callDelta is a call, whose arguments come at once: they are certain when the step is at its end.
type callDelta struct {
	Index int `json:"index"`
	callBody
}

// chunks writes an answer piece by piece.
type chunks struct {
	*stream
	asked AcceptedMessage
	text  *text
	usage bool // it ends with the usage
}

// stream sends the answer while it is written.
func (c *Chat) stream(ctx context.Context, w http.ResponseWriter, ask chatRequest, asked AcceptedMessage) {
	s := &chunks{stream: openStream(w), asked: asked, text: textOf(asked), usage: ask.usage}
	s.delta(delta{Role: "assistant", Content: new("")}, nil)
	if !s.gone {
		s.follow(ctx, asked, c.Backend, c.Refusals, s.text, s)
	}
}

func (s *chunks) piece(text string) { s.delta(delta{Content: &text}, nil) }

func (s *chunks) delta(d delta, finish *string) {
	s.send("", s.chunk([]chunkChoice{{Delta: d, FinishReason: finish}}, nil))
}

func (s *chunks) chunk(choices []chunkChoice, u *usage) chunk {
	return chunk{
		ID: completionID(s.asked), Object: "chat.completion.chunk", Created: s.asked.Created.Unix(), Model: s.asked.Model,
		Choices: choices, Usage: u, Conversation: s.asked.Conversation,
	}
}

func (s *chunks) end() {
	for i, c := range s.text.bodies(s.asked.Client) {
		s.delta(delta{Calls: []callDelta{{i, c}}}, nil)
	}
	s.delta(delta{}, new(s.text.finishReason()))
	if s.usage {
		s.send("", s.chunk([]chunkChoice{}, usageOf(s.text.usage)))
	}
	s.gone = s.gone || s.Event(0, "", []byte("[DONE]")) != nil
}

func (s *chunks) fail(e *Error) { s.send("", e.body()) }
