package consumer

import (
	"time"

	"xbot/internal/service"
)

// UploadTime bounds uploads from now on, instead of minutes.
func (a *API) UploadTime(most time.Duration) { a.uploads.time = most }

// Followers is how many readers follow a conversation.
func (a *API) Followers(c service.Conversation) int {
	a.followers.mu.Lock()
	defer a.followers.mu.Unlock()
	return a.followers.count[c.ID]
}

// Uploads is how many uploads of a key are under way.
func (a *API) Uploads(key string) int {
	return a.uploads.UnderWay(key)
}
