// Command bench measures the built binaries on this machine and prints the figures of DESIGN §12: a scripted model
// that answers at once, with Postgres, Temporal, worker and ingress on the same cores. Machines are noisy: compare
// figures of one run, side by side.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
	"time"
)

// figure is one measured number.
type figure struct {
	What   string  `json:"what"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Budget string  `json:"budget,omitempty"`
}

// selection is what a run measures; by default everything.
type selection struct {
	runners, context, deliveries, memory, pace, growth bool
}

func main() {
	bin := flag.String("bin", ".bin", "folder of the binaries")
	base := flag.String("base", "", "folder of the binaries of another build: measure both turn by turn, and print the ratios")
	out := flag.String("json", "", "file for the figures as JSON; default: standard output, after the table")
	size := load{}
	flag.IntVar(&size.turns, "turns", 100, "plain turns of a measurement")
	flag.DurationVar(&size.length, "length", 8*time.Second, "length of each throughput measurement")
	var only selection
	flag.BoolVar(&only.runners, "runners", false, "measure runners only")
	flag.BoolVar(&only.context, "context", false, "measure what is sent to the model only")
	flag.BoolVar(&only.deliveries, "deliveries", false, "measure the way of an answer to platforms only")
	flag.BoolVar(&only.memory, "memory", false, "measure the search of memory only")
	flag.BoolVar(&only.pace, "pace", false, "measure turns only")
	flag.BoolVar(&only.growth, "growth", false, "measure the lists of a large installation only")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	var err error
	if *base != "" {
		err = compare(ctx, *bin, *base, *out, size)
	} else {
		err = run(ctx, *bin, *out, size, only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type measure func(context.Context, *stack) ([]figure, error)

func (only selection) measures(size load) []measure {
	turns := func(ctx context.Context, s *stack) ([]figure, error) {
		rows, err := pace(ctx, []*stack{s}, size)
		return figures(rows), err
	}
	switch {
	case only.runners:
		return []measure{starts, execTrips, runnersUnderLoad}
	case only.context:
		return []measure{starts, contextCost}
	case only.deliveries:
		return []measure{starts, deliveries}
	case only.memory:
		return []measure{starts, searchMemory}
	case only.growth:
		return []measure{starts, growth}
	case only.pace:
		return []measure{starts, turns, loadedMemory}
	}
	return []measure{
		starts, idleMemory, promptSize, turns, histories, loadedMemory, execTrips, runnersUnderLoad, contextCost, deliveries, searchMemory, growth,
	}
}

func run(ctx context.Context, bin, out string, size load, only selection) error {
	s, err := newStack(bin)
	if err != nil {
		return err
	}
	defer s.remove()
	var all []figure
	for _, measure := range only.measures(size) {
		got, err := measure(ctx, s)
		if err != nil {
			return err
		}
		all = append(all, got...)
		for _, f := range got {
			fmt.Fprintf(os.Stderr, "  %s: %.4g %s\n", f.What, f.Value, f.Unit)
		}
	}
	return report(all, out)
}

func report(all []figure, out string) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tmeasured\tunit\tbudget\t")
	for _, f := range all {
		fmt.Fprintf(w, "%s\t%.4g\t%s\t%s\t\n", f.What, f.Value, f.Unit, f.Budget)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return save(all, out)
}

// save writes figures as JSON, to standard output unless a file is named.
func save(figures any, out string) error {
	data, err := json.MarshalIndent(figures, "", "  ")
	if err != nil {
		return err
	}
	if out != "" {
		return os.WriteFile(out, append(data, '\n'), 0o644)
	}
	fmt.Println(string(data))
	return nil
}
