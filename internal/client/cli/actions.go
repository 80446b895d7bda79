package cli

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/sharing"
	"xbot/internal/client/cli/text"
	"xbot/internal/client/cli/transfer"
	"xbot/internal/fault"
)

// Actions of a user outside the conversation in a terminal that can only print. Each returns the text to print.

func listTasks(ctx context.Context, e *exchange, _ string) (string, error) {
	tasks, err := e.conn.client.ListTasks(ctx, e.session.Key, apiclient.ListTasksParams{All: true})
	if err != nil || len(tasks) == 0 {
		return "There are no background tasks in this session.", err
	}
	lines := make([]string, len(tasks))
	for i, task := range tasks {
		lines[i] = fmt.Sprintf("%s  %s  %s", text.Line(task.ID), text.TaskState(task), text.Line(task.Command))
	}
	return strings.Join(lines, "\n"), nil
}

func killTask(ctx context.Context, e *exchange, id string) (string, error) {
	if id == "" {
		return "", fault.Errorf(fault.Invalid, "say which task: /kill bg1; /tasks lists them")
	}
	task, err := e.conn.client.KillTask(ctx, e.session.Key, id)
	return task.ID + " is being killed.", err
}

func shareLink(ctx context.Context, e *exchange, args string) (string, error) {
	return sharing.Do(ctx, e.conn.client, e.session.Key, args)
}

func upload(ctx context.Context, e *exchange, args string) (string, error) {
	file, err := transfer.Upload(ctx, e.conn.client, e.session.Key, args)
	return "Uploaded. Name it in a message: [file: " + file.Path + "]", err
}

func download(ctx context.Context, e *exchange, args string) (string, error) {
	to, err := transfer.Download(ctx, e.conn.client, e.session.Key, args)
	return "Downloaded to " + to + ".", err
}
