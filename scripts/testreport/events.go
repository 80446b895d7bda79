package main

import (
	"bufio"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
)

// event is a line of "go test -json" (go doc test2json).
type event struct {
	Action  string `json:"Action"`
	Package string `json:"Package"`
	Test    string `json:"Test"`
	Output  string `json:"Output"`
}

const (
	// outputLimit is how many lines of the output of a failed test are kept: the last ones.
	outputLimit = 200
	// failureLimit is how many failed tests of a stage are printed.
	failureLimit = 10
)

// packageResult is the outcome of a package.
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
	outcome  string // of the last attempt: pass, fail or skip; empty where the process ended before the test did
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
		t.outcome, t.output = "", nil
	case "output":
		t.output = keepLast(t.output, e.Output)
	case "fail", "pass", "skip":
		t.outcome = e.Action
	}
}

func keepLast(lines []string, line string) []string {
	lines = append(lines, line)
	return lines[max(0, len(lines)-outputLimit):]
}

func (s *stage) addPackage(name string, p *packageResult) {
	s.packages++
	failed := false
	for _, t := range p.tests {
		switch {
		case t.outcome == "skip":
			s.skipped = append(s.skipped, t.skipReason())
			continue
		case t.outcome != "pass":
			failed = true
			s.addFailure(name+" "+t.name, t.output)
		case t.attempts > 1 && !strings.Contains(t.name, "/"):
			s.again++
			s.secondAttempts = append(s.secondAttempts, name+" "+t.name)
		}
		s.run++
		if p.isAttack(t) {
			s.attacks++
		}
		if p.cached {
			s.cached++
		}
	}
	if p.failed && !failed { // it did not compile, or a process ended between tests
		s.addFailure(name, p.output)
	}
}

// attackPrefix begins the name of a test whose subtests are scripted attacks.
const attackPrefix = "TestAttack_"

// isAttack reports whether a test is a scripted attack: one of a table, or a test without a table.
func (p *packageResult) isAttack(t *testResult) bool {
	return strings.HasPrefix(t.name, attackPrefix) && !slices.ContainsFunc(p.tests, func(other *testResult) bool {
		return strings.HasPrefix(other.name, t.name+"/")
	})
}

func (s *stage) addFailure(name string, output []string) {
	if len(s.failures) < failureLimit {
		s.failures = append(s.failures, failure{name, output})
	}
}

// logged matches a line that a test has logged: a file, a line and a text.
var logged = regexp.MustCompile(`^\s*\S+\.go:\d+: (.*)`)

// skipReason returns the first part of the text with which a test was skipped.
func (t *testResult) skipReason() string {
	reason := "no reason given"
	for _, line := range t.output {
		if m := logged.FindStringSubmatch(line); m != nil && m[1] != "" {
			reason = m[1]
		}
	}
	for _, prefix := range []string{"NOT RUN: ", "SKIPPED, NOT TESTED: ", "DOCKER TESTS DO NOT RUN: "} {
		reason = strings.TrimPrefix(reason, prefix)
	}
	reason, _, _ = strings.Cut(reason, ";")
	reason, _, _ = strings.Cut(reason, ": ")
	return reason
}
