package i18n

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
)

// inChinese are the Chinese names of languages by their English ones.
var inChinese = map[string]string{
	"English": "英语", "Chinese": "中文", "Traditional Chinese": "繁体中文", "Japanese": "日语", "Korean": "韩语", "German": "德语", "French": "法语",
	"Spanish": "西班牙语", "Portuguese": "葡萄牙语", "Russian": "俄语", "Italian": "意大利语",
}

// LanguageName returns what a language is called in lang. English is its English name, and comes back where there is no other.
func LanguageName(lang Lang, english string) string {
	if lang == Chinese {
		return cmp.Or(inChinese[english], english)
	}
	return english
}

// Row puts sentences one after another: Chinese ones have no space between them.
func Row(lang Lang, sentences ...string) string {
	if lang == Chinese {
		return strings.Join(sentences, "")
	}
	return strings.Join(sentences, " ")
}

// LanguageHints is the input for the choice of a user's language. Its zero value is English.
type LanguageHints struct {
	Chosen string   // what the user chose, as /language takes it
	Text   string   // what is answered, where it is not among Here
	Here   []string // what users wrote last in the conversation, newest first
	Wrote  []string // what the user wrote last in other conversations, newest first
	Usual  string   // the policy's language: en, zh or nothing
	Shared bool     // several users read it: the choice of one counts only if no text has a known language
}

// Lang returns the language. A text to be answered decides if it is Chinese: a user who writes /帮助 reads Chinese. Then comes the language of most of
// the newest texts. Texts without a language, such as a picture or a bare command, do not count (Tells). A user who chose a language that the
// catalogue does not have is answered in English.
func (s LanguageHints) Lang() Lang {
	if lang, chose := chosen(s.Chosen); chose && !s.Shared {
		return lang
	}
	if lang, tells := DetectLanguage(s.Text); tells && lang == Chinese {
		return Chinese
	}
	here := s.Here
	if s.Text != "" {
		here = append([]string{s.Text}, here...)
	}
	for _, texts := range [][]string{here, s.Wrote} {
		if lang, tells := mostly(texts); tells {
			return lang
		}
	}
	if lang, chose := chosen(s.Chosen); chose {
		return lang
	}
	lang, _ := chosen(s.Usual)
	return lang
}

// Chosen returns the language that a choice means, as /language takes it.
func Chosen(choice string) Lang { return LanguageHints{Chosen: choice}.Lang() }

func chosen(choice string) (lang Lang, chose bool) {
	choice = strings.ToLower(strings.TrimSpace(choice))
	switch {
	case strings.HasPrefix(choice, "zh"), strings.Contains(choice, "chinese"), strings.ContainsAny(choice, "中汉漢华華"):
		return Chinese, true
	}
	return English, choice != ""
}

// votes is of how many texts most decide: a foreign one changes nothing, and two in a row do.
const votes = 3

// mostly returns the language of most of the newest texts that have one.
func mostly(texts []string) (lang Lang, tells bool) {
	var newest Lang
	count := map[Lang]int{}
	for _, text := range texts {
		of, tells := DetectLanguage(text)
		if !tells {
			continue
		}
		newest = cmp.Or(newest, of)
		if count[of]++; count[of] > votes/2 {
			return of, true
		}
	}
	return newest, newest != ""
}

// leastLetters is how many Latin letters a text needs to have a language: ok, hi, yes and 666 are written in all of them.
const leastLetters = 4

var (
	// untold matches the parts of a text without a language: code, addresses, mentions.
	untold = regexp.MustCompile("(?s:```.*?(?:```|$))|`[^`\n]*`|(?i:\\bhttps?://|\\bwww\\.)[^\\s\\p{Han}，。；！？）]+|@[^\\s\\p{Han}，。；！？]+")
	// bracketed is a line of the product: the name of a file, or the heading of overheard messages.
	bracketed = regexp.MustCompile(`^\[.*\]$`)
	// Other scripts exclude both languages, also among Han characters, as in Japanese.
	otherScript = regexp.MustCompile(`[\p{Hiragana}\p{Katakana}\p{Hangul}]`)
)

// DetectLanguage returns the language in which a text was written, if it is known: Chinese when it has a Han character, English when it has a few Latin
// letters. Quotations, lines that name files, code, addresses and mentions do not count, nor does a command, unless it is Chinese.
func DetectLanguage(text string) (lang Lang, tells bool) {
	text = strings.TrimSpace(text)
	command := strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!")
	latin := 0
	for line := range strings.Lines(untold.ReplaceAllString(text, " ")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, ">") || bracketed.MatchString(line) {
			continue
		}
		line = strings.TrimPrefix(line, "[voice transcript] ")
		if otherScript.MatchString(line) {
			return "", false
		}
		if Of(line) == Chinese {
			return Chinese, true
		}
		for _, r := range line {
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	return English, latin >= leastLetters && !command
}
