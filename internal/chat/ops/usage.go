package ops

import "xbot/internal/chat"

// Spent is the usage of one model, as its provider counted it.
type Spent struct {
	Model            string   `json:"model" doc:"provider/model"`
	Calls            int64    `json:"calls"`
	PromptTokens     int64    `json:"prompt_tokens"`
	CachedTokens     int64    `json:"cached_tokens" doc:"Part of prompt_tokens that the provider served from its cache."`
	CompletionTokens int64    `json:"completion_tokens"`
	Cost             *float64 `json:"cost,omitempty" doc:"In the currency of the answer. Missing where no price is set for the model."`
}

// TurnSpent is the usage of a turn.
type TurnSpent struct {
	Spent   []Spent // by model
	Message int64   // id of its newest answer; 0: it has none
	User    chat.UserID
	// Untitled reports that a model may title the conversation, and its user wants it.
	Untitled bool
}

// Tokens returns the number of tokens read and written.
func (s Spent) Tokens() int64 { return s.PromptTokens + s.CompletionTokens }

// MediaSpent is the usage of one model for pictures, sound or video.
type MediaSpent struct {
	Kind  string   `json:"kind" enum:"image,speech,video,transcription,realtime"`
	Model string   `json:"model" doc:"provider/model"`
	Calls int64    `json:"calls"`
	Units int64    `json:"units" doc:"Pictures, characters of speech, or seconds of video, transcription and realtime voice."`
	Cost  *float64 `json:"cost,omitempty" doc:"In the currency of the answer, of the calls whose price is known. Missing where none is."`
}

// MediaDay is the media of one model in one day.
type MediaDay struct {
	Day string `json:"day" doc:"UTC, as 2026-11-21."`
	MediaSpent
}

// SpentDay is the usage of one model in one day.
type SpentDay struct {
	Day string `json:"day" doc:"UTC, as 2026-11-21."`
	Spent
}

// SpentSession is the usage of one model in one session.
type SpentSession struct {
	Key     chat.SessionKey `json:"key"`
	Title   string          `json:"title"`
	Deleted bool            `json:"deleted,omitempty" doc:"The session is gone; what it used stays in the sums."`
	Spent
}
