package delivery

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"xbot/activities"
	"xbot/activities/files"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

const (
	// followFor is how long one activity follows a turn; then there is another.
	followFor = 10 * time.Minute
	// followEvery is the shortest pause between two changes of a card.
	followEvery = time.Second
	// keepEvery is how often the follower records that it follows the turn.
	keepEvery = 20 * time.Second
	// troublePause is the pause after a platform has refused a card or a change of it.
	troublePause = 5 * time.Second
	// settlePause and settleFor bound the tries to settle the card of a turn that has ended.
	settlePause = time.Minute
	settleFor   = 24 * time.Hour
)

// TurnStore reads the progress of turns.
type TurnStore interface {
	Cards
	TurnProgress(ctx context.Context, turn chat.TurnID) (chat.TurnProgress, error)
	TurnLang(ctx context.Context, turn chat.TurnID) (i18n.Lang, error)
	KeepFollowing(ctx context.Context, turn chat.TurnID) error
	// NoteLine records that the n-th line is about to be sent; false: it was before.
	NoteLine(ctx context.Context, turn chat.TurnID, n int) (bool, error)
	// RestCard records that the turn needs no follower while it waits for its provider.
	RestCard(ctx context.Context, turn chat.TurnID, since time.Time) error
}

// Watch is a snapshot of the activity in a session.
type Watch interface {
	// Woken receives a value after each commit in the session.
	Woken() <-chan struct{}
	// Now returns what the model writes now, nil if nothing, and what commands print.
	Now() (*chat.Delta, []chat.Output)
	Close()
}

// Feed opens watches of sessions.
type Feed interface {
	Watch(key chat.SessionKey) Watch
}

// ProgressPolicy reports whether an account shows the progress of turns.
type ProgressPolicy interface {
	ShowsProgress(ctx context.Context, channel, account string) bool
}

// Follower shows the progress of turns on platforms.
type Follower struct {
	Turns    TurnStore
	Accounts files.Accounts
	Feed     Feed
	Policy   ProgressPolicy
	Signs    channel.Signs
	Every    time.Duration // pause between two changes of a card; 0: a second
}

// FollowInput names the turn.
type FollowInput struct {
	Turn chat.TurnID `json:"turn"`
}

// FollowOutput is why the turn is not followed any more.
type FollowOutput struct {
	Why string `json:"why"`
}

// Follow keeps the card of a turn up to date until the turn has ended or something is to be sent in its session. A turn that has ended without an
// answer leaves no card that shows it as running.
func (f *Follower) Follow(ctx context.Context, in FollowInput) (FollowOutput, error) {
	defer activities.Heartbeat(ctx)()
	s := &followState{Follower: f, turn: in.Turn, every: cmp.Or(f.Every, followEvery), until: time.Now().Add(followFor)}
	why, err := s.run(ctx)
	return FollowOutput{Why: why}, activities.Failure(ctx, err)
}

// GiveUp ends the progress card of a turn after worker processes crashed while showing it. The card stays as it is; the reply is still delivered.
func (f *Follower) GiveUp(ctx context.Context, in FollowInput) (FollowOutput, error) {
	err := f.Turns.EndCard(ctx, in.Turn, chat.CardNone)
	return FollowOutput{Why: "the server crashed twice while it showed the turn"}, activities.Failure(ctx, err)
}

// followState is the state of one Follow.
type followState struct {
	*Follower

	turn  chat.TurnID
	every time.Duration
	until time.Time

	watch Watch
	by    *changer  // how the card is changed; nil: not known yet
	shown string    // the text that the card has; empty: not known
	next  time.Time // when the platform may be asked for something again
	kept  time.Time // when it was noted last that the turn is followed
	sign  string    // newest sign of life of the turn
	heard time.Time // when sign came
}

func (s *followState) run(ctx context.Context) (why string, err error) {
	c, err := s.Turns.TurnProgress(ctx, s.turn)
	if fault.Is(err, fault.NotFound) {
		return "the session was deleted", nil
	}
	if err != nil {
		return "", err
	}
	s.watch = s.Feed.Watch(c.Card.Session)
	defer s.watch.Close()
	for {
		if why, err = s.look(ctx, c); why != "" || err != nil {
			return why, err
		}
		timer := time.NewTimer(s.every)
		select {
		case <-ctx.Done():
		case <-s.watch.Woken():
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if c, err = s.Turns.TurnProgress(ctx, s.turn); fault.Is(err, fault.NotFound) {
			return "the session was deleted", nil
		} else if err != nil {
			return "", err
		}
	}
}

// look does what is to be done now; why is set when the turn is not to be followed any more.
func (s *followState) look(ctx context.Context, c chat.TurnProgress) (why string, err error) {
	now := time.Now()
	switch {
	case !c.Card.State.Open():
		return "there is no card any more", nil
	case c.Waits:
		return "something is to be sent", nil
	case c.Turn.State != chat.TurnRunning:
		return s.settle(ctx, c)
	case now.After(s.until):
		return "another activity goes on", nil
	}
	if now.Sub(s.kept) >= keepEvery {
		if err := s.Turns.KeepFollowing(ctx, s.turn); err != nil {
			return "", err
		}
		s.kept = now
	}
	if now.Before(s.next) {
		return "", nil
	}
	return s.show(ctx, c, now)
}

// show updates the card, lines or hint of the turn, by the features of the platform.
func (s *followState) show(ctx context.Context, c chat.TurnProgress, now time.Time) (why string, err error) {
	account, err := s.Accounts.Account(ctx, c.Card.Channel, c.Card.Account)
	switch {
	case fault.Is(err, fault.NotFound):
		return "there is no such account", endCard(ctx, s.Turns, &c.Card, chat.CardNone)
	case err != nil: // switched off, for now
		s.next = now.Add(troublePause)
		return "", nil
	case !s.Policy.ShowsProgress(ctx, c.Card.Channel, c.Card.Account) && c.Card.State == chat.CardWaiting:
		return "the policy wants none", endCard(ctx, s.Turns, &c.Card, chat.CardNone)
	}
	if editor, can := account.(channel.Editor); can {
		return s.change(ctx, account, editor, c, now)
	}
	if c.Turn.Waits != nil {
		return s.rest(ctx, c)
	}
	return s.hint(ctx, account, c, now)
}

// change sends the card, or changes it if its text differs.
func (s *followState) change(ctx context.Context, account channel.Account, editor channel.Editor, c chat.TurnProgress, now time.Time) (why string, err error) {
	text, err := s.text(ctx, c, now, channel.TraitsAt(account, c.Card.Place))
	switch {
	case err != nil:
		return "", err
	case text == s.shown && c.Turn.Waits != nil:
		return s.rest(ctx, c)
	case text == s.shown:
		return "", nil
	}
	s.next = now.Add(max(s.every, editor.EditEvery()))
	if c.Card.State != chat.CardShown {
		_, streams := account.(channel.Streamer)
		known := c.Card.State == chat.CardWaiting && !streams
		err = placeCard(ctx, s.Turns, account, &c.Card, text)
		switch {
		case err != nil:
			return s.trouble(ctx, err)
		case c.Card.State != chat.CardShown:
			return "there can be no card", nil
		case known:
			s.shown = text
		}
		return "", nil
	}
	if s.by == nil {
		by, err := change(ctx, account, editor, &c.Card)
		if err != nil {
			return s.trouble(ctx, err)
		}
		s.by = &by
	}
	err = s.by.put(ctx, text)
	switch {
	case fault.Is(err, fault.NotFound), fault.Is(err, fault.Denied):
		return "the card cannot be changed any more", withdraw(ctx, s.Turns, account, &c.Card)
	case err == nil, channel.Final(err): // the platform may accept the next text
		s.shown = text
		return "", nil
	}
	return s.trouble(ctx, err)
}

// rest stops following a turn that waits for its provider, as the card shows. The turn is followed again when it continues.
func (s *followState) rest(ctx context.Context, c chat.TurnProgress) (why string, err error) {
	return "the turn waits for its provider", s.Turns.RestCard(ctx, s.turn, c.Turn.Waits.Since)
}

// trouble begins a pause after an error of the platform, as long as the error asks for and at least troublePause. It returns
// an error only if ctx has ended.
func (s *followState) trouble(ctx context.Context, err error) (why string, _ error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	s.next = time.Now().Add(max(troublePause, fault.After(err)))
	return "", nil
}

// settle makes sure that no card shows an ended turn as running: it withdraws the card if there was nothing to say, folds it into a line if the
// answer is a separate message, and else shows on it how the turn ended.
func (s *followState) settle(ctx context.Context, c chat.TurnProgress) (why string, err error) {
	account, err := s.Accounts.Account(ctx, c.Card.Channel, c.Card.Account)
	switch {
	case c.Card.State == chat.CardWaiting || fault.Is(err, fault.NotFound):
		return "the turn has ended", endCard(ctx, s.Turns, &c.Card, chat.CardNone)
	case err == nil:
		err = s.conclude(ctx, account, c)
	}
	switch {
	case err == nil:
		return "the turn has ended", nil
	case ctx.Err() != nil:
		return "", err
	case channel.Final(err) || time.Since(over(c)) > settleFor:
		return "the card stays as it is", endCard(ctx, s.Turns, &c.Card, chat.CardNone)
	}
	return fmt.Sprintf("the card is settled later: %s", fault.KindOf(err)), s.Turns.PutOffCard(ctx, s.turn, max(settlePause, fault.After(err)))
}

// over returns when a turn ended, as far as that is known: one that waited for a user may have begun days before.
func over(c chat.TurnProgress) time.Time {
	if c.Turn.EndedAt != nil {
		return *c.Turn.EndedAt
	}
	return c.Card.Made
}

func (s *followState) conclude(ctx context.Context, account channel.Account, c chat.TurnProgress) error {
	text, err := s.text(ctx, c, time.Now(), channel.TraitsAt(account, c.Card.Place))
	if err != nil {
		return err
	}
	if c.Card.State == chat.CardTried {
		if err := placeCard(ctx, s.Turns, account, &c.Card, text); err != nil || c.Card.State != chat.CardShown {
			return err
		}
	}
	if (c.Turn.State == chat.TurnDone || c.Turn.State == "" || c.Withdrawn) && !c.Answered {
		var err error = fault.Errorf(fault.Denied, "the platform takes nothing back")
		if deleter, can := account.(channel.Deleter); can {
			err = deleter.Delete(ctx, c.Card.Place, c.Card.Message)
		}
		if err == nil || !channel.Final(err) {
			return settled(ctx, s.Turns, &c.Card, err)
		}
	}
	editor, can := account.(channel.Editor)
	if !can {
		return fault.Errorf(fault.Denied, "the platform does not change what was sent")
	}
	by, err := change(ctx, account, editor, &c.Card)
	if err == nil {
		m := channel.Message{Key: c.Card.Nonce + ".p", Text: text, Seq: 1}
		if c.Turn.State == chat.TurnDone && c.Answered {
			if m.Text, m.Folded, err = s.fold(ctx, c); err != nil {
				return err
			}
		}
		err = by.end(ctx, c.Card.Place, m)
	}
	return settled(ctx, s.Turns, &c.Card, err)
}

func settled(ctx context.Context, cards Cards, c *chat.Card, err error) error {
	if err != nil {
		return err
	}
	return endCard(ctx, cards, c, chat.CardSettled)
}
