package tokens_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"

	"xbot/internal/turn/tokens"
)

func exact(t require.TestingT, text string) int {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	n, err := codec.Count(text)
	require.NoError(t, err)
	return n
}

func TestCount_IsThatOfTheVocabulary(t *testing.T) {
	require.Zero(t, tokens.Count(""))
	for _, text := range []string{"hello", "我们今天去公园散步", "func main() { return 1234567 }\n", strings.Repeat("one two\n", 400), "\xff\xfe"} {
		require.Equal(t, exact(t, text), tokens.Count(text), text)
		require.Equal(t, exact(t, text), tokens.Count(text), "remembered")
	}
}

func TestCount_OfPiecesIsCloseToThatOfTheWhole(t *testing.T) {
	for name, text := range map[string]string{
		"words":   strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 8000),
		"Chinese": strings.Repeat("我们今天去公园散步，看到了很多花和树。", 8000),
		"base64":  strings.Repeat("aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q", 10000),
		"blanks":  strings.Repeat(" ", 300000),
	} {
		want := exact(t, text)
		require.InEpsilon(t, want, tokens.Count(text), 0.01, name)
	}
}

func TestCount_OfMegabytesIsSampled(t *testing.T) {
	line := "2026-11-21T04:00:00Z level=info msg=\"request served\" id=%06d took=12ms\n"
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, line, i)
	}
	text := b.String()
	part := text[:sample]
	want := float64(exact(t, part)) * float64(len(text)) / sample
	require.InEpsilon(t, want, tokens.Count(text), 0.02)
}

// sample is a part of a text that is alike all over.
const sample = 300_000

func TestSkip_TakesSoManyTokensAndChainsToTheWholeText(t *testing.T) {
	for name, text := range map[string]string{
		"words": strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 4000), "Chinese": strings.Repeat("我们今天去公园散步，看到了很多花和树。", 3000),
		"emoji": strings.Repeat("👩‍👩‍👧 🏳️‍🌈", 500), "one": "x",
	} {
		all := tokens.Count(text)
		require.Equal(t, len(text), tokens.Skip(text, all), name)
		require.Equal(t, len(text), tokens.Skip(text, all+1000), name)
		require.Zero(t, tokens.Skip(text, 0), name)
		require.Zero(t, tokens.Skip(text, -1), name)
		step, read := all/7+1, 0
		for at := 0; at < all; at += step {
			from, to := tokens.Skip(text, at), tokens.Skip(text, at+step)
			require.Equal(t, read, from, name)
			require.True(t, utf8.ValidString(text[from:to]), name)
			require.InDelta(t, min(step, all-at), tokens.Count(text[from:to]), 8, name)
			read = to
		}
		require.Equal(t, len(text), read, name)
	}
}

func TestCount_IsSafeForConcurrentUse(t *testing.T) {
	var g sync.WaitGroup
	for i := range 8 {
		g.Go(func() {
			for j := range 200 {
				text := strings.Repeat(fmt.Sprintf("word %d ", (i+j)%50), 60)
				if tokens.Count(text) <= 0 {
					t.Error("no tokens")
				}
			}
		})
	}
	g.Wait()
}

func TestCount_NeverFailsAndIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(t, "bytes"))
		n := tokens.Count(text)
		require.Equal(t, n, tokens.Count(text))
		require.LessOrEqual(t, n, len(text))
	})
}

func BenchmarkCount_Fresh(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 1000)
	b.SetBytes(int64(len(text)))
	for i := 0; b.Loop(); i++ {
		tokens.Count(fmt.Sprint(i) + text)
	}
}

func BenchmarkCount_Remembered(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens.Count(text)
	}
}
