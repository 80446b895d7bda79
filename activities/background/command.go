package background

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"xbot/activities"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// Limits of a bang command and of what its answer shows.
const (
	bangTimeout = 120 * time.Second
	bangShown   = 4000    // characters of output in the answer; all of it is behind a link
	bangRead    = 4 << 15 // bytes asked of the runner: characters have up to four bytes, and colours go
)

// BangStore keeps bang commands.
type BangStore interface {
	Bang(ctx context.Context, id chat.InboxID) (chat.Bang, error)
	SetBangStartedOn(ctx context.Context, id chat.InboxID, runner, store string) error
	EndBang(ctx context.Context, id chat.InboxID, notice string) (bool, error)
}

// OutputLinks makes addresses under which the whole output of a command can be downloaded from a runner.
type OutputLinks interface {
	OutputURL(user chat.UserID, runner string, exec chat.CallID, name string) (string, error)
}

// Commands runs bang commands, which users give outside the turns of a conversation.
type Commands struct {
	Store     BangStore
	Sandboxes activities.Sandboxes
	Links     OutputLinks
}

// BangInput names a command.
type BangInput struct {
	Inbox   chat.InboxID `json:"inbox"`
	Stopped bool         `json:"stopped,omitempty"` // for EndBang: a user cancelled it before it ran
}

// BangOutput is the end of a command; the answer is in Postgres.
type BangOutput struct {
	State string `json:"state,omitempty"` // empty: it was answered before, or could not be run
	Code  int    `json:"code,omitempty"`
}

// RunBang runs a command and answers it. It attaches to the command that an earlier attempt started, and keeps the first answer. Cancelled, it kills
// the command.
func (c *Commands) RunBang(ctx context.Context, in BangInput) (BangOutput, error) {
	defer activities.Heartbeat(ctx)()
	bang, err := c.Store.Bang(ctx, in.Inbox)
	if fault.Is(err, fault.NotFound) {
		return BangOutput{}, nil // its session was deleted
	}
	if err != nil || bang.Done {
		return BangOutput{}, activities.Failure(ctx, err)
	}
	find := c.Sandboxes.ForNewWork
	if bang.StartedOn != "" {
		find = c.Sandboxes.ForStartedWork
	}
	box, err := find(ctx, bang.Session, bang.User, bang.Runner)
	if err != nil {
		return BangOutput{}, c.refuse(ctx, bang, err)
	}
	result, err := c.run(ctx, bang, box)
	if err != nil {
		return BangOutput{}, c.refuse(ctx, bang, err)
	}
	masker, err := c.Sandboxes.Masker(ctx, bang.Session)
	if err != nil {
		return BangOutput{}, c.refuse(ctx, bang, err)
	}
	notice, whole := c.answer(bang, box.Name(), result)
	notice = masker.Text(notice)
	if err := c.end(ctx, bang, notice); err != nil {
		return BangOutput{}, activities.Failure(ctx, err)
	}
	if !whole {
		activities.Release(ctx, box, bang.ExecID())
	}
	return BangOutput{State: string(result.State), Code: result.Code}, nil
}

// EndBang answers a command that an activity could not answer. It keeps an earlier answer.
func (c *Commands) EndBang(ctx context.Context, in BangInput) error {
	bang, err := c.Store.Bang(ctx, in.Inbox)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil && !bang.Done {
		say := i18n.BangBroken
		if in.Stopped {
			say = i18n.Stopped
		}
		_, err = c.Store.EndBang(ctx, in.Inbox, i18n.Say(i18n.Lang(bang.Lang), say))
	}
	return activities.Failure(ctx, err)
}

// refuse answers the command with the sentence of a permanent error. Other errors are returned, for another attempt.
func (c *Commands) refuse(ctx context.Context, bang chat.Bang, err error) error {
	lang := i18n.Lang(bang.Lang)
	sentence := i18n.Explain(lang, err)
	offline, away := errors.AsType[*sandbox.OfflineError](err)
	switch kind := fault.KindOf(err); {
	case activities.Stopped(ctx):
		return activities.Failure(context.WithoutCancel(ctx), c.end(ctx, bang, i18n.Say(lang, i18n.Stopped)))
	case away:
		sentence = i18n.Say(lang, i18n.BangOffline, offline.Runner, int(offline.Waited.Seconds()))
	case kind == fault.Internal || kind == fault.Unavailable || kind == fault.RateLimited:
		return activities.Failure(ctx, err)
	}
	notice := i18n.Say(lang, i18n.BangRefused, sentence)
	if bang.StartedOn != "" {
		notice = i18n.Say(lang, i18n.BangLost)
	}
	return activities.Failure(ctx, c.end(ctx, bang, notice))
}

func (c *Commands) end(ctx context.Context, bang chat.Bang, notice string) error {
	ctx, cancel := activities.Settling(ctx)
	defer cancel()
	_, err := c.Store.EndBang(ctx, bang.Inbox, notice)
	return err
}

// run attaches to the command or starts it. A cancellation kills it; after any other end of ctx it runs on.
func (c *Commands) run(ctx context.Context, bang chat.Bang, box sandbox.Sandbox) (sandbox.ExecResult, error) {
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ended:
		case <-ctx.Done():
			if activities.Stopped(ctx) {
				activities.KillAndWait(ctx, box, bang.ExecID(), ended)
			}
			cancel(context.Cause(ctx))
		}
	}()
	defer func() { close(ended); <-watched }()
	return box.Exec(running, sandbox.ExecRequest{
		ID: bang.ExecID(), Command: bang.Command, Dir: chat.FolderOn(bang.Dir, bang.DirRunner, box.Name()), Env: bang.Env, Timeout: bangTimeout, Limit: bangRead, StartedOn: bang.StartedOn,
		Starting: func(ctx context.Context, store string) error {
			return c.Store.SetBangStartedOn(ctx, bang.Inbox, box.Name(), store)
		},
	})
}

// answer returns what the user reads. It reports whether the runner has to keep the whole output for a link.
func (c *Commands) answer(bang chat.Bang, runner string, r sandbox.ExecResult) (notice string, whole bool) {
	lang := i18n.Lang(bang.Lang)
	output := strings.TrimRight(tool.Clean(r.Output), " \n")
	text, cut := firstCharacters(output, bangShown)
	var b strings.Builder
	if text != "" {
		b.WriteString(markdown.Block(text) + "\n\n")
	}
	ran := chat.Span(r.Ended.Sub(r.Started))
	switch r.State {
	case sandbox.ExecExited:
		b.WriteString(i18n.Say(lang, i18n.BangExited, r.Code, ran))
	case sandbox.ExecTimedOut:
		b.WriteString(i18n.Say(lang, i18n.BangTimedOut, int(bangTimeout.Seconds())))
	case sandbox.ExecKilled:
		b.WriteString(i18n.Say(lang, i18n.BangKilled, ran))
	default:
		b.WriteString(i18n.Say(lang, i18n.BangLost))
	}
	b.WriteString(missingFiles(lang, bang.Files))
	if !cut && !r.Truncated {
		return b.String(), false
	}
	url, err := c.Links.OutputURL(bang.User, runner, bang.ExecID(), string(bang.ExecID())+".txt")
	if err != nil {
		return b.String(), false // the first part of the output is better than no answer
	}
	fmt.Fprintf(&b, "\n\n[%s](%s)", i18n.Say(lang, i18n.BangWhole, size(r.Total)), url)
	return b.String(), true
}

// missingFiles lists the files of a command that are missing from its folder, with the reasons.
func missingFiles(lang i18n.Lang, files []chat.AttachmentFetch) string {
	var b strings.Builder
	for _, f := range files {
		switch {
		case f.State != chat.AttachmentStored:
			b.WriteString("\n" + i18n.Say(lang, i18n.FileNotFetched, f.Label(f.N), cmp.Or(f.Problem, i18n.Say(lang, i18n.FileLate))))
		case f.Runner != "":
			b.WriteString("\n" + i18n.Say(lang, i18n.FileBeside, f.Label(f.N), markdown.Line(f.Path)))
		}
	}
	return b.String()
}

// firstCharacters returns at most n characters of a text, and whether there are more.
func firstCharacters(text string, n int) (string, bool) {
	for i := range text {
		if n--; n < 0 {
			return text[:i], true
		}
	}
	return text, false
}

// size writes a number of bytes for a reader.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
	}
}
