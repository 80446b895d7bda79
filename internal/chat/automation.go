package chat

import (
	"time"
)

// JobID names a job: job_ and eight hexadecimal digits.
type JobID string

// JobState is whether a job runs.
type JobState string

// The states of jobs. A deleted job stays visible only in its history.
const (
	JobActive JobState = "active"
	JobPaused JobState = "paused"
	JobDone   JobState = "done" // its time, or the last of its runs, is over
)

// JobPlan is the user-settable part of a job.
type JobPlan struct {
	Name    string     `json:"name,omitempty" maxLength:"400" doc:"Its name for people; empty: its first words. At most 80 characters."`
	Message string     `json:"message" maxLength:"20000" doc:"The message that the model gets at each time."`
	When    string     `json:"when" maxLength:"200" doc:"A cron expression of five fields, a descriptor such as @daily, every 30m, at 2026-03-29 08:00, or in 20m."`
	Zone    string     `json:"timezone,omitempty" maxLength:"64" doc:"IANA name of the timezone in which the times are read and shown; empty: that of the person's profile, else of the policy, else of the server."`
	Target  SessionKey `json:"target,omitempty" doc:"The conversation that receives the message. Empty: the job's own, which starts new with each run."`
	Deliver SessionKey `json:"deliver,omitempty" doc:"For a job with its own conversation: the conversation to whose chat on a platform the answers go. Empty: they stay in the job's conversation."`
	Model   string     `json:"model,omitempty" doc:"The model of the job's own conversation."`
	Think   string     `json:"think,omitempty" enum:"off,minimal,low,medium,high,xhigh"`
	Missed  string     `json:"missed,omitempty" enum:"skip,once,all" doc:"Handling of times that passed while the server was down: no run, one run for all, or one run each (at most 100). Default: once."`
	MaxAge  int        `json:"max_age_s,omitempty" minimum:"0" doc:"Seconds after which a missed time does not run any more; 0: a day. At most 30 days."`
	Jitter  int        `json:"jitter_s,omitempty" minimum:"0" maximum:"3600" doc:"Maximum delay of a run in seconds, constant per job, to spread the load."`
	MaxRuns int        `json:"max_runs,omitempty" minimum:"0" doc:"It is done after so many runs; 0: never."`
	// Permits narrows the permissions of the agent in the job's conversation, and of the subagents below it.
	Permits *JobPermits `json:"permits,omitempty" doc:"Further restrictions of the agent in the job's own conversation. Not for a job with a target."`
}

// JobPermits narrows the permissions in the conversation that a job has to itself, as a scene does. It never widens them. A narrowed job
// makes no other jobs or triggers, and changes no settings.
type JobPermits struct {
	Tools    []string `json:"tools,omitempty" maxItems:"50" doc:"The tools that it has, by name or pattern; left out: all but those by which it would begin something elsewhere."`
	ReadOnly bool     `json:"read_only,omitempty" doc:"Neither commands nor tools change files."`
	Offline  bool     `json:"offline,omitempty" doc:"Commands open no sockets."`
}

// Job is a task that runs at certain times.
type Job struct {
	ID JobID `json:"id"`
	JobPlan
	JobTrack
	Owner     UserID     `json:"-"`
	OwnerName string     `json:"owner"`
	Heartbeat string     `json:"heartbeat,omitempty" doc:"The agent of a heartbeat job. The policy defines it, and it can only be changed there."`
	State     JobState   `json:"state" enum:"active,paused,done"`
	Trouble   string     `json:"trouble,omitempty" enum:"gone,invalid,crashed" doc:"Reason of a pause by the server; empty: not paused. gone: the conversation was deleted. invalid: the schedule cannot be parsed. crashed: the server crashed twice at the last time."`
	Runs      int        `json:"runs" doc:"How often it has run."`
	Passed    int64      `json:"passed,omitempty" doc:"Missed times that do not run any more."`
	Next      *time.Time `json:"next_at,omitempty" doc:"The next time."`
	Last      *JobRun    `json:"last,omitempty" doc:"The newest run."`
	Revision  int64      `json:"revision"`
	CreatedAt time.Time  `json:"created_at"`
}

// JobTrack is the service or consumer that a job belongs to, besides its owner.
type JobTrack struct {
	Service  string `json:"service,omitempty" doc:"The service whose conversations receive the message: target, or all conversations at each time if there is no target. Empty: not a job of a service."`
	Consumer bool   `json:"consumer,omitempty" doc:"Created by a consumer's conversation for itself."`
	Held     bool   `json:"held,omitempty" doc:"The job cannot run at present: its service is withdrawn or lacks the capability scheduler, the key of its conversation is revoked, or its administrator or owner is disabled or no longer an administrator. Its times count as missed."`
}

// Reasons why the server paused a job.
const (
	TroubleGone    = "gone"    // its conversation was deleted
	TroubleInvalid = "invalid" // its timetable cannot be parsed any more
	TroubleCrashed = "crashed" // the server crashed twice at its last time
)

// Reasons of a run.
const (
	RunScheduled = "scheduled"
	RunMissed    = "missed" // it replaces a missed run
	RunManual    = "manual" // a user asked for it
)

// JobRun is one run of a job.
type JobRun struct {
	ID        int64      `json:"id"`
	Scheduled time.Time  `json:"scheduled_at"`
	Reason    string     `json:"reason" enum:"scheduled,missed,manual"`
	Session   SessionKey `json:"session_key" doc:"The conversation that got the message."`
	Turn      TurnID     `json:"turn_id,omitempty"`
	Began     time.Time  `json:"began_at"`
	Ended     *time.Time `json:"ended_at,omitempty"`
	Outcome   string     `json:"outcome" enum:"queued,waiting,running,done,silent,stopped,timeout,failed,lost,skipped,gone" doc:"queued: waiting for a free slot of service runs. timeout: stopped after the time limit. skipped: the previous run had not started, or there was nothing to do. gone: the conversation was deleted."`
	Why       string     `json:"why,omitempty" enum:"waiting,busy,hours,empty,disabled,gone,budget,revoked" doc:"Reason of a skipped run: the previous run had not started, or had not ended in a conversation of a service; the user's conversation was busy; the time is outside the hours of a heartbeat; the instructions are empty; the user is disabled; the conversation was deleted; the daily tokens of the service were used up; or the key of the conversation is revoked."`
	Said      string     `json:"said,omitempty" doc:"The beginning of the answer."`
}

// JobRunDetails is a run with its steps.
type JobRunDetails struct {
	JobRun

	Status string    `json:"status" enum:",success,error,timeout,skipped" doc:"Outcome; empty while it runs."`
	Model  string    `json:"model,omitempty" doc:"The model that was asked first."`
	Output string    `json:"output,omitempty" doc:"The output, at most 4000 characters."`
	Steps  []JobStep `json:"steps" doc:"The steps in the order of their start, at most 200."`
}

// JobStep is one step of a run.
type JobStep struct {
	Kind    string     `json:"kind" enum:"model,tool,delivery" doc:"The model was asked, a tool was called, or something was sent to a platform."`
	Name    string     `json:"name" doc:"Of the model, the tool or the platform."`
	Started time.Time  `json:"started_at"`
	Ended   *time.Time `json:"finished_at,omitempty"`
	Failed  bool       `json:"failed,omitempty"`
	Note    string     `json:"note,omitempty" doc:"The error of a model, or the state of a delivery."`
}

// Heartbeat is the text that a heartbeat sends instead of the message of its job.
type Heartbeat struct {
	Text string
	// Skip is why nothing is sent: hours or empty. A heartbeat is also skipped while a conversation of its user is busy.
	Skip string
}

// Fired is the result of acting on the due times of a job.
type Fired struct {
	Job  Job          // current state; without a state there is none
	Told []SessionKey // the conversations that got the message, and are to be woken
	Runs int          // how many times were handled, skipped ones included
	At   time.Time    // when
	// Wait is how long it is until the next time, of an active job.
	Wait time.Duration
	// Held: the job may not act now, and is woken when it may again.
	Held bool
}

// Bounds of the runs of services' jobs.
const (
	// TrackPlaces is how many of them have a turn at once; the others wait in line.
	TrackPlaces = 4
	// TrackRunTime is how long one may take before its turn is stopped.
	TrackRunTime = 30 * time.Minute
)

// Tracked is the state of the queue of the runs of services' jobs.
type Tracked struct {
	Posted  int // that have a place
	Added   int // that were written into the line
	Waiting bool
	// Wait is the time until the next check for those that get no wake. Without Posted and Waiting there is nothing to wait for.
	Wait time.Duration
}

// TriggerSource is how calls of a trigger are signed.
type TriggerSource string

// The sources.
const (
	TriggerGitHub  TriggerSource = "github"  // X-Hub-Signature-256 over the body
	TriggerGitLab  TriggerSource = "gitlab"  // the secret itself, in X-Gitlab-Token
	TriggerGeneric TriggerSource = "generic" // X-Webhook-Signature over time, id and body
)

// TriggerDraft is the user-settable part of a trigger.
type TriggerDraft struct {
	Name      string        `json:"name" minLength:"1" maxLength:"60" doc:"Unique among the triggers of its owner."`
	Source    TriggerSource `json:"source,omitempty" enum:"github,gitlab,generic" doc:"How calls are signed; default: generic. It cannot be changed later."`
	Session   SessionKey    `json:"session,omitempty" maxLength:"200" doc:"The conversation that a call posts to. Empty: one of the trigger's own, hook:<id>."`
	AnswerIn  SessionKey    `json:"answer_in,omitempty" maxLength:"200" doc:"Answers go to the chat of this conversation on a platform. Empty: to that of the called conversation."`
	Template  string        `json:"template,omitempty" maxLength:"4000" doc:"The text that the model gets for a call: a text/template of .EventType, .Payload, .Headers, .Timestamp and dig. Empty: the payload as it is."`
	OneShot   bool          `json:"one_shot,omitempty" doc:"It is switched off by its first call."`
	PerMinute int           `json:"per_minute,omitempty" minimum:"0" maximum:"600" doc:"Maximum accepted calls per minute; 0: 60."`
	Off       bool          `json:"off,omitempty" doc:"Calls are refused."`
}

// Trigger is a webhook by which other programs call a conversation.
type Trigger struct {
	ID string `json:"id"`
	TriggerDraft

	URL       string     `json:"url" doc:"Where it is called."`
	Fires     int        `json:"fires" doc:"Calls that were accepted, without repeated ones."`
	CreatedAt time.Time  `json:"created_at"`
	FiredAt   *time.Time `json:"fired_at,omitempty" doc:"Last call that was accepted."`
	RefusedAt *time.Time `json:"refused_at,omitempty" doc:"Last call that was refused."`
	Refused   string     `json:"refused,omitempty" doc:"Why that call was refused."`
}

// Fire is an accepted call of a trigger.
type Fire struct {
	Delivery string     `json:"delivery" doc:"The sender's id of the call, or a hash of its body."`
	At       time.Time  `json:"at"`
	Event    string     `json:"event,omitempty"`
	Bytes    int        `json:"bytes" doc:"Size of the body."`
	Repeats  int        `json:"repeats,omitempty" doc:"How often it was delivered again."`
	Note     string     `json:"note,omitempty" doc:"A fault of the call: the template could not be applied."`
	Session  SessionKey `json:"session,omitempty" doc:"The conversation; empty if deleted."`
	Turn     TurnID     `json:"turn,omitempty" doc:"The turn that answers it; empty: none yet."`
	Outcome  string     `json:"outcome" enum:"waiting,running,done,failed,stopped,gone" doc:"The outcome of the call."`
}
