package turn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestBesides_ConnectingAnAccountPermitsNoCallThatAPersonHasToPermit(t *testing.T) {
	t.Parallel()
	asks := func() []chat.Inquiry {
		return []chat.Inquiry{{Text: "May I?", Connect: &chat.AccountAsk{Provider: "feishu"}}}
	}
	require.Empty(t, besides(chat.RuleAsk, "feishu_docx_create", asks()))
	require.Len(t, besides(chat.RuleAllow, "feishu_docx_create", asks()), 1)
	require.Len(t, besides(chat.RuleAsk, "oauth_authorize", asks()), 1, "it asks for nothing else")
}
