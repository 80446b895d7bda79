package i18n

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCatalogues_ChineseIsPunctuatedAsChinese(t *testing.T) {
	latin := regexp.MustCompile(`\p{Han}[,:;?!]|[,:;?!]\p{Han}`)
	for _, sentences := range catalogues {
		for id, said := range sentences {
			require.NotRegexp(t, latin, said[Chinese], id)
		}
	}
}

// names are the same in Chinese: of products, formats, units and places.
var names = strings.Fields("xbot xbot-runner Temporal MCP JSON Lines Markdown zip cron IANA Asia Shanghai UTC PATH ID token limits person runners sessions tokens balance swift vanguard")

// typed are words that people type, or that stand in what they type.
var typed = strings.Fields("all always allow approve auto command context default deny detail end human list ls mode none off once persona provider show skip stop test turn working")

var (
	// literal is what is typed as it stands: code, addresses, commands, times.
	literal = regexp.MustCompile("`[^`]*`|https?://\\S+|/[a-z][a-z-]*")
	verb    = regexp.MustCompile(`%%|%(?:\[(\d+)\])?[-+#0-9.]*([a-zA-Z])`)
	word    = regexp.MustCompile(`[A-Za-z][A-Za-z-]+`)
	han     = regexp.MustCompile(`\p{Han}`)
)

// typical fills a sentence as it is filled where it is said: numbers, and words of its language.
func typical(lang Lang, format string) string {
	var args []any
	for _, v := range verb.FindAllStringSubmatch(format, -1) {
		if v[0] == "%%" {
			continue
		}
		arg := any("7")
		switch {
		case v[2] == "d" || v[2] == "c":
			arg = 7
		case lang == Chinese:
			arg = "某物"
		}
		if v[1] == "" {
			args = append(args, arg)
			continue
		}
		n := int(v[1][0] - '1')
		for len(args) <= n {
			args = append(args, "7")
		}
		args[n] = arg
	}
	return Say(lang, idOf(lang, format), args...)
}

func idOf(lang Lang, format string) ID {
	for _, sentences := range catalogues {
		for id, said := range sentences {
			if said[lang] == format {
				return id
			}
		}
	}
	return ""
}

func TestCatalogues_NoSentenceMixesLanguages(t *testing.T) {
	known := map[string]bool{}
	for _, w := range append(names, typed...) {
		known[w] = true
	}
	for _, sentences := range catalogues {
		for id, said := range sentences {
			if said[Chinese] == "" { // the model alone reads it
				continue
			}
			english, chinese := typical(English, said[English]), typical(Chinese, said[Chinese])
			require.NotContains(t, english+chinese, "%!", "%s has other arguments than it takes", id)
			require.NotRegexp(t, han, literal.ReplaceAllString(english, ""), "%s is English", id)
			for _, w := range word.FindAllString(literal.ReplaceAllString(chinese, ""), -1) {
				require.True(t, known[w], "%s is Chinese and says %q: %s", id, w, chinese)
			}
		}
	}
}

// Both languages are filled with the same arguments.
func TestCatalogues_BothLanguagesTakeTheSameArguments(t *testing.T) {
	verbs := func(format string) map[string]int {
		out, next := map[string]int{}, 0
		for _, v := range verb.FindAllStringSubmatch(format, -1) {
			if v[0] == "%%" {
				continue
			}
			next++
			if at := v[1]; at != "" {
				next = int(at[0] - '0')
			}
			kind := v[2]
			if kind == "q" || kind == "v" {
				kind = "s"
			}
			out[string(rune('0'+next))+kind] = 1
		}
		return out
	}
	for _, sentences := range catalogues {
		for id, said := range sentences {
			if said[Chinese] != "" {
				require.Equal(t, verbs(said[English]), verbs(said[Chinese]), id)
			}
		}
	}
}

func TestReason_IsSaidInTheLanguageOfTheSentenceAroundIt(t *testing.T) {
	for reason, chinese := range map[string]string{
		"rate limit": "请求过于频繁", "server error, HTTP 503": "服务端错误，HTTP 503", "runner nas is offline": "运行器 nas 离线", "runner nas: network": "运行器 nas：网络故障",
		"in words of a provider": "in words of a provider",
	} {
		require.Equal(t, chinese, Reason(Chinese, reason))
		require.Equal(t, reason, Reason(English, reason))
	}
}
