package delivery_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"xbot/activities/delivery"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// stage is a turn that is followed, what is known of its card, and the platform on which it is shown.
type stage struct {
	course  chat.TurnProgress
	delta   *chat.Delta
	outputs []chat.Output
	looks   int
	look    func(n int) // called before the n-th look, from 1
	putOff  time.Duration
	rests   time.Time // since when a turn waits whose card says so
	quiet   bool      // the policy wants no cards
	lang    i18n.Lang // empty: English

	traits  channel.Traits
	said    []string // what the platform was asked for
	refuses map[string]error

	signs    int           // that were counted
	sequence int           // the newest of a stream
	stood    time.Duration // how long the card stands when the answer is written
}

func newStage() *stage {
	return &stage{
		course: chat.TurnProgress{
			Card: chat.Card{
				Turn: "t1", Session: "s", Channel: "feishu", Nonce: "n", State: chat.CardWaiting, Made: time.Now(),
				Place: chat.Address{ChatType: chat.ChatDirect, Peer: "7"},
			},
			Turn: chat.Turn{ID: "t1", State: chat.TurnRunning, StartedAt: time.Now()},
		},
		traits: channel.Traits{MaxText: 2000, Window: time.Hour}, refuses: map[string]error{},
	}
}

func (s *stage) TurnProgress(context.Context, chat.TurnID) (chat.TurnProgress, error) {
	if s.looks++; s.look != nil {
		s.look(s.looks)
	}
	return s.course, nil
}
func (s *stage) TurnLang(context.Context, chat.TurnID) (i18n.Lang, error) {
	return cmp.Or(s.lang, i18n.English), nil
}
func (s *stage) KeepFollowing(context.Context, chat.TurnID) error { return nil }
func (s *stage) NextFollow(context.Context, chat.SessionKey) (chat.TurnID, string, bool, error) {
	return "t1", "feishu", true, nil
}
func (s *stage) TryCard(context.Context, chat.TurnID) (bool, error) {
	if s.course.Card.State == chat.CardWaiting {
		s.course.Card.State, s.course.Card.Tried = chat.CardTried, time.Now()
	}
	return s.course.Card.State == chat.CardTried, nil
}
func (s *stage) UntryCard(context.Context, chat.TurnID) error {
	s.course.Card.State, s.course.Card.Tried = chat.CardWaiting, time.Time{}
	return nil
}
func (s *stage) ShowCard(_ context.Context, _ chat.TurnID, message string) error {
	s.course.Card.State, s.course.Card.Message = chat.CardShown, message
	return nil
}
func (s *stage) EndCard(_ context.Context, _ chat.TurnID, state chat.CardState) error {
	s.course.Card.State = state
	return nil
}
func (s *stage) PutOffCard(_ context.Context, _ chat.TurnID, pause time.Duration) error {
	s.putOff = pause
	return nil
}
func (s *stage) NoteLine(_ context.Context, _ chat.TurnID, n int) (bool, error) {
	fresh := s.course.Card.Lines < n
	s.course.Card.Lines = max(s.course.Card.Lines, n)
	return fresh, nil
}
func (s *stage) SpendSign(_ context.Context, _, _ string, budget int) (bool, error) {
	s.signs++
	return s.signs <= budget, nil
}
func (s *stage) RestCard(_ context.Context, _ chat.TurnID, since time.Time) error {
	s.rests = since
	return nil
}
func (s *stage) CardOfAnswer(context.Context, int64) (chat.Card, bool, error) {
	c := s.course.Card
	return c, c.State == chat.CardTried || c.State == chat.CardShown, nil
}
func (s *stage) AnswerCard(ctx context.Context, turn chat.TurnID, _ *chat.Outbound) error {
	return s.EndCard(ctx, turn, chat.CardAnswer)
}

func (s *stage) Woken() <-chan struct{}            { return nil }
func (s *stage) Now() (*chat.Delta, []chat.Output) { return s.delta, s.outputs }
func (s *stage) Close()                            {}

// typing is a platform that shows no more than that somebody writes.
type typing struct{ *stage }

func (p typing) Run(context.Context, channel.Receiver, channel.Reporter) error { return nil }
func (p typing) Traits() channel.Traits                                        { return p.traits }
func (p typing) Check(context.Context) (channel.Identity, []channel.Problem, error) {
	return channel.Identity{}, nil, nil
}
func (p typing) Send(_ context.Context, _ channel.Address, m channel.Message) (channel.Sent, error) {
	return channel.Sent{ID: "sent under " + m.Key}, p.asked("send", m.Key+" "+m.Text)
}
func (p typing) Typing(context.Context, channel.Address) error { return p.asked("type", "") }

// asked notes what a platform was asked for.
func (p typing) asked(what, more string) error {
	p.said = append(p.said, strings.TrimSpace(what+" "+more))
	return p.refuses[what]
}

// changing is a platform that changes what was sent.
type changing struct{ typing }

func (p changing) Edit(_ context.Context, _ channel.Address, id string, m channel.Message) error {
	return p.asked("edit", id+": "+m.Text)
}
func (p changing) EditEvery() time.Duration { return 0 }
func (p changing) Delete(_ context.Context, _ channel.Address, id string) error {
	return p.asked("delete", id)
}

// streaming is a platform on which cards stream.
type streaming struct{ changing }

func (p streaming) Stream(_ context.Context, _ channel.Address, m channel.Message) (channel.Stream, error) {
	return streamed{p, "streamed under " + m.Key}, p.asked("stream", m.Key)
}
func (p streaming) Resume(_ context.Context, _ channel.Address, id string) (channel.Stream, error) {
	if !strings.HasPrefix(id, "streamed") {
		return nil, fault.Errorf(fault.NotFound, "it does not stream")
	}
	return streamed{p, id}, nil
}

type streamed struct {
	p  streaming
	id string
}

func (s streamed) Sent() channel.Sent { return channel.Sent{ID: s.id} }
func (s streamed) Put(_ context.Context, text string, sequence int) error {
	return s.p.sequenced("put", text, sequence)
}
func (s streamed) End(_ context.Context, m channel.Message, sequence int) error {
	return s.p.sequenced("end", m.Text, sequence)
}

// sequenced takes what comes with a sequence that has grown.
func (s *stage) sequenced(what, text string, sequence int) error {
	if sequence < s.sequence {
		return fault.Limited(time.Second, "the sequence did not grow")
	}
	s.sequence = sequence
	return typing{s}.asked(what, text)
}

// one is a choice of one account.
type one struct{ bot channel.Account }

func (o one) Account(context.Context, string, string) (channel.Account, error) { return o.bot, nil }

func (s *stage) Watch(chat.SessionKey) delivery.Watch { return s }

func (s *stage) ShowsProgress(context.Context, string, string) bool { return !s.quiet }

// follow runs the activity and returns why it ended.
func (s *stage) follow(t *testing.T, a channel.Account) string {
	t.Helper()
	f := &delivery.Follower{
		Turns: s, Accounts: one{a}, Feed: s, Policy: s, Signs: s, Every: time.Millisecond,
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(f.Follow)
	got, err := env.ExecuteActivity(f.Follow, delivery.FollowInput{Turn: "t1"})
	require.NoError(t, err)
	var out delivery.FollowOutput
	require.NoError(t, got.Get(&out))
	return out.Why
}

func (s *stage) platform() changing { return changing{typing{s}} }

func TestFollow_KeepsOneCardUntilSomethingIsToBeSent(t *testing.T) {
	s := newStage()
	s.look = func(n int) {
		switch n {
		case 20:
			s.course.Calls = []chat.ToolCall{{ID: "t1.0.0", Name: "Shell", Summary: "make", State: chat.CallRunning}}
			s.outputs = []chat.Output{{Call: "t1.0.0", Text: "half way"}}
		case 60:
			s.course.Waits = true
		}
	}
	require.Equal(t, "something is to be sent", s.follow(t, s.platform()))
	require.Len(t, s.said, 2, "what is the same is not said again: %q", s.said)
	require.Contains(t, s.said[0], "send n.p **Working**")
	require.Contains(t, s.said[1], "edit sent under n.p: ")
	require.Contains(t, s.said[1], "half way")
	require.Equal(t, chat.CardShown, s.course.Card.State)
}

func TestFollow_StreamsWhereThePlatformDoesAndChangesTheCardElsewhere(t *testing.T) {
	s := newStage()
	s.look = func(n int) {
		s.course.Waits = n >= 40 && s.course.Turn.State == chat.TurnRunning
		if n == 10 {
			s.delta = &chat.Delta{Turn: "t1", Text: "so far"}
		}
	}
	s.follow(t, streaming{s.platform()})
	require.Equal(t, "stream n.p", s.said[0])
	require.Contains(t, s.said[1], "put **Working**")
	require.Contains(t, s.said[len(s.said)-1], "put **Working**\nso far")
	require.Equal(t, chat.CardShown, s.course.Card.State)
	s.course.Waits, s.course.Turn.State, s.said = false, chat.TurnStopped, nil
	s.follow(t, streaming{s.platform()})
	require.Len(t, s.said, 1)
	require.Contains(t, s.said[0], "end **Stopped**", "another process goes on with the stream")

	s = newStage()
	s.refuses["stream"] = fault.Errorf(fault.Denied, "the app may not")
	s.look = func(n int) {
		s.course.Waits = n >= 40 && s.course.Turn.State == chat.TurnRunning
		if n == 10 {
			s.delta = &chat.Delta{Turn: "t1", Text: "so far"}
		}
	}
	s.follow(t, streaming{s.platform()})
	require.Contains(t, s.said[1], "send n.p **Working**")
	require.Contains(t, s.said[len(s.said)-1], "edit sent under n.p: **Working**\nso far")
}

func TestFollow_TheCardIsInTheLanguageThatItsTurnChoseMeanwhile(t *testing.T) {
	s := newStage()
	s.look = func(n int) {
		if n == 20 {
			s.lang = i18n.Chinese
		}
		s.course.Waits = n >= 60
	}
	s.follow(t, s.platform())
	require.Len(t, s.said, 2, "%q", s.said)
	require.Contains(t, s.said[0], "**Working**")
	require.NotContains(t, s.said[1], "Working")
	require.Equal(t, i18n.Chinese, i18n.Of(s.said[1]))
}

func TestFollow_ShowsWhatIsWrittenUnlessItIsKnownInPart(t *testing.T) {
	for name, c := range map[string]struct {
		delta chat.Delta
		calls []chat.ToolCall
		shown bool
	}{
		"from its beginning":           {delta: chat.Delta{Turn: "t1", Step: 1, Text: "so far"}, calls: []chat.ToolCall{{ID: "t1.0.0"}}, shown: true},
		"from the middle":              {delta: chat.Delta{Turn: "t1", Offset: 7, Text: "so far"}},
		"of a step that was committed": {delta: chat.Delta{Turn: "t1", Text: "so far"}, calls: []chat.ToolCall{{ID: "t1.0.0", Name: "Shell"}}},
		"of another turn":              {delta: chat.Delta{Turn: "t0", Text: "so far"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage()
			s.delta, s.course.Calls = &c.delta, c.calls
			s.look = func(n int) { s.course.Waits = n > 3 }
			s.follow(t, s.platform())
			require.Equal(t, c.shown, strings.Contains(s.said[0], "so far"), s.said[0])
		})
	}
}

func TestFollow_LeavesNoCardThatSaysThatATurnRuns(t *testing.T) {
	shown := func(state chat.TurnState) *stage {
		s := newStage()
		s.course.Card.State, s.course.Card.Message, s.course.Turn.State = chat.CardShown, "c", state
		return s
	}
	for _, state := range []chat.TurnState{chat.TurnDone, ""} {
		s := shown(state)
		s.follow(t, s.platform())
		require.Equal(t, []string{"delete c"}, s.said, "there is nothing to say of a turn that is %q", state)
		require.Equal(t, chat.CardSettled, s.course.Card.State)
	}
	for state, says := range map[chat.TurnState]string{chat.TurnStopped: "Stopped", chat.TurnFailed: "Failed", chat.TurnLost: "Ended from outside"} {
		s := shown(state)
		s.follow(t, s.platform())
		require.Len(t, s.said, 1)
		require.Contains(t, s.said[0], "edit c: **"+says+"**")
		require.Equal(t, chat.CardSettled, s.course.Card.State)
	}
	s := shown(chat.TurnDone)
	s.refuses["delete"] = fault.Errorf(fault.Denied, "it is too late for that")
	s.follow(t, s.platform())
	require.Contains(t, s.said[1], "edit c: **Done**")

	s = shown(chat.TurnDone)
	s.refuses["delete"] = fault.Limited(2*time.Hour, "come back")
	s.follow(t, s.platform())
	require.Equal(t, 2*time.Hour, s.putOff)
	require.True(t, s.course.Card.State.Open(), "it is settled later")
}

func TestFollow_NeverSendsASecondCard(t *testing.T) {
	tried := func(ago time.Duration) *stage {
		s := newStage()
		s.course.Card.State, s.course.Card.Tried = chat.CardTried, time.Now().Add(-ago)
		s.look = func(n int) { s.course.Waits = n > 20 }
		return s
	}
	s := tried(time.Minute)
	s.follow(t, s.platform())
	require.Contains(t, s.said[0], "send n.p ", "the platform knows the key and shows one")
	require.Contains(t, s.said[1], "edit sent under n.p: ", "it may show older words")

	s = tried(2 * time.Hour)
	require.Equal(t, "there can be no card", s.follow(t, s.platform()))
	require.Empty(t, s.said, "the platform has forgotten the key")

	s = tried(time.Minute)
	s.refuses["send"] = fault.Errorf(fault.Denied, "the bot is not in this chat")
	s.follow(t, s.platform())
	require.Equal(t, chat.CardTried, s.course.Card.State, "the first one may have arrived all the same")

	s = newStage()
	s.refuses["send"] = channel.Uncertain(errors.New("the connection broke"))
	s.look = func(n int) { s.course.Waits = n > 20 }
	s.follow(t, s.platform())
	require.Equal(t, chat.CardTried, s.course.Card.State)
	require.Len(t, s.said, 1, "a platform in trouble is left alone for a while")
}

// runsFor lets a turn run for times, one after another, each for some looks, and then has something sent.
func (s *stage) runsFor(times ...time.Duration) {
	const looks = 20
	s.look = func(n int) {
		at := (n - 1) / looks
		if s.course.Waits = at >= len(times); !s.course.Waits {
			s.course.Turn.StartedAt = time.Now().Add(-times[at])
		}
	}
}

func TestFollow_WhereNothingIsChangedALineSaysAfterHalfAMinuteAndThenRarelyThatATurnGoesOn(t *testing.T) {
	for _, place := range []chat.ChatType{chat.ChatDirect, chat.ChatGroup} {
		s := newStage()
		s.course.Card.Place.ChatType = place
		s.course.Calls = []chat.ToolCall{{ID: "t1.0.0", Name: "Shell", Summary: "make", State: chat.CallRunning}}
		s.runsFor(31*time.Second, 2*time.Minute, 3*time.Minute, 9*time.Minute, 11*time.Minute, 39*time.Minute, 40*time.Minute+5*time.Second)
		require.Equal(t, "something is to be sent", s.follow(t, typing{s}))
		require.Equal(t, []string{
			"send n.l1 Still working, for 30 s so far: `Shell` `make`",
			"send n.l2 Still working, for 3 min so far: `Shell` `make`",
			"send n.l3 Still working, for 11 min so far: `Shell` `make`",
			"send n.l4 Still working, for 40 min so far: `Shell` `make`",
		}, s.said, "%s", place)
		require.Equal(t, chat.CardWaiting, s.course.Card.State)
	}
	s := newStage()
	s.lang = i18n.Chinese
	s.runsFor(31 * time.Second)
	s.follow(t, typing{s})
	require.Equal(t, []string{"send n.l1 仍在处理，已用时 30 秒：思考中 …"}, s.said, "in the language of whoever is answered")
}

func TestFollow_ALineIsSentOnceAtMostAndNoneWhereAPersonIsAsked(t *testing.T) {
	s := newStage()
	s.refuses["send"] = channel.Uncertain(errors.New("the connection broke"))
	s.runsFor(5*time.Minute, 6*time.Minute)
	s.follow(t, typing{s})
	require.Len(t, s.said, 1, "what was missed is not made up for, and what may have arrived is not sent again")
	require.Equal(t, 2, s.course.Card.Lines)
	s.looks, s.said, s.course.Waits = 0, nil, false
	s.follow(t, typing{s})
	require.Empty(t, s.said, "nor by another process")

	s = newStage()
	s.course.Calls = []chat.ToolCall{{ID: "t1.0.0", Name: "Shell", State: chat.CallOpen, Approval: &chat.Approval{State: chat.ApprovalOpen}}}
	s.runsFor(time.Minute, time.Hour)
	s.follow(t, typing{s})
	require.Empty(t, s.said, "the question says enough")
}

func TestFollow_ShowsNoMoreSignsOfLifeThanTheAccountMay(t *testing.T) {
	s := newStage()
	s.traits.Signs = 2
	s.runsFor(31*time.Second, 3*time.Minute, 10*time.Minute)
	require.Equal(t, "something is to be sent", s.follow(t, typing{s}))
	require.Len(t, s.said, 2)
	require.Equal(t, 3, s.signs, "what is refused is counted, once")

	s = newStage()
	s.traits.Signs = -1
	s.runsFor(31 * time.Second)
	s.follow(t, typing{s})
	require.Empty(t, s.said)
	require.Zero(t, s.signs)
}

func TestFollow_TypesWhereNothingIsChangedAndUsesUpNoAnswer(t *testing.T) {
	s := newStage()
	s.look = func(n int) { s.course.Waits = n > 20 }
	s.follow(t, typing{s})
	require.Equal(t, []string{"type"}, s.said, "every few seconds")

	s = newStage()
	s.traits.Replies = 4
	s.follow(t, typing{s})
	require.Empty(t, s.said)
	require.Equal(t, chat.CardNone, s.course.Card.State)

	s = newStage()
	s.traits.Replies, s.traits.Writing = 4, channel.Writing{Every: 50 * time.Second, Times: 2}
	s.runsFor(10*time.Second, 49*time.Second, 51*time.Second, 3*time.Minute)
	require.Equal(t, "the platform shows nothing of the kind", s.follow(t, typing{s}))
	require.Equal(t, []string{"type"}, s.said, "once more after the one at its arrival, and then never")

	s = newStage()
	s.traits.Replies, s.traits.Writing = 4, channel.Writing{Every: 50 * time.Second, Times: -1}
	s.runsFor(51*time.Second, 60*time.Second, 101*time.Second, 10*time.Minute)
	require.Equal(t, "something is to be sent", s.follow(t, typing{s}))
	require.Equal(t, []string{"type", "type", "type"}, s.said, "for as long as it takes, and what was missed is not made up for")

	s = newStage()
	s.traits.Replies, s.traits.Writing = 4, channel.Writing{Every: 50 * time.Second, Times: 2}
	s.course.Calls = []chat.ToolCall{{ID: "t1.0.0", Name: "Shell", State: chat.CallOpen, Approval: &chat.Approval{State: chat.ApprovalOpen}}}
	s.runsFor(time.Minute, time.Hour)
	s.follow(t, typing{s})
	require.Empty(t, s.said, "nobody writes while a person is asked")

	s = newStage()
	s.quiet = true
	s.follow(t, s.platform())
	require.Empty(t, s.said, "the policy wants nothing shown")
	require.Equal(t, chat.CardNone, s.course.Card.State)
}

func TestFollow_GivesUpACardThatCannotBeChanged(t *testing.T) {
	s := newStage()
	s.course.Card.State, s.course.Card.Message = chat.CardShown, "c"
	s.refuses["edit"] = fault.Errorf(fault.NotFound, "somebody took it away")
	require.Equal(t, "the card cannot be changed any more", s.follow(t, s.platform()))
	require.False(t, s.course.Card.State.Open())
}

// answer sends a text of two pieces while a card is there.
func (s *stage) answer(t *testing.T, place chat.Address) (*post, error) {
	t.Helper()
	p := newPost("one|two")
	p.o.Place, p.o.Channel, p.o.Written = place, "feishu", s.course.Card.Made.Add(s.stood)
	d := &delivery.Deliverer{
		Outbox: p, Cards: s, Accounts: one{s.platform()},
		Split:  func(text string, _ channel.Dialect, _ int) []string { return strings.Split(text, "|") },
		Policy: everywhere{MaxAge: 24 * time.Hour, Late: 10 * time.Minute},
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(d.Send)
	_, err := env.ExecuteActivity(d.Send, delivery.SendInput{ID: 1})
	return p, err
}

func TestSend_MakesTheAnswerOutOfTheCard(t *testing.T) {
	s := newStage()
	s.course.Card.State, s.course.Card.Message = chat.CardShown, "c"
	p, err := s.answer(t, s.course.Card.Place)
	require.NoError(t, err)
	require.Equal(t, []string{"edit c: one", "send n.1 two"}, s.said)
	require.Equal(t, chat.CardAnswer, s.course.Card.State)
	require.Equal(t, "c", p.o.Pieces[0].ID)
	require.Equal(t, chat.OutboundSent, p.end)

	s = newStage()
	s.course.Card.State, s.course.Card.Tried = chat.CardTried, time.Now()
	_, err = s.answer(t, s.course.Card.Place)
	require.NoError(t, err)
	require.Equal(t, []string{"send n.p one", "edit sent under n.p: one", "send n.1 two"}, s.said, "the card that may be there is found by its key")

	s = newStage()
	s.course.Card.State, s.course.Card.Message = chat.CardShown, "c"
	s.refuses["edit"] = fault.Errorf(fault.Unavailable, "an outage")
	_, err = s.answer(t, s.course.Card.Place)
	require.Error(t, err, "it is tried again")
	require.Equal(t, chat.CardShown, s.course.Card.State)
	require.Equal(t, []string{"edit c: one"}, s.said)
}

func TestSend_SendsAnewWhereTheCardCannotBecomeTheAnswer(t *testing.T) {
	s := newStage()
	s.course.Card.State, s.course.Card.Message = chat.CardShown, "c"
	s.refuses["edit"] = fault.Errorf(fault.TooLarge, "not in a card")
	_, err := s.answer(t, s.course.Card.Place)
	require.NoError(t, err)
	require.Equal(t, []string{"edit c: one", "delete c", "send n.0 one", "send n.1 two"}, s.said)
	require.Equal(t, chat.CardSettled, s.course.Card.State)

	s = newStage()
	s.course.Card.State, s.course.Card.Message = chat.CardShown, "c"
	_, err = s.answer(t, chat.Address{ChatType: chat.ChatGroup, Chat: "g"})
	require.NoError(t, err)
	require.Equal(t, []string{"send n.0 one", "send n.1 two"}, s.said, "the answer goes elsewhere")
	require.Equal(t, chat.CardShown, s.course.Card.State, "its own account takes the card away once the turn has ended")

	s = newStage()
	s.course.Card.State, s.course.Card.Message, s.course.Card.Channel = chat.CardShown, "c", "elsewhere"
	_, err = s.answer(t, s.course.Card.Place)
	require.NoError(t, err)
	require.Equal(t, []string{"send n.0 one", "send n.1 two"}, s.said, "the card is another account's")
	require.Equal(t, chat.CardShown, s.course.Card.State)
}

func TestSend_ALongTurnEndsInAMessageThatIsAnnouncedAndItsCardIsFolded(t *testing.T) {
	s := newStage()
	s.course.Card.State, s.course.Card.Message, s.stood = chat.CardShown, "c", 31*time.Second
	p, err := s.answer(t, s.course.Card.Place)
	require.NoError(t, err)
	require.Equal(t, []string{"send n.0 one", "send n.1 two"}, s.said, "an edit announces nothing")
	require.Equal(t, []bool{false, true}, []bool{p.o.Pieces[0].Follows, p.o.Pieces[1].Follows}, "the first piece alone quotes the question")
	require.True(t, s.course.Card.State.Open())

	s.said = nil
	ended := s.course.Turn.StartedAt.Add(2*time.Minute + 10*time.Second)
	s.course.Turn.State, s.course.Turn.EndedAt, s.course.Answered = chat.TurnDone, &ended, true
	s.course.Calls = []chat.ToolCall{{ID: "t1.0.0", Name: "Shell", Summary: "make", State: chat.CallDone}}
	require.Equal(t, "the turn has ended", s.follow(t, s.platform()))
	require.Equal(t, []string{"edit c: Done · 2 min 10 s · 1 tool call"}, s.said)
	require.Equal(t, chat.CardSettled, s.course.Card.State)

	s.said, s.stood, s.course.Card.State, s.course.Answered = nil, 29*time.Second, chat.CardShown, false
	_, err = s.answer(t, s.course.Card.Place)
	require.NoError(t, err)
	require.Equal(t, "edit c: one", s.said[0], "a short turn ends in its card")
}

func TestFollow_ACardThatWaitsForAPersonIsNotChanged(t *testing.T) {
	s := newStage()
	s.course.Calls = []chat.ToolCall{{
		ID: "t1.0.0", Name: "Shell", Summary: "make", State: chat.CallOpen, Approval: &chat.Approval{State: chat.ApprovalOpen},
	}}
	s.look = func(n int) {
		s.course.Turn.StartedAt = s.course.Turn.StartedAt.Add(-5 * time.Minute) // so much later is it at every look
		s.course.Waits = n >= 60
	}
	s.follow(t, s.platform())
	require.Len(t, s.said, 1, "five hours of waiting cost one call: %q", s.said)
}

func TestFollow_ShowsThatTheModelIsAskedAgainUntilItAnswers(t *testing.T) {
	again := &chat.Retry{Turn: "t1", Step: 1, Attempt: 2, Failed: 4, Text: "⚠️ timeout, retrying 2/5"}
	for name, c := range map[string]struct {
		delta *chat.Delta
		shown bool
	}{
		"nothing was written":         {nil, true},
		"what was written is void":    {&chat.Delta{Turn: "t1", Step: 1, Attempt: 4, Text: "half"}, true},
		"the next attempt writes":     {&chat.Delta{Turn: "t1", Step: 1, Attempt: 5, Text: "anew"}, false},
		"the step before was written": {&chat.Delta{Turn: "t1", Step: 0, Attempt: 9, Text: "before"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage()
			s.course.Retry, s.delta = again, c.delta
			s.look = func(n int) { s.course.Waits = n > 1 }
			s.follow(t, s.platform())
			if c.shown {
				require.Contains(t, s.said[0], again.Text)
				require.NotContains(t, s.said[0], "half")
				return
			}
			require.NotContains(t, s.said[0], again.Text)
			require.Contains(t, s.said[0], "anew")
		})
	}
}

func TestFollow_TheCardOfATurnThatRanForDaysIsSettledLaterToo(t *testing.T) {
	for _, ago := range []time.Duration{time.Minute, 25 * time.Hour} {
		s := newStage()
		ended := time.Now().Add(-ago)
		s.course.Card.State, s.course.Card.Message, s.course.Card.Made = chat.CardShown, "c", time.Now().Add(-72*time.Hour)
		s.course.Turn.State, s.course.Turn.EndedAt = chat.TurnStopped, &ended
		s.refuses["edit"] = fault.Errorf(fault.Unavailable, "the platform is away")
		s.follow(t, s.platform())
		require.Equal(t, ago < 24*time.Hour, s.course.Card.State.Open(), "it is tried for a day from the end of the turn")
	}
}

func TestFollow_LeavesATurnAloneThatWaitsForItsProviderOnceItsCardSaysSo(t *testing.T) {
	since := time.Now().Add(-time.Hour)
	waits := func(s *stage) { s.course.Turn.Waits = &chat.Wait{Since: since, Reason: "network"} }
	for name, shown := range map[string]struct {
		on   func(*stage) channel.Account
		from int // the look from which on it waits
	}{
		"a card":              {func(s *stage) channel.Account { return s.platform() }, 10},
		"a card that streams": {func(s *stage) channel.Account { return streaming{s.platform()} }, 10},
		"nothing but typing":  {func(s *stage) channel.Account { return s.platform().typing }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage()
			s.look = func(n int) {
				if n == shown.from {
					waits(s)
				}
			}
			require.Equal(t, "the turn waits for its provider", s.follow(t, shown.on(s)))
			require.Equal(t, since, s.rests)
			if shown.from > 1 {
				require.Contains(t, s.said[len(s.said)-1], "**Waiting for the model provider**")
				require.NotRegexp(t, `\d (s|min)`, s.said[len(s.said)-1], "what it says is true for as long as it waits")
			}
		})
	}
}
