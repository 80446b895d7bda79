package command

import (
	"slices"
	"strings"
	"unicode"
)

// Words returns the literal words that may follow the name of a command with this usage, for completion: of each alternative its leading
// literal words. A final space marks one that continues with a placeholder: "[list|use NAME|mode none]" has "list", "use " and "mode none".
// Words in capitals and words with a … or brackets are placeholders.
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

// literal returns the leading words of an alternative that are typed literally.
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
