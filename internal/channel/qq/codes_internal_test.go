package qq

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The codes and words are those of reports: openclaw-qqbot#57, #83, #95, #29, adapter-qq#154.
func TestClass_JudgesUnknownCodesByTheirWords(t *testing.T) {
	for _, c := range []struct {
		refusal refusal
		want    class
	}{
		{refusal{status: 400, code: 40034012, message: "不允许发送原生 markdown"}, noMarkdown},
		{refusal{status: 500, code: 304041, message: "reply message not allow markdown"}, noMarkdown},
		{refusal{status: 400, code: 1, message: "不允许发送原生 markdown"}, noMarkdown},
		{refusal{status: 500, code: 2, message: "message is not allowed to have markdown"}, noMarkdown},
		{refusal{status: 400, code: 40034028, message: "请求参数不允许包含url xxx.com"}, blockedLinks},
		{refusal{status: 400, code: 3, message: "消息发送失败, 不允许发送url"}, blockedLinks},
		{refusal{status: 400, code: 40034008, message: "markdown 参数错误"}, badMarkdown},
		{refusal{status: 500, code: 4, message: "internal error"}, flaky},
		{refusal{status: 400, code: 5, message: "参数错误"}, unclear},
	} {
		require.Equal(t, c.want, c.refusal.class(), "%+v", c.refusal)
	}
}
