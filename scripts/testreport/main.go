// Command testreport summarizes a run of tests: it prints a table of the stages, three lines that say which tests ran, which did
// not and why, and last the output of the tests that failed. "make test" and .ci/run call it.
//
// The folder that it reads holds:
//
//	stages     a line for each stage: name, seconds, CPU seconds and exit status, separated by tabs
//	NAME.json  the events of "go test -json" of stage NAME, as gotestsum writes them
//	NAME.log   the output of stage NAME
package main

import (
	"fmt"
	"os"

	"github.com/alecthomas/kong"
)

type command struct {
	MaxSecondAttempts int      `default:"2" help:"Fail if more tests than this passed only at a second attempt."`
	Omitted           []string `sep:"none" help:"Tests that the run left out."`
	Reason            []string `sep:"none" help:"Why the run left tests out."`
	Folder            string   `arg:"" type:"existingdir" help:"Results of the run."`
}

func (c command) Run() error {
	stages, err := readStages(c.Folder)
	if err != nil {
		return err
	}
	if err := printTable(os.Stdout, stages); err != nil {
		return err
	}
	again := 0
	for _, s := range stages {
		again += s.again
		for _, name := range s.secondAttempts {
			fmt.Printf("second attempt: %s\n", name)
		}
	}
	if err := printSummary(os.Stdout, stages, c.Omitted, c.Reason); err != nil {
		return err
	}
	printFailures(os.Stdout, stages)
	if again > c.MaxSecondAttempts {
		return fmt.Errorf("%d tests needed a second attempt; at most %d may", again, c.MaxSecondAttempts)
	}
	return nil
}

func main() {
	parsed := kong.Parse(&command{}, kong.Name("testreport"))
	parsed.FatalIfErrorf(parsed.Run())
}
