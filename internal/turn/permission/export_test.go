package permission

import "strings"

// WordsOf are the commands that were read of a script, each with a unit separator between its words.
func WordsOf(text string) []string {
	s, _ := readScript(text)
	var out []string
	for _, c := range s {
		out = append(out, strings.Join(c.words, "\037"))
	}
	return out
}
