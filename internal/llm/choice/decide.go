package choice

import (
	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

// Source is the origin of the choice of a model or a think level.
type Source string

// The sources, the strongest first. FromNobody: no choice, so the installation's usual model answers, with its default think level.
const (
	FromMessage Source = "message"
	FromSession Source = "session"
	FromScene   Source = "scene"
	FromAgent   Source = "agent"
	FromRunner  Source = "runner" // offers one
	FromPerson  Source = "person" // chose one for all their conversations
	FromPolicy  Source = "policy" // names one for all users
	FromNobody  Source = ""
)

// Decision is the choice of a session's model and think level.
type Decision struct {
	Model       string // as it was written: an id or another name; empty: no choice
	ModelSource Source
	Think       string // empty: no choice
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

// Scene returns the policy's scene of a session.
func Scene(p *policy.Policy, w chat.ModelCriteria) policy.Scene {
	return p.SceneAt(chat.Location{Channel: w.Channel, Account: w.Account, ChatType: w.ChatType, Scene: w.Scene})
}
