package question

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/chat"
)

// Words for yes and no, in lower case and without punctuation.
var (
	yesWords = strings.Split("y|yes|yeah|yep|yup|ok|okay|sure|approve|approved|allow|confirm|confirmed|agree|accept|go ahead|do it|true|"+
		"是|是的|好|好的|好吧|好啊|可以|可以的|行|同意|允许|批准|确认|确定|对|没问题|嗯", "|")
	noWords = strings.Split("n|no|nope|nah|deny|denied|reject|rejected|refuse|decline|cancel|stop|no thanks|don't|do not|false|"+
		"否|不|不是|不要|不用|不行|不可以|不同意|不允许|不了|拒绝|取消|算了|退回|别", "|")
)

// YesOrNo parses a bare yes or no.
func YesOrNo(text string) (allow, ok bool) {
	word := bare(text)
	allow = slices.Contains(yesWords, word)
	return allow, allow || slices.Contains(noWords, word)
}

// Approve returns the answers that an approval without any implies: yes to a question that can be answered with it.
func Approve(questions []chat.Inquiry) (chat.Answers, bool) {
	if len(questions) != 1 || questions[0].Connect != nil {
		return nil, false
	}
	label, ok := decision(questions[0].Options, true)
	return chat.Answers{questions[0].Name: {label}}, ok
}

// bare normalizes a text for comparison: lower case, digits of half width, no trailing punctuation. A leading slash or exclamation mark has
// another meaning.
func bare(text string) string {
	text = strings.TrimRightFunc(halfWidth(text), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r) })
	text = strings.TrimLeft(text, " \t\r\n\u3000#(\uFF08\"'\u201C\u2018\u300C.")
	return strings.ReplaceAll(strings.Join(strings.Fields(strings.ToLower(text)), " "), "\u2019", "'")
}

// meant finds the option that a text means in other words than its label: a part of the label, its place in the list, or yes or no. An
// ambiguous text means none.
func meant(options []chat.InquiryOption, text string) (label string, ok bool) {
	word := bare(text)
	if word == "" {
		return "", false
	}
	if label, ok = only(options, func(o chat.InquiryOption) bool { return slices.Contains(parts(o.Label), word) }); ok {
		return label, true
	}
	if n, ok := place(word); ok && n <= len(options) {
		return options[n-1].Label, true
	}
	if allow, said := YesOrNo(text); said {
		return decision(options, allow)
	}
	return "", false
}

// only returns the label of the one option that fits.
func only(options []chat.InquiryOption, fits func(chat.InquiryOption) bool) (label string, ok bool) {
	i := slices.IndexFunc(options, fits)
	if i < 0 || slices.ContainsFunc(options[i+1:], fits) {
		return "", false
	}
	return options[i].Label, true
}

// parts returns the pieces of a label that mean all of it: the two languages of "Yes · 是", the letter of "A. Paris", and the text after it.
func parts(label string) []string {
	out := []string{bare(label)}
	for _, mark := range []string{" · ", " / ", "/", " | "} {
		if pieces := strings.Split(label, mark); len(pieces) > 1 {
			for _, p := range pieces {
				out = append(out, bare(p))
			}
			break
		}
	}
	if letter, size := utf8.DecodeRuneInString(label); unicode.IsLetter(letter) && len(label) > size+1 && strings.ContainsAny(label[size:size+1], ".):") {
		out = append(out, bare(string(letter)), bare(label[size+1:]))
	}
	return out
}

// decision finds the option that is a yes, or a no. "Yes, delete it" is a yes.
func decision(options []chat.InquiryOption, allow bool) (label string, ok bool) {
	return only(options, func(o chat.InquiryOption) bool {
		first, _, _ := strings.Cut(strings.NewReplacer("，", ",", "：", ",", ":", ",", "。", ",").Replace(o.Label), ",")
		return slices.ContainsFunc(append(parts(o.Label), parts(first)...), func(part string) bool {
			yes, said := YesOrNo(part)
			return said && yes == allow
		})
	})
}

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
	"①": 1, "②": 2, "③": 3, "④": 4, "⑤": 5, "⑥": 6, "⑦": 7, "⑧": 8, "⑨": 9, "1st": 1, "2nd": 2, "3rd": 3,
}

// place parses "option 2", "the second one", "选2" or "第二个" as a place in a list, from 1.
func place(word string) (n int, ok bool) {
	for _, lead := range []string{"the ", "option ", "number ", "no. ", "no.", "我选择", "我选", "选择", "选项", "选", "第", "方案"} {
		word = strings.TrimSpace(strings.TrimPrefix(word, lead))
	}
	for _, end := range []string{" one", " option", "个选项", "个", "项", "号", "种"} {
		word = strings.TrimSuffix(word, end)
	}
	if n, ok = ordinals[word]; ok {
		return n, true
	}
	n, err := strconv.Atoi(word)
	return n, err == nil && n > 0
}
