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

func main() {
	bin := flag.String("bin", ".bin", "folder of the binaries")
	out := flag.String("json", "", "file for the figures as JSON; default: standard output, after the table")
	seconds := flag.Int("seconds", 8, "length of each throughput measurement")
	runners := flag.Bool("runners", false, "measure runners only")
	sent := flag.Bool("context", false, "measure what is sent to the model only")
	delivered := flag.Bool("deliveries", false, "measure the way of an answer to platforms only")
	remembered := flag.Bool("memory", false, "measure the search of memory only")
	flag.Parse()
	if err := run(*bin, *out, time.Duration(*seconds)*time.Second, *runners, *sent, *delivered, *remembered); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(bin, out string, length time.Duration, runners, sent, delivered, remembered bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	s, err := newStack(bin)
	if err != nil {
		return err
	}
	defer s.remove()
	var all []figure
	measures := []func(context.Context, *stack) ([]figure, error){
		starts, idleMemory, promptSize, plainTurns, commandTurns, histories,
		throughput(1, length), throughput(10, length), throughput(50, length), loadedMemory, execTrips, runnersUnderLoad, contextCost, deliveries, searchMemory,
	}
	if runners {
		measures = []func(context.Context, *stack) ([]figure, error){starts, execTrips, runnersUnderLoad}
	}
	if sent {
		measures = []func(context.Context, *stack) ([]figure, error){starts, contextCost}
	}
	if delivered {
		measures = []func(context.Context, *stack) ([]figure, error){starts, deliveries}
	}
	if remembered {
		measures = []func(context.Context, *stack) ([]figure, error){starts, searchMemory}
	}
	for _, measure := range measures {
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
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if out != "" {
		return os.WriteFile(out, append(data, '\n'), 0o644)
	}
	fmt.Println(string(data))
	return nil
}
