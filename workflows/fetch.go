package workflows

import (
	"cmp"
	"strings"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/files"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
)

// FetchInput names a message whose files are fetched.
type FetchInput struct {
	Inbox chat.InboxID `json:"inbox"`
}

// Fetch brings the files of one message from its platform to the runner of the conversation, all at once, and then makes the message claimable. A
// file that does not come in time is left out, with a note in the message.
func Fetch(ctx workflow.Context, in FetchInput) error { return fetchFiles(ctx, in.Inbox) }

// fetchFiles fetches the files of one message, and records that the message no longer waits for them.
func fetchFiles(ctx workflow.Context, message chat.InboxID) error {
	var list files.UnpackOutput
	input := files.FetchInput{Inbox: message}
	if err := workflow.ExecuteLocalActivity(localOptions(ctx, "files"), activities.NameUnpack, input).Get(ctx, &list); err != nil {
		return err
	}
	var all []workflow.Future
	lines := make([]string, len(list.Files))
	show := func(doing string) {
		workflow.SetCurrentDetails(ctx, "**"+doing+"** · "+count(len(list.Files), "file", "files")+"\n\n"+strings.Join(lines, "\n"))
	}
	for n, f := range list.Files {
		lines[n] = "- " + markdown.Escaped(f.Name)
		one := files.FetchInput{Inbox: message, N: f.N}
		all = append(all, workflow.ExecuteActivity(fetchOptions(ctx, "fetch · "+f.Name), activities.NameFetchFile, one))
	}
	show("fetching")
	for n, f := range all {
		var out files.FetchOutput
		err := f.Get(ctx, &out) // the reason is in the row
		lines[n] += " · " + fetched(out, err)
	}
	show("done")
	ctx, _ = workflow.NewDisconnectedContext(ctx) // a cancellation skips the files, but not the answer
	return workflow.ExecuteLocalActivity(localOptions(ctx, "go on"), activities.NameEndFetch, input).Get(ctx, nil)
}

// fetched describes the outcome of fetching a file.
func fetched(out files.FetchOutput, err error) string {
	if err != nil {
		return "not fetched: " + markdown.Escaped(kindOf(err))
	}
	return cmp.Or(string(out.State), "done")
}
