package choice

import (
	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

// Source says who decided on a model or on how much it thinks.
type Source string

// The sources, the strongest first. None: nobody, so the installation's usual model answers, and it thinks as much as it does by itself.
const (
	FromMessage Source = "message"
	FromSession Source = "session"
	FromScene   Source = "scene"
	FromAgent   Source = "agent"
	FromRunner  Source = "runner" // offers one
	FromPerson  Source = "person" // chose one for all their conversations
	FromPolicy  Source = "policy" // names one for everybody
	FromNobody  Source = ""
)

// Decision is what was said of a session's model and think level.
type Decision struct {
	Model       string // as it was written: an id or another name; empty: nobody said
	ModelSource Source
	Think       string // empty: nobody said
	ThinkSource Source
}

// Decide finds who decides: the message (of thinking), the session, its scene, its agent.
func Decide(p *policy.Policy, w chat.ModelCriteria) Decision {
	scene, agent := Scene(p, w), p.Agent(w.Agent)
	var d Decision
	d.Model, d.ModelSource = first(
		said{w.Model, FromSession}, said{scene.Model, FromScene}, said{agent.Model, FromAgent},
	)
	d.Think, d.ThinkSource = first(
		said{w.Options.Think, FromMessage}, said{w.Think, FromSession}, said{scene.Think, FromScene}, said{agent.Think, FromAgent},
	)
	return d
}

type said struct {
	what   string
	source Source
}

func first(list ...said) (string, Source) {
	for _, s := range list {
		if s.what != "" {
			return s.what, s.source
		}
	}
	return "", FromNobody
}

// Scene returns what the policy says of the scene of a session.
func Scene(p *policy.Policy, w chat.ModelCriteria) policy.Scene {
	return p.SceneAt(chat.Location{Channel: w.Channel, Account: w.Account, ChatType: w.ChatType, Scene: w.Scene})
}
