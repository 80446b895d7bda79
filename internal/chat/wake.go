package chat

// WakeKind is the kind of workflow that a wake is for. Together with the id it names one.
type WakeKind string

// The kinds of wakes. Package wake defines which workflow each one starts, and its input.
const (
	WakeTurn    WakeKind = "turn"    // the turn of a session or of a subagent, by the key of the session
	WakeDeliver WakeKind = "deliver" // the deliveries of a session, by its key
	WakeGroup   WakeKind = "group"   // a group chat
	WakeBang    WakeKind = "command" // a bang command, by its row in the inbox
	WakeFetch   WakeKind = "fetch"   // the files of a message, by its row in the inbox
	WakeTask    WakeKind = "task"    // a background task, by the call that started it
	WakeJob     WakeKind = "job"     // a cron job
	// WakeMemorize is for a conversation that is written to memory, by its job.
	WakeMemorize WakeKind = "memorize"
	// WakeDeletion is for a user who is being deleted, by their number.
	WakeDeletion WakeKind = "deletion"
	// WakeMigration is for a migration of storage, by its number.
	WakeMigration WakeKind = "migration"
	// WakeTrack wakes the one workflow that queues the runs of services' cron jobs, by TrackID.
	WakeTrack WakeKind = "track"
)

// TrackID names the one queue of runs of services' cron jobs.
const TrackID = "services"

// Wake signals that a workflow has committed rows to handle. It may be lost, repeated or late: the relay repeats the wake for rows that no
// workflow handles.
type Wake struct {
	Kind WakeKind
	ID   string
	// Description of the run for operators. The workflow reads nothing of it.
	Channel  string
	User     UserID // the name is looked up if UserName is empty; 0: none
	UserName string
	Text     string
	// Idle of a turn means that the commit saw none running and nothing before its message: the run may be started without a signal.
	Idle bool
	// Agent is the subagent of the session, if it cannot be read any more; nil: it is looked up.
	Agent *SubagentRef
}
