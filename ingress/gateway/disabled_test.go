package gateway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/i18n"
)

func TestReceive_RefusesAPersonWhoIsShutOutAndKeepsNothing(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	let := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	owner, err := b.Store.Users.SessionOwner(t.Context(), let.Session)
	require.NoError(t, err)
	require.NoError(t, b.Store.Users.Disable(t.Context(), owner.ID, nil))

	refused := b.Receive(ingresstest.DM("m2", "ou_1", "hello again"))
	require.Equal(t, gateway.ResultRefused, refused.Result)
	require.Equal(t, i18n.Say(i18n.English, i18n.PairDisabled), refused.Reply)
	require.Empty(t, refused.Session)
	require.NotEqual(t, gateway.ResultRefused, b.Receive(ingresstest.DM("m3", "ou_2", "hello")).Result, "others may write")

	require.NoError(t, b.Store.Users.Enable(t.Context(), owner.ID))
	require.Equal(t, let.Session, b.Receive(ingresstest.DM("m4", "ou_1", "back")).Session)
}
