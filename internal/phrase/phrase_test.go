package phrase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/phrase"
)

func TestOf_IsChineseAsSoonAsOneHanCharacterIsThere(t *testing.T) {
	require.Equal(t, phrase.Chinese, phrase.Of("run ls 好吗"))
	require.Equal(t, phrase.English, phrase.Of("héllo wörld, ok?"))
	require.Equal(t, phrase.English, phrase.Of(""))
}

func TestSay_FallsBackToEnglishWhereThereIsNoTranslation(t *testing.T) {
	require.Equal(t, phrase.Say(phrase.English, phrase.CallNotRun), phrase.Say(phrase.Chinese, phrase.CallNotRun))
	require.Contains(t, phrase.Say(phrase.Chinese, phrase.Retrying, "timeout", 2, 5), "2/5")
}
