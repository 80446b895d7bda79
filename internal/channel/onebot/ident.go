package onebot

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"xbot/internal/chat"
)

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

// id is the id of a message.
func (e *event) id() string { return messageID(e.place(), e.MessageID, e.Time) }

// messageID is the id of a message for good: NapCat's number is a hash that may come again, in another chat or later.
func messageID(place string, id number, at seconds) string {
	return fmt.Sprintf("%s.%s.%d", place, id, int64(at))
}

var idForm = regexp.MustCompile(`^([gp])([0-9]{1,20})\.(-?[0-9]{1,20})\.([0-9]{1,18})$`)

// named is a message as its id tells.
type named struct {
	group bool
	chat  string
	id    number
	at    time.Time
}

// parseID reads an id of ours. A bare number of NapCat is taken, too.
func parseID(id string) (named, bool) {
	if m := idForm.FindStringSubmatch(id); m != nil {
		at, err := strconv.ParseInt(m[4], 10, 64)
		return named{group: m[1] == "g", chat: m[2], id: number(m[3]), at: time.Unix(at, 0)}, err == nil
	}
	if numberForm.MatchString(id) {
		return named{id: number(id)}, true
	}
	return named{}, false
}

// via marks a direct chat with somebody who is no friend, but member of a group: messages to them name the group.
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
