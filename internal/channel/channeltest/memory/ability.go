package memory

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Find looks for a message of the bot.
func (f finding) Find(_ context.Context, to channel.Address, m channel.Message, since time.Time) (channel.Sent, bool, error) {
	if f.has[Blind] {
		return channel.Sent{}, false, nil
	}
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	i := slices.IndexFunc(f.world.posts, func(p *post) bool {
		return p.where == whereOf(to) && !p.at.Before(since) && p.text == m.Text && (m.File != nil) == (len(p.files) > 0)
	})
	if i < 0 {
		return channel.Sent{ID: "b0"}, f.has[Believes], nil
	}
	return channel.Sent{ID: f.world.posts[i].id}, true, nil
}

// Fetch reads a file.
func (a *account) Fetch(_ context.Context, _ string, at chat.Attachment) (io.ReadCloser, error) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	data, ok := a.world.files[at.Key]
	if !ok && !a.has[Conjures] {
		return nil, fault.Errorf(fault.NotFound, "no file %s", at.Key)
	}
	if a.has[Clips] {
		data = data[:len(data)/2]
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// Edit changes a message.
func (a *account) Edit(_ context.Context, _ channel.Address, id string, m channel.Message) error {
	return a.world.change(id, func(p *post) {
		p.edits++
		if !a.has[Frozen] {
			p.text = a.spoilMessage(m).Text
		}
	})
}

// EditEvery is no pause at all.
func (a *account) EditEvery() time.Duration { return 0 }

// Delete takes a message back.
func (a *account) Delete(_ context.Context, _ channel.Address, id string) error {
	return a.world.change(id, func(p *post) { p.gone = !a.has[Undying] })
}

// React adds a reaction to a message.
func (a *account) React(_ context.Context, _ channel.Address, id, emoji string) error {
	return a.world.change(id, func(p *post) {
		if a.has[Effusive] || !slices.Contains(p.reactions, emoji) {
			p.reactions = append(p.reactions, emoji)
		}
	})
}

// Typing shows nothing that lasts.
func (a *account) Typing(ctx context.Context, to channel.Address) error {
	if a.has[Chatty] {
		_, err := a.Send(ctx, to, channel.Message{Key: "typing", Text: "..."})
		return err
	}
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	if !a.has[Fades] || a.world.typed == 0 {
		a.world.typed++
	}
	return nil
}

// Typed returns how often the bot has shown that it types.
func (w *World) Typed(string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.typed
}

// Settle shows how a question was answered.
func (a *account) Settle(_ context.Context, _ channel.Address, id string, _ channel.Question, answer string) error {
	if a.has[Unsettled] {
		return nil
	}
	return a.world.change(id, func(p *post) { p.settled = answer })
}

// stream is an answer that is being written.
type stream struct {
	*account
	to   channel.Address
	sent channel.Sent
}

// Stream begins an answer.
func (a *account) Stream(ctx context.Context, to channel.Address, m channel.Message) (channel.Stream, error) {
	sent, err := a.Send(ctx, to, m)
	return &stream{account: a, to: to, sent: sent}, err
}

// Resume continues an answer.
func (a *account) Resume(_ context.Context, to channel.Address, id string) (channel.Stream, error) {
	if a.world.find(id) == nil || a.has[Amnesiac] {
		return nil, fault.Errorf(fault.NotFound, "no message %s", id)
	}
	return &stream{account: a, to: to, sent: channel.Sent{ID: id}}, nil
}

// Sent returns the message of the stream.
func (s *stream) Sent() channel.Sent { return s.sent }

// Put shows the text so far.
func (s *stream) Put(ctx context.Context, text string, sequence int) error {
	if s.has[Stutters] {
		_, err := s.Send(ctx, s.to, channel.Message{Key: fmt.Sprintf("stream-%d", sequence), Text: text})
		return err
	}
	return s.Edit(ctx, s.to, s.sent.ID, channel.Message{Text: text})
}

// End shows the whole text.
func (s *stream) End(ctx context.Context, m channel.Message, sequence int) error {
	return s.Put(ctx, m.Text, sequence)
}
