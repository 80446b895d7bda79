package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/workflows"
)

// onNapCat starts a server whose bot is signed in at an emulated NapCat, where everybody may write.
func onNapCat(t *testing.T, env ...string) (*server, *onebottest.Server) {
	t.Helper()
	p, err := onebottest.New(onebottest.Options{Token: "napcat-secret"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	p.AddPerson("20007", "Carol")
	p.AddGroup("20001", "The Team", map[string]string{"20007": "Carol"})
	s := newServer(t, append(env, "NAPCAT_URL="+p.URL(), "NAPCAT_TOKEN=napcat-secret", "NAPCAT_SEND_PAUSE=0s")...)
	s.inForce(`{channels: {napcat: {dmPolicy: "open", allowFrom: ["*"], groups: {"20001": {}}}}}`)
	return s, p
}

// seen are the texts of the bot that a person sees in a place.
func seenAt(p *onebottest.Server, place onebottest.Place) []string {
	var out []string
	for _, m := range p.OfBot(place) {
		out = append(out, p.Read(m))
	}
	return out
}

// saw waits until the bot has written a text in a place.
func saw(t *testing.T, p *onebottest.Server, place onebottest.Place, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(seenAt(p, place), "\n"), text) }, time.Minute, 20*time.Millisecond, "the answer %q", text)
}

func TestNapCat_KillsWhileAnswersWaitTheirTurnLoseAndDoubleNone(t *testing.T) {
	t.Parallel()
	const people = 24
	n := newNapCat(t, people, 0)
	s := newServer(t, "NAPCAT_URL="+n.URL(), "NAPCAT_TOKEN=napcat-secret") // with the pause that people have: a second
	s.inForce(`{channels: {napcat: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	require.Eventually(t, n.connected, time.Minute, 20*time.Millisecond)
	read := func() (all int) {
		for who := 1; who <= people; who++ {
			all += len(n.shown(0, who))
		}
		return all
	}
	for who := 1; who <= people; who++ {
		n.say(0, who, fmt.Sprint("say answer ", who))
	}
	db := s.look()
	require.Eventually(t, func() bool {
		return count(t, db, "SELECT count(*) FROM outbound WHERE state IN ('waiting', 'sent')") == people
	}, time.Minute, 20*time.Millisecond, "every answer is written")
	for range 2 {
		before := read()
		require.Eventually(t, func() bool { return read() >= before+3 }, time.Minute, time.Millisecond)
		s.crash()
		s.boot()
		require.Eventually(t, n.connected, time.Minute, 20*time.Millisecond)
	}
	db = s.look()
	require.Eventually(t, func() bool { return count(t, db, "SELECT count(*) FROM outbound WHERE state = 'waiting'") == 0 }, 2*time.Minute, 50*time.Millisecond)
	for who := 1; who <= people; who++ {
		require.Equal(t, []string{fmt.Sprint("answer ", who)}, n.shown(0, who), "once, and nothing is said to be unknown")
	}
	require.Empty(t, n.Broken(), "the protocol was kept")
}

func TestNapCat_APersonIsAnsweredOnceOverKills(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t)
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	p.Say(carol, "20007", onebottest.Text("say first"))
	saw(t, p, carol, "first")

	before := len(s.model.Requests())
	p.Say(carol, "20007", onebottest.Text("stream 30 100ms\nsay second"))
	require.Eventually(t, func() bool { return len(s.model.Requests()) > before }, time.Minute, 20*time.Millisecond)
	s.crash()
	s.boot()
	saw(t, p, carol, "second")
	p.Say(carol, "20007", onebottest.Text("say third"))
	saw(t, p, carol, "third")
	require.Len(t, seenAt(p, carol), 3, "each answer once")
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestNapCat_ADeliveryIsAWorkflowThatHoldsReferencesOnly(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t)
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	p.Say(carol, "20007", onebottest.Text("# "+spoken+" TAIL\nsay "+spoken))
	saw(t, p, carol, spoken)
	id := workflows.DeliverID("agent:main:napcat:dm:20007")
	require.NoError(t, s.temporal().GetWorkflow(t.Context(), id, "").Get(t.Context(), nil))
	small(t, "deliver", s.captureRun("deliver", id, ""), 30, 4<<10) // more where the turn was slow enough to be followed
}

func TestNapCat_AReplyToAnAnswerGoesOnInItsWorkSession(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t)
	s.inForce(`{channels: {napcat: {dmPolicy: "open", allowFrom: ["*"], groups: {"20001": {requireMention: false}},
		groupScenes: {chat: {enabled: true}, work: {enabled: true, triggerTag: "#work"}}}}}`)
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	team, bot := onebottest.Group("20001"), onebottest.At(p.Self())
	p.Say(team, "20007", bot, onebottest.Text(" #work say begun"))
	saw(t, p, team, "begun")
	begun := p.OfBot(team)[0]
	p.Say(team, "20007", onebottest.Text("say chatted"))
	saw(t, p, team, "chatted")
	p.Say(team, "20007", onebottest.Reply(begun.ID), bot, onebottest.Text(" say goes on"))
	saw(t, p, team, "goes on")

	requests := s.model.Requests()
	var said []string
	for _, m := range requests[len(requests)-1].Messages {
		said = append(said, m.Content)
	}
	require.Contains(t, strings.Join(said, "\n"), "say begun", "it goes on where the answer was given")
	require.NotContains(t, strings.Join(said, "\n"), "say chatted", "and not in the chat")
}

// A turn is made older than it is: nobody waits half a minute for a test.
func TestNapCat_ALongTurnSaysInLinesThatItGoesOnWithinTheBudgetOfSigns(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t, "NAPCAT_SIGNS=2")
	carol, team := onebottest.Person("20007"), onebottest.Group("20001")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	db := s.look()
	older := func(ran time.Duration) {
		_, err := db.Exec(t.Context(), "UPDATE turns SET started_at = now() - make_interval(secs => $1) WHERE state = 'running'", ran.Seconds())
		require.NoError(t, err)
	}
	p.Say(team, "20007", onebottest.At(p.Self()), onebottest.Text("stream 3000 100ms")) // the reaction is the first sign
	require.Eventually(t, func() bool { return count(t, db, "SELECT count(*) FROM turns WHERE state = 'running'") == 1 }, time.Minute, 20*time.Millisecond)
	older(31 * time.Second)
	saw(t, p, team, "Still working")
	require.Len(t, seenAt(p, team), 1)
	require.Contains(t, s.operated("channels"), "2/2")

	older(3*time.Minute + time.Second)
	require.Eventually(t, func() bool { return strings.Contains(s.operated("channels"), "2/2 +1") }, time.Minute, 100*time.Millisecond, "the next line is refused, and counted")
	p.Say(team, "20007", onebottest.At(p.Self()), onebottest.Text("/stop"))
	require.Eventually(t, func() bool { return len(seenAt(p, team)) == 2 }, time.Minute, 20*time.Millisecond, "the stop is answered")
	require.Equal(t, 1, strings.Count(strings.Join(seenAt(p, team), "\n"), "Still working"), "what the budget refuses is a sign, never an answer")
	p.Say(carol, "20007", onebottest.Text("say an answer"))
	saw(t, p, carol, "an answer")
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestNapCat_APhotoAndABareCommandAreAnsweredInTheLanguageOfTheGroup(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t)
	s.inForce(`{language: "zh", channels: {napcat: {dmPolicy: "open", allowFrom: ["*"], immediateFeedbackMode: "reply", groups: {"20001": {}, "20002": {}}}}}`)
	p.AddGroup("20002", "The Others", map[string]string{"20007": "Carol"})
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	carol, team, others, bot := onebottest.Person("20007"), onebottest.Group("20001"), onebottest.Group("20002"), onebottest.At(p.Self())
	db := s.look()
	heard := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool { return count(t, db, "SELECT count(*) FROM overheard") == n }, time.Minute, 20*time.Millisecond)
	}
	p.Say(carol, "20007", onebottest.Text("/help"))
	saw(t, p, carol, "/帮助 全部") // nobody has said anything, and the operator speaks Chinese

	p.Say(team, "20007", onebottest.Text("大家下午好，照片发了吗？"))
	p.Say(others, "20007", onebottest.Text("good afternoon everybody"))
	heard(2)
	p.Say(team, "20007", bot, p.File("image", "", photo(t, 33, 20)))
	saw(t, p, team, "收到！")
	p.Say(team, "20007", bot, onebottest.Text(" /help"))
	saw(t, p, team, "/帮助 全部")

	p.Say(others, "20007", bot, p.File("image", "", photo(t, 33, 20)))
	saw(t, p, others, "Got it!")
	p.Say(others, "20007", bot, onebottest.Text(" /help"))
	saw(t, p, others, "/help all")
	require.NotContains(t, strings.Join(seenAt(p, others), "\n"), "帮助")
	require.Empty(t, p.Broken(), "the protocol was kept")
}
