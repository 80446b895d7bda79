package agents

import (
	"context"

	"xbot/activities"
	"xbot/internal/chat"
)

// GroupStore keeps group chats.
type GroupStore interface {
	// StepGroup asks the member that is to speak next, or ends the chat.
	StepGroup(ctx context.Context, id chat.GroupID) (chat.GroupStep, error)
}

// Groups advances group chats. Its activity runs as a local activity.
type Groups struct {
	Store GroupStore
	// Words allows the first words of topics in Temporal histories.
	Words bool
}

// StepGroupInput names a chat.
type StepGroupInput struct {
	Group chat.GroupID `json:"group"`
}

// StepGroupOutput is the state of a chat and its next speaker.
type StepGroupOutput struct {
	Over    bool              `json:"over,omitempty"`
	Asked   int               `json:"asked,omitempty"` // how often members were asked; another number is another question
	Speaker *chat.SubagentRef `json:"speaker,omitempty"`
	Name    string            `json:"name,omitempty"`
	Round   int               `json:"round,omitempty"`
	Rounds  int               `json:"rounds,omitempty"`
	Topic   string            `json:"topic,omitempty"` // its first words, if they may appear in histories
}

// StepGroup advances a chat and returns the next speaker. Run again, it returns the same.
func (g *Groups) StepGroup(ctx context.Context, in StepGroupInput) (StepGroupOutput, error) {
	now, err := g.Store.StepGroup(ctx, in.Group)
	if err != nil {
		return StepGroupOutput{}, activities.Failure(ctx, err)
	}
	out := StepGroupOutput{Over: now.Over, Asked: now.Asked, Speaker: now.Speaker, Name: now.Name, Round: now.Round, Rounds: now.Rounds}
	if g.Words {
		out.Topic = chat.FirstWords(now.Topic, chat.SummaryWords)
	}
	return out, nil
}
