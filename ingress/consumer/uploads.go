package consumer

import (
	"time"

	"xbot/ingress/largebody"
	"xbot/internal/fault"
)

const (
	// uploadsOfKey bounds how many uploads of a key are under way in this process.
	uploadsOfKey = 4
	// uploadTime is how long one upload may take, however steadily it comes.
	uploadTime = 10 * time.Minute
)

// errLate is the error of an upload that took too long.
var errLate = fault.Errorf(fault.Invalid, "the upload took longer than %d minutes: send fewer or smaller files at once", int(uploadTime.Minutes()))

// uploads limits concurrent uploads, by key.
type uploads struct {
	largebody.Uploads[string]

	time time.Duration // for one upload
}

func newUploads() *uploads { return &uploads{time: uploadTime} }
