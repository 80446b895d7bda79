package mask_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/mask"
	"xbot/runner/wire"
)

const value = `p@ss "w<rd>\ of & 23!`

func masker(values ...string) *mask.Masker {
	var secrets []wire.Secret
	for i, v := range values {
		secrets = append(secrets, wire.Secret{Name: "S" + string(rune('A'+i)), Value: v})
	}
	return mask.New(secrets)
}

func TestText_HidesEveryFormThatProgramsGiveAValueByThemselves(t *testing.T) {
	t.Parallel()
	inJSON, err := json.Marshal(map[string]string{"v": value})
	require.NoError(t, err)
	forms := map[string]string{
		"as it is": value, "JSON": string(inJSON), "query": url.QueryEscape(value), "path": url.PathEscape(value),
		"hex": hex.EncodeToString([]byte(value)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(value))),
	}
	for _, before := range []string{"", "a", "ab", "user:"} {
		for _, after := range []string{"", "\n", "z"} {
			forms["base64 "+before+"|"+after] = base64.StdEncoding.EncodeToString([]byte(before + value + after))
			forms["base64url "+before+"|"+after] = base64.RawURLEncoding.EncodeToString([]byte(before + value + after))
		}
	}
	m := masker(value)
	for name, text := range forms {
		got := m.Text("before " + text + " after")
		require.Contains(t, got, "[hidden: SA]", name)
		require.True(t, strings.HasPrefix(got, "before ") && strings.HasSuffix(got, " after"), "%s: %s", name, got)
		require.Less(t, len(got), len("before  after [hidden: SA]")+12, "%s: %s", name, got)
	}
}

func TestText_LeavesJSONWhole(t *testing.T) {
	t.Parallel()
	line, err := json.Marshal(map[string]string{"text": "it is " + value + ", you see"})
	require.NoError(t, err)
	var got map[string]string
	require.NoError(t, json.Unmarshal([]byte(masker(value).Text(string(line))), &got))
	require.Equal(t, "it is [hidden: SA], you see", got["text"])
}

func TestText_HidesEachLineOfAValueOfSeveral(t *testing.T) {
	t.Parallel()
	got := masker("-----BEGIN KEY-----\nabcdefghijkl\nmnopqrst\nxy\n-----END KEY-----").Text("1: abcdefghijkl\n2:   mnopqrst\nxy")
	require.Equal(t, "1: [hidden: SA]\n2:   [hidden: SA]\nxy", got)
}

func TestText_HidesWhatOverlapsAndTheLongerOfTwo(t *testing.T) {
	t.Parallel()
	m := masker("abcdefgh", "efghijkl", "abcdefghXX")
	require.Equal(t, "<[hidden: SA]>", m.Text("<abcdefghijkl>"))
	require.Equal(t, "<[hidden: SC]>", m.Text("<abcdefghXX>"))
	require.Equal(t, "<[hidden: SA]X>", m.Text("<abcdefghX>"))
	require.Equal(t, "abcdefg abcdefgabcdefg", m.Text("abcdefg abcdefgabcdefg"), "a part is not the value")
	require.Nil(t, mask.New(nil))
	var none *mask.Masker
	require.Equal(t, "as it was", none.Text("as it was"))
	require.Equal(t, "as it was", string(none.Stream().Write([]byte("as it was"))))
}

func TestStream_HoldsBackNothingThatBeginsNoValue(t *testing.T) {
	t.Parallel()
	s := masker("abcdefgh").Stream()
	require.Equal(t, `{"whole":"line"}`+"\n", string(s.Write([]byte(`{"whole":"line"}`+"\n"))), "who waits for a line gets it")
	require.Equal(t, "x", string(s.Write([]byte("xabc"))))
	require.Empty(t, s.Write([]byte("d")), "it may be the value")
	require.Equal(t, "abcdZ", string(s.Write([]byte("Z"))))
	require.Equal(t, "", string(s.Write([]byte("abcd"))))
	require.Equal(t, "abcd", string(s.End()), "the rest begins none any more")
}

// pieces divides a text at random places.
func pieces(r *rand.Rand, text string) (out []string) {
	for len(text) > 0 {
		n := 1 + r.IntN(min(len(text), 1+r.IntN(40)))
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

func TestStream_NoDivisionIntoPiecesShowsAValueOrChangesWhatIsShown(t *testing.T) {
	t.Parallel()
	const alphabet = "aab" // values that overlap with themselves and each other
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		word := func(n int) string {
			b := make([]byte, n)
			for i := range b {
				b[i] = alphabet[r.IntN(len(alphabet))]
			}
			return string(b)
		}
		values := []string{word(8 + r.IntN(6)), word(8 + r.IntN(12))}
		var text strings.Builder
		for range r.IntN(12) {
			text.WriteString([]string{word(r.IntN(9)), values[0], values[1], base64.StdEncoding.EncodeToString([]byte(word(r.IntN(3)) + values[0])), " "}[r.IntN(5)])
		}
		m := masker(values...)
		s := m.Stream()
		var got strings.Builder
		for _, p := range pieces(r, text.String()) {
			got.Write(s.Write([]byte(p)))
		}
		got.Write(s.End())
		require.Equal(t, m.Text(text.String()), got.String(), "seed %d", seed)
		for _, v := range values {
			require.NotContains(t, got.String(), v, "seed %d: %q", seed, text.String())
		}
	}
}

func FuzzStream_ShowsNoValueInAnyPieces(f *testing.F) {
	f.Add("secret-value", "it is secret-value, in c2VjcmV0LXZhbHVl", uint64(1))
	f.Add("aaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaa", uint64(2))
	f.Add("000000\n ", "0", uint64(42))
	f.Add("two\nlines of it", "two\nlines of it\nlines of it", uint64(3))
	f.Fuzz(func(t *testing.T, value, text string, seed uint64) {
		if wire.CheckSecret(value) != nil || strings.ContainsAny(value, "[]") { // what is shown in its place has these
			t.Skip()
		}
		m := masker(value)
		s := m.Stream()
		var got strings.Builder
		for _, p := range pieces(rand.New(rand.NewPCG(seed, 1)), text) {
			got.Write(s.Write([]byte(p)))
		}
		got.Write(s.End())
		require.Equal(t, m.Text(text), got.String())
		shown := strings.ReplaceAll(got.String(), "[hidden: SA]", "[]")
		require.NotContains(t, shown, value)
		require.NotContains(t, shown, hex.EncodeToString([]byte(value)))
		if !strings.Contains(text, "[hidden: SA]") {
			require.LessOrEqual(t, len(shown), len(text))
		}
	})
}

func BenchmarkStream(b *testing.B) {
	var values []string
	for i := range 16 {
		values = append(values, strings.Repeat(string(rune('a'+i)), 4)+"0123456789abcdef0123456789")
	}
	s := masker(values...).Stream()
	piece := []byte(strings.Repeat("an ordinary line of output, such as commands write it: 0123456789\n", 1000))
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		s.Write(piece)
	}
}
