package gateway

import (
	"cmp"
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

// toldGroups bounds the unlisted groups that an administrator is notified of in a day, for each bot: any user may add a bot to groups.
const toldGroups = 16

// tellUnlisted notifies an administrator of a group that mentions the bot and that the policy does not list. The group gets no message.
func (m *inboundRequest) tellUnlisted(ctx context.Context) error {
	if m.direct() || !m.writes || !m.e.Mentioned || m.c.GroupPolicy != policy.GroupAllowlist {
		return nil
	}
	if _, listed := m.c.Group(m.e.Chat); listed { // its sender has no access, the group has
		return nil
	}
	of := chat.NoticeKey{Topic: chat.TopicUnlisted, Channel: m.e.Channel, Account: m.e.Account, About: m.e.Chat, Most: toldGroups}
	told, err := m.Stores.Notices.NotifyAdministrator(ctx, of, func(l i18n.Lang) string {
		return i18n.Say(l, i18n.GroupUnlisted, m.groupName(), m.listing())
	})
	if told {
		m.Log.Info("the bot was mentioned in a group that the policy does not list", "channel", m.e.Channel, "account", m.e.Account, "group", m.e.Chat)
	}
	return err
}

// tellLacking notifies an administrator of what a group lacks in which the bot has begun to listen.
func (m *inboundRequest) tellLacking(ctx context.Context) error {
	if m.direct() || m.exists {
		return nil
	}
	if err := m.tellNoRunner(ctx); err != nil {
		return err
	}
	return m.tellNoModel(ctx)
}

// tellNoModel reports that no model can answer there, with the notice of the first turn, which does not repeat it.
func (m *inboundRequest) tellNoModel(ctx context.Context) error {
	if m.Models == nil {
		return nil
	}
	model, why, err := m.Models.Missing(ctx, m.key)
	if err != nil || why == "" {
		return err
	}
	of := chat.NoticeKey{Topic: chat.TopicCause, About: "model " + model, What: why}
	_, err = m.Stores.Notices.NotifyAdministrator(ctx, of, func(l i18n.Lang) string { return i18n.Say(l, i18n.GroupNoModel, m.groupName(), model, why) })
	return err
}

func (m *inboundRequest) tellNoRunner(ctx context.Context) error {
	if m.Runners == nil {
		return nil
	}
	owner, err := m.Stores.Users.SessionOwner(ctx, m.key)
	if err != nil {
		return err
	}
	if _, err = m.Runners.Name(ctx, owner.ID, ""); !fault.Is(err, fault.Denied) {
		return err
	}
	of := chat.NoticeKey{Topic: chat.TopicGroup, Channel: m.e.Channel, Account: m.e.Account, About: m.e.Chat, What: "runner"}
	_, err = m.Stores.Notices.NotifyAdministrator(ctx, of, func(l i18n.Lang) string { return i18n.Say(l, i18n.GroupNoRunner, m.groupName(), m.key) })
	return err
}

// groupName returns the name of a group for an administrator: outsiders choose it.
func (m *inboundRequest) groupName() string {
	name := cmp.Or(users.CleanName(m.e.Subject), users.CleanName(m.e.Room), users.CleanName(m.e.Chat))
	return "`" + strings.Trim(strings.ReplaceAll(name, "`", "'"), " ") + "` (" + m.e.Channel + ")"
}

// listing returns the command that lists a group; empty where its id does not fit into one.
func (m *inboundRequest) listing() string {
	place := "channels." + m.e.Channel
	if own, ok := m.p.Channels[m.e.Channel].Accounts[m.e.Account]; ok && own.Groups != nil {
		place += `.accounts."` + m.e.Account + `"`
	}
	if strings.ContainsAny(m.e.Chat+m.e.Account, "\"`\\ \t\n") {
		return place + ".groups"
	}
	return `/config set ` + place + `.groups."` + m.e.Chat + `" {}`
}
