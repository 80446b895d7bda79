package modelcall_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
)

func TestReason_EveryOneForWhichAModelIsAskedAgainIsSaidInChinese(t *testing.T) {
	for _, err := range []error{
		llm.ErrTruncated, llm.ErrTimeout, llm.ErrNetwork, llm.ErrEmpty, llm.ErrServer, fault.Errorf(fault.RateLimited, "later"), llm.Because("runner nas is offline", llm.ErrNetwork),
	} {
		reason := llm.Reason(err)
		require.NotEmpty(t, reason)
		require.Equal(t, i18n.Chinese, i18n.Of(i18n.Reason(i18n.Chinese, reason)), reason)
	}
}
