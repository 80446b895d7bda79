package cards_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/card"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/cards"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/tooltest"
	"xbot/internal/turn/question"
)

// desk keeps cards of one conversation as the store does (store/cards_test.go), in memory.
type desk struct {
	cards map[string]card.Card
	calls map[chat.CallID]bool
	sent  map[chat.CallID]card.Card
	none  bool // the turn answers no chat
}

func newDesk() *desk {
	return &desk{cards: map[string]card.Card{}, calls: map[chat.CallID]bool{}, sent: map[chat.CallID]card.Card{}}
}

func (d *desk) DraftCard(_ context.Context, _ chat.SessionKey, id string, _ chat.CallID, c card.Card) error {
	if _, there := d.cards[id]; !there {
		d.cards[id] = c
	}
	return nil
}

func (d *desk) Card(_ context.Context, _ chat.SessionKey, id string) (card.Card, error) {
	c, ok := d.cards[id]
	if !ok {
		return c, fault.Errorf(fault.NotFound, "there is no card %q", id)
	}
	return c, nil
}

func (d *desk) ChangeCard(ctx context.Context, in chat.SessionKey, id string, call chat.CallID, change func(card.Card) (card.Card, error)) (card.Card, error) {
	c, err := d.Card(ctx, in, id)
	if err != nil || d.calls[call] {
		return c, err
	}
	if c, err = change(c); err == nil {
		d.cards[id], d.calls[call] = c, true
	}
	return c, err
}

func (d *desk) SendCard(_ context.Context, _ chat.SessionKey, call chat.CallID, c card.Card) (bool, error) {
	if !d.none {
		d.sent[call] = c
	}
	return !d.none, nil
}

type bench struct {
	t     *testing.T
	desk  *desk
	tools *tool.Registry
	box   *tooltest.Box
}

func newBench(t *testing.T) *bench {
	t.Helper()
	d := newDesk()
	return &bench{t, d, tool.New(cards.New(d)...), tooltest.New(t)}
}

func (b *bench) run(id chat.CallID, name, arguments string) chat.ToolResult {
	b.t.Helper()
	t, ok := b.tools.Get(name)
	require.True(b.t, ok, name)
	got, err := t.Run(b.t.Context(), b.box.Call(id, arguments))
	require.NoError(b.t, err)
	return got
}

func (b *bench) made() string {
	got := b.run("c1", "card_create", `{"title":"Lunch"}`)
	require.False(b.t, got.IsError, got.Content)
	return got.Content
}

func TestCards_AreMadeStepByStepEachCallOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.made()
	require.Regexp(t, `^card_[0-9a-f]{8}$`, id)
	require.Equal(t, id, b.made(), "a call that runs again makes no second card")
	got := b.run("c2", "card_add_content", `{"card":"`+id+`","elements":[{"kind":"markdown","text":"Where to?"}]}`)
	require.Equal(t, id+" has 1 element.", got.Content)
	require.Equal(t, got, b.run("c2", "card_add_content", `{"card":"`+id+`","elements":[{"kind":"markdown","text":"Where to?"}]}`))
	got = b.run("c3", "card_add_container", `{"card":"`+id+`","kind":"form","name":"lunch"}`)
	require.Contains(t, got.Content, `It cannot be sent yet: the form "lunch" has no button that sends it`)
	require.False(t, got.IsError)
	got = b.run("c4", "card_add_interactive", `{"card":"`+id+`","elements":[{"kind":"select","in":"lunch","name":"place","text":"Place","options":["Noodles","Rice"]},{"kind":"button","in":"lunch","text":"Go"}]}`)
	require.Equal(t, id+" has 4 elements.", got.Content)
	require.Equal(t, "**Lunch**\n\nWhere to?\n\nPlace: Noodles / Rice\n\n[ Go ]", b.run("c5", "card_preview", `{"card":"`+id+`"}`).Content)

	for says, elements := range map[string]string{
		"must stand in a form": `[{"kind":"input","name":"a","text":"A"}]`,
		"this tool adds":       `[{"kind":"markdown","text":"A"}]`,
		"is taken":             `[{"kind":"input","in":"lunch","name":"place","text":"A"}]`,
		"elements is empty":    `[]`,
	} {
		got = b.run("c6", "card_add_interactive", `{"card":"`+id+`","elements":`+elements+`}`)
		require.True(t, got.IsError, says)
		require.Contains(t, got.Content, says)
	}
	require.Len(t, b.desk.cards[id].Elements, 4, "what does not fit changes nothing")
	require.Contains(t, b.run("c7", "card_preview", `{"card":"card_00000000"}`).Content, "there is no card")
}

func TestCards_ShowPicturesOfTheWorkspaceAndNoOtherFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.made()
	b.box.Put(t, "a.png", "x")
	got := b.run("c2", "card_add_content", `{"card":"`+id+`","elements":[{"kind":"img","files":["a.png"],"text":"a beach"}]}`)
	require.False(t, got.IsError, got.Content)
	made := b.desk.cards[id]
	require.Equal(t, b.box.Call("c", "{}").Box.Name(), made.Runner)
	require.Equal(t, []string{b.box.Call("c", "{}").Dir() + "/a.png"}, made.Elements[0].Files)
	b.box.Put(t, "a.txt", "x")
	for says, file := range map[string]string{"no picture": "a.txt", "outside": "/etc/x.png", "no such file": "lost.png"} {
		got = b.run("c3", "card_add_content", `{"card":"`+id+`","elements":[{"kind":"img","files":["`+file+`"]}]}`)
		require.True(t, got.IsError, got.Content)
		require.Contains(t, got.Content, says)
	}
	require.Len(t, b.desk.cards[id].Elements, 1)
}

func TestSend_WaitsForWhoAnswersAndReturnsTheirForm(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.made()
	arguments := `{"card":"` + id + `","wait_response":true}`
	require.Empty(t, b.tools.Questions(t.Context(), "s", "card_send", arguments), "a card that is not whole is not asked")
	require.Contains(t, b.run("c2", "card_send", arguments).Content, "has no elements")
	b.run("c3", "card_add_container", `{"card":"`+id+`","kind":"form","name":"lunch"}`)
	b.run("c4", "card_add_interactive", `{"card":"`+id+`","elements":[{"kind":"input","in":"lunch","name":"place","text":"Place"},{"kind":"button","in":"lunch","text":"Go"}]}`)
	require.Contains(t, b.run("c5", "card_send", arguments).Content, "call card_send again, in a step of its own")
	require.Contains(t, b.run("c5", "card_send", `{"card":"`+id+`"}`).Content, "send it with wait_response")
	require.Empty(t, b.desk.sent)

	asks := b.tools.Questions(t.Context(), "s", "card_send", arguments)
	require.NotNil(t, question.CardOf(asks))
	b.run("c6", "card_add_content", `{"card":"`+id+`","elements":[{"kind":"divider"}]}`)
	answers, err := question.Fit(asks, chat.Answers{"place": {"Roof"}, card.Action: {"Go"}})
	require.NoError(t, err)
	call := b.box.Call("c7", arguments)
	call.Approval = &chat.Approval{State: chat.ApprovalAllowed, AnsweredBy: "Ann", Questions: asks, Answers: answers}
	t2, _ := b.tools.Get("card_send")
	got, err := t2.Run(t.Context(), call)
	require.NoError(t, err)
	require.Contains(t, got.Content, `{"action":"Go","values":{"place":"Roof"},"by":"Ann"}`)
	require.Contains(t, got.Content, "changed after it was sent")
}

func TestSend_PutsACardOnItsWayThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.made()
	b.run("c2", "card_add_content", `{"card":"`+id+`","elements":[{"kind":"table","columns":["a"],"rows":[["1"]]}]}`)
	b.run("c3", "card_add_interactive", `{"card":"`+id+`","elements":[{"kind":"button","text":"Menu","url":"https://example.com"}]}`)
	got := b.run("c4", "card_send", `{"card":"`+id+`"}`)
	require.False(t, got.IsError, got.Content)
	require.Equal(t, b.desk.cards[id], b.desk.sent["c4"])
	require.Contains(t, b.run("c5", "card_send", `{"card":"`+id+`","wait_response":true}`).Content, "without wait_response")
	b.desk.none = true
	require.True(t, b.run("c6", "card_send", `{"card":"`+id+`"}`).IsError)
}

func TestSource_IsForChatsOnFeishu(t *testing.T) {
	t.Parallel()
	source := cards.NewSource(cards.New(nil))
	for _, c := range []struct {
		at  toolset.Place
		has bool
	}{
		{toolset.Place{}, true}, // for rules
		{toolset.Place{Session: "s", Channel: "feishu", ChatType: chat.ChatDirect}, true},
		{toolset.Place{Session: "s", Channel: "feishu", ChatType: chat.ChatGroup}, true},
		{toolset.Place{Session: "s", Channel: "feishu", ChatType: chat.ChatSubagent}, false},
		{toolset.Place{Session: "s", Channel: "feishu", ChatType: chat.ChatCron}, false},
		{toolset.Place{Session: "s", Channel: "qq", ChatType: chat.ChatDirect}, false},
		{toolset.Place{Session: "s", Channel: "web", ChatType: chat.ChatDirect}, false},
	} {
		tools, err := source.Tools(t.Context(), c.at)
		require.NoError(t, err)
		require.Equal(t, c.has, len(tools) > 0, "%+v", c.at)
		for i, made := range tools {
			require.Equal(t, cards.Names[i], made.Spec().Name)
			require.True(t, made.Spec().Optional)
		}
	}
}
