package persona

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
)

// Limit is how much of the soul files a prompt holds, in characters. Of those that do not fit it has the names.
const Limit = 8_000

// Render is soul files as a prompt holds them: those that were changed last first, whole, as many as there is room for.
func Render(files []chat.SoulFile) string {
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(a, b chat.SoulFile) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	const namesRoom = 1_000
	left := Limit - namesRoom
	var out, names []string
	for _, f := range sorted {
		text := fmt.Sprintf("<soul name=%q>\n%s\n</soul>", f.Name, strings.TrimSpace(f.Content))
		if size := utf8.RuneCountInString(text) + 1; size <= left {
			out, left = append(out, text), left-size
			continue
		}
		names = append(names, f.Name)
	}
	if len(names) > 0 {
		out = append(out, chat.FirstWords("More: "+strings.Join(names, ", "), namesRoom))
	}
	return strings.Join(out, "\n")
}
