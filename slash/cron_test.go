package slash_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/automation/cron"
	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/policy"
	"xbot/slash/conversation"
)

// policyOf is the policy of a gateway, which a test may replace.
type policyOf struct{ *gateway.Gateway }

func (p policyOf) Get(ctx context.Context) (*policy.Policy, error) { return p.Policies.Get(ctx) }

// scheduling is a platform whose people can keep jobs, in the timezone that the policy says.
func scheduling(t *testing.T, document string) (b *platform, say func(text string) string) {
	t.Helper()
	b = bridged(t, document)
	for _, g := range b.Gateways {
		zones := cron.Zones{Profiles: b.Store.Memory, Policies: policyOf{g}}
		jobs := conversation.Cron{Conversations: b.Store.Conversations, Cron: b.Store.Cron, Jobs: &cron.Jobs{Conversations: b.Store.Conversations, Cron: b.Store.Cron, Services: b.Store.Services, Zones: zones}}
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), jobs)...)
	}
	n := 0
	return b, func(text string) string {
		t.Helper()
		n++
		out := b.Receive(ingresstest.DM(fmt.Sprint("m", n), "ou_1", text))
		require.Equal(t, gateway.ResultAnswered, out.Result, text)
		return out.Reply
	}
}

const alone = `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}, cron: {timezone: "Asia/Shanghai"}}`

// jobID is how an answer names a job.
var jobID = regexp.MustCompile(`job_[0-9a-f]{8}`)

func TestCronCommand_EveryActionDoesWhatItSays(t *testing.T) {
	_, say := scheduling(t, alone)
	require.Contains(t, say("/cron"), "There are no jobs.")
	id := jobID.FindString(say("/cron add 0 9 * * 1-5 read the news"))
	require.NotEmpty(t, id)
	for _, step := range []struct{ write, answer string }{
		{"/cron", "`0 9 * * 1-5` (Asia/Shanghai) · next "},
		{"/cron list", "read the news"},
		{"/cron runs read the news", "has not run yet"},
		{"/cron pause read the news", "read the news is paused"},
		{"/cron", "· paused"},
		{"/cron pause " + id, "is paused"},
		{"/cron resume " + id[4:], "goes on, next at "},
		{"/cron run `" + id + "`", "runs now"},
		{"/cron runs " + id, " · waits"},
		{"/cron edit read the news name the news when I wake", "the news when I wake · `0 9"},
		{"/cron edit the news when I wake when every 2 days", "`every 2d`"},
		{"/cron edit " + id + " timezone Europe/Berlin", "(Europe/Berlin)"},
		{"/cron edit " + id + " message read\nall of it", "Changed:"},
		{"/cron edit " + id + " Missed all", "Changed:"},
		{"/cron remove " + id, "is removed"},
		{"/cron", "There are no jobs."},
	} {
		require.Contains(t, say(step.write), step.answer, step.write)
	}
}

func TestCronCommand_RefusesInTheLanguageOfWhoWrites(t *testing.T) {
	_, say := scheduling(t, alone)
	say("/cron add @daily look")
	say("/cron add @daily twins")
	say("/cron add @hourly twins")
	over := jobID.FindString(say("/cron add in 30m over"))
	say("/cron edit " + over + " message " + strings.Repeat("x", 10))
	for write, answer := range map[string]string{
		"/cron add":                                       "Write `/cron`",
		"/cron add @daily":                                "Write `/cron`",
		"/cron add tomorrow look":                         "says no time",
		"/cron add every 5s look":                         "between a minute and a year",
		"/cron add every soon look":                       "is no duration",
		"/cron add in 9999d look":                         "is no duration",
		"/cron add 99 * * * * look":                       "is no cron expression",
		"/cron add 0 0 30 2 * look":                       "never comes",
		"/cron add at 2020-01-01 08:00 look":              "is in the past",
		"/cron add at 2199-01-01 08:00 look":              "more than ten years away",
		"/cron pause":                                     "Write `/cron`",
		"/cron pause nothing":                             `There is no job "nothing"`,
		"/cron remove job_00000000":                       "There is no job",
		"/cron run twins":                                 "Several jobs are called",
		"/cron edit":                                      "Write `/cron`",
		"/cron edit look":                                 "Write `/cron`",
		"/cron edit look colour red":                      "Write `/cron`",
		"/cron edit nothing when @daily":                  `There is no job "nothing"`,
		"/cron edit look when":                            "Write `/cron`",
		"/cron edit look when never":                      "says no time",
		"/cron edit look timezone Mars":                   "is no timezone",
		"/cron edit look timezone local":                  "is no timezone",
		"/cron edit look missed sometimes":                "write skip, once or all",
		"/cron edit look name " + strings.Repeat("n", 81): "longer than 80",
		"/cron fly look":                                  "Write `/cron`",
	} {
		require.Contains(t, say(write), answer, write)
	}
	for write, answer := range map[string]i18n.ID{
		"/cron add 每天 看新闻":            i18n.CronWhen,
		"/cron edit look timezone 火星": i18n.CronNoZone,
		"/cron edit 没有 when @daily":   i18n.CronUnknown,
	} {
		begin, _, _ := strings.Cut(i18n.Say(i18n.Chinese, answer, "", ""), `"`)
		require.Contains(t, say(write), begin, write)
	}
}

func TestCronCommand_SaysWhichTimezoneHoldsAndWhy(t *testing.T) {
	b, say := scheduling(t, alone)
	require.Contains(t, say("/cron"), "Asia/Shanghai, the timezone of the policy")
	b.SetPolicy(`{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	require.Contains(t, say("/cron"), "the timezone of the server")
	owner, err := b.Store.Users.SessionOwner(t.Context(), b.Receive(ingresstest.DM("who", "ou_1", "/cron add @daily look")).Session)
	require.NoError(t, err)
	_, err = b.Store.Memory.SetProfile(t.Context(), owner.ID, chat.UserProfile{Timezone: "America/New_York"})
	require.NoError(t, err)
	require.Contains(t, say("/cron"), "America/New_York, the timezone of your profile")
	require.Contains(t, say("/cron add 0 9 * * * look again"), " E")
	jobs, err := b.Store.Cron.Jobs(t.Context(), cronstore.Listed{Owner: owner.ID})
	require.NoError(t, err)
	zones := map[string]string{}
	for _, j := range jobs {
		zones[j.Name] = j.Zone
	}
	require.Equal(t, map[string]string{"look": cron.ServerZone(), "look again": "America/New_York"}, zones, "a job keeps the one that it was made in")
}

func TestCronCommand_ARepeatedOneMakesOneJob(t *testing.T) {
	b, _ := scheduling(t, alone)
	b.Receive(ingresstest.DM("same", "ou_1", "/cron add @daily look"))
	require.Equal(t, 1, b.Rows("cron_jobs"))
}
