package chat

import "time"

// TriggerSource says how calls of a trigger are signed.
type TriggerSource string

// The sources.
const (
	TriggerGitHub  TriggerSource = "github"  // X-Hub-Signature-256 over the body
	TriggerGitLab  TriggerSource = "gitlab"  // the secret itself, in X-Gitlab-Token
	TriggerGeneric TriggerSource = "generic" // X-Webhook-Signature over time, id and body
)

// TriggerDraft is what people set of a trigger.
type TriggerDraft struct {
	Name      string        `json:"name" minLength:"1" maxLength:"60" doc:"Unique among the triggers of its owner."`
	Source    TriggerSource `json:"source,omitempty" enum:"github,gitlab,generic" doc:"How calls are signed; generic where it is left out. It cannot be changed later."`
	Session   SessionKey    `json:"session,omitempty" maxLength:"200" doc:"The conversation that is called. Empty: one of its own, hook:<id>."`
	AnswerIn  SessionKey    `json:"answer_in,omitempty" maxLength:"200" doc:"Answers are delivered where this conversation takes place on a platform. Empty: where the called one does."`
	Template  string        `json:"template,omitempty" maxLength:"4000" doc:"What the model is told of a call, a text/template of .EventType, .Payload, .Headers, .Timestamp and dig. Empty: the payload as it is."`
	OneShot   bool          `json:"one_shot,omitempty" doc:"It is switched off by its first call."`
	PerMinute int           `json:"per_minute,omitempty" minimum:"0" maximum:"600" doc:"Calls that are accepted in a minute; 0: 60."`
	Off       bool          `json:"off,omitempty" doc:"Calls are refused."`
}

// Trigger is an address at which other programs call a conversation.
type Trigger struct {
	ID string `json:"id"`
	TriggerDraft

	URL       string     `json:"url" doc:"Where it is called."`
	Fires     int        `json:"fires" doc:"Calls that were accepted, without repeated ones."`
	CreatedAt time.Time  `json:"created_at"`
	FiredAt   *time.Time `json:"fired_at,omitempty" doc:"Last call that was accepted."`
	RefusedAt *time.Time `json:"refused_at,omitempty" doc:"Last call that was refused."`
	Refused   string     `json:"refused,omitempty" doc:"Why it was."`
}

// Fire is a call of a trigger that was accepted.
type Fire struct {
	Delivery string     `json:"delivery" doc:"The id that the sender gave it, or a hash of what it sent."`
	At       time.Time  `json:"at"`
	Event    string     `json:"event,omitempty"`
	Bytes    int        `json:"bytes" doc:"Size of the body."`
	Repeats  int        `json:"repeats,omitempty" doc:"How often it was delivered again."`
	Note     string     `json:"note,omitempty" doc:"What was wrong with it: the template did not fit."`
	Session  SessionKey `json:"session,omitempty" doc:"The conversation; empty: it is gone."`
	Turn     TurnID     `json:"turn,omitempty" doc:"The turn that answers it; empty: none yet."`
	Outcome  string     `json:"outcome" enum:"waiting,running,done,failed,stopped,gone" doc:"What became of it."`
}
