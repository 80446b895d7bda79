package feishu

import (
	"time"

	"xbot/internal/channel"
)

// Hasten makes the pauses between connections short.
func Hasten(a channel.Account) { a.(*Account).pause = 10 * time.Millisecond }
