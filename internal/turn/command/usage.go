package command

import (
	"slices"
	"strings"
	"unicode"
)

// Words returns what may be typed after the name of a command with this usage, for whoever completes it: of each alternative
// that begins with words to be typed as they are, those words. A space ends one that goes on with something else:
// "[list|use NAME|mode none]" has "list", "use " and "mode none". Words in capitals and words with a … or brackets are not
// typed as they are.
func Words(usage string) (words []string) {
	usage = strings.TrimSpace(usage)
	if rest, ok := strings.CutPrefix(usage, "["); ok {
		usage, _, _ = strings.Cut(rest, "]")
	}
	for alternative := range strings.SplitSeq(usage, "|") {
		said := literal(alternative)
		if said != "" && !slices.Contains(words, said) {
			words = append(words, said)
		}
	}
	return words
}

// literal returns the words at the beginning of an alternative that are typed as they are.
func literal(alternative string) string {
	var said []string
	for word := range strings.FieldsSeq(alternative) {
		if strings.ContainsAny(word, "[]…<>") || strings.ContainsFunc(word, unicode.IsUpper) {
			if len(said) == 0 {
				return ""
			}
			return strings.Join(said, " ") + " "
		}
		said = append(said, word)
	}
	return strings.Join(said, " ")
}
