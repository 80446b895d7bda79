package intake_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

func TestCommand_ThatAsksAProgramHoldsNoTransactionAndRunsOnceForOneDelivered(t *testing.T) {
	b := setup(t)
	asked, ran := false, 0
	b.Dispatch.Commands = ingresstest.Commands(b.Store, command{
		spec: slashcommand.Spec{Name: "slow", Help: i18n.HelpUsage, Ahead: true},
		run: func(ctx context.Context, _ slashcommand.Request, _ string) (string, error) {
			ran++
			if !asked { // the same message meanwhile would wait for a transaction that holds its row
				asked = true
				_, err := b.Dispatch.Message(ctx, b.Inbound(ingresstest.Key, "c1", "/slow"))
				require.NoError(t, err)
			}
			return "asked", nil
		},
	})
	for range 2 {
		_, err := b.Dispatch.Message(t.Context(), b.Inbound(ingresstest.Key, "c1", "/slow"))
		require.NoError(t, err)
	}
	require.Equal(t, "asked", b.LastAnswer(ingresstest.Key))
	require.Len(t, b.Transcript(ingresstest.Key).Messages, 2, "it is committed once")
	require.Equal(t, 2, ran, "one that is delivered again asks nobody")
}
