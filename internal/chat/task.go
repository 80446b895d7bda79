package chat

import "time"

// TaskState is how far a background task has come.
type TaskState string

// The states: those of a command (DESIGN §6).
const (
	TaskRunning  TaskState = "running"
	TaskExited   TaskState = "exited"
	TaskKilled   TaskState = "killed"
	TaskTimedOut TaskState = "timed_out" // it reached its ceiling of 24 h
	TaskLost     TaskState = "lost"      // nobody can know how it ended
)

// Task is a command that goes on in the background of a session (spec/001 §7.3).
type Task struct {
	ID        string     `json:"id" doc:"Short id within the session: bg1, bg2 ..." example:"bg1"`
	Call      CallID     `json:"call_id" doc:"Tool call that started it."`
	Command   string     `json:"command"`
	Runner    string     `json:"runner"`
	State     TaskState  `json:"state" enum:"running,exited,killed,timed_out,lost"`
	Code      int        `json:"code" doc:"Exit status once it has exited."`
	Total     int64      `json:"total" doc:"Bytes written in all, known at the end."`
	Output    string     `json:"output,omitempty" doc:"Head and tail of what it wrote, at most 50 kB, once it has ended."`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
}
