// Package lexicaltest has texts and searches for the tests of all places that search by words.
package lexicaltest

import (
	"strconv"
	"strings"
)

// Case is a text, a search, and whether the search finds the text.
type Case struct {
	Text, Query string
	Found       bool
}

// Cases returns the cases.
func Cases() []Case {
	var out []Case
	for _, group := range [][]group{english, european, asian, symbols, code, hostile} {
		for _, g := range group {
			for q := range strings.SplitSeq(g.finds, "\n") {
				out = append(out, Case{g.text, q, true})
			}
			for q := range strings.SplitSeq(g.not, "\n") {
				out = append(out, Case{g.text, q, false})
			}
		}
	}
	return out
}

// Word returns one of many different words.
func Word(n int) string { return "w" + strconv.FormatInt(int64(n), 36) }

// group is a text with searches that find it and such that do not, a line each.
type group struct{ text, finds, not string }

var english = []group{
	{"We truncate the log", "truncate\nTRUNCATE\ntrunc\nlog we\nthe lo\n\"the log\"\n\"the lo", "cat\nuncate\nthe lo \n\"the lo\"\n\"log the\"\nlog tables"},
	{"The cat sat. Don't panic!", "cat\ncat sat\ndon't\npanic\n\"sat don't\"", "sat. cat\"s\ncats\ndon't sit"},
	{"Meet at 10:30 on 2026-11-22, room 5", "2026-11-22\n10:30\n2026\nroom 5", "11-23\n30:10\n22-11"},
	{"a", "a", "b"},
}

var european = []group{
	{"Die Straße führt über Öl und Äpfel", "strasse\nSTRASSE\nstraß\nfuhrt\nführt\nOL und\näpfel\napf", "fuehrt\nrasse\npfel"},
	{"Café crème, naïve façade, smørrebrød, Łódź", "cafe\ncafé creme\nfacade\nsmorrebrod\nlodz\n\"cafe crème\"", "afé\n\"crème naive façade smør\""},
	{"Ο Οδυσσέας στην Αθήνα", "αθηνα\nΟΔΥΣΣΕΑΣ", "θηνα"},
	{"Всё хорошо, Москва", "все\nмоскв\nХОРОШО", "осква"},
}

var asian = []group{
	{"我们今天去北京看天气预报", "北京\n京\n天气 今天\n天气预报\n预报\n\"去北京\"\n报", "京北\n上海\n天预\n北京天气\n雨"},
	{"東京へ行く。コーヒーを飲む", "東京\nコーヒー\nコーヒ\n飲む\n行く\nを", "京東\nヒーコ\nティー"},
	{"서울에 산다", "서울\n산\n서울에 산다", "울서\n부산"},
	{"用GPT5写代码，發ＡＢＣ", "gpt5\nGPT\n用gpt5\ngpt5写\nabc\n写代\n写 用", "gpt4\n写gpt5\n用abc"},
	{"ฉันรักกรุงเทพ", "กรุงเทพ\nรัก", "เชียงใหม่"},
}

var symbols = []group{
	{"Well done 🙂👍🏽 ❤️", "🙂\n👍\n❤\n❤️\ndone 🙂\n\"done 🙂\"", "😀\n\"🙂 done\""},
	{"┌──┐ 100% sure (really)", "100%\n100\nsure\n(really)", "──\n101%"},
}

var code = []group{
	{"call foo.bar(snake_case, getUserName) in /usr/lib/main.go", "foo.bar()\nfoo.bar\nbar\nsnake_case\ncase\ngetUserName\nGETUSERNAME\nuser\nname in\n/usr/lib\nmain.go\nlib main\n\"foo bar\"",
		"bar.foo\ncase_snake\nsername\n/lib/usr\noo.bar"},
	{"see https://example.com/a/Page?id=42#top", "https://example.com/a/page?id=42\nexample.com\nexample\nid=42\npage 42", "example.org\nid=43\ncom.example"},
	{"SELECT * FROM t WHERE x = 'it''s' AND y <-> z", "select from\n'it\ny <-> z\n\"where x\"", "select to"},
}

// hostile are searches made of what Postgres takes for operators.
var hostile = []group{
	{"nothing of the kind", "nothing & kind\nnothing:*\n'nothing'\n!nothing\n(nothing)\nkind\\\nthe <-> kind\n\"of' the\"", "nothing:AB\nnothing | words\n!words\n'\n''\n\\\n:*\n&\n!\n<->\n()\n\"\"\n\"\n%%\n_othing\n\x00"},
}
