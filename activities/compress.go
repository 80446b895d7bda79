package activities

import "xbot/internal/chat"

// CompressInput asks for a compression of a session's context.
type CompressInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	Step    int             `json:"step"`
	N       int             `json:"n,omitempty"` // counts the compressions of the step, from 0: a repeated activity finds its own
	Trigger string          `json:"trigger"`     // one of chat.Trigger*
}

// CompressOutput says what came of it; the summary is in Postgres.
type CompressOutput struct {
	Before int    `json:"before,omitempty"` // tokens of a request, estimated
	After  int    `json:"after,omitempty"`
	Method string `json:"method,omitempty"` // how the summary was made; empty: there was nothing to compress
}
