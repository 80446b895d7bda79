package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/policy"
)

func TestHeartbeat_RefusesPeopleThatAreNamedTwiceOrNotAtAll(t *testing.T) {
	t.Parallel()
	for _, people := range []string{`["bob", "bob"]`, `[" "]`} {
		_, _, err := policy.Parse([]byte(`{agents: {list: [{id: "main", heartbeat: {every: "30m", people: ` + people + `}}]}}`))
		require.ErrorContains(t, err, "heartbeat.people[")
	}
}
