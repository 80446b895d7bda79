package chat

import "time"

// MaxProfile is how long a profile may be, in characters.
const MaxProfile = 2000

// UserProfile is what a person says of themselves, for the prompts of their own conversations.
type UserProfile struct {
	Content   string    `json:"content" doc:"Name, how to be addressed, what to know: at most 2,000 characters."`
	Timezone  string    `json:"timezone" example:"Europe/Berlin" doc:"IANA name; empty: not said."`
	Revision  int       `json:"revision" doc:"Of the profile as it is; 0: none was written."`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// Deletion is a person who is being deleted with all that they have.
type Deletion struct {
	Name          string
	Conversations int // that there were
	Left          int // of them
	Age           time.Duration
}
