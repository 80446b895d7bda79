package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"xbot/internal/apiclient"
	"xbot/internal/chat"
)

// talk is one chat whose answers are awaited over its event stream.
type talk struct {
	s       *stack
	key     chat.SessionKey
	n       int
	answers chan string // final answers, as they become visible
}

func (s *stack) newTalk(ctx context.Context) (*talk, error) {
	session, err := s.client.CreateSession(ctx, apiclient.NewSession{})
	if err != nil {
		return nil, err
	}
	t := &talk{s: s, key: session.Key, answers: make(chan string, 16)}
	open := make(chan struct{})
	go t.watch(ctx, sync.OnceFunc(func() { close(open) }))
	select {
	case <-open:
		return t, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (t *talk) watch(ctx context.Context, opened func()) {
	for u := range t.s.client.Watch(ctx, t.key, 0) {
		if u.Hello != nil {
			opened()
		}
		if u.Event == nil || u.Event.Kind != chat.EventMessage {
			continue
		}
		var m chat.Message
		if json.Unmarshal(u.Event.Data, &m) == nil && m.Role != chat.RoleUser && len(m.ToolCalls) == 0 {
			t.answers <- m.Content
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
		case got := <-t.answers:
			if got == want {
				return time.Since(began), nil
			}
			return 0, fmt.Errorf("the answer is %q instead of %q", got, want)
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
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

// sample asks n times after a warm-up.
func (s *stack) sample(ctx context.Context, n int, text string) ([]time.Duration, error) {
	t, err := s.newTalk(ctx)
	if err != nil {
		return nil, err
	}
	var out []time.Duration
	for i := range n + 5 {
		d, err := t.ask(ctx, text)
		if err != nil {
			return nil, err
		}
		if i >= 5 {
			out = append(out, d)
		}
		if i%20 == 19 { // a fresh chat, so that prompts stay short
			if t, err = s.newTalk(ctx); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func plainTurns(ctx context.Context, s *stack) ([]figure, error) {
	before, err := s.cpu()
	if err != nil {
		return nil, err
	}
	d, err := s.sample(ctx, 100, "")
	if err != nil {
		return nil, err
	}
	after, err := s.cpu()
	out := []figure{
		{"plain turn p50", quantile(d, 0.5), "ms", "22 (goal 15)"},
		{"plain turn p95", quantile(d, 0.95), "ms", "40 (goal 30)"},
	}
	for _, name := range []string{"xbot", "xbot-temporal", "postgres"} {
		out = append(out, figure{"CPU of " + name + " per plain turn", (after[name] - before[name]) / 105, "ms", ""})
	}
	return out, err
}

func commandTurns(ctx context.Context, s *stack) ([]figure, error) {
	d, err := s.sample(ctx, 40, "each\n"+strings.Repeat("call Shell {\"command\":\"true\"}\n", 5))
	return []figure{
		{"turn with 5 Shell calls p50", quantile(d, 0.5), "ms", "170 (goal 75)"},
		{"turn with 5 Shell calls p95", quantile(d, 0.95), "ms", ""},
	}, err
}

// throughput asks in n chats at once, each as soon as its answer is there.
func throughput(n int, length time.Duration) func(context.Context, *stack) ([]figure, error) {
	return func(ctx context.Context, s *stack) ([]figure, error) {
		talks := make([]*talk, n)
		for i := range talks {
			t, err := s.newTalk(ctx)
			if err != nil {
				return nil, err
			}
			talks[i] = t
		}
		var turns atomic.Int64
		var mu sync.Mutex
		var all []time.Duration
		var failed error
		var wg sync.WaitGroup
		deadline := time.Now().Add(length)
		for _, t := range talks {
			wg.Go(func() {
				for time.Now().Before(deadline) {
					d, err := t.ask(ctx, "")
					mu.Lock()
					if err != nil {
						failed = err
						mu.Unlock()
						return
					}
					all = append(all, d)
					mu.Unlock()
					turns.Add(1)
				}
			})
		}
		wg.Wait()
		budget := ""
		if n > 1 {
			budget = "45 (goal 75)"
		}
		return []figure{
			{fmt.Sprintf("plain turns/s, %d chats", n), float64(turns.Load()) / length.Seconds(), "1/s", budget},
			{fmt.Sprintf("plain turn p95, %d chats", n), quantile(all, 0.95), "ms", ""},
		}, failed
	}
}

// quantile returns a quantile in milliseconds.
func quantile(d []time.Duration, q float64) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	d = slices.Sorted(slices.Values(d))
	return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000
}
