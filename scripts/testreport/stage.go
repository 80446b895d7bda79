package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
)

// stage is a row of the table.
type stage struct {
	name           string
	seconds, cpu   int
	failed         bool
	packages       int
	run, cached    int // tests, subtests included
	again          int // tests that passed only at a second attempt
	attacks        int // scripted attacks among the tests that ran
	secondAttempts []string
	skipped        []string // the reason of each skipped test
	failures       []failure
}

// failure is a test that failed, or a stage without tests that did.
type failure struct {
	name   string
	output []string
}

func readStages(folder string) ([]stage, error) {
	data, err := os.ReadFile(filepath.Join(folder, "stages"))
	if err != nil {
		return nil, err
	}
	var stages []stage
	for line := range strings.Lines(string(data)) {
		s, err := parseStage(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		if err := s.readResults(folder); err != nil {
			return nil, fmt.Errorf("results of stage %s: %w", s.name, err)
		}
		stages = append(stages, s)
	}
	return stages, nil
}

func parseStage(line string) (stage, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 4 {
		return stage{}, fmt.Errorf("stage %q: 4 fields wanted, %d found", line, len(fields))
	}
	seconds, err := strconv.Atoi(fields[1])
	cpu, cpuErr := strconv.Atoi(fields[2])
	if err := errors.Join(err, cpuErr); err != nil {
		return stage{}, fmt.Errorf("stage %q: %w", line, err)
	}
	return stage{name: fields[0], seconds: seconds, cpu: cpu, failed: fields[3] != "0"}, nil
}

// readResults adds the tests of the stage. A stage without tests has neither file, or a log without a summary.
func (s *stage) readResults(folder string) error {
	err := withFile(filepath.Join(folder, s.name+".json"), s.readEvents)
	if errors.Is(err, fs.ErrNotExist) {
		err = withFile(filepath.Join(folder, s.name+".log"), s.readLog)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func withFile(path string, read func(io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return read(file)
}

// logTail is how many lines of a log are printed where the stage has no tests that could be named.
const logTail = 80

// claims is the summary of the page's browser test.
var claims = regexp.MustCompile(`^\S+: (\d+) claims passed, (\d+) failed, (\d+) second attempts`)

// readLog counts the claims of the page and keeps the end of the log of a stage that failed.
func (s *stage) readLog(r io.Reader) error {
	var tail []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if m := claims.FindStringSubmatch(lines.Text()); m != nil {
			passed, _ := strconv.Atoi(m[1]) // digits
			failed, _ := strconv.Atoi(m[2])
			again, _ := strconv.Atoi(m[3])
			s.run += passed + failed
			s.again += again
		}
		tail = append(tail, lines.Text()+"\n")
		tail = tail[max(0, len(tail)-logTail):]
	}
	if s.failed {
		s.failures = append(s.failures, failure{s.name, tail})
	}
	return lines.Err()
}

func printTable(w io.Writer, stages []stage) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "stage\tseconds\tCPU seconds\ttests run\tfrom the cache\tsecond attempts\t")
	for _, s := range stages {
		name := s.name
		if s.failed {
			name = "FAILED " + name
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%s\t\n", name, s.seconds, s.cpu, count(s.run), count(s.cached), count(s.again))
	}
	return table.Flush()
}

func count(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func printFailures(w io.Writer, stages []stage) {
	for _, s := range stages {
		for _, f := range s.failures {
			fmt.Fprintf(w, "\n--- FAIL: %s (stage %s)\n%s", f.name, s.name, strings.Join(f.output, ""))
		}
	}
}
