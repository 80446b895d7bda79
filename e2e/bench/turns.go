package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// talk is one chat whose answers are awaited over its event stream.
type talk struct {
	s        *stack
	key      chat.SessionKey
	n        int        // messages sent
	ended    int        // turns that have ended
	happened chan event // as it becomes visible
	leave    context.CancelFunc
}

// event is a final answer, or the end of a turn.
type event struct {
	answer string
	ended  bool
}

func (s *stack) newTalk(ctx context.Context) (*talk, error) {
	session, err := s.client.CreateSession(ctx, apiclient.NewSession{})
	if err != nil {
		return nil, err
	}
	watching, leave := context.WithCancel(ctx)
	t := &talk{s: s, key: session.Key, happened: make(chan event, 16), leave: leave}
	open := make(chan struct{})
	go t.watch(watching, sync.OnceFunc(func() { close(open) }))
	select {
	case <-open:
		return t, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// short returns the talk, or a fresh one if it has become long. Its turns have ended then.
func (t *talk) short(ctx context.Context) (*talk, error) {
	if t.n < chatLength {
		return t, nil
	}
	if err := t.rest(ctx); err != nil {
		return t, err
	}
	t.leave()
	return t.s.newTalk(ctx)
}

func (t *talk) watch(ctx context.Context, opened func()) {
	for u := range t.s.client.Watch(ctx, t.key, 0) {
		if u.Hello != nil {
			opened()
		}
		if u.Event == nil {
			continue
		}
		switch u.Event.Kind {
		case chat.EventMessage:
			var m chat.Message
			if json.Unmarshal(u.Event.Data, &m) == nil && m.Role != chat.RoleUser && len(m.ToolCalls) == 0 {
				t.happened <- event{answer: m.Content}
			}
		case chat.EventTurn:
			var turn chat.Turn
			if json.Unmarshal(u.Event.Data, &turn) == nil && turn.State != chat.TurnRunning {
				t.happened <- event{ended: true}
			}
		}
	}
}

// ask sends a message and returns the time until its answer is visible.
func (t *talk) ask(ctx context.Context, text string) (time.Duration, error) {
	t.n++
	want := fmt.Sprintf("answer %d", t.n)
	began := time.Now()
	if _, err := t.s.client.Send(ctx, t.key, fmt.Sprintf("%s-%d", t.key, t.n), text+"say "+want); err != nil {
		return 0, err
	}
	for {
		select {
		case got := <-t.happened:
			if got.ended {
				t.ended++
				continue
			}
			if got.answer == want {
				return time.Since(began), nil
			}
			return 0, fmt.Errorf("the answer is %q instead of %q", got.answer, want)
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// rest waits until all turns have ended.
func (t *talk) rest(ctx context.Context) error {
	for t.ended < t.n {
		select {
		case got := <-t.happened:
			if got.ended {
				t.ended++
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func starts(ctx context.Context, s *stack) ([]figure, error) {
	first, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.stop(); err != nil {
		return nil, err
	}
	again, err := s.start(ctx)
	return []figure{
		{"serve to ready, fresh data folder", first.Seconds(), "s", ""},
		{"serve to ready, data folder exists", again.Seconds(), "s", "4 (goal 2)"},
	}, err
}

// quantile returns a quantile in milliseconds.
func quantile(d []time.Duration, q float64) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	d = slices.Sorted(slices.Values(d))
	return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000
}
