// Package mention reads the files that a message names: @path as a user types it at the end of a word, and [file: /path] as the field has it once a
// file was chosen.
package mention

import (
	"regexp"
	"slices"
	"strings"
)

// Most is how many files one message may have; the server's limit.
const Most = 20

var (
	// One path of a runner in brackets. A path may contain brackets.
	word     = `\[file: (/(?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]`
	words    = regexp.MustCompile(word)
	atTheEnd = regexp.MustCompile(`^(?:\s*` + word + `)+|(?:\s*` + word + `)+\s*$`)
	typed    = regexp.MustCompile(`(?:^|\s)@([^\s@]*)$`)
	named    = regexp.MustCompile(`(?:^|[\s("'（，、。：])@(?:"([^"\n]+)"|([^\s@"][^\s@]*))`)
)

// Word returns how a file of the runner is named in the field.
func Word(path string) string { return "[file: " + path + "]" }

// IsCommand reports whether a text is a command, which reads its words itself.
func IsCommand(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "!") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "／")
}

// Typed returns the text behind an @ at the end of a text.
func Typed(text string) (begun string, ok bool) {
	if IsCommand(text) {
		return "", false
	}
	found := typed.FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// Take puts a file where the @ at the end of a text is.
func Take(text, path string) string {
	return text[:strings.LastIndexByte(text, '@')] + Word(path) + " "
}

// Parts separates a text into the words and the files that it names in brackets. Names within a sentence stay there, too; those before and after all
// words do not, since the server names the files.
func Parts(text string) (said string, files []string) {
	if IsCommand(text) {
		return text, nil
	}
	for _, found := range words.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(files, found[1]) {
			files = append(files, found[1])
		}
	}
	if len(files) == 0 || len(files) > Most {
		return text, nil
	}
	return strings.TrimSpace(atTheEnd.ReplaceAllString(text, "")), files
}

// Named returns the paths behind an @ anywhere in a text, each once. "@" in the middle of a word, as in an address of mail, is none.
func Named(text string) []string {
	if IsCommand(text) {
		return nil
	}
	var paths []string
	for _, found := range named.FindAllStringSubmatch(text, -1) {
		path := found[1]
		if path == "" {
			path = found[2]
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}
