// Package demo answers without a language model, so that a newcomer sees the whole path, tools included, before there
// is a key. It understands a short list of plain requests in English and Chinese, says what it is in its first
// sentence, and the same conversation always gets the same answer. It is not meant to be clever.
package demo

import (
	"context"
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

// Generate streams the answer in small pieces. The only error is the context's cause, with what was sent until then.
func (Client) Generate(ctx context.Context, req llm.Request, sink llm.Sink) (llm.Answer, error) {
	if sink == nil {
		sink = llm.Discard
	}
	whole := think(req)
	whole.Model, whole.Usage = "demo", usage(req, whole)
	s := &stream{sink: sink, size: max(minPiece, (runes(whole.Reasoning)+runes(whole.Text))/maxPieces+1)}
	said := llm.Answer{Model: whole.Model}
	var err error
	if said.Reasoning, err = s.send(ctx, whole.Reasoning, sink.Reasoning); err != nil {
		return said, err
	}
	if said.Text, err = s.send(ctx, whole.Text, sink.Text); err != nil {
		return said, err
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

// send passes text on piece by piece and returns what was passed on.
func (s *stream) send(ctx context.Context, text string, to func(string)) (sent string, err error) {
	timer := time.NewTimer(pace)
	defer timer.Stop()
	for rest := text; rest != ""; {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return text[:len(text)-len(rest)], context.Cause(ctx)
		}
		piece := head(rest, s.size)
		rest = rest[len(piece):]
		s.sink.Progress()
		to(piece)
		timer.Reset(pace)
	}
	return text, nil
}

// usage guesses token counts at four bytes a token, which is what English text has.
func usage(req llm.Request, answer llm.Answer) chat.Usage {
	read := len(req.System)
	for _, m := range req.Messages {
		read += len(m.Content) + len(m.Reasoning)
		for _, call := range m.ToolCalls {
			read += len(call.Name) + len(call.Arguments)
		}
	}
	for _, tool := range req.Tools {
		read += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	written := len(answer.Text) + len(answer.Reasoning)
	for _, call := range answer.ToolCalls {
		written += len(call.Name) + len(call.Arguments)
	}
	return chat.Usage{PromptTokens: read/4 + 1, CompletionTokens: written/4 + 1}
}

func runes(text string) int { return utf8.RuneCountInString(text) }

// head returns the first n runes of a text.
func head(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
