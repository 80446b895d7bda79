package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// The part of a page between these lines is written by a run.
const (
	figuresBegin = "<!-- make bench writes what follows -->\n"
	figuresEnd   = "<!-- end of what make bench writes -->\n"
)

// section is what one heading of the page has.
type section struct {
	title   string
	figures []figure
}

// add adds figures to the section of a title, which is made if there is none.
func add(sections []section, title string, figures []figure) []section {
	for i := range sections {
		if sections[i].title == title {
			sections[i].figures = append(sections[i].figures, figures...)
			return sections
		}
	}
	return append(sections, section{title, figures})
}

// writeFigures replaces the figures of a page.
func writeFigures(path, commit string, sections []section) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(page), figuresBegin)
	_, after, ends := strings.Cut(rest, figuresEnd)
	if !begins || !ends {
		return fmt.Errorf("%s has no lines %q and %q", path, strings.TrimSpace(figuresBegin), strings.TrimSpace(figuresEnd))
	}
	return os.WriteFile(path, []byte(before+figuresBegin+markdown(commit, sections)+figuresEnd+after), 0o644)
}

// markdown renders sections as Markdown.
func markdown(commit string, sections []section) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit `%s`, %d cores, one run.\n", commit, runtime.NumCPU())
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n| what | measured | budget |\n|---|---|---|\n", s.title)
		for _, f := range s.figures {
			budget := f.Budget
			if budget == "" {
				budget = "–"
			}
			fmt.Fprintf(&b, "| %s | %.4g %s | %s |\n", f.What, f.Value, f.Unit, budget)
		}
	}
	b.WriteByte('\n')
	return b.String()
}
