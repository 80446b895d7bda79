// Command testreport summarizes a run of the checks: it prints a table of the stages and, last, the output of the tests that
// failed. .ci/run calls it.
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
	MaxSecondAttempts int    `default:"2" help:"Fail if more tests than this passed only at a second attempt."`
	Folder            string `arg:"" type:"existingdir" help:"Results of the run."`
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
