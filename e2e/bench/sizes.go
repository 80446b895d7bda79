package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/tiktoken-go/tokenizer"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/proto"

	"xbot/internal/host/localstack"
	"xbot/internal/host/temporalclient"
	"xbot/workflows"
)

// settle is how long the processes are left alone before their memory is read.
const settle = 3 * time.Second

func idleMemory(_ context.Context, s *stack) ([]figure, error) {
	time.Sleep(settle)
	return s.memory("idle")
}

func loadedMemory(ctx context.Context, s *stack) ([]figure, error) {
	for range 200 {
		t, err := s.newTalk(ctx)
		if err != nil {
			return nil, err
		}
		if _, err := t.ask(ctx, ""); err != nil {
			return nil, err
		}
	}
	time.Sleep(settle)
	return s.memory("after 200 sessions and the load above")
}

// memory sums the proportional set size of each program of the stack.
func (s *stack) memory(when string) ([]figure, error) {
	processes, err := s.processes()
	if err != nil {
		return nil, err
	}
	sums := map[string]float64{}
	for pid, name := range processes {
		sums[name] += pss(pid)
	}
	total, product := 0.0, 0.0
	var out []figure
	for _, name := range programs {
		out = append(out, figure{What: "memory of " + name + ", " + when, Value: sums[name], Unit: "MB"})
		total += sums[name]
		if strings.HasPrefix(name, "xbot") && name != "xbot-temporal" {
			product += sums[name]
		}
	}
	return append(out,
		figure{What: "memory of everything, " + when, Value: total, Unit: "MB", Budget: "450 idle, 500 after load"},
		figure{What: "memory without Temporal and Postgres, " + when, Value: product, Unit: "MB", Budget: "80 idle (goal 50)"},
	), nil
}

// promptSize counts what a bare hello costs: the system prompt and the tool schemas as they were sent.
func promptSize(ctx context.Context, s *stack) ([]figure, error) {
	t, err := s.newTalk(ctx)
	if err != nil {
		return nil, err
	}
	s.model.Reset()
	if _, err := t.ask(ctx, ""); err != nil {
		return nil, err
	}
	requests := s.model.Requests()
	if len(requests) == 0 {
		return nil, fmt.Errorf("the model was not called")
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, err
	}
	ids, _, err := codec.Encode(string(requests[0].Raw))
	return []figure{{"tokens of a bare hello: prompt and schemas", float64(len(ids)), "tokens", "4000 (goal 2500)"}}, err
}

// histories measures what turns leave in Temporal.
func histories(ctx context.Context, s *stack) ([]figure, error) {
	e, err := localstack.Read(s.home)
	if err != nil {
		return nil, err
	}
	c, err := temporalclient.New(temporalclient.Config{
		Address: e.Temporal.Address, Namespace: e.Temporal.Namespace, ServerName: e.Temporal.ServerName,
		CAFile: e.Temporal.CAFile, CertFile: e.Temporal.CertFile, KeyFile: e.Temporal.KeyFile, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var out []figure
	for _, kind := range []struct{ name, text, events, bytes string }{
		{"plain turn", "", "20", "4096"},
		{"turn with 5 Shell calls", fiveCalls, "80", "12288"},
	} {
		t, err := s.newTalk(ctx)
		if err != nil {
			return nil, err
		}
		if _, err := t.ask(ctx, kind.text); err != nil {
			return nil, err
		}
		if err := c.GetWorkflow(ctx, workflows.TurnID(t.key), "").Get(ctx, nil); err != nil {
			return nil, err
		}
		h := &history.History{}
		events := c.GetWorkflowHistory(ctx, workflows.TurnID(t.key), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				return nil, err
			}
			h.Events = append(h.Events, event)
		}
		out = append(out,
			figure{"history events of a " + kind.name, float64(len(h.Events)), "", kind.events},
			figure{"history size of a " + kind.name, float64(proto.Size(h)), "bytes", kind.bytes},
		)
	}
	return out, nil
}
