package consumer

import (
	"context"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/replystream"
	"xbot/internal/fault"
	"xbot/internal/service"
)

const (
	// followersOfOne and followersOfKey bound how many read along in a conversation, and in all conversations of a key, in this process.
	followersOfOne, followersOfKey = 8, 1000
	// followPause is when one who was refused may ask again.
	followPause = 30 * time.Second
)

// followers counts who reads in conversations, until an answer ends or for as long as they like, also those who wait for an answer that they
// asked for. They take no place of the messages of their key. The zero value is ready.
type followers struct {
	mu    sync.Mutex
	count map[string]int // by conversation, and by key
}

// enter admits a reader; the caller calls leave in the end. It always admits a reader of the answer to a message that was just admitted: the
// places of their key bound them.
func (f *followers) enter(c service.Conversation, admitted bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case admitted:
	case f.count[c.ID] >= followersOfOne:
		return fault.Limited(followPause, "%d readers follow this conversation already: end one of them, or ask again later", followersOfOne)
	case f.count[c.Key] >= followersOfKey:
		return fault.Limited(followPause, "%d readers follow conversations of this key already: end one of them, or ask again later", followersOfKey)
	}
	if f.count == nil {
		f.count = map[string]int{}
	}
	f.count[c.ID]++
	f.count[c.Key]++
	return nil
}

func (f *followers) leave(c service.Conversation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, of := range []string{c.ID, c.Key} {
		if f.count[of]--; f.count[of] <= 0 {
			delete(f.count, of)
		}
	}
}

// reads counts a request as one that reads in a conversation, until it ends, unless as many do as may. Admitted: its message was just accepted.
func (a *API) reads(v *visit, c service.Conversation, admitted bool) error {
	err := a.followers.enter(c, admitted)
	if err == nil {
		v.reads = c
	}
	return err
}

// left ends the counts of a request.
func (a *API) left(v *visit) {
	if v.reads.ID != "" {
		a.followers.leave(v.reads)
	}
}

// attend answers one who reads along in a conversation.
func (a *API) attend(v *visit, c service.Conversation, q replystream.Question, tell eventWriter) (*huma.StreamResponse, error) {
	if err := a.reads(v, c, false); err != nil {
		return nil, err
	}
	return a.stream(v, q, tell), nil
}

// follow streams the events of a conversation until the reader leaves.
func (a *API) follow(ctx context.Context, v *visit, c service.Conversation, q replystream.Question) (*huma.StreamResponse, error) {
	q, err := a.Answers.FromNow(ctx, q)
	if err != nil {
		return nil, err
	}
	return a.attend(v, c, q, a.tellAlong)
}

// tellAlong writes the events of a conversation for as long as its reader stays.
func (a *API) tellAlong(ctx context.Context, v *visit, s *events, q replystream.Question) error {
	v.record.Latency = time.Since(v.record.At) // the time of reading is no latency of the service
	return a.tellAll(v, s, a.Answers.Watch(ctx, q))
}
