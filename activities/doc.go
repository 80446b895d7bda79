// Package activities keeps what all activities share: their registered names, the translation of errors for Temporal,
// heartbeats, and the ports to sandboxes and models. The activities themselves are in its folders, one struct a capability.
// Each activity is safe to run twice and declares the small interfaces it needs.
package activities

// Registered names. Histories contain them: never change one.
const (
	NameNextDelivery   = "NextDelivery"
	NameSend           = "Send"
	NameFollow         = "Follow"
	NameUnpack         = "Unpack"
	NameFetchFile      = "FetchFile"
	NameEndFetch       = "EndFetch"
	NameFireJob        = "FireJob"
	NameAdvanceTrack   = "AdvanceTrack"
	NameClaim          = "Claim"
	NamePeek           = "Peek"
	NameSteer          = "Steer"
	NameHasten         = "Hasten"
	NameGenerate       = "Generate"
	NameTool           = "Tool"
	NameInterrupt      = "Interrupt"
	NameAbandon        = "Abandon"
	NameFinish         = "Finish"
	NameDelegate       = "Delegate"
	NameUnloadSubagent = "Rest"
	NameStepGroup      = "StepGroup"
	NameAsk            = "Ask"
	NameExpire         = "Expire"
	NameCompress       = "Compress"
	NameTurnCommand    = "Obey"
	NameRunHooks       = "Consult"

	NameTitle          = "Title"
	NameMemorize       = "Memorize"
	NameGiveUpMemorize = "GiveUpMemorize"
	NameDeletePerson   = "DeletePerson"
	NameMoveFiles      = "MoveFiles"

	NameWatch    = "Watch"
	NameNoteKill = "NoteKill"
	NameLose     = "Lose"
	NameRunBang  = "RunBang"
	NameEndBang  = "EndBang"
)
