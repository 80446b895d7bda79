package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tiktoken-go/tokenizer"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/proto"

	"xbot/internal/localstack"
	"xbot/internal/temporalclient"
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
	sums := map[string]float64{}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	own := s.descendants(s.cmd.Process.Pid, lines)
	for pid, name := range own {
		sums[name] += pss(pid)
	}
	total, product := 0.0, 0.0
	var out []figure
	for _, name := range []string{"xbot", "xbot-runner", "xbot-temporal", "postgres"} {
		out = append(out, figure{"memory of " + name + ", " + when, sums[name], "MB", ""})
		total += sums[name]
		if strings.HasPrefix(name, "xbot") && name != "xbot-temporal" {
			product += sums[name]
		}
	}
	return append(out,
		figure{"memory of everything, " + when, total, "MB", "450 idle (goal 300)"},
		figure{"memory without Temporal and Postgres, " + when, product, "MB", "80 idle (goal 50)"},
	), nil
}

// descendants returns the processes of the stack by pid with the names of their programs.
func (s *stack) descendants(root int, lines []string) map[int]string {
	parents, names := map[int]int{}, map[int]string{}
	for _, path := range lines {
		pid, err := strconv.Atoi(strings.Split(path, "/")[2])
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		end := bytes.LastIndexByte(stat, ')')
		names[pid] = string(stat[bytes.IndexByte(stat, '(')+1 : end])
		parents[pid], _ = strconv.Atoi(strings.Fields(string(stat[end+1:]))[1])
	}
	out := map[int]string{}
	for pid := range names {
		for up := pid; up > 1; up = parents[up] {
			if up == root {
				out[pid] = names[pid]
				break
			}
		}
	}
	return out
}

// cpu returns the CPU time that each program of the stack has used, in milliseconds. Unlike the clock it hardly
// depends on what else the machine does.
func (s *stack) cpu() (map[string]float64, error) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil, err
	}
	const tick = 10 // milliseconds of a clock tick on Linux
	out := map[string]float64{}
	for pid, name := range s.descendants(s.cmd.Process.Pid, lines) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		for _, i := range []int{11, 12, 13, 14} { // utime, stime and those of waited-for children
			n, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, err
			}
			out[name] += n * tick
		}
	}
	return out, nil
}

// pss returns the proportional set size of a process in MB.
func pss(pid int) float64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	defer f.Close() // read only
	for scan := bufio.NewScanner(f); scan.Scan(); {
		if fields := strings.Fields(scan.Text()); len(fields) > 1 && fields[0] == "Pss:" {
			kb, err := strconv.ParseFloat(fields[1], 64)
			if err == nil {
				return kb / 1024
			}
		}
	}
	return 0
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
		{"turn with 5 Shell calls", "each\n" + strings.Repeat("call Shell {\"command\":\"true\"}\n", 5), "80", "12288"},
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
