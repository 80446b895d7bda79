// Package livefeed is the feed as activities use it: they publish progress there, and watch sessions.
package livefeed

import (
	"xbot/activities"
	"xbot/activities/delivery"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/feed"
)

// Feed is that of one process.
type Feed struct{ Bus *feed.Bus }

// OpenStream publishes the progress of one attempt of a step.
func (f Feed) OpenStream(step chat.Step, attempt int) turn.Stream {
	return f.Bus.NewStream(step.Session, step.Turn, step.N, attempt)
}

// OpenOutput shows the output of a call.
func (f Feed) OpenOutput(c chat.Call) activities.Output {
	return f.Bus.NewTail(c.Session, c.Turn, c.ID)
}

// OpenTaskOutput shows the output of a background task, from an offset on.
func (f Feed) OpenTaskOutput(t chat.TaskRun, offset int64) activities.Output {
	return f.Bus.NewTaskTail(t.Session, t.Task, t.Turn, offset)
}

// ShowDoing shows the activity of a step, a chat.Doing* or nothing any more.
func (f Feed) ShowDoing(step chat.Step, what string) {
	f.Bus.PublishDelta(step.Session, chat.Delta{Turn: step.Turn, Step: step.N, Doing: what})
}

// Watch looks at a session.
func (f Feed) Watch(key chat.SessionKey) delivery.Watch { return f.Bus.Subscribe(key) }
