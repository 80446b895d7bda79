// Package tokens estimates how many tokens a model counts for a text. It counts with OpenAI's o200k_base vocabulary, which is included in the
// program. Other models count differently; the usage that their providers report calibrates the estimate.
package tokens

import (
	"hash/maphash"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

const (
	// pieceBytes is the size of a text that is counted at once: the memory use of the vocabulary grows with it.
	pieceBytes = 64 << 10
	// sampledBytes is the maximum size of a text that is counted whole, which takes about 0.2 s; a longer one is estimated from as many
	// pieces spread over it.
	sampledBytes = 1 << 20
	// rememberedBytes is the minimum size of a text whose count is cached. Each step counts the whole conversation again, most of which is
	// short texts.
	rememberedBytes = 4
	// perToken is the number of bytes per token if the vocabulary fails.
	perToken = 4
)

// codec loads the vocabulary when it is first needed: 15 ms, and 7 MB that stay.
var codec = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// Count returns about how many tokens a text has. It is exact for o200k_base up to pieces of 64 kB and an estimate
// beyond. The same text gives the same number in every process. It is safe for concurrent use.
func Count(text string) int {
	if len(text) < rememberedBytes {
		return count(text)
	}
	key := key{maphash.String(seed, text), len(text)}
	if n, known := remembered.get(key); known {
		return n
	}
	n := count(text)
	remembered.put(key, n)
	return n
}

func count(text string) int {
	if len(text) > sampledBytes {
		return sample(text)
	}
	n := 0
	for text != "" {
		end := cut(text)
		n += encode(text[:end])
		text = text[end:]
	}
	return n
}

// Skip returns how many bytes the first n tokens of a text take, rounded down to whole characters: len(text) if it has fewer. The same text
// and number give the same place in every process, so that a reader can continue from there. Unlike Count it samples nothing: 0.2 s a
// megabyte.
func Skip(text string, n int) int {
	at := 0
	for at < len(text) && n > 0 {
		piece := text[at:]
		piece = piece[:cut(piece)]
		bytes, tokens := skip(piece, n)
		at, n = at+bytes, n-tokens
	}
	for at < len(text) && at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// skip returns how many bytes the first n tokens of a piece take, and how many tokens those are.
func skip(piece string, n int) (bytes, tokens int) {
	if whole := encode(piece); whole <= n {
		return len(piece), max(1, whole)
	}
	c, err := codec()
	if err != nil {
		return min(len(piece), n*perToken), n
	}
	_, parts, err := c.Encode(piece)
	if err != nil {
		return min(len(piece), n*perToken), n
	}
	for _, part := range parts[:min(n, len(parts))] {
		bytes += len(part)
	}
	return min(bytes, len(piece)), n
}

// sample counts pieces that are spread evenly over a text, and scales.
func sample(text string) int {
	const pieces = sampledBytes / pieceBytes
	n, bytes := 0, 0
	for i := range pieces {
		from := (len(text) - pieceBytes) / (pieces - 1) * i
		piece := text[from:]
		piece = piece[:cut(piece)]
		n += encode(piece)
		bytes += len(piece)
	}
	return int(int64(n) * int64(len(text)) / int64(bytes))
}

// cut returns the end of the first piece of a text: before a line break or a blank, where the vocabulary would begin a token as well, or at
// least between two characters.
func cut(text string) int {
	if len(text) <= pieceBytes {
		return len(text)
	}
	for i := pieceBytes; i > pieceBytes-1024; i-- {
		if text[i] == ' ' && text[i-1] != ' ' {
			return i
		}
	}
	end := pieceBytes
	for end > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

func encode(text string) int {
	c, err := codec()
	if err != nil {
		return (len(text) + perToken - 1) / perToken
	}
	n, err := c.Count(text)
	if err != nil {
		return (len(text) + perToken - 1) / perToken
	}
	return n
}
