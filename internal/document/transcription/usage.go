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

// UsageRecord is the usage of one transcription.
type UsageRecord struct {
	User    chat.UserID
	Session chat.SessionKey // empty for dictation
	Model   string          // provider/model
	Seconds int64           // of audio; 0: not reported
	Cost    *float64        // USD; nil: not known
}

// Usage books usage.
type Usage interface {
	BookTranscription(ctx context.Context, u UsageRecord) error
}

// usage is the usage of a call as reported by a service.
type usage struct {
	Seconds float64 `json:"seconds"`
	Output  int     `json:"output_tokens"`
	Details struct {
		Text  int `json:"text_tokens"`
		Audio int `json:"audio_tokens"`
	} `json:"input_token_details"`
}

// parseUsage reads the usage of an answer. It returns no usage for an unknown form.
func parseUsage(data json.RawMessage) (out usage) {
	if json.Unmarshal(data, &out) != nil || !(out.Seconds >= 0 && out.Seconds < maxSeconds) || min(out.Output, out.Details.Text, out.Details.Audio) < 0 {
		return usage{}
	}
	return out
}

const (
	maxSeconds = 7 * 24 * 3600 // longer than any file
	bookTime   = 10 * time.Second
	million    = 1e6
)

// price is the price of a model in USD.
type price struct{ second, text, audio, output float64 } // the last three per million tokens

// prices are the prices of OpenAI (developers.openai.com/api/docs/pricing), as of November 2026.
var prices = map[string]price{
	"whisper-1":              {second: 0.0001},
	"gpt-4o-transcribe":      {text: 2.5, audio: 6, output: 10},
	"gpt-4o-mini-transcribe": {text: 1.25, audio: 3, output: 5},
}

// newUsageRecord returns the usage of a call. Only the prices of OpenAI are known.
func newUsageRecord(access toolkey.Access, used usage, user chat.UserID, key chat.SessionKey) UsageRecord {
	model := cmp.Or(access.Model, usualModel)
	host := access.BaseURL
	if u, err := url.Parse(access.BaseURL); err == nil {
		host = u.Hostname()
	}
	out := UsageRecord{User: user, Session: key, Model: host + "/" + model, Seconds: int64(math.Ceil(used.Seconds))}
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

// book books the usage of a call, also if the context is done. If booking fails, the transcript is still returned: it is paid for.
func (t *Transcriber) book(ctx context.Context, u UsageRecord) {
	if t.Usage == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), bookTime)
	defer cancel()
	if err := t.Usage.BookTranscription(ctx, u); err != nil && t.Log != nil {
		t.Log.Warn("cannot book the usage of a transcription", "user", u.User, "model", u.Model, "seconds", u.Seconds, "error", err)
	}
}
