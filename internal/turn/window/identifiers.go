package window

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of one identifier, in runes.
const (
	maxIdentifier = 160
	maxQuoted     = 48
	maxErrorLine  = 200
)

var (
	uuidForm    = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	hashForm    = regexp.MustCompile(`^[0-9a-fA-F]{7,64}$`)
	settingForm = regexp.MustCompile(`^-{0,2}[A-Za-z][A-Za-z0-9_.-]+=\S+$`)
	fileForm    = regexp.MustCompile(`^[\w.-]*[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{0,5}(:\d+)*$`)
	pathForm    = regexp.MustCompile(`^[\w.@~+%:=,-]*(/[\w.@~+%:=,-]*)+$`)
	ticketForm  = regexp.MustCompile(`^([A-Z][A-Z0-9]{1,9}-\d+|#\d+|[\w.-]+/[\w.-]+#\d+)$`)
	codeForm    = regexp.MustCompile(`^(E[A-Z]{3,}|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+|[A-Z]{1,5}\d{3,})$`)
	versionForm = regexp.MustCompile(`^v?\d+(\.\d+){1,3}([-+][\w.]+)?$`)
	amountForm  = regexp.MustCompile(`^([$€£¥]\d[\d.,]*|\d[\d.,]*(%|[A-Za-zµ°]{1,5}(/[a-z]+)?)|\d{4,}|\d+(\.\d+){3}(:\d+)?|\w+:\d{2,5})$`)
	numberForm  = regexp.MustCompile(`^\d[\d.,]*$`)
	unitForm    = regexp.MustCompile(`^(%|[nµm]?s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|[kKMGTP]i?[Bb]?|bytes?|tokens?|px|°C|[km]?m|kg|g|USD|EUR|requests|rows|users|replicas|cores?|MHz|GHz|Hz|rps)$`)
	namedForm   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([_.:-][A-Za-z0-9]+)*\d[A-Za-z0-9]*([_.:-][A-Za-z0-9]+)*$`)
	quotedForm  = regexp.MustCompile("\"([^\"\\n]{2,120})\"|`([^`\\n]{2,120})`|「([^」\\n]{2,120})」|“([^”\\n]{2,120})”")
	errorForm   = regexp.MustCompile(`(?i)(\b(error|panic|fatal|exception|traceback|denied|refused|cannot|failed)\b[^\n]*:|:[^\n]*\b(error|denied|refused|failed|not found)\b|\bexit (code|status) \d)`)
	recallForm  = regexp.MustCompile(`\b(ol|mk)_[0-9a-f]{4,16}\b`)
)

// Identifiers returns the parts of a text that a summary has to repeat exactly: paths, URLs, hashes, ids, tickets, error codes and error
// lines, numbers with their units, settings and quoted names. Each once, in the order of the text. Recall ids are not among them.
func Identifiers(text string) []string {
	seen := map[string]bool{}
	var out []string
	add := func(s string) {
		if n := utf8.RuneCountInString(s); n >= 2 && n <= max(maxIdentifier, maxErrorLine) && !seen[s] && !recallForm.MatchString(s) {
			seen[s] = true
			out = append(out, s)
		}
	}
	for line := range strings.Lines(text) {
		if errorForm.MatchString(line) {
			add(cutRunes(strings.TrimSpace(line), maxErrorLine))
		}
		for _, m := range quotedForm.FindAllStringSubmatch(line, -1) {
			if name := strings.TrimSpace(strings.Join(m[1:], "")); isName(name) {
				add(name)
			}
		}
		words := split(line)
		for i, word := range words {
			switch {
			case numberForm.MatchString(word) && i+1 < len(words) && unitForm.MatchString(words[i+1]):
				add(word + " " + words[i+1])
			case utf8.RuneCountInString(word) <= maxIdentifier && isIdentifier(word):
				add(word)
			}
		}
	}
	return out
}

// Recallable returns the ids in a text that recall hidden results, each once, in the order of the text.
func Recallable(text string) []string {
	var out []string
	for _, id := range recallForm.FindAllString(text, -1) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// split splits a line into words without the punctuation around them. Chinese and Japanese are written without blanks, so their characters
// also separate words.
func split(line string) []string {
	words := strings.FieldsFunc(line, func(r rune) bool {
		return unicode.IsSpace(r) || r >= 0x2E80 && r <= 0x9FFF || r >= 0xFF00 && r <= 0xFFEF || strings.ContainsRune("\"'`|“”‘’→←·…", r)
	})
	out := words[:0]
	for _, word := range words {
		word = strings.TrimRight(strings.TrimLeft(word, "([{<*,;:!?"), ")]}>*,;:!?.")
		if word != "" {
			out = append(out, word)
		}
	}
	return out
}

// isIdentifier reports whether a word names one thing, so that no other word can replace it.
func isIdentifier(word string) bool {
	digits := strings.ContainsAny(word, "0123456789")
	switch {
	case strings.Contains(word, "://"), uuidForm.MatchString(word), settingForm.MatchString(word), ticketForm.MatchString(word):
		return true
	case hashForm.MatchString(word):
		return digits && (strings.ContainsAny(word, "abcdefABCDEF") || len(word) >= 4)
	case codeForm.MatchString(word), versionForm.MatchString(word), amountForm.MatchString(word):
		return true
	case strings.Contains(word, "@") && strings.Contains(word, "."):
		return true
	case strings.Contains(word, "/"):
		return isPath(word)
	case fileForm.MatchString(word):
		return true
	}
	return digits && namedForm.MatchString(word)
}

// isPath distinguishes paths from words such as and/or.
func isPath(word string) bool {
	if !pathForm.MatchString(word) || !strings.ContainsFunc(word, unicode.IsLetter) {
		return false
	}
	last := word[strings.LastIndexByte(word, '/')+1:]
	return strings.HasPrefix(word, "/") || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "~/") ||
		strings.Count(word, "/") > 1 || fileForm.MatchString(last) || last == ""
}

// isName distinguishes names from sentences in quotes.
func isName(text string) bool {
	return utf8.RuneCountInString(text) <= maxQuoted && len(strings.Fields(text)) <= 3 && strings.ContainsFunc(text, unicode.IsLetter)
}

// carries reports whether a text holds an identifier as a separate word: E123 does not hold E12.
func carries(text, id string) bool {
	for from := 0; from < len(text); {
		i := strings.Index(text[from:], id)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(id)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		first, _ := utf8.DecodeRuneInString(id)
		last, _ := utf8.DecodeLastRuneInString(id)
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			return true
		}
		from = start + max(1, utf8.RuneLen(first))
	}
	return false
}

// inWord reports whether a character continues a word; Chinese characters do not, since words follow each other without blanks.
func inWord(r rune) bool {
	return r != utf8.RuneError && r < 0x2E80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// cutRunes returns the first n runes of a text.
func cutRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
