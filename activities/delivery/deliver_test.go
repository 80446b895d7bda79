package delivery_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"xbot/activities/delivery"
	"xbot/activities/files"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// post stands in for the store and a platform.
type post struct {
	o     chat.Outbound
	end   string
	saved int

	withdrawn bool // the delivery has ended meanwhile

	traits channel.Traits
	zone   *time.Location // of whoever reads it; nil: UTC
	lang   i18n.Lang      // that they speak, where there is a zone
	got    []channel.Message
	answer func(m channel.Message) error // what the platform says to it; nil: it arrives
	finds  func(m channel.Message) bool
	found  error // what the platform says to who looks; nil: whether it is there
}

func (p *post) NextOutbound(context.Context, chat.SessionKey) (chat.OutboundNext, bool, error) {
	return chat.OutboundNext{ID: p.o.ID, Kind: p.o.Kind, Channel: p.o.Channel, Words: "words"}, true, nil
}
func (p *post) Outbound(context.Context, int64) (chat.Outbound, error) { return p.o, nil }
func (p *post) NoteDelivery(context.Context, int64, string) error      { return nil }
func (p *post) SavePieces(_ context.Context, o *chat.Outbound, trying bool) error {
	if p.withdrawn || o.Tries != p.o.Tries {
		return fault.Errorf(fault.Conflict, "delivery 1 has ended")
	}
	p.saved++
	if trying {
		o.Tries++
	}
	p.o.Pieces, p.o.Tries = append([]chat.Piece{}, o.Pieces...), o.Tries
	return nil
}
func (p *post) EndDelivery(_ context.Context, _ int64, state, _ string) error {
	p.end, p.o.Open = state, false
	return nil
}

func (p *post) Account(context.Context, string, string) (channel.Account, error) { return p, nil }
func (p *post) Run(context.Context, channel.Receiver, channel.Reporter) error    { return nil }
func (p *post) Traits() channel.Traits                                           { return p.traits }
func (p *post) Check(context.Context) (channel.Identity, []channel.Problem, error) {
	return channel.Identity{}, nil, nil
}

func (p *post) Send(_ context.Context, _ channel.Address, m channel.Message) (channel.Sent, error) {
	if p.answer != nil {
		if err := p.answer(m); err != nil {
			return channel.Sent{}, err
		}
	}
	p.got = append(p.got, m)
	return channel.Sent{ID: "id of " + m.Text}, nil
}

func (p *post) Find(_ context.Context, _ channel.Address, m channel.Message, _ time.Time) (channel.Sent, bool, error) {
	return channel.Sent{ID: "found"}, p.finds != nil && p.finds(m), p.found
}

// send runs the activity as Temporal would, until it does not fail any more.
func (p *post) send(t *testing.T, tries int) (last error) {
	t.Helper()
	return p.sendBy(t, tries, p)
}

func (p *post) sendBy(t *testing.T, tries int, accounts files.Accounts) (last error) {
	t.Helper()
	d := &delivery.Deliverer{
		Outbox: p, Accounts: accounts, Links: accountLinks{},
		Split:  func(text string, _ channel.Dialect, _ int) []string { return strings.Split(text, "|") },
		Policy: everywhere{MaxAge: 24 * time.Hour, Late: 10 * time.Minute},
	}
	if p.zone != nil {
		d.Turns, d.Users = p, p
	}
	var suite testsuite.WorkflowTestSuite
	for range tries {
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivity(d.Send)
		if _, last = env.ExecuteActivity(d.Send, delivery.SendInput{ID: 1}); last == nil {
			return nil
		}
	}
	return last
}

// Speaks is the language of whoever reads it.
func (p *post) Speaks(context.Context, chat.UserID, chat.SessionKey, string) (i18n.Lang, error) {
	return p.lang, nil
}

// ZoneOfSession is the zone of whoever reads it.
func (p *post) ZoneOfSession(context.Context, chat.SessionKey) (*time.Location, error) {
	return p.zone, nil
}

// everywhere are the rules of every channel.
type everywhere delivery.Rules

func (e everywhere) DeliveryRules(context.Context, string) (delivery.Rules, error) {
	return delivery.Rules(e), nil
}

func newPost(text string) *post {
	return &post{
		o:      chat.Outbound{ID: 1, Channel: "napcat", Text: text, Nonce: "n", Open: true, Written: time.Now()},
		traits: channel.Traits{MaxText: 100, Window: time.Hour},
	}
}

func (p *post) texts() (out []string) {
	for _, m := range p.got {
		out = append(out, m.Key+" "+m.Text)
	}
	return out
}

func TestSend_SendsPiecesInOrderEachUnderItsKey(t *testing.T) {
	p := newPost("one|two")
	p.o.Before = 1
	require.NoError(t, p.send(t, 1))
	require.Equal(t, []string{"n.0 one", "n.1 two"}, p.texts())
	require.Equal(t, 2, p.got[0].Seq, "one message has answered before")
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_GoesOnAtThePieceWhereItBroke(t *testing.T) {
	p := newPost("one|two|three")
	broken := true
	p.answer = func(m channel.Message) error {
		if m.Text == "two" && broken {
			broken = false
			return fault.Errorf(fault.Unavailable, "the platform is away")
		}
		return nil
	}
	require.NoError(t, p.send(t, 2))
	require.Equal(t, []string{"n.0 one", "n.1 two", "n.2 three"}, p.texts())
}

func TestSend_RepeatsWhatIsOpenUnderTheSameKeyWhileThePlatformKnowsIt(t *testing.T) {
	p := newPost("one")
	lost := true
	p.answer = func(channel.Message) error {
		if lost {
			lost = false
			return channel.Uncertain(fault.Errorf(fault.Unavailable, "the connection broke"))
		}
		return nil
	}
	require.NoError(t, p.send(t, 2))
	require.Equal(t, []string{"n.0 one"}, p.texts())
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_NeverRepeatsWhatThePlatformMayHaveAndForgets(t *testing.T) {
	for name, found := range map[string]bool{"found": true, "not found": false} {
		t.Run(name, func(t *testing.T) {
			p := newPost("one|two")
			p.traits.Window = 0
			p.finds = func(channel.Message) bool { return found }
			p.answer = func(m channel.Message) error {
				if m.Text == "one" {
					return channel.Uncertain(errors.New("the connection broke"))
				}
				return nil
			}
			require.NoError(t, p.send(t, 2))
			require.Equal(t, []string{"n.1 two"}, p.texts(), "the rest is said all the same")
			require.Equal(t, map[bool]string{true: chat.OutboundSent, false: chat.OutboundUncertain}[found], p.end)
		})
	}
}

func TestSend_ARefusalLeavesOpenWhetherAnEarlierTryArrived(t *testing.T) {
	p := newPost("one")
	errs := []error{channel.Uncertain(errors.New("the connection broke")), fault.Errorf(fault.RateLimited, "too often")}
	p.answer = func(channel.Message) error {
		if len(errs) == 0 {
			return nil
		}
		err := errs[0]
		errs = errs[1:]
		return err
	}
	require.Error(t, p.send(t, 2))
	require.Equal(t, chat.PieceTried, p.o.Pieces[0].State)
	p.traits.Window = 0 // the platform has forgotten the key by now
	p.finds = func(channel.Message) bool { return true }
	require.NoError(t, p.send(t, 1))
	require.Empty(t, p.got, "it had arrived at first, and is not sent again")
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_EndsWhatIsRefusedAndWhatIsTooOld(t *testing.T) {
	p := newPost("one")
	p.answer = func(channel.Message) error { return fault.Errorf(fault.Denied, "the bot is not in this chat") }
	require.NoError(t, p.send(t, 1))
	require.Equal(t, chat.OutboundFailed, p.end)

	p = newPost("one")
	p.o.Written = time.Now().Add(-25 * time.Hour)
	require.NoError(t, p.send(t, 1))
	require.Equal(t, chat.OutboundExpired, p.end)
	require.Empty(t, p.got)
}

func TestSend_SaysOfWhatIsLateWhenItWasWritten(t *testing.T) {
	p := newPost("one")
	p.o.Written = time.Now().Add(-time.Hour)
	require.NoError(t, p.send(t, 1))
	require.Contains(t, p.got[0].Text, "(delayed, written ")
	require.Contains(t, p.got[0].Text, "one")

	p = newPost("one")
	p.answer = func(channel.Message) error { return fault.Errorf(fault.Unavailable, "the platform is away") }
	require.Error(t, p.send(t, 1))
	p.answer, p.o.Written = nil, time.Now().Add(-time.Hour)
	require.NoError(t, p.send(t, 1))
	require.Contains(t, p.got[0].Text, "(delayed, written ", "it was tried in time and arrives late")
}

func TestSend_WhatIsLateSaysItsTimeOnTheClockOfWhoReadsIt(t *testing.T) {
	p := newPost("one")
	p.o.Written = time.Now().Add(-time.Hour)
	p.zone = time.FixedZone("XST", 13*60*60+30*60)
	require.NoError(t, p.send(t, 1))
	require.Contains(t, p.got[0].Text, "(delayed, written "+p.o.Written.In(p.zone).Format("2006-01-02 15:04")+" XST)")
}

func TestSend_WhatStandsBesideAnAnswerIsInItsLanguageElseInThatOfTheConversation(t *testing.T) {
	for text, said := range map[string]string{"`42`": "(延迟送达，", "好的": "(延迟送达，", "the answer": "(delayed, written "} {
		p := newPost(text)
		p.o.Written, p.zone, p.lang = time.Now().Add(-time.Hour), time.UTC, i18n.Chinese
		require.NoError(t, p.send(t, 1))
		require.Contains(t, p.got[0].Text, said, text)
	}
}

func TestSend_OfTwoAttemptsThatOverlapOneGoesOn(t *testing.T) {
	p := newPost("one|two")
	p.traits.Window = 0
	second, ended := make(chan struct{}), make(chan struct{})
	var given sync.WaitGroup
	p.answer = func(m channel.Message) error {
		switch m.Text {
		case "one": // Temporal has given this attempt up meanwhile, and begun another one
			given.Go(func() { _ = p.send(t, 1) })
			<-second
		case "two":
			select {
			case <-second:
				return nil // sent by both
			default:
			}
			close(second)
			<-ended
		}
		return nil
	}
	require.NoError(t, p.send(t, 1))
	close(ended)
	given.Wait()
	require.Equal(t, []string{"n.0 one", "n.1 two"}, p.texts(), "no piece twice")
	require.NotEmpty(t, p.end)
}

func TestSend_WhoMayNotLookDoesNotKnowWhetherItArrived(t *testing.T) {
	p := newPost("one")
	p.traits.Window = 0
	p.o.Pieces = []chat.Piece{{Text: "one", Seq: 1, State: chat.PieceTried, Tried: time.Now()}}
	p.found = fault.Errorf(fault.Denied, "the bot is not a member of this group")
	require.NoError(t, p.send(t, 1))
	require.Equal(t, chat.OutboundUncertain, p.end, "it is not refused: it may have arrived")

	p.o.Open, p.o.Pieces = true, []chat.Piece{{Text: "one", Seq: 1, State: chat.PieceTried, Tried: time.Now()}}
	p.found = fault.Errorf(fault.Unavailable, "the connection broke")
	require.Error(t, p.send(t, 1))
}

func TestSend_TheRestOfAnAnswerIsGivenUpADayLaterThanAnAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		age   time.Duration
		first chat.PieceState
		end   string
	}{
		"in time":                     {47 * time.Hour, chat.PieceSent, chat.OutboundSent},
		"too late":                    {49 * time.Hour, chat.PieceSent, chat.OutboundFailed},
		"and it may not have arrived": {49 * time.Hour, chat.PieceTried, chat.OutboundUncertain},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPost("one|two")
			p.o.Written = time.Now().Add(-c.age)
			p.o.Pieces = []chat.Piece{{Text: "one", Seq: 1, State: c.first, ID: "m1"}, {Text: "two", Seq: 2}}
			require.NoError(t, p.send(t, 1))
			require.Equal(t, c.end, p.end)
			require.Equal(t, c.end == chat.OutboundSent, len(p.got) == 1)
		})
	}
}

// queued is a platform whose messages wait their turn, and whose history tells of all that it accepted.
type queued struct {
	*post

	paces   error // what becomes of who waits
	pace    int
	settles time.Duration
}

func (q *queued) Account(context.Context, string, string) (channel.Account, error) { return q, nil }
func (q *queued) Settles(channel.Message) time.Duration                            { return q.settles }
func (q *queued) Pace(context.Context) error {
	q.pace++
	return q.paces
}

func TestSend_WhatDiesWhileItWaitsItsTurnWasCertainlyNotSent(t *testing.T) {
	p := newPost("one|two")
	p.traits.Window = 0
	q := &queued{post: p, paces: fault.Errorf(fault.Unavailable, "the process ends")}
	require.Error(t, p.sendBy(t, 1, q))
	require.Zero(t, p.saved, "nothing says that a piece may have left")
	q.paces = nil
	require.NoError(t, p.sendBy(t, 1, q))
	require.Equal(t, []string{"n.0 one", "n.1 two"}, p.texts())
	require.Equal(t, 3, q.pace, "each piece waits")
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_WhatTheHistoryLacksIsSentOnceThatIsCertain(t *testing.T) {
	p := newPost("one|two")
	p.traits.Window = 0
	p.o.Pieces = []chat.Piece{{Text: "one", Seq: 1, State: chat.PieceTried, Tried: time.Now()}, {Text: "two", Seq: 2}}
	q := &queued{post: p, settles: time.Hour}
	err := p.sendBy(t, 1, q)
	require.ErrorContains(t, err, "may still send")
	require.Empty(t, p.texts(), "and nothing overtakes it")
	q.settles = 0
	require.NoError(t, p.sendBy(t, 1, q))
	require.Equal(t, []string{"n.0 one", "n.1 two"}, p.texts())
	require.Equal(t, chat.OutboundSent, p.end)
}

func TestSend_WhatAHistoryDoesNotTellOfStaysUnknown(t *testing.T) {
	p := newPost("one|two")
	p.traits.Window, p.found = 0, fault.Errorf(fault.Denied, "the history does not reach back")
	p.o.Pieces = []chat.Piece{{Text: "one", Seq: 1, State: chat.PieceTried, Tried: time.Now().Add(-time.Hour)}, {Text: "two", Seq: 2}}
	require.NoError(t, p.sendBy(t, 1, &queued{post: p}))
	require.Equal(t, []string{"n.1 two"}, p.texts())
	require.Equal(t, chat.OutboundUncertain, p.end)
}
