package tracing

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"xbot/internal/fault"
	"xbot/internal/tracing/spans"
	"xbot/internal/tracing/tracestore"
)

// score is a score of Langfuse's API (POST /api/public/scores).
type score struct {
	ID            string `json:"id"`
	TraceID       string `json:"traceId"`
	ObservationID string `json:"observationId"`
	Name          string `json:"name"`
	Value         int    `json:"value"`
	DataType      string `json:"dataType"`
	Comment       string `json:"comment,omitempty"`
}

// scoreName is the name of the scores that ratings become.
const scoreName = "user-feedback"

// sendScore writes the score of a rating, or removes it if the rating was removed.
func (e *Exporter) sendScore(ctx context.Context, t target, x tracestore.Export) error {
	if t.name != Langfuse {
		return nil // no other target has scores
	}
	id := spans.ScoreID(x.Message, x.User)
	r, ok, err := e.Rows.Rating(ctx, x.Message, x.User)
	if err != nil {
		return local{err}
	}
	if !ok {
		_, err := request(ctx, t, http.MethodDelete, t.base+"/scores/"+url.PathEscape(id), "", nil)
		if fault.Is(err, fault.Invalid) { // it never arrived
			return nil
		}
		return err
	}
	s := score{
		ID: id, TraceID: spans.TraceHex(r.Turn, r.Tree), ObservationID: spans.StepHex(r.Turn, r.Step), Name: scoreName, DataType: "BOOLEAN",
	}
	if r.Helpful {
		s.Value = 1
	}
	if t.content {
		mask, err := e.mask(ctx, r.Session)
		if err != nil {
			return local{err}
		}
		s.Comment = spans.Cut(mask(r.Comment))
	}
	body, err := json.Marshal(s)
	if err != nil {
		return refusal{errors.New("the rating cannot be encoded")}
	}
	_, err = request(ctx, t, http.MethodPost, t.base+"/scores", "application/json", body)
	return err
}
