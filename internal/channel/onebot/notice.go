package onebot

import (
	"context"
	"fmt"

	"xbot/internal/channel/onebot/wire"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// notice processes events of a chat other than messages.
func (in *intake) notice(ctx context.Context, e *event) error {
	switch e.NoticeType {
	case "group_recall", "friend_recall":
		return in.recalled(ctx, e)
	case "group_upload":
		return in.uploaded(ctx, e)
	}
	return nil
}

// recalled takes back a message. The notice has its number only, so its time is remembered or looked up; a message whose
// time is unknown is too old to be waiting.
func (in *intake) recalled(ctx context.Context, e *event) error {
	if e.UserID == in.who() || e.MessageID == "" {
		return nil
	}
	id := ""
	if known, ok := in.met.get(e.place(), e.MessageID); ok {
		id = known.id
	} else if m, err := in.message(ctx, e.MessageID); err == nil && m.Time > 0 {
		id = messageID(e.place(), e.MessageID, m.Time)
	}
	if id == "" {
		return nil
	}
	kind, where := e.chatOf()
	return in.to.Recalled(ctx, chat.Envelope{
		Source: chat.Source{Channel: Name, Account: in.name, ChatType: kind, Chat: where}, ID: id, Sender: chat.Peer{ID: string(e.UserID)}, SentAt: e.Time.Time(),
	})
}

// uploaded is a file that a user put into a group. NapCat mostly reports it by a message as well; the first report counts.
func (in *intake) uploaded(ctx context.Context, e *event) error {
	if e.UserID == in.who() || e.UserID == "" || e.File.ID == "" || e.GroupID == "" {
		return nil
	}
	if in.met.twin(fileKey(e, e.File.Name, string(e.File.Size)), e.Time.Time(), true) {
		return nil
	}
	file := wire.Attributes{"file": e.File.Name, "file_id": string(e.File.ID), "file_size": string(e.File.Size), "busid": string(e.File.BusID)}
	envelope := in.bare(ctx, e)
	envelope.ID = fmt.Sprintf("%s.file-%s.%d", e.place(), digest(string(e.File.ID)), int64(e.Time))
	envelope.Attachments = []chat.Attachment{attached("file", file, string(e.GroupID))}
	return in.to.Receive(ctx, envelope)
}

// fileKey returns the common part of both reports of a file in a group.
func fileKey(e *event, name, size string) string {
	return fmt.Sprintf("%s/%s/%s/%s", e.GroupID, e.UserID, name, size)
}

// message asks NapCat for a message by its number.
func (a *account) message(ctx context.Context, id wire.Number) (*event, error) {
	var m event
	if err := a.ask(ctx, "get_msg", params{"message_id": id.Param()}, &m); err != nil {
		return nil, err
	}
	if m.MessageID == "" {
		return nil, fault.Errorf(fault.NotFound, "NapCat does not know the message %s", id)
	}
	return &m, nil
}
