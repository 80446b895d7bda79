package cron

import (
	"context"
	_ "embed"
	"strconv"
	"strings"

	"xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/tool"
	"xbot/internal/turn/slashcommand"
)

//go:embed publish.md
var publishDoc string

// Publishing makes jobs of services.
type Publishing interface {
	Publish(ctx context.Context, w cron.Caller, t cron.ServiceTask, once string) ([]chat.Job, error)
}

type task struct {
	Message  string   `json:"message" jsonschema:"what the service's agent is told in each conversation"`
	Services []string `json:"service_ids,omitempty" jsonschema:"all conversations of these"`
	Sessions []string `json:"session_ids,omitempty" jsonschema:"these conversations alone"`
	Type     string   `json:"schedule_type" jsonschema:"once, cron or interval"`
	Schedule string   `json:"schedule,omitempty" jsonschema:"2026-03-29 08:00, five fields, or seconds; once: empty is now"`
	RunNow   bool     `json:"run_now,omitempty" jsonschema:"also at once"`
	Name     string   `json:"task_name,omitempty"`
}

type publish struct {
	jobs   Publishing
	people slashcommand.People
}

// NewPublish returns the tool publish_service_task. It works for administrators, in a conversation that they alone read, and never for consumers
// or in subagents. A call that runs again finds the jobs that it made.
func NewPublish(jobs Publishing, people slashcommand.People) tool.Tool {
	return tool.Define("publish_service_task", chat.ClassIdempotent, publishDoc, publish{jobs, people}, tool.Optional("server"))
}

func (publish) Summary(p task) string {
	to := append(append([]string{}, p.Services...), p.Sessions...)
	return strings.Join(strings.Fields(p.Type+" "+p.Schedule+" "+strings.Join(to, " ")+" "+p.Message), " ")
}

func (t publish) Run(ctx context.Context, call tool.Call, p task) (chat.ToolResult, error) {
	if _, _, ok := service.Of(call.Session); ok {
		return tool.Fail("this tool is not for conversations of services"), nil
	}
	who, err := t.people.Caller(ctx, call.User, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	if !who.Admin || !who.Owner || !who.Direct {
		return tool.Fail("tasks of services are published by administrators, where they alone read the conversation"), nil
	}
	made, err := t.jobs.Publish(ctx, cron.Caller{User: call.User, Admin: true}, cron.ServiceTask{
		Message: p.Message, Name: p.Name, Services: p.Services, Sessions: p.Sessions, Type: p.Type, Schedule: p.Schedule, RunNow: p.RunNow,
	}, string(call.ID))
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Text("Published as " + strconv.Itoa(len(made)) + " jobs; Cron with their ids changes, pauses or removes them:\n" + lines(made)), nil
}
