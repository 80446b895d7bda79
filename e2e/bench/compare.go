package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
)

// compare runs a build and a base side by side, measures both turn by turn, and prints how they relate. Milliseconds depend on the machine and on
// what else it does; their ratios hardly do.
func compare(ctx context.Context, bin, base, out string, size load) error {
	var stacks []*stack
	for _, folder := range []string{bin, base} {
		s, err := newStack(folder)
		if err != nil {
			return err
		}
		defer s.remove()
		if _, err := s.start(ctx); err != nil {
			return fmt.Errorf("start %s: %w", folder, err)
		}
		stacks = append(stacks, s)
	}
	rows, err := pace(ctx, stacks, size)
	if err != nil {
		return err
	}
	loaded, err := memories(ctx, stacks)
	if err != nil {
		return err
	}
	rows = append(rows, loaded...)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tthis build\tbase\tunit\tratio\tgoal\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%.4g\t%.4g\t%s\t%.2f\t%s\t\n", r.What, r.Values[0], r.Values[1], r.Unit, r.Values[0]/r.Values[1], r.Goal)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return save(rows, out)
}

// memories returns what the stacks hold after the same load.
func memories(ctx context.Context, stacks []*stack) ([]row, error) {
	var rows []row
	for _, s := range stacks {
		got, err := loadedMemory(ctx, s)
		if err != nil {
			return nil, err
		}
		for i, f := range got {
			if i == len(rows) {
				rows = append(rows, row{What: f.What, Unit: f.Unit, Budget: f.Budget})
			}
			rows[i].Values = append(slices.Clip(rows[i].Values), f.Value)
		}
	}
	return rows, nil
}
