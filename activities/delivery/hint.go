package delivery

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"xbot/internal/channel"
	report "xbot/internal/channel/progress" // this package has a type progress
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Where messages cannot be changed, a turn is shown by "is writing" at first, and then by lines: separate messages, which everyone in the chat reads.
// The first comes when users begin to wonder whether the message arrived. Each comes later than the one before, because it has less news: an hour has
// five of them, a day fifty.
const (
	// typeEvery is how often it is shown that an answer is being written: platforms show that for some seconds.
	typeEvery = 5 * time.Second
	// lineWait bounds the sending of a line: what is to be sent in the session waits for it.
	lineWait = 10 * time.Second
	// lineRepeat is the pause between lines after the last of lineTimes.
	lineRepeat = 30 * time.Minute
)

// lineTimes say how long a turn has run when its first lines are sent.
var lineTimes = []time.Duration{30 * time.Second, 3 * time.Minute, 10 * time.Minute}

// linesAfter returns how many lines a turn may have had that has run for so long.
func linesAfter(ran time.Duration) int {
	for n, at := range lineTimes {
		if ran < at {
			return n
		}
	}
	last := len(lineTimes) - 1
	return len(lineTimes) + int((ran-lineTimes[last])/lineRepeat)
}

// hint shows that a turn is running where messages cannot be changed. Where the platform counts what answers a message, that is "is
// writing" alone, as often as the account permits.
func (s *followState) hint(ctx context.Context, account channel.Account, c chat.TurnProgress, now time.Time) (why string, err error) {
	to := c.Card.Place
	t := channel.TraitsAt(account, to)
	if counted := t.Replies > 0 || t.ReplyWindow > 0; counted && t.Signs >= 0 && mayWrite(t, c) {
		return "", s.write(ctx, account, t, c, now)
	} else if counted || t.Signs < 0 {
		return "the platform shows nothing of the kind", endCard(ctx, s.Turns, &c.Card, chat.CardNone)
	}
	due := linesAfter(now.Sub(c.Turn.StartedAt))
	if due > c.Card.Lines {
		return "", s.line(ctx, account, t, c, now, due)
	}
	typist, can := account.(channel.Typist)
	if due > 0 || !can || to.ChatType != chat.ChatDirect { // groups show no "is writing", and have the reaction
		return "", nil
	}
	s.next = now.Add(typeEvery)
	if channel.MaySign(ctx, s.Signs, c.Card.Channel, c.Card.Account, t) {
		_ = typist.Typing(ctx, to) // the next one may be shown
	}
	return "", nil
}

// mayWrite reports whether "is writing" may be shown again where it counts as an answer. The first one was shown when the message arrived.
func mayWrite(t channel.Traits, c chat.TurnProgress) bool {
	return c.Card.Place.ChatType == chat.ChatDirect && (t.Writing.Times < 0 || c.Card.Lines+1 < t.Writing.Times)
}

// write shows "is writing" again where it counts as an answer: each time is recorded before, as lines are, so that no other process shows it, too.
// While a question to a user is open, it shows nothing.
func (s *followState) write(ctx context.Context, account channel.Account, t channel.Traits, c chat.TurnProgress, now time.Time) error {
	typist, can := account.(channel.Typist)
	due := int(now.Sub(c.Turn.StartedAt) / cmp.Or(t.Writing.Every, typeEvery))
	if !can || due <= c.Card.Lines || report.Line(i18n.English, s.report(c, now), now) == "" {
		return nil
	}
	fresh, err := s.Turns.NoteLine(ctx, s.turn, due)
	if err != nil || !fresh || !channel.MaySign(ctx, s.Signs, c.Card.Channel, c.Card.Account, t) {
		return err
	}
	within, cancel := context.WithTimeout(ctx, lineWait)
	defer cancel()
	_ = typist.Typing(within, c.Card.Place) // the next one may be shown
	return ctx.Err()
}

// line sends the n-th line at most once, even if sending fails. Earlier lines that were not sent are left out.
func (s *followState) line(ctx context.Context, account channel.Account, t channel.Traits, c chat.TurnProgress, now time.Time, n int) error {
	lang, err := s.Turns.TurnLang(ctx, s.turn)
	if err != nil {
		return err
	}
	text := report.Line(lang, s.report(c, now), now)
	if text == "" {
		return nil // a question is sign enough
	}
	within, cancel := context.WithTimeout(ctx, lineWait)
	defer cancel()
	may := channel.MaySign(ctx, s.Signs, c.Card.Channel, c.Card.Account, t)
	if p, paced := account.(channel.Paced); may && paced {
		may = p.Pace(within) == nil
	}
	fresh, err := s.Turns.NoteLine(ctx, s.turn, n)
	if err != nil || !may || !fresh {
		return err
	}
	key := fmt.Sprintf("%s.l%d", c.Card.Nonce, n)
	_, _ = account.Send(within, c.Card.Place, channel.Message{Key: key, Text: text, Follows: true}) // the next one may arrive
	return ctx.Err()
}
