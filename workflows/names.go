package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"xbot/internal/chat"
)

// Registered names. Histories contain them: never change one.
const (
	NameTurn         = "Turn"
	NameBackground   = "Background"
	NameCommand      = "Command"
	NameDeliver      = "Deliver"
	NameFetch        = "Fetch"
	NameCronJob      = "CronJob"
	NameSubagent     = "Subagent"
	NameGroupChat    = "GroupChat"
	NameMemorize     = "Memorize"
	NameClosing      = "Closing"
	NameTitle        = "Title"
	NameDeletePerson = "DeletePerson"
	// NameMigrateStorage moves files of consumer conversations.
	NameMigrateStorage = "MigrateStorage"
	NameServiceTrack   = "ServiceTrack"
	SignalWake         = "wake"
)

// TaskTimeout is how long a worker has for a workflow task (Temporal's default is 10 s): who is killed in one holds the run up for
// so long. Local activities that take longer extend it (workflow task heartbeats). Temporal gives a task that timed out more and
// more time from its fourth attempt on, so that a machine which is too slow for this still gets there.
const TaskTimeout = 3 * time.Second

// TaskQueue is the one task queue of all workflows and activities, so that activities can start eagerly.
const TaskQueue = "xbot"

// maxIDBytes bounds workflow ids: Temporal's SQL columns hold 255 characters.
const maxIDBytes = 200

// TurnID returns the workflow id of a session's turns.
func TurnID(key chat.SessionKey) string { return workflowID("turn/", string(key)) }

// BackgroundID returns the workflow id of the task that a call's command has become.
func BackgroundID(call chat.CallID) string { return workflowID("background/", string(call)) }

// CommandID returns the workflow id of a bang command.
func CommandID(id chat.InboxID) string { return "command/" + strconv.FormatInt(int64(id), 10) }

// DeliverID returns the workflow id of the deliveries of a session.
func DeliverID(key chat.SessionKey) string { return workflowID("deliver/", string(key)) }

// FetchID returns the workflow id of the files of a message.
func FetchID(id chat.InboxID) string { return "fetch/" + strconv.FormatInt(int64(id), 10) }

// CronID returns the workflow id of a job.
func CronID(id chat.JobID) string { return workflowID("cron/", string(id)) }

// GroupChatID returns the workflow id of a group chat.
func GroupChatID(id chat.GroupID) string { return workflowID("group/", string(id)) }

// SubagentID returns the workflow id of a subagent: of one that answers once it is named by the call that it answers.
func SubagentID(a chat.SubagentRef) string {
	if a.Once() {
		return workflowID("turn/", string(a.Parent)+"/call/"+string(a.Call))
	}
	return workflowID("subagent/", string(a.Parent)+"/"+a.Name())
}

// MemorizeID returns the workflow id of a conversation that is put into memory.
func MemorizeID(id chat.MemorizeID) string { return "memorize/" + strconv.FormatInt(int64(id), 10) }

// MigrateStorageID returns the workflow id of a migration of storage.
func MigrateStorageID(id chat.MigrationID) string {
	return "storage-migration/" + strconv.FormatInt(int64(id), 10)
}

// DeletePersonID returns the workflow id of a user who is being deleted.
func DeletePersonID(user chat.UserID) string {
	return "delete-person/" + strconv.FormatInt(int64(user), 10)
}

// TrackID is the workflow id of the line of the runs of services' jobs: there is one.
const TrackID = "service-track"

// ClosingID returns the workflow id of the closing hooks of a turn.
func ClosingID(turn chat.TurnID) string { return workflowID("closing/", string(turn)) }

// TitleID returns the workflow id of what gives a conversation its title.
func TitleID(key chat.SessionKey) string { return workflowID("title/", string(key)) }

// ConversationPath is where the page shows a conversation, on the host that shows the Temporal UI.
func ConversationPath(key chat.SessionKey) string {
	var path strings.Builder
	path.WriteString("/c/")
	for _, b := range []byte(key) {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("-_.:", b) >= 0 {
			path.WriteByte(b)
			continue
		}
		path.WriteString("%" + hex.EncodeToString([]byte{b}))
	}
	return path.String()
}

// workflowID escapes control characters and shortens an id that is too long by hashing it.
func workflowID(prefix, text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, text)
	if len(prefix)+len(text) <= maxIDBytes {
		return prefix + text
	}
	sum := sha256.Sum256([]byte(text))
	head := strings.ToValidUTF8(text[:maxIDBytes/2], "") // the last character may be cut in two
	return prefix + head + "~" + hex.EncodeToString(sum[:16])
}

// Search attributes, all keywords. A namespace without them is tolerated by SearchAttributes being off.
var (
	AttrSession = temporal.NewSearchAttributeKeyKeyword("XbotSession")
	AttrChannel = temporal.NewSearchAttributeKeyKeyword("XbotChannel")
	AttrUser    = temporal.NewSearchAttributeKeyKeyword("XbotUser")
	AttrKind    = temporal.NewSearchAttributeKeyKeyword("XbotKind")
	AttrModel   = temporal.NewSearchAttributeKeyKeyword("XbotModel")
	AttrOutcome = temporal.NewSearchAttributeKeyKeyword("XbotOutcome")
	// AttrWaits is what a run waits for, and AttrParent the conversation that a subagent works for. A namespace may know the
	// others and not yet these: TurnInput.Waits.
	AttrWaits  = temporal.NewSearchAttributeKeyKeyword("XbotWaits")
	AttrParent = temporal.NewSearchAttributeKeyKeyword("XbotParent")
)

// MemoAbout is the key of a memo with the subject of a run, as in its summary: unlike that it survives continue-as-new.
const MemoAbout = "about"

// Values of AttrKind.
const (
	KindTurn       = "turn"
	KindBackground = "background"
	KindCommand    = "command"
	KindDeliver    = "deliver"
	KindFetch      = "fetch"
	KindCron       = "cron"
	KindSubagent   = "subagent"
	KindGroupChat  = "groupchat"
	KindMemorize   = "memorize"
	KindClosing    = "closing"
	KindTitle      = "title"
	KindDeletion   = "deletion"
	KindMigration  = "migration"
	KindTrack      = "track"
)

// Type is a workflow and the name under which workers register it.
type Type struct {
	Name string
	Func any
}

// Registered are the types of all workflows.
func Registered() []Type {
	return []Type{
		{NameTurn, Turn},
		{NameBackground, Background},
		{NameCommand, Command},
		{NameDeliver, Deliver},
		{NameFetch, Fetch},
		{NameCronJob, CronJob},
		{NameSubagent, Subagent},
		{NameGroupChat, GroupChat},
		{NameMemorize, Memorize},
		{NameClosing, Closing},
		{NameTitle, Title},
		{NameDeletePerson, DeletePerson},
		{NameMigrateStorage, MigrateStorage},
		{NameServiceTrack, ServiceTrack},
	}
}
