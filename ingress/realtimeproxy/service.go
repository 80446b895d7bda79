package realtimeproxy

import (
	"context"
	"slices"
	"time"

	"xbot/internal/realtime"
)

// response is a response of the service.
type response struct {
	id       string
	exchange *exchange // nil: it belongs to no exchange
	items    map[string]bool
	began    time.Time // of its first audio
	audioMS  float64
	text     string
	// cutMS is how much of the audio was heard where the user interrupted it; negative: it was not interrupted.
	cutMS    float64
	step     int // of the turn, once it is recorded
	recorded bool
}

// maxResponses is how many responses can still be interrupted, and maxExchanges how many are open.
const (
	maxResponses = 8
	maxExchanges = 32
)

// fromService handles an event of the service.
func (s *session) fromService(ctx context.Context, f frame) error {
	if f.err != nil {
		return f.err
	}
	e, ok := realtime.Parse(f.data)
	if !ok {
		return nil // a frame of no known form changes nothing
	}
	switch e.Type {
	case realtime.TypeSessionCreated:
		return s.begin(ctx, e)
	case realtime.TypeCommitted:
		if err := s.committed(e.ItemID); err != nil {
			return err
		}
	case realtime.TypeSpeechStarted, realtime.TypeSpeechStopped:
		s.spokeAt = time.Now()
	case realtime.TypeTranscribed:
		if err := s.transcribed(ctx, e.ItemID, e.Transcript); err != nil {
			return err
		}
	case realtime.TypeTranscribeFailed:
		if err := s.transcribed(ctx, e.ItemID, ""); err != nil {
			return err
		}
	case realtime.TypeResponseCreated:
		s.created(e)
	case realtime.TypeAudio, realtime.TypeTranscript, realtime.TypeText:
		s.grow(e)
	case realtime.TypeResponseDone:
		if err := s.done(ctx, e); err != nil {
			return err
		}
	case realtime.TypeError:
		if err := s.failed(ctx, e); err != nil {
			return err
		}
	case realtime.TypeSessionUpdated, realtime.TypeCleared, realtime.TypeTranscribing, realtime.TypeAudioDone, realtime.TypeItemTruncated:
	default:
		return nil // the page needs no other events
	}
	return s.forward(e)
}

// forward sends an event to the page without what it does not need.
func (s *session) forward(e realtime.Event) error {
	e.Session = nil
	if e.Response != nil {
		e.Response = &realtime.Response{ID: e.Response.ID, Status: e.Response.Status}
	}
	if e.Error != nil {
		e.Error = &realtime.Error{Type: e.Error.Type, Code: e.Error.Code, Message: s.safe(realtime.Bounded(e.Error.Message, maxMessage))}
	}
	return s.toPage(e)
}

const maxMessage = 500 // characters of an error of the service

// created notes the response that is in progress, and which exchange it answers.
func (s *session) created(e realtime.Event) {
	if e.Response == nil {
		return
	}
	s.spokeAt = time.Now()
	r := &response{id: e.Response.ID, items: map[string]bool{}, cutMS: -1}
	r.exchange = s.exchangeOf(e.Response.Exchange())
	if r.exchange == s.asked {
		s.asked = nil
	}
	s.active = r
	s.responses = append(s.responses, r)
	if len(s.responses) > maxResponses {
		s.responses = s.responses[1:]
	}
}

// exchangeOf returns the exchange that a new response answers: the one that it names, the one for which it was asked, or else the newest.
func (s *session) exchangeOf(named string) *exchange {
	for _, x := range s.exchanges {
		if named != "" && x.id == named {
			return x
		}
	}
	if s.asked != nil {
		return s.asked
	}
	for _, x := range slices.Backward(s.exchanges) {
		if x.step == 0 && !x.answered {
			return x
		}
	}
	return nil
}

// responseOf returns the response of an event; nil: it is not known.
func (s *session) responseOf(e realtime.Event) *response {
	for _, r := range slices.Backward(s.responses) {
		if e.ResponseID != "" && r.id == e.ResponseID || e.ResponseID == "" && r.items[e.ItemID] {
			return r
		}
	}
	if e.ResponseID == "" {
		return s.active
	}
	return nil
}

// grow adds a piece of audio or of its transcript to a response.
func (s *session) grow(e realtime.Event) {
	r := s.responseOf(e)
	if r == nil {
		return
	}
	if e.ItemID != "" {
		r.items[e.ItemID] = true
	}
	if e.Type == realtime.TypeAudio {
		if r.began.IsZero() {
			r.began = time.Now()
		}
		r.audioMS += realtime.AudioMS(e.Delta)
		return
	}
	if len(r.text) < realtime.MaxText {
		r.text += e.Delta
	}
}

// done ends a response.
func (s *session) done(ctx context.Context, e realtime.Event) error {
	if e.Response == nil {
		return nil
	}
	s.spokeAt = time.Now()
	r := s.responseOf(realtime.Event{ResponseID: e.Response.ID})
	if r == nil {
		return nil
	}
	if s.active == r {
		s.active = nil
	}
	if r.exchange != nil {
		r.exchange.finished = append(r.exchange.finished, finished{r, *e.Response, time.Now()})
		r.exchange.answered = true
	}
	if err := s.acceptReady(ctx); err != nil {
		return err
	}
	return s.next()
}

// failed handles an error of the service.
func (s *session) failed(ctx context.Context, e realtime.Event) error {
	if s.asked == nil || e.Error == nil {
		return nil
	}
	x := s.asked
	s.asked = nil
	if e.Error.Code == realtime.ActiveResponse || s.active != nil {
		s.due = append([]*exchange{x}, s.due...) // it is asked for again after the one in progress
		return nil
	}
	s.forget(x)
	return s.Store.Release(ctx, x.id)
}

// next asks for a response that is due, unless one is in progress.
func (s *session) next() error {
	if s.active != nil || s.asked != nil || len(s.due) == 0 {
		return nil
	}
	s.asked, s.due = s.due[0], s.due[1:]
	return s.toService(realtime.CreateResponse(s.asked.id))
}

// truncate cuts an answer to the part that the user heard, at the service and in the transcript.
func (s *session) truncate(ctx context.Context, e realtime.Event) error {
	r := s.responseOf(realtime.Event{ItemID: e.ItemID})
	if r == nil || e.ItemID == "" || !r.items[e.ItemID] {
		return nil // it was never spoken
	}
	r.cutMS = max(float64(e.AudioEndMS), 0)
	if r.recorded {
		if err := s.Store.Cut(ctx, r.exchange.id, r.step, s.heard(r, r.text)); err != nil {
			return err
		}
	}
	return s.toService(realtime.Truncate(e))
}

// heard returns the part of a text of a response that the user heard.
func (s *session) heard(r *response, text string) string {
	if r.cutMS < 0 {
		return text
	}
	if part := realtime.Heard(text, r.cutMS, r.audioMS); part != "" {
		return part
	}
	return s.say(interrupted)
}
