package i18n

// Results of calls that did not run to their end, for the model, and texts about permissions, for users.
const (
	CallInterrupt       ID = "call_interrupt"       // result of a call that a stop ended
	CallClient          ID = "call_client"          // result of a call that the program that asked has not run yet
	CallNotRun          ID = "call_not_run"         // result of a call that a stop kept from starting
	CallSkipped         ID = "call_skipped"         // result of a call that a message kept from starting
	SpeechUntranscribed ID = "speech_untranscribed" // replaces the text of a spoken message without a transcript
	SpeechInterrupted   ID = "speech_interrupted"   // replaces a spoken answer that was interrupted before it was heard
	CallUnknown         ID = "call_unknown"         // result of a call whose outcome is unknown
	CallCrashed         ID = "call_crashed"         // result of a call in which worker processes crashed
	CallBroken          ID = "call_broken"          // result of a call that our bug ended
	CallRunner          ID = "call_runner"          // result of a call that its runner broke; %s runner and reason
	CallDenied          ID = "call_denied"          // result of a call that a user denied; %s who, %s note
	CallForbidden       ID = "call_forbidden"       // result of a call of a tool that a rule denies; %s tool
	CallUnasked         ID = "call_unasked"         // result of a call without the permission that it needs
	TasksFull           ID = "tasks_full"           // result of a command that too many tasks keep from starting; takes their number
	Unanswered          ID = "unanswered"           // note of xbot when it denies a call without an answer
	Allowed             ID = "allowed"              // a user allowed a call; %s which
	Denied              ID = "denied"               // a user denied a call; %s which
	NothingAsked        ID = "nothing_asked"        // an answer without a question
)

var calls = map[ID]map[Lang]string{
	CallInterrupt:       {English: "Interrupted: the user stopped this call while it ran. It may have done part of its work; verify before repeating.", Chinese: ""},
	CallClient:          {English: "The program that asked runs this tool, and has not sent its result.", Chinese: ""},
	CallNotRun:          {English: "Not run: the user stopped the turn before this call started.", Chinese: ""},
	CallSkipped:         {English: "Not run: skipped to process an incoming message.", Chinese: ""},
	SpeechUntranscribed: {English: "(speech that could not be transcribed)", Chinese: "（未能转写的语音）"},
	SpeechInterrupted:   {English: "(interrupted)", Chinese: "（已打断）"},
	CallUnknown:         {English: "Outcome unknown: the call had started and its end was not seen. It may have done all, part or none of its work; verify before repeating it.", Chinese: ""},
	CallRunner:          {English: "Error: %s, so the outcome is unknown. Verify before repeating it; an operator must check that runner.", Chinese: ""},
	CallCrashed:         {English: "Error: the server crashed twice while it ran this call. The call is not retried, and its outcome is unknown. Do not repeat it with the same input. Try a smaller input or another way, and tell the user.", Chinese: ""},
	CallBroken:          {English: "Error: the tool failed because of a fault in xbot, so its outcome is unknown. Verify before repeating it.", Chinese: ""},
	CallDenied:          {English: "Not run: %s denied this call%s. Do not try to get the same effect by other means; say what you meant to do and ask what to do instead.", Chinese: ""},
	CallForbidden:       {English: "Not run: the user's settings deny this call of %s. Do not try to get the same effect by other means; say what you meant to do and ask what to do instead.", Chinese: ""},
	TasksFull:           {English: "Not run: %d background tasks run already, which is the most for one user. Wait for one to end (task_wait), or kill one that is not needed (task_kill).", Chinese: ""},
	CallUnasked:         {English: "Not run: this call needs the user's permission, and nobody gave it.", Chinese: ""},
	Unanswered:          {English: "Nobody answered in time.", Chinese: "没有人在限期内答复。"},
	Allowed:             {English: "Allowed: %s", Chinese: "已允许：%s"},
	Denied:              {English: "Denied: %s", Chinese: "已拒绝：%s"},
	NothingAsked:        {English: "Nothing here waits for permission.", Chinese: "当前没有等待许可的操作。"},
}
