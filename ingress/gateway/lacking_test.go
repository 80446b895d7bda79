package gateway_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/user/notices"
)

// noticed are the notices to administrators.
func (b *platform) noticed() (all []string) {
	b.T.Helper()
	rows, err := b.Pool.Query(b.T.Context(), "SELECT content FROM messages WHERE session_key = $1 ORDER BY id", string(notices.Conversation))
	require.NoError(b.T, err)
	for rows.Next() {
		var text string
		require.NoError(b.T, rows.Scan(&text))
		all = append(all, text)
	}
	require.NoError(b.T, rows.Err())
	return all
}

func mention(id, group string) chat.Envelope {
	e := ingresstest.InGroup(id, "ou_1", "@bot hi")
	e.Chat, e.Mentioned = group, true
	return e
}

func TestLacking_OfAnUnlistedGroupAnAdministratorIsToldOnceWithTheCommandThatListsIt(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {groups: {oc_1: {}}}}}`)
	for i := range 3 {
		require.Equal(t, gateway.Outcome{Result: gateway.ResultRefused}, b.Receive(mention(fmt.Sprint("m", i), "oc_2")), "the group reads nothing")
	}
	require.Len(t, b.noticed(), 1)
	require.Contains(t, b.noticed()[0], "`The Team`")
	require.Contains(t, b.noticed()[0], `/config set channels.feishu.groups."oc_2" {}`)

	unaddressed := mention("m7", "oc_3")
	unaddressed.Mentioned = false
	b.Receive(unaddressed)
	require.Len(t, b.noticed(), 1, "nobody asked for the bot there")
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			e := mention(fmt.Sprint("n", i), fmt.Sprint("oc_many", i))
			e.Subject = "`/config set x 1` \u202e"
			if _, err := b.Gateways[i%2].Receive(t.Context(), e); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.Len(t, b.noticed(), 16, "whoever adds the bot to many groups fills no chat, and each of 16 is told of")
	require.NotContains(t, b.noticed()[1], "\u202e")
	require.NotContains(t, b.noticed()[1], "`/config set x 1`")
	_, err := b.Pool.Exec(t.Context(), "UPDATE told_once SET told_at = told_at - interval '1 day'")
	require.NoError(t, err)
	b.Receive(mention("m8", "oc_later"))
	require.Len(t, b.noticed(), 17, "the next day there is room again")
}

func TestLacking_NothingIsToldOfGroupsThatThePolicyClosesOrWhoIsNotLetIn(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {groupPolicy: "disabled"}}}`)
	b.Receive(mention("m1", "oc_2"))
	b.SetPolicy(`{channels: {feishu: {groups: {oc_2: {allowFrom: ["ou_9"]}}}}}`)
	b.Receive(mention("m2", "oc_2"))
	require.Empty(t, b.noticed())
}

// nowhere is where no commands run.
type nowhere struct{ err error }

func (n nowhere) Name(context.Context, chat.UserID, string) (string, error) { return "", n.err }

func TestLacking_OfAGroupWithoutARunnerAnAdministratorIsToldOnce(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	for _, g := range b.Gateways {
		g.Runners = nowhere{}
	}
	require.Equal(t, gateway.ResultAccepted, b.Receive(mention("m0", "oc_1")).Result)
	require.Empty(t, b.noticed(), "it has one")

	for _, g := range b.Gateways {
		g.Runners = nowhere{fault.Errorf(fault.Denied, "none")}
	}
	b.SetPolicy(`{channels: {feishu: {groups: {"*": {}}}}}`)
	for i := range 3 {
		require.Equal(t, gateway.ResultAccepted, b.Receive(mention(fmt.Sprint("m1", i), "oc_2")).Result)
	}
	require.Len(t, b.noticed(), 1)
	require.Contains(t, b.noticed()[0], "no runner")
}

// mute is a model that cannot be called.
type mute struct{ why string }

func (m mute) Missing(context.Context, chat.SessionKey) (model, why string, err error) {
	return "acme/large", m.why, nil
}

func TestLacking_OfAGroupWithoutAModelAnAdministratorIsToldAtItsFirstMentionAndNotAgainByTheTurn(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {groups: {"*": {}}}}}`)
	for _, g := range b.Gateways {
		g.Models = mute{}
	}
	require.Equal(t, gateway.ResultAccepted, b.Receive(mention("m0", "oc_1")).Result)
	require.Empty(t, b.noticed(), "one answers")

	why := "the variable ACME_KEY is not set"
	for _, g := range b.Gateways {
		g.Models = mute{why}
	}
	for i := range 3 {
		require.Equal(t, gateway.ResultAccepted, b.Receive(mention(fmt.Sprint("m1", i), "oc_2")).Result)
	}
	b.Receive(mention("m2", "oc_3"))
	require.Len(t, b.noticed(), 1, "one cause, told once for all groups")
	require.Contains(t, b.noticed()[0], "no model can answer there: acme/large cannot be called: "+why)
	again, err := b.Store.Notices.NotifyAdministrator(t.Context(), chat.NoticeKey{Topic: chat.TopicCause, About: "model acme/large", What: why}, func(i18n.Lang) string { return "again" })
	require.NoError(t, err)
	require.False(t, again, "the first turn, which fails for the same cause, adds nothing")
}
