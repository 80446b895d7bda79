package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestStop_EndsTheServerInOrderAndWhatItDidGoesOnWithTheNextStart(t *testing.T) {
	t.Parallel()
	k := newServerWithStack(t).newTalk()
	id := k.send(k.count(50), "say done")
	k.untilCounting(5)
	said, err := k.operate("stop")
	require.NoError(t, err, said)
	require.Contains(t, said, "The server has ended")
	<-k.process.done // it gave the lock free a moment before
	said, err = k.operate("stop")
	require.Error(t, err)
	require.Contains(t, said, "no xbot serve runs on")
	k.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	k.counted(50)
	require.Equal(t, []string{"done"}, k.answers())
}
