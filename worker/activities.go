package worker

import (
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/worker"

	"xbot/activities"
	"xbot/activities/agents"
	"xbot/activities/background"
	"xbot/activities/compress"
	"xbot/activities/cronjob"
	"xbot/activities/deletion"
	"xbot/activities/delivery"
	"xbot/activities/files"
	"xbot/activities/hooks"
	"xbot/activities/memorize"
	"xbot/activities/storagemove"
	"xbot/activities/titles"
	"xbot/activities/turn"
)

// Activities is what a worker runs.
type Activities struct {
	Turns      Turns
	Background Background
	Deliveries Deliveries
}

// register registers all under their names.
func (a Activities) register(w sdk.ActivityRegistry) {
	a.Turns.register(w)
	a.Background.register(w)
	a.Deliveries.register(w)
}

// endings ends given-up calls that their workflow would otherwise start again, or whose outcome is a row: a delivery fails, a progress card stops, a job
// continues with its next time, and a file was not fetched. Other calls end with an error that their workflow handles.
func (a Activities) endings() map[string]givenUpActivity {
	return map[string]givenUpActivity{
		activities.NameSend:      endWith(a.Deliveries.Deliverer.GiveUp),
		activities.NameFollow:    endWith(a.Deliveries.Follower.GiveUp),
		activities.NameFetchFile: endWith(a.Background.Fetcher.GiveUp),
		activities.NameFireJob:   endWith(a.Background.CronJobs.GiveUp),
	}
}

func register(w sdk.ActivityRegistry, name string, fn any) {
	w.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
}

// Turns are the activities of turns.
type Turns struct {
	Intake     *turn.Intake
	Model      *turn.Model
	Tools      *turn.Tools
	Approvals  *turn.Approvals
	Commands   *activities.TurnCommands
	Hooks      *hooks.Hooks
	Compressor *compress.Compressor
	Titles     *titles.Titles
}

func (t Turns) register(w sdk.ActivityRegistry) {
	register(w, activities.NameClaim, t.Intake.Claim)
	register(w, activities.NamePeek, t.Intake.Peek)
	register(w, activities.NameSteer, t.Intake.Steer)
	register(w, activities.NameFinish, t.Intake.Finish)
	register(w, activities.NameHasten, t.Model.Hasten)
	register(w, activities.NameGenerate, t.Model.Generate)
	register(w, activities.NameTool, t.Tools.Tool)
	register(w, activities.NameInterrupt, t.Tools.Interrupt)
	register(w, activities.NameAbandon, t.Tools.Abandon)
	register(w, activities.NameDelegate, t.Tools.Delegate)
	register(w, activities.NameAsk, t.Approvals.Ask)
	register(w, activities.NameExpire, t.Approvals.Expire)
	register(w, activities.NameTurnCommand, t.Commands.Run)
	register(w, activities.NameRunHooks, t.Hooks.Run)
	register(w, activities.NameCompress, t.Compressor.Compress)
	register(w, activities.NameTitle, t.Titles.Title)
}

// Background are the activities of work that needs no turn: tasks, bang commands, files, cron jobs, subagents, group chats, memory, and users who
// are deleted.
type Background struct {
	Tasks     *background.Background
	Commands  *background.Commands
	Fetcher   *files.Fetcher
	CronJobs  *cronjob.CronJobs
	Track     *cronjob.Track
	Subagents *agents.Subagents
	Groups    *agents.Groups
	Memorizer *memorize.Memorizer
	Deleter   *deletion.Deleter
	Moves     *storagemove.Moves
}

func (b Background) register(w sdk.ActivityRegistry) {
	register(w, activities.NameWatch, b.Tasks.Watch)
	register(w, activities.NameNoteKill, b.Tasks.NoteKill)
	register(w, activities.NameLose, b.Tasks.Lose)
	register(w, activities.NameRunBang, b.Commands.RunBang)
	register(w, activities.NameEndBang, b.Commands.EndBang)
	register(w, activities.NameUnpack, b.Fetcher.Unpack)
	register(w, activities.NameFetchFile, b.Fetcher.FetchFile)
	register(w, activities.NameEndFetch, b.Fetcher.EndFetch)
	register(w, activities.NameFireJob, b.CronJobs.FireJob)
	register(w, activities.NameAdvanceTrack, b.Track.AdvanceTrack)
	register(w, activities.NameUnloadSubagent, b.Subagents.Unload)
	register(w, activities.NameStepGroup, b.Groups.StepGroup)
	register(w, activities.NameMemorize, b.Memorizer.Memorize)
	register(w, activities.NameGiveUpMemorize, b.Memorizer.GiveUp)
	register(w, activities.NameDeletePerson, b.Deleter.Step)
	register(w, activities.NameMoveFiles, b.Moves.Step)
}

// Deliveries are the activities that send to platforms.
type Deliveries struct {
	Deliverer *delivery.Deliverer
	Follower  *delivery.Follower
}

func (d Deliveries) register(w sdk.ActivityRegistry) {
	register(w, activities.NameNextDelivery, d.Deliverer.NextDelivery)
	register(w, activities.NameSend, d.Deliverer.Send)
	register(w, activities.NameFollow, d.Follower.Follow)
}
