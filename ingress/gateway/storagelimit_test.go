package gateway_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/turn/policy"
)

// one is a policy under which people have one conversation.
type one struct{}

func (one) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Limits: policy.Limits{Person: policy.PersonLimits{Sessions: 1}}}, nil
}

func TestRoom_NoMessageIsLostToItButACommandMakesNoMoreConversations(t *testing.T) {
	b := bridged(t, `{session: {dmScope: "per-channel-peer"}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", groups: {"*": {requireMention: false}}}}}`)
	b.Store.Quota.Policies = one{}
	home := b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Session
	require.NotEmpty(t, home)
	require.Contains(t, b.Receive(ingresstest.DM("m2", "ou_1", "/session new trip")).Reply, "you have 1 sessions")
	require.Equal(t, home, b.Receive(ingresstest.DM("m3", "ou_1", "still here")).Session, "the chat continues where it was")

	group := b.Receive(ingresstest.InGroup("g1", "ou_1", "hello")).Session
	thread := ingresstest.InGroup("g2", "ou_1", "in a thread")
	thread.Thread = "omt_1"
	second := b.Receive(thread).Session
	require.NotEmpty(t, group)
	require.NotEmpty(t, second)
	require.NotEqual(t, group, second, "a group that has as many as it may gets the threads that messages begin")
}
