package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/policy"
)

func TestParse_RefusesToolsThatMeanNothingAndPersonalitiesThatArePrompts(t *testing.T) {
	t.Parallel()
	for member, path := range map[string]string{
		`tools: { deny: ["[Shell"] }`:                     "channels.qq.groupScenes.chat.tools.deny[0]",
		`tools: { allow: [" "] }`:                         "channels.qq.groupScenes.chat.tools.allow[0]",
		`sandbox: { files: "none" }`:                      "channels.qq.groupScenes.chat.sandbox.files",
		`sandbox: { network: "none" }`:                    "channels.qq.groupScenes.chat.sandbox.network",
		`runner: "my laptop"`:                             "channels.qq.groupScenes.chat.runner",
		`runner: "../local"`:                              "channels.qq.groupScenes.chat.runner",
		`personality: "a\nb"`:                             "channels.qq.groupScenes.chat.personality",
		`personality: "` + strings.Repeat("x", 501) + `"`: "channels.qq.groupScenes.chat.personality",
	} {
		_, _, err := policy.Parse([]byte(`{ channels: { qq: { groupScenes: { chat: { enabled: true, ` + member + ` } } } } }`))
		require.ErrorContains(t, err, path, member)
	}
}
