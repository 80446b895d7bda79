package consumer

import "xbot/internal/service"

// Followers is how many readers follow a conversation.
func (a *API) Followers(c service.Conversation) int {
	a.followers.mu.Lock()
	defer a.followers.mu.Unlock()
	return a.followers.count[c.ID]
}
