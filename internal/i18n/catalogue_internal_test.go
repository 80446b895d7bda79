package i18n

import (
	"regexp"
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
