// Package consumers holds the tools with which the role memory reads what consumers of an administrator's services wrote. They change nothing, and
// the agent's profile decides who has them. Texts of consumers are only in quotations.
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
	maxName   = 80 // characters of the name of a service or a consumer
)

// minutes is the format of times.
const minutes = "2006-01-02 15:04"

// Store reads the conversations of consumers (package servicestore). It finds nothing of services of other administrators, and nothing for
// users who are no administrators.
type Store interface {
	ConversationsOfAdmin(ctx context.Context, admin chat.UserID, q service.ListQuery) ([]service.Listed, error)
	// AdminTranscript returns messages, the oldest first. It returns NotFound if there is no such conversation.
	AdminTranscript(ctx context.Context, admin chat.UserID, conversation string, q service.TranscriptQuery) ([]service.TranscriptEntry, error)
	// ItemsOfAdmin lists items of the inbox, the newest first; no status: whichever.
	ItemsOfAdmin(ctx context.Context, admin chat.UserID, status service.ItemStatus, n int) ([]service.Item, error)
}

// Tools returns all of them.
func Tools(store Store, zones tool.Zones) []tool.Tool {
	return []tool.Tool{NewList(store, zones), NewRead(store, zones), NewInbox(store, zones)}
}

// count returns how many are wanted: the usual number if the model gives none, at most as many as are shown at once.
func count(wanted int) int {
	if wanted <= 0 {
		return usualRead
	}
	return min(wanted, maxRead)
}
