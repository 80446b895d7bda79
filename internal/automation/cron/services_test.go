package cron_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/cron"
	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/conversation"
)

// zonesOf says that only some people have a timezone.
type zonesOf map[chat.UserID]string

func (z zonesOf) ZoneOf(_ context.Context, user chat.UserID) (cron.Zone, error) {
	if name := z[user]; name != "" {
		return cron.Zone{Name: name, From: cron.FromProfile}, nil
	}
	return cron.Zone{Name: "UTC", From: cron.FromServer}, nil
}

// consumer is a conversation of a service that keeps jobs.
type consumer struct {
	*cron.Jobs
	store *store.Store
	admin chat.UserID
	of    service.Service
	who   cron.Caller
	here  service.Conversation
	other service.Conversation
}

func consumerOf(t *testing.T) *consumer {
	t.Helper()
	t.Parallel()
	ctx := t.Context()
	s := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	alice, err := s.Users.EnsureAdmin(ctx, "alice")
	require.NoError(t, err)
	d, err := service.Defaults().Apply(service.Patch{Name: new("Help desk"), Capabilities: &[]service.Capability{service.Scheduler}})
	require.NoError(t, err)
	made, err := s.Services.AddService(ctx, alice.ID, d, true)
	require.NoError(t, err)
	_, key, err := s.Services.AddServiceKey(ctx, made.ID, "shop")
	require.NoError(t, err)
	by, err := s.Services.CallerOf(ctx, secret.HashToken(key))
	require.NoError(t, err)
	begin := func() service.Conversation {
		c, err := s.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceAPI})
		require.NoError(t, err)
		return c
	}
	c := &consumer{store: s, admin: alice.ID, of: made, here: begin(), other: begin()}
	c.who = cron.Caller{User: c.here.User}
	c.Jobs = &cron.Jobs{Conversations: s.Conversations, Cron: s.Cron, Services: s.Services, Zones: zonesOf{alice.ID: "Asia/Shanghai"}}
	return c
}

func (c *consumer) add(t *testing.T, when string, change func(p *chat.JobPlan)) (chat.Job, error) {
	t.Helper()
	p := chat.JobPlan{When: when, Message: "remind me", Target: c.here.Session}
	if change != nil {
		change(&p)
	}
	return c.Add(t.Context(), c.who, p, cron.From{Home: c.here.Session})
}

func TestConsumers_AJobIsOfItsOwnConversationAlone(t *testing.T) {
	c := consumerOf(t)
	const house = chat.SessionKey("agent:main:web:thread:house")
	_, err := c.store.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: house, Owner: c.admin, Channel: "web"})
	require.NoError(t, err)
	for what, change := range map[string]func(p *chat.JobPlan){
		"one of its own":              func(p *chat.JobPlan) { p.Target = "" },
		"isolated":                    func(p *chat.JobPlan) { p.Target, p.Deliver = "", c.here.Session },
		"another conversation":        func(p *chat.JobPlan) { p.Target = c.other.Session },
		"a conversation of the house": func(p *chat.JobPlan) { p.Target = house },
		"answered elsewhere":          func(p *chat.JobPlan) { p.Deliver = c.other.Session },
		"another model":               func(p *chat.JobPlan) { p.Model = "demo/big" },
		"more thinking":               func(p *chat.JobPlan) { p.Think = "high" },
		"every missed time":           func(p *chat.JobPlan) { p.Missed = "all" },
	} {
		_, err := c.add(t, "@daily", change)
		require.Error(t, err, what)
	}
	j, err := c.add(t, "@daily", nil)
	require.NoError(t, err)
	require.Equal(t, "Asia/Shanghai", j.Zone, "the administrator's")
	require.Equal(t, c.of.ID, j.Service)
	_, err = c.Change(t.Context(), c.who, j.ID, 0, func(p *chat.JobPlan) { p.Target = c.other.Session })
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.Equal(t, fault.Denied, fault.KindOf(c.Run(t.Context(), c.who, j.ID, "again and again")))
	neighbour := cron.Caller{User: c.other.User}
	_, err = c.Find(t.Context(), neighbour, string(j.ID))
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.Equal(t, fault.NotFound, fault.KindOf(c.Remove(t.Context(), neighbour, j.ID)))
	_, err = c.Publish(t.Context(), c.who, cron.ServiceTask{Message: "x", Services: []string{c.of.ID}, Type: "once"}, "a")
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestConsumers_AsManyAndAsOftenAsTheyMay(t *testing.T) {
	c := consumerOf(t)
	for _, often := range []string{"* * * * *", "*/4 * * * *", "0,2 9 * * *", "58,1 23,0 * * *", "every 4m", "in 1m", "at 2001-01-01 08:00"} {
		_, err := c.add(t, often, nil)
		require.Error(t, err, often)
	}
	for n := range cron.ConsumerJobs {
		_, err := c.add(t, []string{"*/5 * * * *", "every 5m", "in 5m", "0 9 * * 1-5"}[n%4], func(p *chat.JobPlan) { p.Name = strconv.Itoa(n) })
		require.NoError(t, err, n)
	}
	_, err := c.add(t, "@daily", nil)
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	jobs, err := c.List(t.Context(), c.who, true)
	require.NoError(t, err)
	require.Len(t, jobs, cron.ConsumerJobs)
	_, err = c.Change(t.Context(), c.who, jobs[0].ID, 0, func(p *chat.JobPlan) { p.When = "every 2m" })
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestConsumers_WithoutTheCapabilityTheyHaveNone(t *testing.T) {
	c := consumerOf(t)
	_, err := c.store.Services.ChangeService(t.Context(), c.of.ID, 0, service.Patch{Capabilities: &[]service.Capability{}})
	require.NoError(t, err)
	_, err = c.add(t, "@daily", nil)
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestTimeline_ShowsWhatComesInItsBounds(t *testing.T) {
	c := consumerOf(t)
	_, err := c.add(t, "every 5m", nil)
	require.NoError(t, err)
	_, err = c.add(t, "in 2d", nil)
	require.NoError(t, err)
	line, err := c.Timeline(t.Context(), c.who, true, cronstore.Listed{}, 7)
	require.NoError(t, err)
	require.Len(t, line.Items, 61, "sixty of one job, and the one of the other")
	require.True(t, line.More)
	require.True(t, line.Items[60].At.After(line.Now.Add(47*time.Hour)))
	none, err := c.Timeline(t.Context(), cron.Caller{User: c.other.User}, true, cronstore.Listed{}, 7)
	require.NoError(t, err)
	require.Empty(t, none.Items)
}

func TestPermits_NarrowAJobInAConversationOfItsOwn(t *testing.T) {
	c := consumerOf(t)
	who := cron.Caller{User: c.admin, Admin: true}
	want := &chat.JobPermits{Tools: []string{"Read", "Web*"}, ReadOnly: true}
	j, err := c.Jobs.Add(t.Context(), who, chat.JobPlan{When: "@daily", Message: "look", Permits: want}, cron.From{})
	require.NoError(t, err)
	kept, err := c.store.Cron.Job(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, want, kept.Permits)
	kept.Job, err = c.Change(t.Context(), who, j.ID, 0, func(p *chat.JobPlan) { p.Message = "look again" })
	require.NoError(t, err)
	require.Equal(t, want, kept.Permits)
	for what, p := range map[string]chat.JobPlan{
		"another conversation": {Target: c.here.Session, Permits: want},
		"a broken pattern":     {Permits: &chat.JobPermits{Tools: []string{"[a"}}},
		"no name":              {Permits: &chat.JobPermits{Tools: []string{" "}}},
	} {
		p.When, p.Message = "@daily", "look"
		_, err := c.Jobs.Add(t.Context(), who, p, cron.From{})
		require.Equal(t, fault.Invalid, fault.KindOf(err), what)
	}
	j, err = c.Jobs.Add(t.Context(), who, chat.JobPlan{When: "@daily", Message: "look", Permits: &chat.JobPermits{}}, cron.From{})
	require.NoError(t, err)
	require.Nil(t, j.Permits)
}
