package chat

import "strconv"

// PlanTool is the tool that proposes a plan. Only turns in plan mode have it.
const PlanTool = "propose_plan"

// PlanState says whether a turn has to propose a plan before it acts (plan mode). Empty: it has not.
type PlanState string

// The states.
const (
	PlanWanted   PlanState = "wanted"   // until a person has approved a plan, only what reads runs
	PlanApproved PlanState = "approved" // a person has
	PlanLifted   PlanState = "lifted"   // a person has switched the mode off
)

// Plan is what a model proposes to do, for a person to approve, edit or send back.
type Plan struct {
	Title     string   `json:"title,omitempty" doc:"What it is a plan for, one line."`
	Steps     []string `json:"steps" doc:"What is to be done, in its order; one line each."`
	Questions []string `json:"questions,omitempty" doc:"What the model would like to know with the answer; one line each."`
}

// Bounds of a plan, from the model and from the person who edits it.
const (
	MaxPlanTitle     = 120 // characters
	MaxPlanSteps     = 50
	MaxPlanStep      = 500 // characters; as much as an entry of a to-do list
	MaxPlanQuestions = 8
	MaxPlanQuestion  = 500 // characters
)

// Todos are the steps as a to-do list, of which nothing is done. Their ids are their places, from 1.
func (p Plan) Todos() []Todo {
	out := make([]Todo, len(p.Steps))
	for i, step := range p.Steps {
		out[i] = Todo{ID: strconv.Itoa(i + 1), Text: step}
	}
	return out
}
