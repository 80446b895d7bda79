package activities

import "xbot/internal/chat"

// ObeyInput names the turn that has claimed a command which changes its session.
type ObeyInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
}
