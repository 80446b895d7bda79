// Command bench measures the built binaries on this machine and prints figures: of a scripted model that answers at once, and
// after 300 and 1,500 ms, with Postgres, Temporal, worker and ingress on the same cores. Machines are noisy: compare figures of
// one run, side by side.
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
	var page figuresPage
	flag.StringVar(&page.path, "figures", "", "page whose figures are replaced; with -commit")
	flag.StringVar(&page.commit, "commit", "", "the commit that is measured")
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	var err error
	if *base != "" {
		err = compare(ctx, *bin, *base, *out, size)
	} else {
		err = run(ctx, *bin, *out, page, size, only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measure is a part of a run, and the section of the page that it belongs to.
type measure struct {
	section string
	run     func(context.Context, *stack) ([]figure, error)
}

// figuresPage is where figures are written to, if anywhere.
type figuresPage struct{ path, commit string }

func (only selection) measures(size load) []measure {
	turns := func(ctx context.Context, s *stack) ([]figure, error) {
		rows, err := pace(ctx, []*stack{s}, size)
		return figures(rows), err
	}
	begin := measure{"Memory and start", starts}
	pace := measure{"Turns", turns}
	loaded := measure{"Memory and start", loadedMemory}
	trips, load := measure{"Runners", execTrips}, measure{"Runners", runnersUnderLoad}
	prompts := measure{"Prompts and long conversations", contextCost}
	answers := measure{"Platforms", deliveries}
	search := measure{"Search of memories", searchMemory}
	large := measure{"Large installations", growth}
	switch {
	case only.runners:
		return []measure{begin, trips, load}
	case only.context:
		return []measure{begin, prompts}
	case only.deliveries:
		return []measure{begin, answers}
	case only.memory:
		return []measure{begin, search}
	case only.growth:
		return []measure{begin, large}
	case only.pace:
		return []measure{begin, pace, loaded}
	}
	return []measure{
		begin, {begin.section, idleMemory}, {prompts.section, promptSize}, pace, {pace.section, histories}, loaded, trips, load, prompts, answers, search, large,
	}
}

func run(ctx context.Context, bin, out string, page figuresPage, size load, only selection) error {
	s, err := newStack(bin)
	if err != nil {
		return err
	}
	defer s.remove()
	var all []figure
	var sections []section
	for _, measure := range only.measures(size) {
		got, err := measure.run(ctx, s)
		if err != nil {
			return err
		}
		all, sections = append(all, got...), add(sections, measure.section, got)
		for _, f := range got {
			fmt.Fprintf(os.Stderr, "  %s: %.4g %s\n", f.What, f.Value, f.Unit)
		}
	}
	if page.path != "" {
		if err := writeFigures(page.path, page.commit, sections); err != nil {
			return err
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
