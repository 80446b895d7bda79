package i18n_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/i18n"
)

func TestSpoken_AChoiceDecidesInADirectChat(t *testing.T) {
	for _, c := range []struct {
		chosen string
		want   i18n.Lang
	}{
		{"zh", i18n.Chinese}, {"zh-TW", i18n.Chinese}, {"Traditional Chinese", i18n.Chinese}, {"中文", i18n.Chinese},
		{" EN ", i18n.English}, {"fr", i18n.English}, {"日本語", i18n.English},
	} {
		other := "今天天气怎么样"
		if c.want == i18n.Chinese {
			other = "what is the weather like"
		}
		s := i18n.LanguageHints{Chosen: c.chosen, Text: other, Here: []string{other, other}, Usual: "en"}
		require.Equal(t, c.want, s.Lang(), c.chosen)
		require.Equal(t, c.want, i18n.Chosen(c.chosen))
	}
}

func TestSpoken_IsThatOfMostOfTheLastMessagesThatTellOne(t *testing.T) {
	const zh, en, none = "今天天气怎么样", "what is the weather like", "[image: IMG_1.jpg · 2048 bytes · /home/xbot/IMG_1.jpg]"
	for name, c := range map[string]struct {
		spoken i18n.LanguageHints
		want   i18n.Lang
	}{
		"nothing tells":                             {i18n.LanguageHints{}, i18n.English},
		"nothing tells, the operator does":          {i18n.LanguageHints{Text: "/status", Here: []string{none}, Usual: "zh"}, i18n.Chinese},
		"a photo among Chinese":                     {i18n.LanguageHints{Here: []string{none, zh}}, i18n.Chinese},
		"a command among Chinese":                   {i18n.LanguageHints{Text: "/help", Here: []string{zh}}, i18n.Chinese},
		"a command among English, Chinese operator": {i18n.LanguageHints{Text: "/help", Here: []string{en}, Usual: "zh"}, i18n.English},
		"a foreign message changes nothing":         {i18n.LanguageHints{Here: []string{en, zh, none, zh}}, i18n.Chinese},
		"two in a row do":                           {i18n.LanguageHints{Here: []string{en, none, en, zh, zh, zh}}, i18n.English},
		"of two the newest counts":                  {i18n.LanguageHints{Here: []string{zh, en}}, i18n.Chinese},
		"a Chinese command is answered in Chinese":  {i18n.LanguageHints{Text: "/帮助", Here: []string{en, en, en}}, i18n.Chinese},
		"what is refused counts as the newest":      {i18n.LanguageHints{Text: en, Usual: "zh"}, i18n.English},
		"elsewhere":                                 {i18n.LanguageHints{Text: "/status", Here: []string{none}, Wrote: []string{zh}}, i18n.Chinese},
		"here before elsewhere":                     {i18n.LanguageHints{Here: []string{en}, Wrote: []string{zh, zh}}, i18n.English},
		"a group before the choice of one":          {i18n.LanguageHints{Shared: true, Chosen: "en", Here: []string{zh}}, i18n.Chinese},
		"a choice where a group tells nothing":      {i18n.LanguageHints{Shared: true, Chosen: "zh", Here: []string{none}, Usual: "en"}, i18n.Chinese},
	} {
		require.Equal(t, c.want, c.spoken.Lang(), name)
	}
}

func TestTells_WhatPeopleDidNotWriteInTheirLanguageSaysNothing(t *testing.T) {
	for _, text := range []string{
		"", "ok", "666", "👍", "hi", "/help", "/model gpt-5", "!ls -la /home", "https://example.com/a/very/long/address", "www.example.com", "@xbot",
		"[image: 照片.jpg · 2048 bytes · /home/xbot/照片.jpg]", "[quoted file: 报告.pdf]", "[voice transcript: not made: no service]",
		"> what somebody else said\n> 他说的话\n", "```\nfunc main() {}\n```", "`git status`", "Как дела?", "これは日本語です", "안녕하세요",
		"> 引用\n\nhttps://example.com",
	} {
		lang, tells := i18n.DetectLanguage(text)
		require.False(t, tells, "%q tells %s", text, lang)
	}
	for text, want := range map[string]i18n.Lang{
		"hello": i18n.English, "what does this mean?": i18n.English, "Où est la gare?": i18n.English, "run ls 好吗": i18n.Chinese, "/help 中文": i18n.Chinese,
		"停止": i18n.Chinese, "https://example.com这是什么": i18n.Chinese, "> quoted words\n\n看看": i18n.Chinese, "> 引用\n\nwhat is this?": i18n.English,
		"[voice transcript] 明天开会": i18n.Chinese, "[image: IMG_1.jpg · 12 bytes · /a/b]\nlook at this": i18n.English, "@bot 你好": i18n.Chinese,
	} {
		lang, tells := i18n.DetectLanguage(text)
		require.True(t, tells, text)
		require.Equal(t, want, lang, text)
	}
}

func FuzzTells(f *testing.F) {
	for _, text := range []string{"你好", "[image: a]", "> q\n", "```", "@", "https://", "/x 中", "\x80\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lang, tells := i18n.DetectLanguage(text)
		if tells && lang == i18n.Chinese {
			require.Equal(t, i18n.Chinese, i18n.Of(text))
		}
		_, tells = i18n.DetectLanguage("> " + strings.NewReplacer("\n", " ", "\r", " ", "`", "").Replace(text))
		require.False(t, tells, "a quotation tells nothing")
	})
}
