package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// fiveCalls has the model call a tool five times, once in each step.
	fiveCalls = "each\ncall Shell {\"command\":\"true\"}\ncall Shell {\"command\":\"true\"}\ncall Shell {\"command\":\"true\"}\n" +
		"call Shell {\"command\":\"true\"}\ncall Shell {\"command\":\"true\"}\n"
	// readingTime is the pause between the end of a turn and the next message: users need at least that to read an answer.
	readingTime = 50 * time.Millisecond
	// warmup is how many turns are not counted.
	warmup = 5
	// chatLength is after how many turns a fresh chat begins, so that prompts stay short, and are as long for a build that
	// answers more in the same time.
	chatLength = 20
)

// load is how much is measured.
type load struct {
	turns  int           // plain turns
	length time.Duration // of a measurement of throughput
}

// row is a measured number of each stack, in their order.
type row struct {
	What   string    `json:"what"`
	Unit   string    `json:"unit"`
	Budget string    `json:"budget,omitempty"` // of the number
	Goal   string    `json:"goal,omitempty"`   // of the ratio to the base
	Values []float64 `json:"values"`
}

// figures returns the rows of the first stack.
func figures(rows []row) []figure {
	var out []figure
	for _, r := range rows {
		out = append(out, figure{r.What, r.Values[0], r.Unit, r.Budget})
	}
	return out
}

// sample is what one stack did in a measurement.
type sample struct {
	times []time.Duration    // from message to visible answer
	took  time.Duration      // of turns that ran at once, until the last had ended
	turns int                // with those that are not in times
	cpu   map[string]float64 // milliseconds by program
	usage usage
}

// pace measures turns on all stacks, turn by turn in alternation: what else the machine does meets all of them.
func pace(ctx context.Context, stacks []*stack, size load) ([]row, error) {
	plain, err := alternate(ctx, stacks, size.turns, 1, "")
	if err != nil {
		return nil, err
	}
	rows := slices.Concat(
		times("plain turn, paced,", "18", "30", "1.00", 0, plain), cost("plain turn, paced", "32", "1.00", plain), disk("plain turn", plain),
	)
	calls, err := alternate(ctx, stacks, size.turns*2/5, 1, fiveCalls)
	if err != nil {
		return nil, err
	}
	rows = slices.Concat(rows, times("turn with 5 Shell calls, paced,", "120", "", "1.00", 0, calls), cost("turn with 5 Shell calls", "", "", calls))
	straight, err := alternate(ctx, stacks, size.turns, 10, "")
	if err != nil {
		return nil, err
	}
	rows = slices.Concat(rows, times("plain turn, back to back,", "", "", "", 0, straight), cost("plain turn, back to back", "", "", straight))
	for _, chats := range []int{1, few, 50} {
		got, err := throughput(ctx, stacks, chats, 0, size.length)
		if err != nil {
			return nil, err
		}
		rows = append(rows, got...)
	}
	for _, delay := range slowModels {
		got, err := slowModel(ctx, stacks, delay, size)
		if err != nil {
			return nil, err
		}
		rows = append(rows, got...)
	}
	return rows, nil
}

// slowModels are times after which real models answer. A model that takes longer than 250 ms is asked by an activity instead of
// within the workflow task.
var slowModels = []time.Duration{300 * time.Millisecond, 1500 * time.Millisecond}

// delayed returns the line of a program for a model that answers after some time.
func delayed(delay time.Duration) string {
	if delay == 0 {
		return ""
	}
	return fmt.Sprintf("delay %s\n", delay)
}

// slowModel measures turns with a model that answers after some time: what they take beyond it, and how many there are in a second.
func slowModel(ctx context.Context, stacks []*stack, delay time.Duration, size load) ([]row, error) {
	of := fmt.Sprintf("with a model of %d ms", delay.Milliseconds())
	plain, err := alternate(ctx, stacks, max(1, size.turns/4), 1, delayed(delay))
	if err != nil {
		return nil, err
	}
	rows := slices.Concat(
		times("plain turn "+of+", beyond it, paced,", "", "", "1.00", delay, plain), cost("plain turn "+of, "", "1.00", plain),
	)
	for _, chats := range []int{few, 50} {
		got, err := throughput(ctx, stacks, chats, delay, max(size.length, 8*delay))
		if err != nil {
			return nil, err
		}
		rows = append(rows, got...)
	}
	return rows, nil
}

// alternate asks n times on each stack, in blocks that take turns. Within a block each message follows the answer before it; after a block the turn
// ends and no message follows for readingTime. A block of one is a paced turn.
func alternate(ctx context.Context, stacks []*stack, n, block int, text string) ([]sample, error) {
	samples, before := make([]sample, len(stacks)), make([]usage, len(stacks))
	for i, s := range stacks {
		if err := s.block(ctx, &sample{cpu: map[string]float64{}}, warmup, text); err != nil {
			return nil, err
		}
		var err error
		if before[i], err = s.used(ctx); err != nil {
			return nil, err
		}
		samples[i].cpu = map[string]float64{}
	}
	for round := range (n + block - 1) / block {
		for k := range stacks {
			i := (k + round) % len(stacks) // no stack is always first
			if err := stacks[i].block(ctx, &samples[i], block, text); err != nil {
				return nil, err
			}
		}
	}
	for i, s := range stacks {
		after, err := s.used(ctx)
		if err != nil {
			return nil, err
		}
		samples[i].usage = after.since(before[i])
	}
	return samples, nil
}

// block asks n times, one message after the other, and adds what that took to a sample. The first message of a larger
// block is a paced one, so its time is left out.
func (s *stack) block(ctx context.Context, to *sample, n int, text string) error {
	var err error
	if s.talk == nil {
		s.talk, err = s.newTalk(ctx)
	} else {
		s.talk, err = s.talk.short(ctx)
	}
	if err != nil {
		return err
	}
	before, err := s.cpu()
	if err != nil {
		return err
	}
	for i := range n {
		d, err := s.talk.ask(ctx, text)
		if err != nil {
			return err
		}
		if i > 0 || n == 1 {
			to.times = append(to.times, d)
		}
	}
	if err := s.talk.rest(ctx); err != nil {
		return err
	}
	time.Sleep(readingTime)
	after, err := s.cpu()
	for name := range after {
		to.cpu[name] += after[name] - before[name]
	}
	to.turns += n
	return err
}

// across makes a row of a number of each sample.
func across(what, unit string, samples []sample, number func(sample) float64) row {
	r := row{What: what, Unit: unit}
	for _, s := range samples {
		r.Values = append(r.Values, number(s))
	}
	return r
}

// times returns the quantiles of the time to the visible answer, beyond that of the model.
func times(what, p50, p95, goal string, model time.Duration, samples []sample) []row {
	beyond := func(q float64) func(sample) float64 {
		return func(s sample) float64 { return quantile(s.times, q) - float64(model.Milliseconds()) }
	}
	half := across(what+" p50", "ms", samples, beyond(0.5))
	half.Budget, half.Goal = p50, goal
	most := across(what+" p95", "ms", samples, beyond(0.95))
	most.Budget = p95
	return []row{half, most}
}

// cost returns the CPU time of a turn.
func cost(what, budget, goal string, samples []sample) []row {
	all := across("CPU of a "+what, "ms", samples, func(s sample) float64 { return sum(s.cpu) / float64(s.turns) })
	all.Budget, all.Goal = budget, goal
	rows := []row{all}
	for _, name := range programs {
		rows = append(rows, across("CPU of a "+what+", "+name, "ms", samples, func(s sample) float64 { return s.cpu[name] / float64(s.turns) }))
	}
	return rows
}

// disk returns what a turn leaves on the disk, and what it writes on the way.
func disk(what string, samples []sample) []row {
	each := func(bytes func(usage) float64) func(sample) float64 {
		return func(s sample) float64 { return bytes(s.usage) / float64(s.turns) / 1000 }
	}
	tables := across("disk of a "+what+", all tables of all databases", "kB", samples, each(func(u usage) float64 { return sum(u.tables) }))
	tables.Budget, tables.Goal = "20", "0.45"
	rows := []row{
		tables,
		across("disk of a "+what+", indexes among them", "kB", samples, each(func(u usage) float64 { return u.indexes })),
		across("WAL of a "+what, "kB", samples, each(func(u usage) float64 { return u.wal })),
	}
	largest := samples[0].usage.tables
	for _, name := range slices.SortedFunc(maps.Keys(largest), func(a, b string) int { return cmp.Compare(largest[b], largest[a]) })[:6] {
		rows = append(rows, across("disk of a "+what+", "+name, "kB", samples, each(func(u usage) float64 { return u.tables[name] })))
	}
	return rows
}

func sum[K comparable](numbers map[K]float64) float64 {
	all := 0.0
	for _, n := range numbers {
		all += n
	}
	return all
}

// few is a number of chats at once that fills two cores, so that there is little to wait for.
const few = 10

// throughput asks in many chats at once, each as soon as its answer is there, on the stacks in alternation. The model answers
// after delay.
func throughput(ctx context.Context, stacks []*stack, chats int, delay, length time.Duration) ([]row, error) {
	const parts = 2 // of each stack
	samples := make([]sample, len(stacks))
	talks := make([][]*talk, len(stacks))
	for i, s := range stacks {
		for range chats {
			t, err := s.newTalk(ctx)
			if err != nil {
				return nil, err
			}
			talks[i] = append(talks[i], t)
		}
	}
	for round := range parts {
		for k := range stacks {
			i := (k + round) % len(stacks)
			began := time.Now()
			got, err := askAtOnce(ctx, talks[i], delayed(delay), length/parts)
			if err != nil {
				return nil, err
			}
			samples[i].times = append(samples[i].times, got...)
			samples[i].took += time.Since(began)
		}
	}
	for _, t := range slices.Concat(talks...) {
		t.leave()
	}
	of := fmt.Sprintf("%d chats", chats)
	if delay > 0 {
		of += fmt.Sprintf(" with a model of %d ms", delay.Milliseconds())
	}
	rate := across("plain turns/s, "+of, "1/s", samples, func(s sample) float64 {
		return float64(len(s.times)) / s.took.Seconds()
	})
	if chats > 1 {
		rate.Goal = "1.00"
	}
	if chats > 1 && delay == 0 {
		rate.Budget = "60"
	}
	slow := across("plain turn p95, "+of, "ms", samples, func(s sample) float64 { return quantile(s.times, 0.95) })
	return []row{rate, slow}, nil
}

// askAtOnce asks in all talks for some time, and waits until their turns have ended. Talks that have become long are replaced.
func askAtOnce(ctx context.Context, talks []*talk, text string, length time.Duration) ([]time.Duration, error) {
	times, errs := make([][]time.Duration, len(talks)), make([]error, len(talks))
	deadline := time.Now().Add(length)
	var wg sync.WaitGroup
	for i := range talks {
		wg.Go(func() {
			for time.Now().Before(deadline) && errs[i] == nil {
				if talks[i], errs[i] = talks[i].short(ctx); errs[i] != nil {
					return
				}
				var d time.Duration
				d, errs[i] = talks[i].ask(ctx, text)
				times[i] = append(times[i], d)
			}
			errs[i] = errors.Join(errs[i], talks[i].rest(ctx))
		})
	}
	wg.Wait()
	return slices.Concat(times...), errors.Join(errs...)
}
