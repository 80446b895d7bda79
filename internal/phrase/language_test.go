package phrase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/phrase"
)

func TestFor_TakesTheChosenLanguageThenTheCommandsThenThatOfTheLastMessage(t *testing.T) {
	for _, c := range []struct {
		chosen, text, wrote string
		want                phrase.Lang
	}{
		{"", "/status", "", phrase.English},
		{"", "/status", "今天天气怎么样", phrase.Chinese},
		{"", "/help 中文", "what is the weather", phrase.Chinese},
		{"zh", "/status", "what is the weather", phrase.Chinese},
		{"zh-TW", "/status", "", phrase.Chinese},
		{"Traditional Chinese", "/status", "", phrase.Chinese},
		{"中文", "/status", "", phrase.Chinese},
		{" EN ", "/help 中文", "今天", phrase.English},
		{"fr", "/status", "今天", phrase.English},
		{"日本語", "/status", "今天", phrase.English},
	} {
		require.Equal(t, c.want, phrase.For(c.chosen, c.text, c.wrote), "%+v", c)
	}
}
