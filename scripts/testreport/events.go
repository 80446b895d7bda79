package main

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
)

// event is a line of "go test -json" (go doc test2json).
type event struct {
	Action, Package, Test, Output string
}

// outputLimit is how many lines of the output of a failed test are kept: the last ones.
const outputLimit = 200

// failureLimit is how many failed tests of a stage are printed.
const failureLimit = 10

// packageResult is what the events tell of a package.
type packageResult struct {
	cached bool
	failed bool
	output []string // of the package itself
	tests  []*testResult
	byName map[string]*testResult
}

type testResult struct {
	name     string
	attempts int
	running  bool // the process ended before the test did
	failed   bool // at the last attempt
	output   []string
}

// readEvents adds the tests of a run. A test that is run again counts as one test with a second attempt.
func (s *stage) readEvents(r io.Reader) error {
	packages := map[string]*packageResult{}
	var order []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Package == "" {
			continue // output of the compiler
		}
		p := packages[e.Package]
		if p == nil {
			p = &packageResult{byName: map[string]*testResult{}}
			packages[e.Package] = p
			order = append(order, e.Package)
		}
		p.add(e)
	}
	for _, name := range order {
		s.addPackage(name, packages[name])
	}
	return lines.Err()
}

func (p *packageResult) add(e event) {
	if e.Test == "" {
		switch e.Action {
		case "output":
			p.cached = p.cached || strings.HasPrefix(e.Output, "ok ") && strings.Contains(e.Output, "\t(cached)")
			p.output = keepLast(p.output, e.Output)
		case "fail", "pass":
			p.failed = e.Action == "fail"
		}
		return
	}
	t := p.byName[e.Test]
	if t == nil {
		t = &testResult{name: e.Test}
		p.byName[e.Test] = t
		p.tests = append(p.tests, t)
	}
	switch e.Action {
	case "run":
		t.attempts++
		t.running, t.output = true, nil
	case "output":
		t.output = keepLast(t.output, e.Output)
	case "fail", "pass", "skip":
		t.running, t.failed = false, e.Action == "fail"
		if !t.failed {
			t.output = nil
		}
	}
}

func keepLast(lines []string, line string) []string {
	lines = append(lines, line)
	return lines[max(0, len(lines)-outputLimit):]
}

func (s *stage) addPackage(name string, p *packageResult) {
	s.run += len(p.tests)
	named := false
	if p.cached {
		s.cached += len(p.tests)
	}
	for _, t := range p.tests {
		t.failed = t.failed || t.running
		isRoot := !strings.Contains(t.name, "/")
		if t.attempts > 1 && isRoot && !t.failed {
			s.again++
			s.secondAttempts = append(s.secondAttempts, name+" "+t.name)
		}
		if t.failed {
			named = true
			s.addFailure(name+" "+t.name, t.output)
		}
	}
	if p.failed && !named { // it did not compile, or a process ended between tests
		s.addFailure(name, p.output)
	}
}

func (s *stage) addFailure(name string, output []string) {
	if len(s.failures) < failureLimit {
		s.failures = append(s.failures, failure{name, output})
	}
}
