package media

import (
	"context"
	"io"
	"time"

	"xbot/internal/chat"
)

// State is the state of a generation.
type State string

// The states.
const (
	Starting State = "starting"
	Started  State = "started"
	Received State = "received"
	Stored   State = "stored"
	Failed   State = "failed"
	Unknown  State = "unknown"
)

// Generation is the row of a generation.
type Generation struct {
	Call     chat.CallID
	Session  chat.SessionKey
	User     chat.UserID
	Service  string // of a consumer
	Key      string // of the service
	Kind     Kind
	Provider string
	BaseURL  string
	Model    string
	Units    int64
	State    State
	Job      string
	Links    []string
	Files    []StagedFile
	Problem  string
	Alive    bool // the process that sends the request was alive a moment ago
	Cost     *float64
	Created  time.Time
}

// StagedFile is a file of a generation.
type StagedFile struct {
	MediaType string `json:"type"`
	Size      int64  `json:"size"`
}

// Booking is the usage of a generation. Cost is in USD; nil: no price is known.
type Booking struct {
	Units int64
	Cost  *float64
}

// Quota bounds what is generated of one kind in a day of UTC; 0: there is no such bound.
type Quota struct {
	Units   int64 // of a user; of a consumer: of their key
	Running int   // generations at once of a user, or of a key
}

// Rows stores generations.
type Rows interface {
	// Begin adds a generation in the state Starting. added is false if the call has one already, which is returned. A quota that is used up
	// is RateLimited, with a sentence that names it.
	Begin(ctx context.Context, g Generation, q Quota) (now Generation, added bool, err error)
	// Get returns the generation of a call. NotFound: it has none.
	Get(ctx context.Context, call chat.CallID) (Generation, error)
	// KeepAlive records that the process that sends a request is alive.
	KeepAlive(ctx context.Context, call chat.CallID) error
	// Start records the job or the links of an accepted request. A booking is added to the usage once; nil: nothing is paid yet.
	Start(ctx context.Context, call chat.CallID, job string, links []string, b *Booking) error
	// Receive records that the files are staged, and books the usage unless it was booked.
	Receive(ctx context.Context, call chat.CallID, files []StagedFile, b *Booking) error
	// End records the end without files: Failed or Unknown.
	End(ctx context.Context, call chat.CallID, state State, problem string) error
	// Store records that the conversation has the files, and removes the staged ones.
	Store(ctx context.Context, call chat.CallID) error
}

// Staging holds generated files until the conversation has them. Files are numbered from 0. It is safe for concurrent use.
type Staging interface {
	// Put stores a file from its beginning, in the place of one that was stored before, and returns its size. An error of from is returned
	// unchanged; what was stored by then is no file.
	Put(ctx context.Context, call chat.CallID, file int, from io.Reader) (int64, error)
	// Open returns a file. It can be read again from its beginning with Seek.
	Open(ctx context.Context, call chat.CallID, file int, size int64) io.ReadSeeker
}
