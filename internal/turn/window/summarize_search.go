package window

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	maxFilesShown   = 24
	maxFoldersShown = 12
	maxPathsShown   = 15
	maxHitShown     = 160 // characters
)

// hits are the matches of one file, of which the first is shown.
type hits struct {
	file, first string
	n           int
}

var (
	grepHit  = regexp.MustCompile(`^\d+:`)
	grepNear = regexp.MustCompile(`^(\d+-|--$)`)
)

// grep summarizes the result of Grep: how often each file matches, and its first match.
func (s *sketch) grep(content string) {
	files, notes := hitsByFile(content)
	total := 0
	for _, f := range files {
		total += f.n
	}
	s.line("%d matches in %d files, each with its first:", total, len(files))
	lines := make([]string, 0, maxFilesShown)
	for _, f := range files[:min(len(files), maxFilesShown)] {
		lines = append(lines, fmt.Sprintf("%s (%d) %s", cutLine(f.file, maxHitShown), f.n, cutLine(f.first, maxHitShown)))
	}
	s.lines(70, lines)
	if rest := files[min(len(files), maxFilesShown):]; len(rest) > 0 {
		s.lines(20, []string{fmt.Sprintf("[… and in %d more files:] %s", len(rest), namesOf(rest))})
	}
	s.lines(10, notes)
}

// namesOf lists files with how often they match, as many as a line takes.
func namesOf(files []hits) string {
	var b strings.Builder
	for _, f := range files {
		if b.Len() > maxSketchLine {
			break
		}
		fmt.Fprintf(&b, "%s (%d), ", cutLine(f.file, maxHitShown), f.n)
	}
	return strings.TrimSuffix(b.String(), ", ")
}

func hitsByFile(content string) (files []hits, notes []string) {
	for line := range strings.SplitSeq(content, "\n") {
		switch {
		case grepHit.MatchString(line) && len(files) > 0:
			f := &files[len(files)-1]
			if f.n++; f.n == 1 {
				f.first = line
			}
		case grepNear.MatchString(line) || line == "":
		case strings.HasPrefix(line, "("):
			notes = append(notes[:min(len(notes), 2)], line)
		default:
			files = append(files, hits{file: strings.TrimSuffix(line, "\r")})
		}
	}
	return files, notes
}

// glob summarizes a list of files: how many a folder holds, and the first ones, which are the newest.
func (s *sketch) glob(content string) {
	counts := map[string]int{}
	total := 0
	var first, notes []string
	for line := range strings.SplitSeq(content, "\n") {
		switch {
		case line == "":
			continue
		case strings.HasPrefix(line, "("):
			notes = append(notes[:min(len(notes), 2)], line)
			continue
		}
		total++
		counts[path.Dir(line)]++
		if len(first) < maxPathsShown {
			first = append(first, line)
		}
	}
	s.line("%d files in %d folders. Most are in:", total, len(counts))
	s.lines(40, fullest(counts))
	s.line("The newest:")
	s.lines(50, first)
	s.lines(10, notes)
}

// fullest returns the folders with the most files.
func fullest(counts map[string]int) []string {
	folders := make([]string, 0, len(counts))
	for folder := range counts {
		folders = append(folders, folder)
	}
	slices.SortFunc(folders, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	folders = folders[:min(len(folders), maxFoldersShown)]
	for i, folder := range folders {
		folders[i] = fmt.Sprintf("%s/ (%d)", cutLine(folder, maxHitShown), counts[folder])
	}
	return folders
}
