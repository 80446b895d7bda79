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
	exchange *exchange // nil: none
	items    map[string]bool
	began    time.Time // of its first audio
	audioMS  float64
	text     string
	// cutMS is the length of the audio that was heard before the interruption; negative: no interruption.
	cutMS    float64
	step     int // of the turn; valid if recorded
	recorded bool
}

// maxResponses is the maximum number of responses that can still be interrupted, maxExchanges that of open exchanges.
const (
	maxResponses = 8
	maxExchanges = 32
)

// handleService handles an event of the service.
func (s *session) handleService(ctx context.Context, f frame) error {
	if f.err != nil {
		return f.err
	}
	e, ok := realtime.Parse(f.data)
	if !ok {
		return nil // unknown frames are ignored
	}
	switch e.Type {
	case realtime.TypeSessionCreated:
		return s.begin(ctx, e)
	case realtime.TypeCommitted:
		if err := s.addExchange(e.ItemID); err != nil {
			return err
		}
	case realtime.TypeSpeechStarted, realtime.TypeSpeechStopped:
		s.lastActive = time.Now()
	case realtime.TypeTranscribed:
		if err := s.setTranscript(ctx, e.ItemID, e.Transcript); err != nil {
			return err
		}
	case realtime.TypeTranscribeFailed:
		if err := s.setTranscript(ctx, e.ItemID, ""); err != nil {
			return err
		}
	case realtime.TypeResponseCreated:
		s.beginResponse(e)
	case realtime.TypeAudio, realtime.TypeTranscript, realtime.TypeText:
		s.addDelta(e)
	case realtime.TypeResponseDone:
		if err := s.endResponse(ctx, e); err != nil {
			return err
		}
	case realtime.TypeError:
		if err := s.handleError(ctx, e); err != nil {
			return err
		}
	case realtime.TypeSessionUpdated, realtime.TypeCleared, realtime.TypeTranscribing, realtime.TypeAudioDone, realtime.TypeItemTruncated:
	default:
		return nil // the page needs no other events
	}
	return s.forward(e)
}

// forward sends an event to the page without settings and output.
func (s *session) forward(e realtime.Event) error {
	e.Session = nil
	if e.Response != nil {
		e.Response = &realtime.Response{ID: e.Response.ID, Status: e.Response.Status}
	}
	if e.Error != nil {
		e.Error = &realtime.Error{Type: e.Error.Type, Code: e.Error.Code, Message: realtime.Bounded(s.redact(e.Error.Message), maxMessage)}
	}
	return s.toPage(e)
}

const maxMessage = 500 // characters of an error of the service

// beginResponse notes the response in progress and the exchange that it answers.
func (s *session) beginResponse(e realtime.Event) {
	if e.Response == nil {
		return
	}
	s.lastActive = time.Now()
	r := &response{id: e.Response.ID, items: map[string]bool{}, cutMS: -1}
	r.exchange = s.exchangeOf(e.Response.Exchange())
	if r.exchange == s.requested {
		s.requested = nil
	}
	s.active = r
	s.responses = append(s.responses, r)
	if len(s.responses) > maxResponses {
		s.responses = s.responses[1:]
	}
}

// exchangeOf returns the exchange that a new response answers: the named one, else the requested one, else the newest without an answer.
func (s *session) exchangeOf(named string) *exchange {
	for _, x := range s.exchanges {
		if named != "" && x.id == named {
			return x
		}
	}
	if s.requested != nil {
		return s.requested
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

// addDelta adds a piece of audio or of its transcript to a response.
func (s *session) addDelta(e realtime.Event) {
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

// endResponse ends a response.
func (s *session) endResponse(ctx context.Context, e realtime.Event) error {
	if e.Response == nil {
		return nil
	}
	s.lastActive = time.Now()
	r := s.responseOf(realtime.Event{ResponseID: e.Response.ID})
	if r == nil {
		return nil
	}
	if s.active == r {
		s.active = nil
	}
	if r.exchange != nil {
		r.exchange.unrecorded = append(r.exchange.unrecorded, endedResponse{r, *e.Response, time.Now()})
		r.exchange.answered = true
	}
	if err := s.acceptReady(ctx); err != nil {
		return err
	}
	return s.requestNext()
}

// handleError handles an error of the service.
func (s *session) handleError(ctx context.Context, e realtime.Event) error {
	if s.requested == nil || e.Error == nil {
		return nil
	}
	x := s.requested
	s.requested = nil
	if e.Error.Code == realtime.ActiveResponse || s.active != nil {
		s.due = append([]*exchange{x}, s.due...) // requested again after the response in progress
		return nil
	}
	s.removeExchange(x)
	return s.Store.Release(ctx, x.id)
}

// requestNext requests a response that is due, unless one is in progress.
func (s *session) requestNext() error {
	if s.active != nil || s.requested != nil || len(s.due) == 0 {
		return nil
	}
	s.requested, s.due = s.due[0], s.due[1:]
	return s.toService(realtime.CreateResponse(s.requested.id))
}

// truncate cuts an answer to the part that the user heard, at the service and in the transcript.
func (s *session) truncate(ctx context.Context, e realtime.Event) error {
	r := s.responseOf(realtime.Event{ItemID: e.ItemID})
	if r == nil || e.ItemID == "" || !r.items[e.ItemID] {
		return nil // it was never spoken
	}
	r.cutMS = max(float64(e.AudioEndMS), 0)
	if r.recorded {
		if err := s.Store.Cut(ctx, r.exchange.id, r.step, s.heardText(r, r.text)); err != nil {
			return err
		}
	}
	return s.toService(realtime.Truncate(e))
}

// heardText returns the part of a text of a response that the user heard.
func (s *session) heardText(r *response, text string) string {
	if r.cutMS < 0 {
		return text
	}
	if part := realtime.HeardPart(text, r.cutMS, r.audioMS); part != "" {
		return part
	}
	return s.sentence(interrupted)
}
