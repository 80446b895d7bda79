package onebot

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/chat"
)

// event is an event of NapCat, and the function to call once it is processed.
type event struct {
	wire.Event
	settled func() // called when it is processed; nil: none waits
}

// parseEvent reads an event; a frame that is none yields nothing.
func parseEvent(data []byte) (*event, bool) {
	var e event
	if channel.Decode(data, &e) != nil || e.PostType == "" {
		return nil, false
	}
	return &e, true
}

// place names the chat of an event among those of the bot: g and the number of the group, or p and that of the person.
func (e *event) place() string {
	if e.group() {
		return "g" + string(e.GroupID)
	}
	return "p" + string(e.UserID)
}

func (e *event) group() bool {
	return e.MessageType == "group" || e.MessageType == "" && e.GroupID != "" && e.GroupID != "0"
}

// id returns the id of a message.
func (e *event) id() string { return messageID(e.place(), e.MessageID, e.Time) }

// messageID returns the permanent id of a message: NapCat's number is a hash that may repeat, in another chat or later.
func messageID(place string, id wire.Number, at wire.Seconds) string {
	return fmt.Sprintf("%s.%s.%d", place, id, int64(at))
}

var idForm = regexp.MustCompile(`^([gp])([0-9]{1,20})\.(-?[0-9]{1,20})\.([0-9]{1,18})$`)

// messageRef is a message as identified by its id.
type messageRef struct {
	group bool
	chat  string
	id    wire.Number
	at    time.Time
}

// parseID reads an id of this package. It also accepts a bare number of NapCat.
func parseID(id string) (messageRef, bool) {
	if m := idForm.FindStringSubmatch(id); m != nil {
		at, err := strconv.ParseInt(m[4], 10, 64)
		return messageRef{group: m[1] == "g", chat: m[2], id: wire.Number(m[3]), at: time.Unix(at, 0)}, err == nil
	}
	if wire.NumberForm.MatchString(id) {
		return messageRef{id: wire.Number(id)}, true
	}
	return messageRef{}, false
}

// via marks a direct chat with a user who is no friend, but member of a group: messages to them name the group.
const via = "via."

// chatOf returns the type and the id of the chat of a message.
func (e *event) chatOf() (chat.ChatType, string) {
	switch {
	case e.group():
		return chat.ChatGroup, string(e.GroupID)
	case e.SubType == "group" && e.GroupID != "" && e.GroupID != "0":
		return chat.ChatDirect, via + string(e.GroupID)
	}
	return chat.ChatDirect, string(e.UserID)
}
