package question

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// CheckPlan prepares a plan for display and storage: a line each, without unprintable characters and empty lines. An empty plan, or one
// longer than a user would read, is Invalid, in a sentence for its writer.
func CheckPlan(p chat.Plan) (chat.Plan, error) {
	out := chat.Plan{Title: line(p.Title), Steps: lines(p.Steps), Questions: lines(p.Questions)}
	switch {
	case len(out.Steps) == 0:
		return chat.Plan{}, fault.Errorf(fault.Invalid, "steps must hold at least one step")
	case len(out.Steps) > chat.MaxPlanSteps:
		return chat.Plan{}, fault.Errorf(fault.Invalid, "the plan has %d steps; at most %d are read, so join some", len(out.Steps), chat.MaxPlanSteps)
	case len(out.Questions) > chat.MaxPlanQuestions:
		return chat.Plan{}, fault.Errorf(fault.Invalid, "the plan has %d questions; at most %d are read", len(out.Questions), chat.MaxPlanQuestions)
	case utf8.RuneCountInString(out.Title) > chat.MaxPlanTitle:
		return chat.Plan{}, fault.Errorf(fault.Invalid, "the title is longer than %d characters", chat.MaxPlanTitle)
	}
	for i, step := range out.Steps {
		if utf8.RuneCountInString(step) > chat.MaxPlanStep {
			return chat.Plan{}, fault.Errorf(fault.Invalid, "step %d is longer than %d characters; divide it", i+1, chat.MaxPlanStep)
		}
	}
	for i, q := range out.Questions {
		if utf8.RuneCountInString(q) > chat.MaxPlanQuestion {
			return chat.Plan{}, fault.Errorf(fault.Invalid, "question %d is longer than %d characters", i+1, chat.MaxPlanQuestion)
		}
	}
	return out, nil
}

func lines(texts []string) (out []string) {
	for _, text := range texts {
		if text = line(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// PlanChanges lists the changes between two versions of a plan, a line each; empty: none that matter.
func PlanChanges(before, after chat.Plan) (out []string) {
	if before.Title != after.Title {
		out = append(out, "- title: "+after.Title)
	}
	removed, added := without(before.Steps, after.Steps), without(after.Steps, before.Steps)
	for _, step := range removed {
		out = append(out, "- removed: "+step)
	}
	for _, step := range added {
		out = append(out, "- added: "+step)
	}
	if stay := without(before.Steps, removed); !slices.Equal(stay, without(after.Steps, added)) {
		out = append(out, "- the order has changed")
	}
	return out
}

// without returns the texts of a list that are not in another one, counting duplicates.
func without(list, other []string) (out []string) {
	left := slices.Clone(other)
	for _, text := range list {
		if i := slices.Index(left, text); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		out = append(out, text)
	}
	return out
}

// Steps writes the steps of a plan with their numbers.
func Steps(p chat.Plan) string {
	var out strings.Builder
	for i, step := range p.Steps {
		out.WriteString(strconv.Itoa(i+1) + ". " + step + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// ReadSteps parses steps that a user has edited as Steps writes them: a line each, with or without a number or a dash before it.
func ReadSteps(text string) (steps []string) {
	for _, step := range lines(strings.Split(text, "\n")) {
		if bare := strings.TrimLeft(step, "0123456789"); bare != step && numbered(bare) {
			step = bare[1:]
		}
		if step = line(strings.TrimPrefix(step, "- ")); step != "" {
			steps = append(steps, step)
		}
	}
	return steps
}

// numbered reports whether the text after digits makes them the number of a line.
func numbered(after string) bool {
	mark, _, _ := strings.Cut(after, " ")
	return mark == "." || mark == ")"
}

// ShowPlan returns a plan as plain text: its title, its steps with their numbers, and its questions.
func ShowPlan(p chat.Plan) string {
	parts := []string{Steps(p)}
	if p.Title != "" {
		parts = []string{p.Title, parts[0]}
	}
	if len(p.Questions) > 0 {
		parts = append(parts, "? "+strings.Join(p.Questions, "\n? "))
	}
	return strings.Join(parts, "\n")
}
