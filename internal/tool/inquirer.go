package tool

import (
	"context"

	"xbot/internal/chat"
)

// Inquirer is a Handler whose calls put questions to a user and run once they are answered. An error describes what is wrong
// with them: then no user is asked, and Run reports it to the model.
type Inquirer[P any] interface {
	Questions(params P) ([]chat.Inquiry, error)
}

// PersonalInquirer is an Inquirer whose questions depend on who has the conversation. None: there is nothing to ask.
type PersonalInquirer[P any] interface {
	QuestionsIn(ctx context.Context, in chat.SessionKey, params P) ([]chat.Inquiry, error)
}

// Questions returns what a call of the named tool asks a user in a conversation; empty for other tools, and for arguments that
// cannot be asked.
func (r *Registry) Questions(ctx context.Context, in chat.SessionKey, name, arguments string) []chat.Inquiry {
	t, _ := r.Get(name)
	if asks, ok := t.(interface {
		Questions(ctx context.Context, in chat.SessionKey, arguments string) []chat.Inquiry
	}); ok {
		return asks.Questions(ctx, in, arguments)
	}
	return nil
}

func (d *defined[P]) Questions(ctx context.Context, in chat.SessionKey, arguments string) []chat.Inquiry {
	var ask func(P) ([]chat.Inquiry, error)
	switch asks := d.handler.(type) {
	case Inquirer[P]:
		ask = asks.Questions
	case PersonalInquirer[P]:
		ask = func(params P) ([]chat.Inquiry, error) { return asks.QuestionsIn(ctx, in, params) }
	default:
		return nil
	}
	var params P
	if _, err := Decode(arguments, &params); err != nil {
		return nil // Run reports why
	}
	questions, err := ask(params)
	if err != nil {
		return nil
	}
	return questions
}

// Planner is a Handler whose calls propose a plan to a user and run once it is approved. An error describes what is wrong with it: then
// no user is asked, and Run reports it to the author.
type Planner[P any] interface {
	Plan(params P) (chat.Plan, error)
}

// Plan returns what a call of the named tool proposes to a user; nil for other tools. An error explains why arguments are no plan.
func (r *Registry) Plan(name, arguments string) (*chat.Plan, error) {
	t, _ := r.Get(name)
	if plans, ok := t.(interface {
		Plan(arguments string) (*chat.Plan, error)
	}); ok {
		return plans.Plan(arguments)
	}
	return nil, nil
}

func (d *defined[P]) Plan(arguments string) (*chat.Plan, error) {
	plans, ok := d.handler.(Planner[P])
	if !ok {
		return nil, nil
	}
	var params P
	if _, err := Decode(arguments, &params); err != nil {
		return nil, err
	}
	plan, err := plans.Plan(params)
	if err != nil {
		return nil, err
	}
	return &plan, nil
}
