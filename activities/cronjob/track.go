package cronjob

import (
	"context"
	"time"

	"xbot/activities"
	"xbot/internal/chat"
)

// TrackStore keeps the line of the runs of services' jobs.
type TrackStore interface {
	// AdvanceTrack moves it: places is the maximum number of active runs, most how long one may take.
	AdvanceTrack(ctx context.Context, places int, most time.Duration) (chat.Tracked, error)
}

// Track moves the line of the runs of services' jobs.
type Track struct {
	Runs TrackStore
	Copy bool // another installation has these jobs: nothing is begun here
}

// AdvanceTrackInput is empty: there is one line.
type AdvanceTrackInput struct{}

// AdvanceTrackOutput is the state of the line.
type AdvanceTrackOutput struct {
	Posted  int           `json:"posted,omitempty"`  // runs that have a place
	Added   int           `json:"added,omitempty"`   // runs that were written into the line, for operators
	Waiting bool          `json:"waiting,omitempty"` // there are more
	Wait    time.Duration `json:"wait,omitempty"`    // until it is to be looked at again; 0: at once
}

// AdvanceTrack moves the line once. Run again, it finds what it did.
func (t *Track) AdvanceTrack(ctx context.Context, _ AdvanceTrackInput) (AdvanceTrackOutput, error) {
	if t.Copy {
		return AdvanceTrackOutput{}, nil
	}
	now, err := t.Runs.AdvanceTrack(ctx, chat.TrackPlaces, chat.TrackRunTime)
	if err != nil {
		return AdvanceTrackOutput{}, activities.Failure(ctx, err)
	}
	return AdvanceTrackOutput{Posted: now.Posted, Added: now.Added, Waiting: now.Waiting, Wait: now.Wait}, nil
}
