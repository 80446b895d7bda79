package e2e

import (
	"log/slog"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"xbot/internal/chat"
	"xbot/internal/temporalclient"
	"xbot/workflows"
)

// temporal opens the server's Temporal as its operator.
func (s *server) temporal() client.Client {
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

// terminate ends the open run of a session's turn, as somebody might do in the Temporal UI.
func (s *server) terminate(key chat.SessionKey) {
	s.t.Helper()
	require.NoError(s.t, s.temporal().TerminateWorkflow(s.t.Context(), workflows.TurnID(key), "", "test"))
}
