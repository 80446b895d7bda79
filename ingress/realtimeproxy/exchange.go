package realtimeproxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/realtime"
	"xbot/internal/realtime/realtimestore"
	"xbot/internal/turn/engine"
)

// exchange is a piece of speech of the user, and the answers to it.
type exchange struct {
	id         string // the client id of its message
	item       string // the service's
	transcript string
	known      bool // the transcript is final
	accepted   bool
	answered   bool // a response to it has ended
	finished   []finished
	step       int // of the turn that answers it: the next answer's

	calls  []realtime.Call // of the last answer, whose results are awaited; empty: none are
	states map[string]callState
}

// finished is a response that has ended and is not recorded yet.
type finished struct {
	*response

	body realtime.Response
	at   time.Time
}

const (
	untranscribedTime = 8 * time.Second
	// graceTime is how long the page has to send how much it heard of what was interrupted.
	graceTime = time.Second
)

// The sentences in place of what is not known.
const (
	untranscribed = i18n.SpeechUntranscribed
	interrupted   = i18n.SpeechInterrupted
)

// say returns a sentence in the language of the user's conversation.
func (s *session) say(id i18n.ID) string {
	var text strings.Builder
	for _, x := range s.exchanges {
		text.WriteString(x.transcript)
	}
	return i18n.Say(i18n.LanguageHints{Text: text.String()}.Lang(), id)
}

// committed begins an exchange. With push to talk, it is due for a response.
func (s *session) committed(item string) error {
	s.spokeAt = time.Now()
	if len(s.exchanges) >= maxExchanges {
		return end(CloseLimit, "too much was said at once; connect again")
	}
	x := &exchange{id: realtime.IDPrefix + strings.ToLower(rand.Text()), item: item}
	s.exchanges = append(s.exchanges, x)
	if !s.setup.Manual {
		return nil // the service begins the response
	}
	s.due = append(s.due, x)
	return s.next()
}

// transcribed sets the transcript of an exchange; empty: the service could not transcribe it.
func (s *session) transcribed(ctx context.Context, item, transcript string) error {
	for _, x := range s.exchanges {
		if x.item == item && item != "" && !x.known {
			x.transcript, x.known = strings.TrimSpace(realtime.Bounded(transcript, realtime.MaxText)), true
		}
	}
	return s.acceptReady(ctx)
}

// acceptReady accepts the messages of exchanges whose words are known, in the order in which they were spoken, and records the answers that
// have come before. Words that do not come are given up.
func (s *session) acceptReady(ctx context.Context) error {
	for _, x := range slices.Clone(s.exchanges) {
		late := len(x.finished) > 0 && time.Since(x.finished[0].at) > cmp.Or(s.Untranscribed, untranscribedTime)
		if !x.accepted && !x.known && !late {
			return nil
		}
		if !x.accepted {
			if err := s.accept(ctx, x); err != nil {
				return err
			}
		}
		if err := s.record(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// accept commits the transcript of an exchange as a message of the conversation. The turn of the message waits for the answers.
func (s *session) accept(ctx context.Context, x *exchange) error {
	x.transcript, x.known = cmp.Or(x.transcript, s.say(untranscribed)), true
	if err := s.Store.Add(ctx, s.conversation.Key, realtimestore.Exchange{ID: x.id, Transcript: x.transcript}); err != nil {
		return err
	}
	_, err := s.Dispatch.Plain(ctx, intake.Inbound{
		Inbound: engine.Inbound{
			Session: s.conversation.Key, User: s.user.ID, Channel: s.conversation.Channel, PlatformID: x.id, Text: x.transcript, Queue: s.conversation.Queue,
			Options: chat.Options{Spoken: x.id},
		},
		UserName: s.user.Name, ChatType: s.conversation.ChatType,
	})
	x.accepted = err == nil
	return err
}

// record stores the answers to an exchange that was accepted.
func (s *session) record(ctx context.Context, x *exchange) error {
	for _, f := range x.finished {
		a, heardIn := s.answer(f)
		if a.Finish == "" { // it failed: the conversation's model answers
			s.forget(x)
			return s.Store.Release(ctx, x.id)
		}
		kept, err := s.Store.Record(ctx, x.id, x.step, a, heardIn)
		if err != nil {
			return err
		}
		if !kept {
			s.forget(x)
			return nil
		}
		f.response.step, f.recorded = x.step, true
		x.step++
		if x.calls = a.Calls; len(x.calls) == 0 {
			s.forget(x)
			return nil
		}
	}
	x.finished = nil
	return nil
}

// answer returns a response as a turn keeps it, and how long it is still being heard. Finish is empty for one that failed.
func (s *session) answer(f finished) (a realtime.Answer, heardIn time.Duration) {
	a = realtime.Answer{Model: s.row.Model, Usage: f.body.Tokens(), Text: cmp.Or(f.body.Spoken(), strings.TrimSpace(f.text))}
	f.response.text = a.Text
	whole := f.body.Status == "completed" || f.body.Status == ""
	if whole {
		a.Calls = f.body.Calls()
	}
	switch {
	case len(a.Calls) > 0:
		a.Finish = string(llm.FinishToolCalls)
		return a, 0
	case f.body.Status == "failed" && a.Text == "":
		return a, 0
	case f.body.Status == "incomplete":
		a.Finish = string(llm.FinishLength)
	default:
		a.Finish = string(llm.FinishStop)
	}
	a.Text = s.heard(f.response, a.Text)
	if a.Text == "" {
		a.Text = s.say(interrupted)
	}
	switch {
	case f.cutMS >= 0 || f.began.IsZero():
		return a, 0
	case !whole:
		return a, graceTime
	}
	return a, max(time.Until(f.began.Add(time.Duration(f.audioMS)*time.Millisecond)), 0) + graceTime
}

// forget removes an exchange whose answers are complete, or given to the conversation's model.
func (s *session) forget(x *exchange) {
	is := func(y *exchange) bool { return y == x }
	s.exchanges, s.due = slices.DeleteFunc(s.exchanges, is), slices.DeleteFunc(s.due, is)
	if s.asked == x {
		s.asked = nil
	}
}

// settle ends a session: what was heard of a response in progress is kept. Where the user has ended voice mode, the conversation's model answers
// what is left; otherwise the next session may.
func (s *session) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	if r := s.active; r != nil && r.exchange != nil && strings.TrimSpace(r.text) != "" {
		if r.cutMS < 0 {
			r.cutMS = float64(time.Since(r.began).Milliseconds())
		}
		r.exchange.finished = append(r.exchange.finished, finished{r, realtime.Response{ID: r.id, Status: "cancelled"}, time.Time{}})
	}
	for _, x := range slices.Clone(s.exchanges) {
		if err := s.settleExchange(ctx, x); err != nil {
			s.Log.Warn("an exchange of a voice session was not settled; its turn continues without it", "session", s.conversation.Key, "error", err)
		}
	}
}

func (s *session) settleExchange(ctx context.Context, x *exchange) error {
	if !x.accepted && (x.known || len(x.finished) > 0) {
		if err := s.accept(ctx, x); err != nil {
			return err
		}
	}
	if !x.accepted {
		return nil // nothing is known of it
	}
	if err := s.record(ctx, x); err != nil {
		return err
	}
	if s.ended && slices.Contains(s.exchanges, x) {
		return s.Store.Release(ctx, x.id)
	}
	return nil
}
