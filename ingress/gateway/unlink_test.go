package gateway_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/policy"
	"xbot/internal/user/settings"
)

// bothOpen lets everybody write on two platforms.
const bothOpen = `channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}, qq: {dmPolicy: "open", allowFrom: ["*"]}}`

// onQQ is a direct message of u2 on QQ.
func onQQ(id, text string) chat.Envelope {
	e := ingresstest.DM(id, "u2", text)
	e.Channel = "qq"
	return e
}

func TestUnlink_AChatBecomesAnAccountOfItsOwnWithItsConversations(t *testing.T) {
	for _, scope := range []string{"per-channel-peer", "per-account-channel-peer", "per-peer"} {
		t.Run(scope, func(t *testing.T) {
			b := bridged(t, `{session: {dmScope: "`+scope+`"}, `+bothOpen+`}`)
			home := b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Session
			there := b.Receive(onQQ("m1", "hello")).Session
			code := codeIn(b.Receive(ingresstest.DM("m2", "ou_1", "/link")).Reply)
			require.Contains(t, b.Receive(onQQ("m2", "/link "+code)).Reply, "Name of ou_1")
			linked := b.owner(there)
			require.Equal(t, b.owner(home), linked)

			out := b.Receive(onQQ("m3", "/unlink"))
			require.Equal(t, gateway.ResultAnswered, out.Result)
			require.NotEqual(t, linked, b.owner(there))
			require.Equal(t, linked, b.owner(home))
			again, err := b.Gateways[0].Receive(t.Context(), onQQ("m1", "hello"))
			require.NoError(t, err)
			require.Equal(t, gateway.ResultDuplicate, again.Result, "a message from before is known")
			require.Equal(t, there, b.Receive(onQQ("m4", "hello again")).Session)
			require.Equal(t, home, b.Receive(ingresstest.DM("m4", "ou_1", "hello again")).Session)
			require.Contains(t, b.Receive(onQQ("m5", "/unlink")).Reply, i18n.Say(i18n.English, i18n.UnlinkAlone))
		})
	}
}

func TestUnlink_IsRefusedWhereThePolicyLinks(t *testing.T) {
	b := bridged(t, `{session: {identityLinks: {robert: ["feishu:ou_1", "qq:u2"]}}, `+bothOpen+`}`)
	b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	require.Contains(t, b.Receive(onQQ("m1", "/unlink")).Reply, "robert")
	b.SetPolicy(ingresstest.GroupPolicy)
	group := ingresstest.InGroup("g1", "ou_1", "/unlink")
	group.Mentioned = true
	require.Contains(t, b.Receive(group).Reply, i18n.Say(i18n.English, i18n.LinkGroup))
}

// After each of these an id has another account than before. It has a conversation of its own then, and the other account keeps its own.
func TestReceive_AnIDWithAnotherAccountThanBeforeHasAnotherConversation(t *testing.T) {
	for name, c := range map[string]struct {
		scope, before string
		change        func(b *ingresstest.Platform) string // returns the policy's links afterwards
	}{
		"a name that is used again": {scope: "per-channel-peer", before: `{robert: ["qq:u1"]}`, change: func(b *ingresstest.Platform) string {
			require.NoError(b.T, b.Store.Links.RemoveIdentityLink(b.T.Context(), "robert"))
			return `{robert: ["feishu:ou_1"]}`
		}},
		"an id that is listed no more":              {scope: "per-channel-peer", before: `{robert: ["feishu:ou_1"]}`, change: func(*ingresstest.Platform) string { return `{}` }},
		"the same, with the bot's account in a key": {scope: "per-account-channel-peer", before: `{robert: ["feishu:ou_1"]}`, change: func(*ingresstest.Platform) string { return `{}` }},
		"the same, with one id on all channels":     {scope: "per-peer", before: `{robert: ["feishu:ou_1"]}`, change: func(*ingresstest.Platform) string { return `{}` }},
	} {
		t.Run(name, func(t *testing.T) {
			rules := func(links string) string {
				return `{session: {dmScope: "` + c.scope + `", identityLinks: ` + links + `}, ` + bothOpen + `}`
			}
			b := bridged(t, rules(c.before))
			first := ingresstest.DM("m1", "ou_1", "a secret of mine")
			if strings.Contains(c.before, "qq") {
				first = ingresstest.DM("m1", "u1", "a secret of mine")
				first.Channel = "qq"
			}
			before := b.Receive(first).Session
			owner := b.owner(before)
			b.SetPolicy(rules(c.change(b.Platform)))
			after := b.Receive(ingresstest.DM("m2", "ou_1", "hello")).Session
			require.NotEqual(t, before, after)
			require.NotEqual(t, owner, b.owner(after))
			require.Equal(t, owner, b.owner(before))
			require.Equal(t, after, b.Receive(ingresstest.DM("m3", "ou_1", "hello")).Session)
		})
	}
}

func TestReceive_APersonWhoseAccountWasTransferredWritesOn(t *testing.T) {
	for _, scope := range []string{"per-channel-peer", "per-account-channel-peer", "per-peer"} {
		t.Run(scope, func(t *testing.T) {
			b := bridged(t, `{session: {dmScope: "`+scope+`"}, `+bothOpen+`}`)
			before := b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Session
			b.SetPolicy(`{session: {dmScope: "` + scope + `", identityLinks: {robert: ["feishu:ou_1"]}}, ` + bothOpen + `}`)
			b.Receive(ingresstest.DM("m2", "ou_1", "hello"))
			owner := b.owner(before)
			b.transfer("robert", `{session: {dmScope: "`+scope+`", identityLinks: {robert: ["qq:u2"]}}, `+bothOpen+`}`)
			require.Equal(t, owner, b.owner(b.Receive(onQQ("m1", "hello")).Session))
			after := b.Receive(ingresstest.DM("m3", "ou_1", "hello")).Session
			require.NotEqual(t, owner, b.owner(after))
			require.NotEqual(t, before, after)
		})
	}
}

func (b *platform) owner(key chat.SessionKey) chat.UserID {
	b.T.Helper()
	u, err := b.Store.Users.SessionOwner(b.T.Context(), key)
	require.NoError(b.T, err)
	return u.ID
}

// transfer puts a policy in force and confirms that the account of a name goes to other ids.
func (b *platform) transfer(name, document string) {
	b.T.Helper()
	version, _, err := b.Store.Settings.PolicyAfter(b.T.Context(), 0)
	require.NoError(b.T, err)
	p, _, err := policy.Parse([]byte(document))
	require.NoError(b.T, err)
	_, err = b.Store.Settings.ReplacePolicy(b.T.Context(), settings.PolicyChange{By: b.Admin.ID, Body: p.JSON(), From: version, Transfer: []string{name}})
	require.NoError(b.T, err)
	for _, g := range b.Gateways {
		g.Policies.Refresh()
	}
}
