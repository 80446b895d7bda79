package i18n_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/i18n"
)

func TestExplain_ARefusalIsSaidInTheLanguageOfWhoReadsIt(t *testing.T) {
	err := fmt.Errorf("put the message in: %w", i18n.Fault(fault.RateLimited, i18n.QueueFull, 2))
	require.True(t, fault.Is(err, fault.RateLimited))
	require.ErrorContains(t, err, "2 messages wait in this conversation already.")
	require.Contains(t, i18n.Explain(i18n.Chinese, err), "已有 2 条消息")
	require.Contains(t, i18n.Explain(i18n.English, err), "2 messages wait")
	require.NotContains(t, i18n.Explain(i18n.English, err), "put the message in")
}

func TestExplain_AnErrorWithoutASentenceIsSaidAsItIs(t *testing.T) {
	require.Equal(t, "no luck", i18n.Explain(i18n.Chinese, errors.New("no luck")))
}
