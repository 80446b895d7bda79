package openai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parted sends a text in pieces of a size.
func parted(text string, size int) (thought, said string) {
	var t thinking
	add := func(a, b string) { thought, said = thought+a, said+b }
	for len(text) > 0 {
		n := min(size, len(text))
		add(t.part(text[:n]))
		text = text[n:]
	}
	add(t.rest())
	return thought, said
}

func TestThinking_InTheTextIsPartedFromItHoweverItComes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"<think>\nhm, 1 < 2\n</think>\n\nyes":  {"hm, 1 < 2\n", "yes"},
		"\n <think>hm</think>yes <think>":      {"hm", "yes <think>"},
		"<think>\n\n</think>\n\nyes":           {"", "yes"},
		"<think>never </thin ends </":          {"never </thin ends </", ""},
		"no <think>thought</think> here":       {"", "no <think>thought</think> here"},
		"  <thinking>x</thinking>":             {"x", ""},
		"  <thinker>x</thinker>":               {"", "  <thinker>x</thinker>"},
		"<thi":                                 {"", "<thi"},
		"<think>一</think>二":                    {"一", "二"},
		"":                                     {"", ""},
		"<think>a</think><think>b</think>text": {"a", "<think>b</think>text"},
	} {
		for size := 1; size <= len(text)+1; size++ {
			thought, said := parted(text, size)
			require.Equal(t, want, [2]string{thought, said}, "%q in pieces of %d", text, size)
		}
	}
}

func FuzzThinking_LosesNothingAndTheSizeOfPiecesChangesNothing(f *testing.F) {
	f.Add("<think>a</think>b", 3)
	f.Add(" <think>", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 1 {
			return
		}
		thought, said := parted(text, size)
		whole, rest := parted(text, len(text)+1)
		require.Equal(t, [2]string{whole, rest}, [2]string{thought, said})
		kept := strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "").Replace
		require.LessOrEqual(t, len(kept(text))-len(kept(thought+said)), 2*len("◁/think▷"))
	})
}
