package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
)

// drafted lets person 1 on Feishu have the card "Lunch" begun, and returns its id.
func (a *asked) drafted() (id string) {
	a.t.Helper()
	a.feishu.say(0, 1, `call card_create {"title":"Lunch"}`+"\nsay begun")
	a.rows("SELECT count(*) FROM card_drafts", 1)
	require.NoError(a.t, a.db.QueryRow(a.t.Context(), "SELECT max(id) FROM card_drafts").Scan(&id))
	return id
}

// form are the calls that put a form with a place and a button into a card.
func form(id string) string {
	return fmt.Sprintf(`each
call card_add_content {"card":%[1]q,"elements":[{"kind":"markdown","text":"Where to?"}]}
call card_add_container {"card":%[1]q,"kind":"form","name":"lunch"}
call card_add_interactive {"card":%[1]q,"elements":[{"kind":"select","in":"lunch","name":"place","text":"Place","options":["Noodles","Rice"]},{"kind":"button","in":"lunch","text":"Go"}]}
`, id)
}

// titled are the messages in the direct chat of person 1 that show the card.
func (a *asked) titled() (shown []feishutest.Shown) {
	for _, m := range a.feishu.Shown(a.feishu.Direct(a.feishu.people[0]), "") {
		if strings.HasPrefix(m.Text, "Lunch") {
			shown = append(shown, m)
		}
	}
	return shown
}

func TestCards_ACardWaitsThroughAKillForThePersonAndIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	id := a.drafted()
	a.crash()
	a.boot()
	a.connected()
	a.feishu.say(0, 1, form(id)+fmt.Sprintf(`call card_send {"card":%q,"wait_response":true}`, id)+"\nsay booked")
	direct := a.feishu.Direct(a.feishu.people[0])
	card := a.card(direct)
	require.Contains(t, card.Text, "Lunch\nWhere to?")
	require.Equal(t, []string{"Go"}, card.Buttons)
	a.crash()
	a.boot()
	a.connected()

	stale, err := a.feishu.Value(card.ID, "Go")
	require.NoError(t, err)
	answer, err := a.feishu.PressValue(card.ID, stale, a.feishu.people[1], map[string]any{"f0": "Rice"})
	require.Contains(t, toast(t, answer, err), "error: Only the person who was asked", "somebody else")
	answer, err = a.feishu.PressValue(card.ID, stale, a.feishu.people[0], map[string]any{"f0": "Pizza"})
	require.Contains(t, toast(t, answer, err), "error: ", "what cannot be chosen")
	answer, err = a.feishu.Press(card.ID, "Go", a.feishu.people[0], map[string]any{"f0": "Rice"})
	require.Contains(t, toast(t, answer, err), "success: Thank you")
	a.reads("booked", "qq", "napcat")
	a.settled(direct, card.ID, "Rice")
	answer, err = a.feishu.PressValue(card.ID, stale, a.feishu.people[0], map[string]any{"f0": "Noodles"})
	require.Contains(t, toast(t, answer, err), "warning: ", "who still sees the button is told")
	require.Len(t, a.titled(), 1, "sent once")
	var result, read string
	require.NoError(t, a.db.QueryRow(t.Context(), "SELECT result FROM tool_calls WHERE name = 'card_send'").Scan(&result))
	require.Regexp(t, `^\{"action":"Go","values":\{"place":"Rice"\},"by":"[^"]+"\}$`, result)
	for _, r := range a.model.Requests() {
		read += string(r.Raw)
	}
	said, tried := strings.Contains(read, `{\"action\":\"Go\",\"values\":{\"place\":\"Rice\"}`), strings.Contains(read, "Pizza")
	require.True(t, said, "the model reads the answer")
	require.False(t, tried, "and no other")
	require.Empty(t, a.feishu.broken())
}

func TestCards_ACardThatNobodyAnswersIsSentOnceOverAKill(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	id := a.drafted()
	table := fmt.Sprintf(`each
call card_add_content {"card":%[1]q,"elements":[{"kind":"table","columns":["place","price"],"rows":[["Noodles","3"]]}]}
call card_add_interactive {"card":%[1]q,"elements":[{"kind":"button","text":"Menu","url":"https://example.com/menu"}]}
call card_send {"card":%[1]q}
say `, id)
	a.reads("begun", "qq", "napcat")
	a.feishu.befall(mute) // the platform accepts the next message, and its answer is lost
	a.feishu.say(0, 1, table+"there it is")
	require.Eventually(t, func() bool { return a.feishu.unanswered() > 0 }, time.Minute, 10*time.Millisecond)
	a.crash()
	a.feishu.befall(none)
	a.boot()
	a.connected()
	a.reads("there it is", "qq", "napcat")
	a.rows("SELECT count(*) FROM outbound WHERE state = 'waiting'", 0)
	shown := a.titled()
	require.Len(t, shown, 1)
	require.Contains(t, shown[0].Text, "| Noodles | 3 |")
	require.Equal(t, []string{"Menu"}, shown[0].Buttons)
	require.Zero(t, count(t, a.db, "SELECT count(*) FROM outbound WHERE kind = 'card' AND state <> 'sent'"))
	require.Empty(t, a.feishu.broken())
}

func TestCards_AreForChatsThatShowThem(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	a.qq.say(0, 1, `call card_create {"title":"Lunch"}`+"\nsay no card here")
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(a.qq.shown(0, 1), "\n"), "no card here") }, time.Minute, 20*time.Millisecond)
	require.Zero(t, count(t, a.db, "SELECT count(*) FROM card_drafts"))
	id := a.drafted()
	a.feishu.say(0, 1, form(id)+fmt.Sprintf(`call card_send {"card":%q,"wait_response":true}`, id)+"\nsay booked")
	card := a.card(a.feishu.Direct(a.feishu.people[0]))
	a.feishu.say(0, 1, "2") // who does not press writes
	a.settled(a.feishu.Direct(a.feishu.people[0]), card.ID, "Rice")
	a.reads("booked", "qq", "napcat")
}

func TestCards_ShowPicturesOfTheWorkspace(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	id := a.drafted()
	a.feishu.say(0, 1, fmt.Sprintf(`each
call FileCreate {"path":"plot.gif","content":"GIF89a"}
call card_add_content {"card":%[1]q,"elements":[{"kind":"img","files":["plot.gif"],"text":"a plot"},{"kind":"img","files":["/etc/passwd.png"]}]}
call card_add_content {"card":%[1]q,"elements":[{"kind":"img","files":["plot.gif"],"text":"a plot"}]}
call card_send {"card":%[1]q}
say there it is`, id))
	a.reads("there it is", "qq", "napcat")
	a.rows("SELECT count(*) FROM outbound WHERE state = 'waiting'", 0)
	shown := a.titled()
	require.Len(t, shown, 1)
	require.Equal(t, 1, strings.Count(shown[0].Content, `"tag":"img"`), "what leads out of the workspace is refused, with all of its call")
	require.Empty(t, a.feishu.broken())
}
