// Package activities acts: it holds the steps of a turn that touch the world, one struct a capability. Each activity
// is safe to run twice. It declares the small interfaces it needs, and is the one place where errors of the domain
// become Temporal errors (errors.go).
package activities

// Registered names. They stand in histories: never change one.
const (
	NameNextDelivery = "NextDelivery"
	NameSend         = "Send"
	NameFollow       = "Follow"
	NameUnpack       = "Unpack"
	NameFetchFile    = "FetchFile"
	NameEndFetch     = "EndFetch"
	NameFireJob      = "FireJob"
	NameClaim        = "Claim"
	NamePeek         = "Peek"
	NameSteer        = "Steer"
	NameGenerate     = "Generate"
	NameTool         = "Tool"
	NameInterrupt    = "Interrupt"
	NameAbandon      = "Abandon"
	NameFinish       = "Finish"
	NameDelegate     = "Delegate"
	NameRest         = "Rest"
	NameStepGroup    = "StepGroup"
	NameAsk          = "Ask"
	NameExpire       = "Expire"
	NameCompress     = "Compress"
	NameObey         = "Obey"
	NameConsult      = "Consult"

	NameMemorize       = "Memorize"
	NameGiveUpMemorize = "GiveUpMemorize"

	NameWatch    = "Watch"
	NameNoteKill = "NoteKill"
	NameLose     = "Lose"
	NameRunBang  = "RunBang"
	NameEndBang  = "EndBang"
)
