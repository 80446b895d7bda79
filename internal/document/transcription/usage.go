package transcription

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
)

// Spent is the use of a transcription.
type Spent struct {
	User    chat.UserID
	Session chat.SessionKey // empty: no conversation, as for dictation
	Model   string          // provider/model
	Seconds int64           // of sound; 0: the service reported none
	Cost    *float64        // USD; nil: not known
}

// Usage books what was spent.
type Usage interface {
	BookTranscription(ctx context.Context, s Spent) error
}

// usage is what a service reports of a call.
type usage struct {
	Seconds float64 `json:"seconds"`
	Output  int     `json:"output_tokens"`
	Details struct {
		Text  int `json:"text_tokens"`
		Audio int `json:"audio_tokens"`
	} `json:"input_token_details"`
}

// usageIn reads the usage of an answer. One of another form counts as none.
func usageIn(data json.RawMessage) (out usage) {
	if json.Unmarshal(data, &out) != nil || !(out.Seconds >= 0 && out.Seconds < maxSeconds) || min(out.Output, out.Details.Text, out.Details.Audio) < 0 {
		return usage{}
	}
	return out
}

const (
	maxSeconds = 7 * 24 * 3600 // more is no duration of a file
	bookTime   = 10 * time.Second
	million    = 1e6
)

// price is what OpenAI charges for a model, in USD.
type price struct{ second, text, audio, output float64 } // the last three for a million tokens

// prices are those of developers.openai.com/api/docs/pricing, as of November 2026.
var prices = map[string]price{
	"whisper-1":              {second: 0.0001},
	"gpt-4o-transcribe":      {text: 2.5, audio: 6, output: 10},
	"gpt-4o-mini-transcribe": {text: 1.25, audio: 3, output: 5},
}

// spentOn returns the use of a call. Only the prices of OpenAI are known.
func spentOn(access toolkey.Access, used usage, user chat.UserID, key chat.SessionKey) Spent {
	model := cmp.Or(access.Model, usualModel)
	host := access.BaseURL
	if u, err := url.Parse(access.BaseURL); err == nil {
		host = u.Hostname()
	}
	out := Spent{User: user, Session: key, Model: host + "/" + model, Seconds: int64(math.Ceil(used.Seconds))}
	if host != "api.openai.com" {
		return out
	}
	out.Model = "openai/" + model
	p, known := prices[strings.TrimSpace(model)]
	switch {
	case !known, used == (usage{}):
	case p.second > 0:
		out.Cost = new(used.Seconds * p.second)
	default:
		out.Cost = new((float64(used.Details.Text)*p.text + float64(used.Details.Audio)*p.audio + float64(used.Output)*p.output) / million)
	}
	return out
}

// book books a use, also when the caller stops waiting at this moment. A transcript that was paid for is not withheld because its usage could
// not be booked.
func (t *Transcriber) book(ctx context.Context, s Spent) {
	if t.Usage == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), bookTime)
	defer cancel()
	if err := t.Usage.BookTranscription(ctx, s); err != nil && t.Log != nil {
		t.Log.Warn("the usage of a transcription was not booked", "user", s.User, "model", s.Model, "seconds", s.Seconds, "error", err)
	}
}
