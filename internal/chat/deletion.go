package chat

import "time"

// Deletion is a person who is being deleted with all that they have.
type Deletion struct {
	Name          string
	Conversations int // that there were
	Left          int // of them
	Age           time.Duration
}
