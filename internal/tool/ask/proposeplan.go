package ask

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/turn/question"
)

//go:embed proposeplan.md
var planDoc string

// Todos keeps the to-do list of a session.
type Todos interface {
	SetTodos(ctx context.Context, session chat.SessionKey, todos []chat.Todo) error
}

type planParams struct {
	Title     string   `json:"title,omitempty"`
	Steps     []string `json:"steps"`
	Questions []string `json:"questions,omitempty" jsonschema:"What you would like to know with the answer."`
}

type planner struct{ todos Todos }

// NewPlan returns the tool propose_plan. The steps of a plan that was approved become the to-do list.
func NewPlan(todos Todos) tool.Tool {
	return tool.DefineQuick(chat.PlanTool, chat.ClassIdempotent, planDoc, planner{todos}, tool.Inward, tool.Planning)
}

func (planner) Summary(p planParams) string {
	if p.Title == "" && len(p.Steps) > 0 {
		return fmt.Sprintf("%s (+%d)", tool.OneLine(p.Steps[0], 160), len(p.Steps)-1)
	}
	return fmt.Sprintf("%s (%d)", tool.OneLine(p.Title, 160), len(p.Steps)) // in no language but that of the title
}

// Plan returns the plan for the user's approval.
func (planner) Plan(p planParams) (chat.Plan, error) { return question.CheckPlan(chat.Plan(p)) }

// Run makes the approved steps the to-do list, and returns what was approved. A call whose arguments are no plan was not shown to a user,
// and gets the reason.
func (t planner) Run(ctx context.Context, call tool.Call, p planParams) (chat.ToolResult, error) {
	if _, err := t.Plan(p); err != nil {
		return tool.FromError(err)
	}
	if call.Approval == nil || call.Approval.Plan == nil || call.Approval.State != chat.ApprovalAllowed {
		return tool.Fail("the plan was not shown, because the rules changed meanwhile"), nil
	}
	plan := *call.Approval.Plan
	if err := t.todos.SetTodos(ctx, call.Session, plan.Todos()); err != nil {
		return tool.FromError(fmt.Errorf("make the plan the to-do list: %w", err))
	}
	return tool.Text(approved(plan, *call.Approval)), nil
}

// approved describes to the model what it may do now.
func approved(plan chat.Plan, a chat.Approval) string {
	parts := []string{"The user approved the plan."}
	if changes := question.PlanChanges(planOf(a.Asked), plan); a.Asked != "" && len(changes) > 0 {
		parts[0] = "The user edited the plan and approved it. Their changes:\n" + strings.Join(changes, "\n")
	}
	parts = append(parts, "The steps, which are the to-do list now:\n"+question.Steps(plan))
	if a.Note != "" {
		parts = append(parts, "They say: "+a.Note)
	}
	parts = append(parts, "Carry it out, and mark each step as done with todo_write.")
	return strings.Join(parts, "\n\n")
}

// planOf reads the plan that the user was asked about, before they edited it.
func planOf(arguments string) chat.Plan {
	var p planParams
	if json.Unmarshal([]byte(arguments), &p) != nil { // it was one, or no user had been asked
		return chat.Plan{}
	}
	plan, _ := question.CheckPlan(chat.Plan(p)) // the same
	return plan
}
