package realtimeproxy

import (
	"context"
	"time"

	"xbot/internal/realtime"
	"xbot/internal/realtime/realtimestore"
)

// progressEvery is the interval of progress events of a running call.
const progressEvery = 5 * time.Second

// maxPreview is the maximum length of the preview of a result, in characters.
const maxPreview = 200

// ToolCall is the event that reports a tool call to the page.
type ToolCall struct {
	Type          string  `json:"type"` // s2s.tool_call
	CallID        string  `json:"call_id"`
	ToolName      string  `json:"tool_name"`
	Status        string  `json:"status"`            // running, done
	Elapsed       float64 `json:"elapsed,omitempty"` // seconds
	ResultPreview string  `json:"result_preview,omitempty"`
}

// callState is the last state of a call that was sent to the page.
type callState struct {
	status string
	at     time.Time
}

// sendResults sends the results of calls to the service once all calls of an answer have ended.
func (s *session) sendResults(ctx context.Context) error {
	for _, x := range append([]*exchange{}, s.exchanges...) {
		if len(x.calls) == 0 {
			continue
		}
		if err := s.sendResultsOf(ctx, x); err != nil {
			return err
		}
	}
	return s.requestNext()
}

func (s *session) sendResultsOf(ctx context.Context, x *exchange) error {
	calls, err := s.Store.Calls(ctx, s.conversation.Key, x.id, x.step-1)
	if err != nil {
		return err
	}
	ended := false
	if len(calls) == 0 {
		if ended, err = s.Store.TurnEnded(ctx, s.conversation.Key, x.id); err != nil || !ended {
			return err
		}
	}
	byID := map[string]realtimestore.Call{}
	done := true
	for _, c := range calls {
		byID[c.ProviderID] = c
		done, ended = done && c.Done, ended || c.TurnEnded
		if err := s.showCall(x, c); err != nil {
			return err
		}
	}
	if !done && !ended {
		return nil
	}
	for _, c := range x.calls {
		if err := s.toService(realtime.ResultItem(c.ID, resultOf(byID[c.ID]))); err != nil {
			return err
		}
	}
	x.calls, x.states = nil, nil
	if ended { // the turn was stopped: there is no step for an answer
		s.removeExchange(x)
		return s.Store.Release(ctx, x.id)
	}
	s.due = append(s.due, x)
	return nil
}

func resultOf(c realtimestore.Call) string {
	switch {
	case !c.Done:
		return "The call was stopped and has no result."
	case c.Result == "":
		return "(no output)"
	}
	return c.Result
}

// showCall sends the state of a call to the page: at its start, every progressEvery, and at its end.
func (s *session) showCall(x *exchange, c realtimestore.Call) error {
	e := ToolCall{Type: realtime.TypeToolCall, CallID: string(c.ID), ToolName: c.Name, Status: "running", Elapsed: c.Elapsed.Round(100 * time.Millisecond).Seconds()}
	if c.Done {
		e.Status, e.ResultPreview = "done", realtime.Bounded(c.Result, maxPreview)
	}
	known := x.states[e.CallID]
	if known.status == e.Status && (c.Done || time.Since(known.at) < progressEvery) {
		return nil
	}
	if x.states == nil {
		x.states = map[string]callState{}
	}
	x.states[e.CallID] = callState{e.Status, time.Now()}
	s.lastActive = time.Now()
	return s.toPage(e)
}
