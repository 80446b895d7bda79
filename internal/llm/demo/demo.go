// Package demo implements the built-in model, which works without a key. It follows a list of rules for plain requests
// in English and Chinese, calls tools, and gives the same conversation the same answer.
package demo

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/llm"
)

// The pace of a stream: at most maxPieces pieces, pace apart, so that the longest answer takes 1.2 s.
const (
	pace      = 20 * time.Millisecond
	maxPieces = 60
	minPiece  = 4 // runes
)

// Client is the demo model. Its zero value is ready to use, by many goroutines at once.
type Client struct{}

var _ llm.Client = Client{}

// Model returns "demo/demo".
func (Client) Model() string { return "demo/demo" }

// Generate streams the answer in small pieces. The only error is the context's cause, with the part that was sent.
func (Client) Generate(ctx context.Context, req llm.Request, sink llm.Sink) (llm.Answer, error) {
	if sink == nil {
		sink = llm.Discard
	}
	whole := think(req)
	whole.Model, whole.Usage = "demo", usage(req, whole)
	s := &stream{sink: sink, size: max(minPiece, utf8.RuneCountInString(whole.Reasoning+whole.Text)/maxPieces+1)}
	sent := llm.Answer{Model: whole.Model}
	var err error
	if sent.Reasoning, err = s.send(ctx, whole.Reasoning, sink.Reasoning); err != nil {
		return sent, err
	}
	if sent.Text, err = s.send(ctx, whole.Text, sink.Text); err != nil {
		return sent, err
	}
	for n, call := range whole.ToolCalls {
		sink.ToolCall(n, call.Name)
		sink.Arguments(n, call.Arguments)
	}
	return whole, nil
}

// stream sends texts in pieces.
type stream struct {
	sink llm.Sink
	size int // runes of a piece
}

// send passes text to the sink piece by piece and returns the part that it passed.
func (s *stream) send(ctx context.Context, text string, to func(string)) (sent string, err error) {
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for piece := range slices.Chunk([]rune(text), s.size) {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return sent, context.Cause(ctx)
		}
		sent += string(piece)
		s.sink.Progress()
		to(string(piece))
	}
	return sent, nil
}

// usage guesses token counts at four bytes a token, which is what English text has.
func usage(req llm.Request, answer llm.Answer) chat.Usage {
	read := len(req.System)
	for _, m := range req.Messages {
		read += size(m.Content, m.Reasoning, m.ToolCalls)
	}
	for _, tool := range req.Tools {
		read += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	return chat.Usage{PromptTokens: read/4 + 1, CompletionTokens: size(answer.Text, answer.Reasoning, answer.ToolCalls)/4 + 1}
}

// size returns the bytes of a message.
func size(text, reasoning string, calls []llm.ToolCall) int {
	n := len(text) + len(reasoning)
	for _, call := range calls {
		n += len(call.Name) + len(call.Arguments)
	}
	return n
}
