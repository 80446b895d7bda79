package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/store"
)

func TestAsked_ABareCommandIsAnsweredInTheChosenLanguage(t *testing.T) {
	b := setup(t)
	for turn, chosen := range map[chat.TurnID]string{"t1": "zh", "t2": "en"} {
		require.NoError(t, b.SetUserSetting(t.Context(), b.user.ID, store.Language, chosen))
		in := b.inbound("m-"+string(turn), "/compact")
		in.Control = true
		_, err := b.Accept(t.Context(), in)
		require.NoError(t, err)
		_, ok := b.claim(turn)
		require.True(t, ok)
		asked, err := b.Asked(t.Context(), turn)
		require.NoError(t, err)
		require.Equal(t, i18n.Lang(chosen), i18n.Lang(asked.Lang))
		b.finish(turn, chat.TurnDone)
	}
}
