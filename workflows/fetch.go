package workflows

import (
	"strconv"
	"strings"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/files"
	"xbot/internal/chat"
)

// FetchInput names a message whose files are fetched.
type FetchInput struct {
	Inbox chat.InboxID `json:"inbox"`
}

// Fetch brings the files of one message from its platform to the runner of the conversation, all at once, and then lets the
// message be answered. A file that does not come in time is left out; the message says so.
func Fetch(ctx workflow.Context, in FetchInput) error { return fetchFiles(ctx, in.Inbox) }

// fetchFiles fetches the files of one message and notes that it waits for them no longer.
func fetchFiles(ctx workflow.Context, message chat.InboxID) error {
	var list files.UnpackOutput
	input := files.FetchInput{Inbox: message}
	if err := workflow.ExecuteLocalActivity(local(ctx, "files"), activities.NameUnpack, input).Get(ctx, &list); err != nil {
		return err
	}
	var names []string
	var all []workflow.Future
	for _, f := range list.Files {
		names = append(names, f.Name)
		one := files.FetchInput{Inbox: message, N: f.N}
		all = append(all, workflow.ExecuteActivity(fetching(ctx, "fetch · "+f.Name), activities.NameFetchFile, one))
	}
	workflow.SetCurrentDetails(ctx, "**fetches** "+strconv.Itoa(len(names))+" files · "+strings.Join(names, " · "))
	for _, f := range all {
		_ = f.Get(ctx, nil) // the reason is in the row
	}
	ctx, _ = workflow.NewDisconnectedContext(ctx) // whoever cancels it wants no files, but an answer
	return workflow.ExecuteLocalActivity(local(ctx, "go on"), activities.NameEndFetch, input).Get(ctx, nil)
}
