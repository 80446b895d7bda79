package chat

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// TaskState is the state of a background task.
type TaskState string

// The states: those of a command.
const (
	TaskRunning  TaskState = "running"
	TaskExited   TaskState = "exited"
	TaskKilled   TaskState = "killed"
	TaskTimedOut TaskState = "timed_out" // it reached its ceiling of 24 h
	TaskLost     TaskState = "lost"      // its result is unknown
)

// TaskKind is the kind of a background task.
type TaskKind string

// The kinds except commands, which have none.
const (
	TaskSubagent TaskKind = "subagent"
	TaskGroup    TaskKind = "group chat"
	TaskJob      TaskKind = "cron job" // its newest run, in a separate conversation
)

// Task is a command that runs in the background of a session, or other work there, given by Kind: then its command is the
// subject, and its output the reply.
type Task struct {
	ID        string     `json:"id" doc:"Short id within the session: bg1, bg2 ..." example:"bg1"`
	Kind      TaskKind   `json:"kind,omitempty" enum:"subagent,group chat,cron job" doc:"Kind of the task; empty: a command."`
	Session   SessionKey `json:"session_key,omitempty" doc:"Of a subagent or a job: its own conversation."`
	Turn      TurnID     `json:"turn_id,omitempty" doc:"Of a subagent or a job: its turn, once it has begun."`
	How       string     `json:"how,omitempty" doc:"If it is no command: its state, or how it ended."`
	Call      CallID     `json:"call_id" doc:"The tool call that started it. If it is not a command: the key under which the session is notified of the end."`
	Command   string     `json:"command"`
	Runner    string     `json:"runner"`
	State     TaskState  `json:"state" enum:"running,exited,killed,timed_out,lost"`
	Code      int        `json:"code" doc:"Exit status once it has exited."`
	Total     int64      `json:"total" doc:"Bytes written in all, known at the end."`
	Output    string     `json:"output,omitempty" doc:"Head and tail of what it wrote, at most 50 kB, once it has ended."`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
}

// MaxTaskOutput is the size of the stored output of an ended task, head and tail, in bytes.
const MaxTaskOutput = 50_000

// MaxTasks is the number of running tasks of one user at which their agent's further commands are refused. A worker follows each for as long
// as it runs, and all users share the workers. Foreground commands may still become tasks.
const MaxTasks = 64

// TaskID returns the short id of the n-th task of a session, from 1.
func TaskID(n int) string { return "bg" + strconv.Itoa(n) }

// TaskNumber parses a short id; ok is false if it is invalid. "2" is read as "bg2".
func TaskNumber(id string) (n int, ok bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(id)), "bg"))
	return n, err == nil && n > 0 && n < 1<<31
}

// Ending describes in English how a task ended and how long it ran; of a running one, that it runs.
func (t Task) Ending(now time.Time) string {
	end := now
	if t.EndedAt != nil {
		end = *t.EndedAt
	}
	ran := Span(end.Sub(t.StartedAt))
	switch {
	case t.How != "" && t.State == TaskRunning:
		return t.How + " for " + ran
	case t.How != "":
		return t.How + " after " + ran
	}
	switch t.State {
	case TaskExited:
		return fmt.Sprintf("exit code %d after %s", t.Code, ran)
	case TaskKilled:
		return "killed after " + ran
	case TaskTimedOut:
		return "killed after " + ran + ", the longest a task may run"
	case TaskLost:
		return "outcome unknown: the machine or its runner went away"
	default:
		return "running for " + ran
	}
}

// Span formats a duration for display: 0.2 s, 48 s, 12 min, 3 h 5 min.
func Span(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < 2*time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	case d < 2*time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min"
	default:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
}

// Background is a command that continues after its call has got a result: the data to find it again.
type Background struct {
	Command   string
	Dir       string // as it was sent: part of the command's identity on the runner
	Runner    string // resolved name
	StartedAt time.Time
}

// TaskRun is a task with the data that its workflow needs to follow the command.
type TaskRun struct {
	Task

	Session   SessionKey
	Turn      TurnID // that started it
	User      UserID
	UserName  string
	Channel   string
	Dir       string
	Env       []string // variables of its conversation for the command, NAME=value
	StartedOn string   // job store that the command was sent to
}

// TaskEnd is how a task ended. Announcement is the text for the model.
type TaskEnd struct {
	State        TaskState
	Code         int
	Total        int64  // bytes written in all
	Output       string // at most MaxTaskOutput
	Ended        time.Time
	Announcement string
}

// Bang is a shell command that a user runs outside of the turns of a conversation.
type Bang struct {
	Inbox     InboxID
	Session   SessionKey
	User      UserID
	UserName  string
	Text      string // as written
	Command   string
	Dir       string // folder of the session, on DirRunner
	DirRunner string
	Env       []string
	Runner    string // the session's own, or the one it was sent to; empty follows the user's choice
	StartedOn string
	Done      bool // it was answered
	Files     []AttachmentFetch
	Lang      string // a phrase.Lang, that of the answer
}

// ExecID returns the id of the command on a runner.
func (b Bang) ExecID() CallID { return CallID("cmd." + strconv.FormatInt(int64(b.Inbox), 10)) }
