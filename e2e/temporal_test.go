package e2e

import (
	"log/slog"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"xbot/internal/chat"
	"xbot/internal/host/temporalclient"
	"xbot/workflows"
)

// dialTemporal opens the server's Temporal as its operator.
func (s *server) dialTemporal() client.Client {
	s.t.Helper()
	e, err := s.endpoints()
	require.NoError(s.t, err)
	c, err := temporalclient.New(temporalclient.Config{
		Address: e.Temporal.Address, Namespace: e.Temporal.Namespace, ServerName: e.Temporal.ServerName,
		CAFile: e.Temporal.CAFile, CertFile: e.Temporal.CertFile, KeyFile: e.Temporal.KeyFile, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(s.t, err)
	s.t.Cleanup(c.Close)
	return c
}

// namespace is the server's in Temporal.
func (s *server) namespace() string {
	s.t.Helper()
	e, err := s.endpoints()
	require.NoError(s.t, err)
	return e.Temporal.Namespace
}

// wakes counts the wakes that the latest run of the conversation has got.
func (k *talk) wakes() (n int) {
	k.t.Helper()
	for _, event := range k.history(workflows.TurnID(k.key), "").GetEvents() {
		if event.GetWorkflowExecutionSignaledEventAttributes() != nil {
			n++
		}
	}
	return n
}

// steer sends a message to the turn that runs, and waits until its run knows of it: a command that ends before would let it come too late.
func (k *talk) steer(lines ...string) chat.InboxID {
	k.t.Helper()
	before := k.wakes()
	id := k.send(lines...)
	k.untilWoken(before + 1)
	return id
}

// untilWoken waits until the run of a turn has received n wakes and has read its inbox after the last one. The read is a local activity, which
// records a marker. If a command ends before the read, the next step begins without the message.
func (k *talk) untilWoken(n int) {
	k.t.Helper()
	require.Eventually(k.t, func() bool {
		wakes, read := 0, false
		for _, event := range k.history(workflows.TurnID(k.key), "").GetEvents() {
			if event.GetWorkflowExecutionSignaledEventAttributes() != nil {
				wakes, read = wakes+1, false
			}
			read = read || event.GetMarkerRecordedEventAttributes() != nil
		}
		return wakes >= n && read
	}, time.Minute, 100*time.Millisecond, "the turn is not woken")
}

// terminate ends the open run of a session's turn, as somebody might do in the Temporal UI.
func (s *server) terminate(key chat.SessionKey) {
	s.t.Helper()
	require.NoError(s.t, s.temporal().TerminateWorkflow(s.t.Context(), workflows.TurnID(key), "", "test"))
}
