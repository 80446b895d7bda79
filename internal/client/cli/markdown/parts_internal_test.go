package markdown

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParts_TablesAndCodeStandByThemselves(t *testing.T) {
	t.Parallel()
	source := "before | not\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\nbetween\n\n```go\nx := 1\n\n| no | table |\n```\n\nafter\n\n| only | head |\n|--|--|\n"
	var kinds []string
	var whole strings.Builder
	for _, part := range partsOf(source) {
		kind := "prose"
		switch {
		case part.needs == wide:
			kind = "code"
		case part.needs > 0:
			kind = "table"
		}
		kinds = append(kinds, kind)
		whole.WriteString(part.source)
	}
	require.Equal(t, []string{"prose", "table", "code", "prose", "table"}, kinds)
	require.Equal(t, strings.Fields(source), strings.Fields(whole.String()))
}

func TestParts_NothingIsLostOfWhatIsHalfWritten(t *testing.T) {
	t.Parallel()
	source := "text\n\n```go\nfunc main() {\n\t| a |\n"
	for n := range source {
		var whole strings.Builder
		for _, part := range partsOf(source[:n]) {
			whole.WriteString(part.source)
		}
		require.Equal(t, strings.TrimSpace(source[:n]), strings.TrimSpace(whole.String()))
	}
}

func FuzzParts(f *testing.F) {
	f.Add("a\n\n|a|b|\n|-|-|\n|1|2|\n\n~~~\nx\n~~~\n> |q|\n> |-|\n")
	f.Fuzz(func(t *testing.T, source string) {
		var whole strings.Builder
		for _, part := range partsOf(source) {
			whole.WriteString(part.source)
		}
		lost := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if lost(whole.String()) != lost(source) {
			t.Fatalf("%q became %q", source, whole.String())
		}
	})
}
