package i18n

import (
	"cmp"
	"strings"
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

// For returns the language for an answer to a command: the one the person chose, as /language takes it; else that of the
// command, if Chinese stands in it; else that of what they wrote last: a bare /status says nothing about language. Who chose
// a language that the catalogue does not have is answered in English.
func For(chosen, text, wrote string) Lang {
	chosen = strings.ToLower(strings.TrimSpace(chosen))
	switch {
	case strings.HasPrefix(chosen, "zh"), strings.Contains(chosen, "chinese"), strings.ContainsAny(chosen, "中汉漢华華"):
		return Chinese
	case chosen != "":
		return English
	case Of(text) == Chinese:
		return Chinese
	}
	return Of(wrote)
}
