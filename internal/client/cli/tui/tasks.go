package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/text"
)

// errNoSession refuses what needs a session that was made.
var errNoSession = errors.New("the session begins with its first message; write one first")

// listTasks asks for what works for the session. What its commands do is known.
func (m *model) listTasks() tea.Cmd {
	key := m.session.Key
	if key == "" {
		m.say(noTasks)
		return nil
	}
	return request(m, func(ctx context.Context) ([]chat.Task, error) {
		return m.o.Client.ListTasks(ctx, key, apiclient.ListTasksParams{All: true})
	}, m.showTasks)
}

const noTasks = "There are no background tasks in this session."

// showTasks opens the list of background tasks in front of the conversation.
func (m *model) showTasks(all []chat.Task, err error) {
	if err != nil {
		m.complain(err.Error())
	}
	m.others = slices.DeleteFunc(all, func(t chat.Task) bool { return t.Kind == "" })
	if m.tasks = len(m.story.Tasks)+len(m.others) > 0; !m.tasks {
		m.say(noTasks)
	}
}

func (m *model) killTask(id string) tea.Cmd {
	if id == "" || m.session.Key == "" {
		m.complain("Say which task: /kill bg1; /tasks lists them.")
		return nil
	}
	key := m.session.Key
	return request(m, func(ctx context.Context) (chat.Task, error) {
		return m.o.Client.KillTask(ctx, key, id)
	}, func(task chat.Task, err error) {
		switch {
		case err != nil:
			m.complain("Not killed: " + err.Error())
		case task.State == chat.TaskRunning:
			m.say(text.Line(task.ID) + " is being killed.")
		default:
			m.say(text.Line(task.ID) + " has ended: " + text.TaskState(task) + ".")
		}
	})
}

// taskLines returns the list of background tasks.
func (m *model) taskLines() []string {
	lines := []string{"  " + m.theme.bold.Render("Background tasks"), ""}
	all := slices.Concat(m.story.Tasks, m.others)
	for _, task := range all {
		head := fmt.Sprintf("  %-5s %s", text.Line(task.ID), text.Line(strings.TrimSpace(string(task.Kind)+" "+task.Command)))
		lines = append(lines, spread(head, m.theme.dim.Render(text.TaskState(task))+" ", m.width))
	}
	return append(lines, "", "  "+m.theme.dim.Render("/kill "+text.Line(all[0].ID)+" kills one · esc closes"))
}

// runningLine returns one line about the background tasks that run, empty when none does.
func (m *model) runningLine() string {
	running := m.story.RunningTasks()
	if len(running) == 0 {
		return ""
	}
	line := "  1 task in the background"
	if len(running) > 1 {
		line = fmt.Sprintf("  %d tasks in the background", len(running))
	}
	newest := running[0]
	return line + " · " + text.Line(newest.ID) + " " + text.Line(newest.Command)
}
