package chat

// WakeKind says which workflow is woken. Together with the id it names one.
type WakeKind string

// The kinds of wakes. Package wake says which workflow each one starts, and with what.
const (
	WakeTurn    WakeKind = "turn"    // the turn of a session or of a subagent, by the key of the session
	WakeDeliver WakeKind = "deliver" // the deliveries of a session, by its key
	WakeGroup   WakeKind = "group"   // a group chat
	WakeCommand WakeKind = "command" // a bang command, by its row in the inbox
	WakeFetch   WakeKind = "fetch"   // the files of a message, by its row in the inbox
	WakeTask    WakeKind = "task"    // a background task, by the call that started it
	WakeJob     WakeKind = "job"     // a cron job
	// WakeMemorize is of a conversation that is put into memory, by its job.
	WakeMemorize WakeKind = "memorize"
	// WakeDeletion is of a person who is being deleted, by their number.
	WakeDeletion WakeKind = "deletion"
	// WakeTrack wakes the one workflow that queues the runs of services' cron jobs, by TrackID.
	WakeTrack WakeKind = "track"
)

// TrackID names the one queue of runs of services' cron jobs.
const TrackID = "services"

// Wake says that a workflow has something to do. What that is stands in committed rows, so a wake may be lost, repeated
// or late: the relay wakes again for rows that nobody acts on.
type Wake struct {
	Kind WakeKind
	ID   string
	// What operators read of the run that a wake begins. The workflow reads nothing of it.
	Channel  string
	User     UserID // the name is looked up where UserName is empty; 0: nobody
	UserName string
	Text     string
	// Idle says of a turn that the commit saw none running and nothing before its message: the run may be started without a signal.
	Idle bool
	// Agent is the subagent that the session is, where that cannot be read any more; nil: it is looked up.
	Agent *SubagentRef
}
