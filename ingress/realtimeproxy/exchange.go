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

// exchange is a spoken message of the user and the answers to it.
type exchange struct {
	id         string // client id of its message
	item       string // id of the item at the service
	transcript string
	known      bool // the transcript is final
	accepted   bool
	answered   bool // at least one response to it has ended
	unrecorded []endedResponse
	step       int // of its turn: the step of the next answer

	calls  []realtime.Call // of the last answer, without results so far
	states map[string]callState
}

// endedResponse is a response that has ended and is not recorded yet.
type endedResponse struct {
	*response

	body realtime.Response
	at   time.Time
}

const (
	untranscribedTime = 8 * time.Second
	// graceTime is the time for the page to report the part of an interrupted answer that was heard.
	graceTime = time.Second
)

// Sentences in place of text that is not known.
const (
	untranscribed = i18n.SpeechUntranscribed
	interrupted   = i18n.SpeechInterrupted
)

// sentence returns a sentence in the language of the user's conversation.
func (s *session) sentence(id i18n.ID) string {
	var text strings.Builder
	for _, x := range s.exchanges {
		text.WriteString(x.transcript)
	}
	return i18n.Say(i18n.LanguageHints{Text: text.String()}.Lang(), id)
}

// addExchange begins an exchange. With push to talk, it also requests the response.
func (s *session) addExchange(item string) error {
	s.lastActive = time.Now()
	if len(s.exchanges) >= maxExchanges {
		return end(CloseLimit, "too many spoken messages wait for answers; connect again")
	}
	x := &exchange{id: realtime.IDPrefix + strings.ToLower(rand.Text()), item: item}
	s.exchanges = append(s.exchanges, x)
	if !s.setup.Manual {
		return nil // the service starts the response
	}
	s.due = append(s.due, x)
	return s.requestNext()
}

// setTranscript sets the transcript of an exchange; empty: the service could not transcribe it.
func (s *session) setTranscript(ctx context.Context, item, transcript string) error {
	for _, x := range s.exchanges {
		if x.item == item && item != "" && !x.known {
			x.transcript, x.known = strings.TrimSpace(realtime.Bounded(transcript, realtime.MaxText)), true
		}
	}
	return s.acceptReady(ctx)
}

// acceptReady accepts the messages of exchanges with a transcript, in the order in which they were spoken, and records their answers. It stops
// waiting for a transcript after Untranscribed.
func (s *session) acceptReady(ctx context.Context) error {
	for _, x := range slices.Clone(s.exchanges) {
		late := len(x.unrecorded) > 0 && time.Since(x.unrecorded[0].at) > cmp.Or(s.Untranscribed, untranscribedTime)
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
	x.transcript, x.known = cmp.Or(x.transcript, s.sentence(untranscribed)), true
	if err := s.Store.Add(ctx, s.conversation.Key, realtimestore.Exchange{ID: x.id, Transcript: x.transcript}); err != nil {
		return err
	}
	_, err := s.Dispatch.Plain(ctx, intake.Message{
		NewRow: engine.NewRow{
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
	for _, f := range x.unrecorded {
		a, heardIn := s.answer(f)
		if a.Finish == "" { // it failed: the conversation's model answers
			s.removeExchange(x)
			return s.Store.Release(ctx, x.id)
		}
		stored, err := s.Store.Record(ctx, x.id, x.step, a, heardIn)
		if err != nil {
			return err
		}
		if !stored {
			s.removeExchange(x)
			return nil
		}
		f.response.step, f.recorded = x.step, true
		x.step++
		if x.calls = a.Calls; len(x.calls) == 0 {
			s.removeExchange(x)
			return nil
		}
	}
	x.unrecorded = nil
	return nil
}

// answer returns a response as an answer of a turn, and the time until its audio has been played. Finish is empty if the response failed.
func (s *session) answer(f endedResponse) (a realtime.Answer, heardIn time.Duration) {
	a = realtime.Answer{Model: s.row.Model, Usage: f.body.Tokens(), Text: cmp.Or(f.body.Text(), strings.TrimSpace(f.text))}
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
	a.Text = s.heardText(f.response, a.Text)
	if a.Text == "" {
		a.Text = s.sentence(interrupted)
	}
	switch {
	case f.cutMS >= 0 || f.began.IsZero():
		return a, 0
	case !whole:
		return a, graceTime
	}
	return a, max(time.Until(f.began.Add(time.Duration(f.audioMS)*time.Millisecond)), 0) + graceTime
}

// removeExchange removes an exchange that has all its answers, or that the conversation's model answers.
func (s *session) removeExchange(x *exchange) {
	is := func(y *exchange) bool { return y == x }
	s.exchanges, s.due = slices.DeleteFunc(s.exchanges, is), slices.DeleteFunc(s.due, is)
	if s.requested == x {
		s.requested = nil
	}
}

// settle stores the part of a response in progress that was heard. If the user has ended voice mode, it releases open exchanges to the
// conversation's model; otherwise the next session may continue them.
func (s *session) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	if r := s.active; r != nil && r.exchange != nil && strings.TrimSpace(r.text) != "" {
		if r.cutMS < 0 {
			r.cutMS = float64(time.Since(r.began).Milliseconds())
		}
		r.exchange.unrecorded = append(r.exchange.unrecorded, endedResponse{r, realtime.Response{ID: r.id, Status: "cancelled"}, time.Time{}})
	}
	for _, x := range slices.Clone(s.exchanges) {
		if err := s.settleExchange(ctx, x); err != nil {
			s.Log.Warn("cannot settle an exchange of a voice session; the model of the conversation answers it", "session", s.conversation.Key, "error", err)
		}
	}
}

func (s *session) settleExchange(ctx context.Context, x *exchange) error {
	if !x.accepted && (x.known || len(x.unrecorded) > 0) {
		if err := s.accept(ctx, x); err != nil {
			return err
		}
	}
	if !x.accepted {
		return nil // without a transcript and an answer
	}
	if err := s.record(ctx, x); err != nil {
		return err
	}
	if s.ended && slices.Contains(s.exchanges, x) {
		return s.Store.Release(ctx, x.id)
	}
	return nil
}
