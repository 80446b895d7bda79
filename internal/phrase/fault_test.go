package phrase_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/phrase"
)

func TestExplain_ARefusalIsSaidInTheLanguageOfWhoReadsIt(t *testing.T) {
	err := fmt.Errorf("put the message in: %w", phrase.Fault(fault.RateLimited, phrase.QueueFull, 2))
	require.True(t, fault.Is(err, fault.RateLimited))
	require.ErrorContains(t, err, "2 messages wait in this conversation already.")
	require.Contains(t, phrase.Explain(phrase.Chinese, err), "已有 2 条消息")
	require.Contains(t, phrase.Explain(phrase.English, err), "2 messages wait")
	require.NotContains(t, phrase.Explain(phrase.English, err), "put the message in")
}

func TestExplain_AnErrorWithoutASentenceIsSaidAsItIs(t *testing.T) {
	require.Equal(t, "no luck", phrase.Explain(phrase.Chinese, errors.New("no luck")))
}
