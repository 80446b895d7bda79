package i18n_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/i18n"
)

func TestFor_TakesTheChosenLanguageThenTheCommandsThenThatOfTheLastMessage(t *testing.T) {
	for _, c := range []struct {
		chosen, text, wrote string
		want                i18n.Lang
	}{
		{"", "/status", "", i18n.English},
		{"", "/status", "今天天气怎么样", i18n.Chinese},
		{"", "/help 中文", "what is the weather", i18n.Chinese},
		{"zh", "/status", "what is the weather", i18n.Chinese},
		{"zh-TW", "/status", "", i18n.Chinese},
		{"Traditional Chinese", "/status", "", i18n.Chinese},
		{"中文", "/status", "", i18n.Chinese},
		{" EN ", "/help 中文", "今天", i18n.English},
		{"fr", "/status", "今天", i18n.English},
		{"日本語", "/status", "今天", i18n.English},
	} {
		require.Equal(t, c.want, i18n.For(c.chosen, c.text, c.wrote), "%+v", c)
	}
}
