package tool

import "xbot/internal/chat"

// Inquirer is a Handler whose calls put questions to a person and run once they are answered. An error says what is wrong
// with them: then nobody is asked, and Run tells the model.
type Inquirer[P any] interface {
	Questions(params P) ([]chat.Inquiry, error)
}

// Questions returns what a call of the named tool asks a person; empty for other tools, and for arguments that cannot be
// asked.
func (r *Registry) Questions(name, arguments string) []chat.Inquiry {
	t, _ := r.Get(name)
	if asks, ok := t.(interface {
		Questions(arguments string) []chat.Inquiry
	}); ok {
		return asks.Questions(arguments)
	}
	return nil
}

func (d *defined[P]) Questions(arguments string) []chat.Inquiry {
	asks, ok := d.handler.(Inquirer[P])
	if !ok {
		return nil
	}
	var params P
	if _, err := Decode(arguments, &params); err != nil {
		return nil // Run says why
	}
	questions, err := asks.Questions(params)
	if err != nil {
		return nil
	}
	return questions
}

// Planner is a Handler whose calls propose a plan to a person and run once it is approved. An error says what is wrong with it: then
// nobody is asked, and Run tells whoever wrote it.
type Planner[P any] interface {
	Plan(params P) (chat.Plan, error)
}

// Plan returns what a call of the named tool proposes to a person; nil for other tools. An error says why arguments are no plan.
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
