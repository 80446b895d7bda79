// Package consumers holds the tools with which the role memory reads what consumers of an administrator's services wrote. They change nothing, and
// who has them the agent's profile decides. What strangers wrote stands in quotations alone.
package consumers

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/tool"
)

// Bounds of one answer.
const (
	maxListed = 40
	usualRead = 20
	maxRead   = 100
	maxName   = 80 // characters of the name of a service or a person
)

// minutes is how a time is shown.
const minutes = "2006-01-02 15:04"

// Store keeps what consumers wrote (package services of the store). Of services that are not the administrator's nothing is found, nor for
// anybody who is none.
type Store interface {
	ConversationsOfAdmin(ctx context.Context, admin chat.UserID, q service.ListQuery) ([]service.Listed, error)
	// SaidForAdmin returns messages, the oldest first. NotFound: there is no such conversation.
	SaidForAdmin(ctx context.Context, admin chat.UserID, conversation string, q service.SaidQuery) ([]service.TranscriptEntry, error)
	// ItemsOfAdmin lists items of the inbox, the newest first; no status: whichever.
	ItemsOfAdmin(ctx context.Context, admin chat.UserID, status service.ItemStatus, n int) ([]service.Item, error)
}

// Tools returns all of them.
func Tools(store Store, zones tool.Zones) []tool.Tool {
	return []tool.Tool{NewList(store, zones), NewRead(store, zones), NewInbox(store, zones)}
}

// count is how many are wanted: the usual number where the model says none, at most as many as are shown at once.
func count(wanted int) int {
	if wanted <= 0 {
		return usualRead
	}
	return min(wanted, maxRead)
}
