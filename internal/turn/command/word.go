package command

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// inChinese maps the Chinese names of commands, after a slash, to the English ones.
var inChinese = map[string]string{
	"停": "stop", "停止": "stop", "停下": "stop", "帮助": "help", "命令": "commands", "继续": "continue", "新对话": "new", "新会话": "new", "重置": "reset",
	"同意": "approve", "允许": "approve", "拒绝": "deny", "状态": "status", "模型": "model", "语言": "language", "设置": "settings", "搜索": "search",
	"撤回": "rewind", "重试": "retry", "压缩": "compact", "用量": "usage",
}

// bare maps words that mean a command without a slash.
var bare = map[string]string{
	"stop": "stop", "停": "stop", "停止": "stop", "停下": "stop", "help": "help", "帮助": "help", "continue": "continue", "继续": "continue",
	"新对话": "new", "新会话": "new",
}

// aroundWords is the punctuation that users write around a single word.
const aroundWords = ".!?。！？~～…,，"

// Word returns the command that a whole message means without a slash, empty if it is more than one word or means none: "停！" is stop. The
// caller decides whether the word applies, by the state of the conversation.
func Word(text string) string {
	return bare[strings.ToLower(strings.Trim(strings.TrimSpace(text), aroundWords))]
}

// Translated returns the English name of a command that has a Chinese one, and any other name unchanged.
func Translated(name string) string {
	if known, ok := inChinese[name]; ok {
		return known
	}
	return name
}

// Translate replaces a Chinese command name by the English one: "/停止" is "/stop", "/模型 kimi" is "/model kimi". Any other text is returned
// unchanged, also one whose first word only begins like a name.
func Translate(text string) string {
	rest, ok := slash(strings.TrimSpace(text))
	if !ok {
		return text
	}
	n := span(rest, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	name, known := inChinese[rest[:n]]
	if !known {
		return text
	}
	translated := "/" + name + rest[n:]
	if _, is := Parse(translated); !is {
		return text
	}
	return translated
}

// ChineseNames returns the names of a command in Chinese, in a fixed order.
func ChineseNames(of string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(inChinese)) {
		if inChinese[name] == of {
			names = append(names, name)
		}
	}
	return names
}
