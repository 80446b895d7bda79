package files

import (
	"context"
	"slices"

	"xbot/activities"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// Notices say something once, then at most daily.
type Notices interface {
	// NotifySender notifies the author of a message, as an answer to it.
	NotifySender(ctx context.Context, asked chat.InboxID, of chat.NoticeKey, say func(i18n.Lang) string) (told bool, err error)
	NotifyAdministrator(ctx context.Context, of chat.NoticeKey, say func(i18n.Lang) string) (told bool, err error)
}

// EndFetch makes the message claimable, which wakes its turn. The message lists the files that did not arrive.
func (r *Fetcher) EndFetch(ctx context.Context, in FetchInput) error {
	if err := r.tellNowhere(ctx, in.Inbox); err != nil {
		return activities.Failure(ctx, err)
	}
	return activities.Failure(ctx, r.Store.EndFetch(ctx, in.Inbox))
}

// tellNowhere reports that the files of a message were not fetched because there is no runner: to the sender, who can connect one; of a group to an
// administrator. A command reports missing files in its answer, and on the page the line of the message does.
func (r *Fetcher) tellNowhere(ctx context.Context, id chat.InboxID) error {
	p, err := r.Store.AttachmentSet(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && (!p.Waits || p.Command || p.To.ChatType == "" || allThere(p.Files)) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err = r.Sandboxes.Box(ctx, p.Owner, p.Runner); !fault.Is(err, fault.Denied) {
		return nil // why they did not come is in the rows
	}
	of := chat.NoticeKey{Topic: chat.TopicFiles, Channel: p.Channel, Account: p.Account, About: p.To.Peer, What: "runner"}
	if p.To.ChatType == chat.ChatDirect {
		_, err = r.Notices.NotifySender(ctx, id, of, func(l i18n.Lang) string { return i18n.Say(l, i18n.FilesNowhere) })
		return err
	}
	of.Topic, of.About = chat.TopicGroup, p.To.Chat // as when the group was first listened to
	_, err = r.Notices.NotifyAdministrator(ctx, of, func(l i18n.Lang) string {
		return i18n.Say(l, i18n.GroupNoRunner, markdown.Line(p.Label)+" ("+p.Channel+")", p.Session)
	})
	return err
}

func allThere(files []chat.AttachmentFetch) bool {
	return !slices.ContainsFunc(files, func(f chat.AttachmentFetch) bool { return f.State != chat.AttachmentStored })
}
