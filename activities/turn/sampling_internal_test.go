package turn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestAlone_IsAConversationOfOnePerson(t *testing.T) {
	t.Parallel()
	for key, want := range map[chat.SessionKey]bool{
		"agent:main:main": true, "agent:main:qq:dm:7": true, "cron:job_00000001": true,
		"agent:main:qq:group:7": false, "agent:main:feishu:channel:7": false, "agent:main:svc:thread:7": false, "": false, "what is this": false,
	} {
		require.Equal(t, want, alone(key), key)
	}
}
