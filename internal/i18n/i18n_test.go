package i18n_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/i18n"
)

func TestOf_IsChineseAsSoonAsOneHanCharacterIsThere(t *testing.T) {
	require.Equal(t, i18n.Chinese, i18n.Of("run ls 好吗"))
	require.Equal(t, i18n.English, i18n.Of("héllo wörld, ok?"))
	require.Equal(t, i18n.English, i18n.Of(""))
}

func TestSay_FallsBackToEnglishWhereThereIsNoTranslation(t *testing.T) {
	require.Equal(t, i18n.Say(i18n.English, i18n.CallNotRun), i18n.Say(i18n.Chinese, i18n.CallNotRun))
	require.Contains(t, i18n.Say(i18n.Chinese, i18n.Retrying, "timeout", 2, 5), "2/5")
}

func TestIs_KnowsASentenceAgainWhateverWasPutIntoIt(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.English, i18n.Chinese} {
		require.True(t, i18n.Is(i18n.Say(lang, i18n.ModelFailed, 5, "timeout"), i18n.ModelTooLong, i18n.ModelFailed))
		require.True(t, i18n.Is(i18n.Say(lang, i18n.ModelTooLong), i18n.ModelTooLong))
	}
	require.False(t, i18n.Is(i18n.Say(i18n.English, i18n.ModelFailed, 5, "timeout"), i18n.ModelTooLong))
	require.False(t, i18n.Is("hello", i18n.ModelFailed))
}
