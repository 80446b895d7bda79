package pg

import "xbot/internal/chat"

// Texts returns the keys as a list parameter for Postgres.
func Texts(keys []chat.SessionKey) []string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = string(key)
	}
	return out
}
