package pg

import "xbot/internal/chat"

// Texts are the keys as Postgres takes a list of them.
func Texts(keys []chat.SessionKey) []string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = string(key)
	}
	return out
}
