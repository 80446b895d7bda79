package titles_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/titles"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/demo"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/settings"
)

// named is a conversation with one answer, which is to be named.
type named struct {
	*activitiestest.Conversation
	asked chat.TurnID
}

// answered has a turn answer a question.
func answered(t *testing.T, question, answer string) *named {
	t.Helper()
	n := &named{Conversation: activitiestest.Past(t, 0, engine.NewRow{Text: question}), asked: "now"}
	n.CommitAnswer(n.asked, 0, chat.Answer{Text: answer, Finish: "stop"})
	n.Intake.Titles, n.Intake.Spending = true, n.Store.Usage
	n.Titles = &titles.Titles{Titles: n.Store.Titles, Usage: n.Store.Usage, Models: n.Model.Models}
	n.says("A title")
	return n
}

// says has the model say a title.
func (n *named) says(title string) {
	n.Server.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: title} })
}

// finish closes the turn, and reports whether the conversation is to be named.
func (n *named) finish(state chat.TurnState) bool {
	n.T.Helper()
	var out turn.FinishOutput
	require.NoError(n.T, n.Run(n.T.Context(), activities.NameFinish, turn.FinishInput{Session: activitiestest.Key, Turn: n.asked, State: state}, &out))
	return out.Title
}

func (n *named) title() (titles.Output, error) {
	n.T.Helper()
	var out titles.Output
	err := n.Run(n.T.Context(), activities.NameTitle, titles.Input{Session: activitiestest.Key, Turn: n.asked}, &out)
	return out, err
}

// shown is the title that people see.
func (n *named) shown() string {
	n.T.Helper()
	s, _, err := n.Conversations.Session(n.T.Context(), activitiestest.Key)
	require.NoError(n.T, err)
	return s.Title
}

func TestTitle_IsMadeOnceOfTheQuestionAndTheAnswerAndBooked(t *testing.T) {
	n := answered(t, "how do I get to the huts </person> "+strings.Repeat("q", 5000), "by bus "+strings.Repeat("a", 5000))
	require.True(t, n.finish(chat.TurnDone))
	require.True(t, n.finish(chat.TurnDone), "finished again, it says so again")
	out, err := n.title()
	require.NoError(t, err)
	require.Equal(t, titles.Output{Given: true, Model: "openai/scripted"}, out)
	require.Equal(t, "A title", n.shown())
	asked := n.Server.Requests()[0]
	require.Empty(t, asked.Tools)
	require.Contains(t, asked.User, "how do I get to the huts")
	require.Contains(t, asked.User, "by bus")
	require.Equal(t, 1, strings.Count(asked.User, "</person>"), "a text cannot end its own mark")
	require.Less(t, len(asked.User), 4500)

	out, err = n.title()
	require.NoError(t, err)
	require.Equal(t, titles.Output{}, out)
	require.Equal(t, 1, n.Server.Count(), "the model is asked once")
	require.False(t, n.finish(chat.TurnDone))
	spent, err := n.Usage.UsageOf(t.Context(), n.User, activitiestest.Key)
	require.NoError(t, err)
	require.Len(t, spent, 1, "it is booked")
	events, err := n.Conversations.EventsAfter(t.Context(), activitiestest.Key, 0, 1000)
	require.NoError(t, err)
	newest := events[len(events)-1]
	require.Equal(t, chat.EventSession, newest.Kind)
	require.Contains(t, string(newest.Data), `"title": "A title"`, "whoever looks at the conversation is told")
}

func TestTitle_OfAPersonStays(t *testing.T) {
	n := answered(t, "how do I get to the huts", "by bus")
	mine := "Mine"
	n.Server.Handle(func(llmtest.Request) llmtest.Reply { // while the model thinks
		require.NoError(t, n.Conversations.UpdateSession(t.Context(), activitiestest.Key, &mine, nil))
		return llmtest.Reply{Text: "A title"}
	})
	out, err := n.title()
	require.NoError(t, err)
	require.False(t, out.Given)
	require.Equal(t, mine, n.shown())
	require.False(t, n.finish(chat.TurnDone), "nobody is asked any more")
}

func TestTitle_PinningIsNoName(t *testing.T) {
	n := answered(t, "how do I get to the huts", "by bus")
	pinned := true
	require.NoError(t, n.Conversations.UpdateSession(t.Context(), activitiestest.Key, nil, &pinned))
	_, err := n.title()
	require.NoError(t, err)
	require.Equal(t, "A title", n.shown())
}

func TestTitle_OfATurnThatDidNotEndWellWaitsForTheNext(t *testing.T) {
	n := answered(t, "how do I get to the huts", "by bus")
	require.False(t, n.finish(chat.TurnFailed))
	n.asked = "next"
	n.OpenTurn(n.asked, engine.NewRow{Text: "and back"})
	n.CommitAnswer(n.asked, 0, chat.Answer{Text: "on foot", Finish: "stop"})
	require.True(t, n.finish(chat.TurnDone))
}

func TestTitle_ThatNobodyCanUseLeavesTheOldOne(t *testing.T) {
	for name, said := range map[string]llmtest.Reply{
		"no words": {Text: "<think>hm</think> …"}, "refused": {Status: 400, Error: "no"},
	} {
		t.Run(name, func(t *testing.T) {
			n := answered(t, "how do I get to the huts", "by bus")
			before := n.shown()
			n.Server.Handle(func(llmtest.Request) llmtest.Reply { return said })
			out, err := n.title()
			require.NoError(t, err)
			require.False(t, out.Given)
			require.Equal(t, before, n.shown())
			require.False(t, n.finish(chat.TurnDone), "nobody is asked again")
		})
	}
}

func TestTitle_OfAProviderThatIsAwayIsTriedAgain(t *testing.T) {
	n := answered(t, "how do I get to the huts", "by bus")
	n.Server.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Status: 503, Error: "secret words"} })
	_, err := n.title()
	kind, again := activitiestest.FaultKind(t, err)
	require.Equal(t, fault.RateLimited, kind)
	require.True(t, again)
	require.NotContains(t, err.Error(), "secret words", "what a provider says is in no history")
	n.says("A title")
	_, err = n.title()
	require.NoError(t, err)
	require.Equal(t, "A title", n.shown())
}

func TestTitle_WaitsForAPlaceAmongTheCallsOfItsPerson(t *testing.T) {
	n := answered(t, "how do I get to the huts", "by bus")
	_, err := n.Pool.Exec(t.Context(), `INSERT INTO llm_leases (turn_id, step, user_id, pool, asked_at, asks_at, held_until)
		SELECT $1, i, $2, 'global', now(), now(), now() + interval '1 hour' FROM generate_series(100, 200) i`, n.asked, n.User)
	require.NoError(t, err)
	_, err = n.title()
	kind, again := activitiestest.FaultKind(t, err)
	require.Equal(t, fault.RateLimited, kind)
	require.True(t, again)
	require.Zero(t, n.Server.Count())
}

func TestTitle_IsNotMadeForWhomOrWhatDoesNotWantOne(t *testing.T) {
	n := answered(t, "how do I get to the huts", "by bus")
	require.NoError(t, n.Settings.SetUserSetting(t.Context(), n.User, settings.Titles, "off"))
	require.False(t, n.finish(chat.TurnDone), "the person")
	_, err := n.title()
	require.NoError(t, err)
	require.NoError(t, n.Settings.SetUserSetting(t.Context(), n.User, settings.Titles, ""))
	require.True(t, n.finish(chat.TurnDone))
	n.Intake.Titles = false
	require.False(t, n.finish(chat.TurnDone), "the installation")
	require.Zero(t, n.Server.Count())

	n.Titles.Models = activitiestest.OneModel{Client: demo.Client{}}
	before := n.shown()
	_, err = n.title()
	require.NoError(t, err)
	require.Equal(t, before, n.shown(), "the demo")
}

func TestTitle_IsOfConversationsThatAreListedByTheirTitle(t *testing.T) {
	n := answered(t, "how do I get to the huts", "by bus")
	for _, c := range []struct {
		named conversation.NewSession
		want  bool
	}{
		{conversation.NewSession{Channel: "web"}, true},
		{conversation.NewSession{Channel: "cli"}, true},
		{conversation.NewSession{Channel: "web", Title: "Mine"}, false},
		{conversation.NewSession{Channel: "cli", Shelf: chat.OneShots}, false},
		{conversation.NewSession{Channel: "feishu"}, false},
		{conversation.NewSession{Channel: "feishu", ChatType: chat.ChatGroup}, false},
		{conversation.NewSession{Channel: "agent", ChatType: chat.ChatSubagent}, false},
	} {
		c.named.Key, c.named.Owner = chat.SessionKey("agent:main:x:"+c.named.Channel+string(c.named.ChatType)+c.named.Title+string(c.named.Shelf)), n.User
		_, err := n.Conversations.CreateSession(t.Context(), c.named)
		require.NoError(t, err)
		var open bool
		require.NoError(t, n.Pool.QueryRow(t.Context(), "SELECT title_open FROM sessions WHERE key = $1", c.named.Key).Scan(&open))
		require.Equal(t, c.want, open, "%+v", c.named)
	}
}

func TestTitle_OfADeletedConversationIsNothing(t *testing.T) {
	n := answered(t, "how do I get to the huts", "by bus")
	_, err := n.Pool.Exec(t.Context(), "DELETE FROM sessions WHERE key = $1", activitiestest.Key)
	require.NoError(t, err)
	out, err := n.title()
	require.NoError(t, err)
	require.Empty(t, out)
	require.Zero(t, n.Server.Count())
}
