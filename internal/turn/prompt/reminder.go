package prompt

import (
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

// The tags around the text at the end of one request, which is never stored as a message.
const (
	reminderBegin = "<system-reminder>\n"
	reminderEnd   = "\n</system-reminder>"
)

// Limits of the lists in a reminder.
const (
	maxRemindedTodos = 20
	maxRemindedTasks = 8
	maxRemindedTools = 20
	maxRemindedText  = 120 // characters of one entry
)

// Reminder is the state that a model is reminded of at this step. The zero value has no text.
type Reminder struct {
	Todos []chat.Todo  // the whole list; included while an entry is open
	Tasks []chat.Task  // that run in the background
	Stale []chat.Stale // files found to have changed since the last step
	Loop  chat.ToolCall
	Times int // how many steps in a row have made the call Loop with the same result; included from 2
	Full  int // percent of the context window in use; 0 is omitted
	// Plan means that the turn wants an approved plan before it acts, and Proposes that the model can propose one: a subagent cannot.
	Plan, Proposes bool
	// Refused are tools that are not offered, because the provider refuses their definitions.
	Refused []string
	// Unseen is the number of pictures of the newest message that are not shown, because of the limit of a request.
	Unseen int
}

// Text returns the reminder as the model reads it, "" if it is empty.
func (r Reminder) Text() string {
	var parts []string
	for _, part := range []string{r.loop(), r.stale(), r.todos(), r.tasks(), r.refused(), r.unseen(), r.full(), r.plan()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return reminderBegin + strings.Join(parts, "\n\n") + reminderEnd
}

func (r Reminder) loop() string {
	if r.Times < 2 {
		return ""
	}
	return fmt.Sprintf("The last %d steps made the same call, %s, with the same result. Doing it once more will not help: try something else, or say what stops you.",
		r.Times, r.Loop.Name)
}

func (r Reminder) stale() string {
	if len(r.Stale) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Changed since you read them; read them again before you rely on them:")
	for _, s := range r.Stale {
		b.WriteString("\n- " + tool.OneLine(s.Path, maxRemindedText))
		if s.Missing {
			b.WriteString(" (gone)")
		}
	}
	return b.String()
}

func (r Reminder) todos() string {
	open, done := []string{}, 0
	for _, t := range r.Todos {
		if t.Done {
			done++
			continue
		}
		open = append(open, "\n- "+t.ID+": "+tool.OneLine(t.Text, maxRemindedText))
	}
	if len(open) == 0 {
		return ""
	}
	shown := open[:min(len(open), maxRemindedTodos)]
	text := fmt.Sprintf("To-do list, %d of %d done, open:", done, len(r.Todos)) + strings.Join(shown, "")
	if more := len(open) - len(shown); more > 0 {
		text += fmt.Sprintf("\n- and %d more (todo_list)", more)
	}
	return text
}

func (r Reminder) tasks() string {
	if len(r.Tasks) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Running in the background; you are told when they end:")
	for i, t := range r.Tasks {
		if i == maxRemindedTasks {
			fmt.Fprintf(&b, "\n- and %d more (task_status)", len(r.Tasks)-i)
			break
		}
		b.WriteString("\n- " + t.ID + ": " + tool.OneLine(t.Command, maxRemindedText))
	}
	return b.String()
}

func (r Reminder) refused() string {
	if len(r.Refused) == 0 {
		return ""
	}
	text := "Not available, because the model provider refuses their definitions: " + strings.Join(r.Refused[:min(len(r.Refused), maxRemindedTools)], ", ")
	if more := len(r.Refused) - maxRemindedTools; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ". Do without these tools, or tell the user what you need them for."
}

func (r Reminder) unseen() string {
	if r.Unseen <= 0 {
		return ""
	}
	return fmt.Sprintf("The first %d of the newest pictures are not shown: the newest %d are, and no more than %d MB together. Read the files of those that you need, fewer at a time.",
		r.Unseen, chat.MaxPictures, chat.MaxPictureBytes>>20)
}

func (r Reminder) plan() string {
	switch {
	case !r.Plan:
		return ""
	case r.Proposes:
		return "Plan mode: until the user has approved a plan, only tools that read run, and all others are refused. Look at what you need to know, " +
			"then propose what you will do with " + chat.PlanTool + "; do not ask for approval in words. What needs nothing but reading you may simply answer."
	}
	return "Read only: the user has not approved a plan yet, so only tools that read run. Report what you find, and what you would do."
}

func (r Reminder) full() string {
	if r.Full <= 0 {
		return ""
	}
	return fmt.Sprintf("The context is %d %% full. Be brief, and read no more than you need.", r.Full)
}
