package charset

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// How sure a guess has to be. Scores are bits by which characters are likelier in a language than by chance.
const (
	sampled  = 64 << 10 // bytes of lines with other characters than ASCII
	minScore = 1.5
	margin   = 5.0 // above the score of every other encoding, and at least a tenth of the best one
	maxOdd   = 5   // at most one character in so many may be odd
)

// candidate is an encoding without a mark, and the language that is written in it.
type candidate struct {
	Charset
	language
}

// language scores a character; before and after are its neighbours.
type language interface {
	score(before, r, after rune) float64
}

type scorer func(before, r, after rune) float64

func (s scorer) score(before, r, after rune) float64 { return s(before, r, after) }

var candidates = []candidate{
	{gbk, ideographs(simplified+traditional, level(gbk, 0xB0, 0xD7))},
	{gb18030, ideographs(simplified+traditional, level(gbk, 0xB0, 0xD7))},
	{big5, ideographs(traditional, level(big5, 0xA4, 0xC6))},
	{shiftJIS, scorer(kana)},
	{eucJP, scorer(kana)},
	{eucKR, scorer(hangul)},
	{windows1252, scorer(western)},
	{windows1251, scorer(cyrillic)},
	{koi8R, scorer(cyrillic)},
}

// guess returns the encoding that fits much better than all others.
func guess(data []byte) (Charset, bool) {
	sample := sampleOf(data)
	var best Charset
	bestScore, second := 0.0, 0.0
	for _, c := range candidates {
		if c.name == gb18030.name && best.name == gbk.name {
			continue // the same characters
		}
		score, ok := c.rate(sample)
		switch {
		case !ok:
		case best.name == "" || score > bestScore:
			if best.name != "" {
				second = max(second, bestScore)
			}
			best, bestScore = c.Charset, score
		default:
			second = max(second, score)
		}
	}
	if best.name == gbk.name {
		if _, ok := gbk.decode(data); !ok {
			best = gb18030
		}
	}
	return best, bestScore >= minScore && (second <= 0 || bestScore-second >= max(margin, bestScore/10))
}

// sampleOf returns the beginning of the lines that have other bytes than ASCII.
func sampleOf(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if len(out)+len(line) > sampled && len(out) > 0 {
			break
		}
		if bytes.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			out = append(out, line...)
		}
	}
	return out
}

// rate scores the sample. ok is false if it cannot be text of the candidate.
func (c candidate) rate(sample []byte) (score float64, ok bool) {
	decoded, err := c.encoding.NewDecoder().Bytes(sample)
	if err != nil {
		return 0, false
	}
	text := []rune(string(decoded))
	odd, seen := 0, 0
	for i, r := range text {
		if r == utf8.RuneError || unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\f\x1b", r) || unicode.Is(unicode.Co, r) {
			return 0, false
		}
		if r < utf8.RuneSelf {
			continue
		}
		s := c.score(at(text, i-1), r, at(text, i+1))
		seen++
		score += s
		if s < 0 {
			odd++
		}
	}
	return score, seen > 0 && odd*maxOdd <= seen
}

func at(text []rune, i int) rune {
	if i < 0 || i >= len(text) {
		return ' '
	}
	return text[i]
}

// The scores, for characters of two bytes: a frequent one has about 8 of the 16 bits, an ordinary one 13, any other more than 16.
const (
	frequent = 8
	ordinary = 3
	rare     = -4
)

// level returns the set of the characters of a standard's first level, which its encoding has between two first bytes.
func level(c Charset, from, to byte) func() map[rune]bool {
	return sync.OnceValue(func() map[rune]bool {
		set := map[rune]bool{}
		for lead := int(from); lead <= int(to); lead++ {
			for trail := 0x40; trail <= 0xFE; trail++ {
				if trail < 0xA1 && c.name != big5.name {
					continue
				}
				if r, ok := one(c.encoding, byte(lead), byte(trail)); ok {
					set[r] = true
				}
			}
		}
		return set
	})
}

func one(e encoding.Encoding, data ...byte) (rune, bool) {
	out, err := e.NewDecoder().Bytes(data)
	r, size := utf8.DecodeRune(out)
	return r, err == nil && size == len(out) && r != utf8.RuneError
}

const punctuation = "\u3000、。，．：；？！（）「」『』《》〈〉【】“”‘’…—～·￥％＋－＝／１２３４５６７８９０"

func ideographs(common string, level func() map[rune]bool) scorer {
	set := setOf(common + punctuation)
	return func(_, r, _ rune) float64 {
		switch {
		case set()[r]:
			return frequent
		case level()[r]:
			return ordinary
		}
		return rare
	}
}

var jis = level(eucJP, 0xB0, 0xCF)

func kana(_, r, _ rune) float64 {
	switch {
	case r >= '\u3041' && r <= '\u3093':
		return frequent + 1
	case r >= '\u30A1' && r <= '\u30FC':
		return frequent - 1
	case strings.ContainsRune(punctuation, r):
		return frequent
	case r >= '\uFF61' && r <= '\uFF9F': // one byte each
		return -2
	case jis()[r]:
		return ordinary
	}
	return rare
}

var syllables = setOf(korean100)

func hangul(_, r, _ rune) float64 {
	switch {
	case syllables()[r]:
		return frequent + 1
	case unicode.Is(unicode.Hangul, r):
		return ordinary + 1
	case strings.ContainsRune(punctuation, r):
		return ordinary
	}
	return rare
}

func setOf(text string) func() map[rune]bool {
	return sync.OnceValue(func() map[rune]bool {
		set := map[rune]bool{}
		for _, r := range text {
			set[r] = true
		}
		return set
	})
}

// western scores accented letters, which occur singly among ASCII letters, and typographic marks.
func western(before, r, after rune) float64 {
	latin := func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }
	switch {
	case strings.ContainsRune("àâäáãåæçéèêëíìîïñóòôöõøœúùûüßÿ", r):
		if !latin(before) && !latin(after) || before >= utf8.RuneSelf && unicode.IsLetter(before) {
			return -1
		}
		return 2
	case strings.ContainsRune("ÀÂÄÁÃÅÆÇÉÈÊËÍÎÏÑÓÔÖÕØŒÚÙÛÜ", r):
		if latin(before) && unicode.IsLower(before) || after >= utf8.RuneSelf && unicode.IsLetter(after) || !latin(before) && !latin(after) {
			return -1
		}
		return 1
	case strings.ContainsRune("‘’“”–—…«»°§©®€£™\u00a0¿¡•·²½×", r):
		if latin(before) && latin(after) && r != '’' && r != '—' && r != '–' && r != '·' {
			return -3
		}
		return 0.5
	}
	return -3
}

// lettersByUse are the letters of Russian, the most frequent first.
const lettersByUse = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё"

func cyrillic(before, r, after rune) float64 {
	latin := func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }
	lower := func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) && unicode.IsLower(r) }
	switch {
	case !unicode.Is(unicode.Cyrillic, r):
		if strings.ContainsRune("«»—–‘“”„’…№°\u00a0§", r) {
			return 0 // as in Windows-1252
		}
		return -3
	case latin(before) || latin(after), unicode.IsUpper(r) && lower(before):
		return rare
	case unicode.IsUpper(r):
		return 0.3
	}
	if i := strings.IndexRune(lettersByUse, r); i >= 0 {
		return 4 - float64(i)/16 // two bytes a letter
	}
	return 0.5 // of another language
}
