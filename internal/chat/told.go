package chat

// Told is what the product itself says to a conversation, to the model and not to a queue of people: that a time has come
// (cron), that somebody called a hook, that a subagent has answered, what another conversation sends. It waits among the
// messages of its session, begins a turn of its own, and counts as no interaction of a person.
type Told struct {
	Session SessionKey
	// Key is unique among what one origin tells the conversations of a user. The same key again is told once, at any
	// distance in time.
	Key string
	// Origin is one of OriginCron, OriginHook, OriginSubagent, OriginPeer, OriginHeartbeat.
	Origin string
	// Text is what the model reads. Its first line says what it is, in brackets: [cron morning-report fired].
	Text string
	// To is where the answer is delivered; nil: where the conversation's answers go.
	To *Address
	// Options hold for the turn that answers, such as another model.
	Options Options
}
