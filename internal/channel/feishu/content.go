package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/chat"
)

// content is the content of a message.
type content struct {
	text      string
	files     []chat.Attachment
	mentioned bool
	mentions  []chat.Peer
}

// body is the content of every simple kind of message.
type body struct {
	Text     string `json:"text"`
	ImageKey string `json:"image_key"`
	FileKey  string `json:"file_key"`
	FileName string `json:"file_name"`
	ChatID   string `json:"chat_id"`
	UserID   string `json:"user_id"`
	Name     string `json:"name"`     // of a location
	Template string `json:"template"` // of a system message
	Topic    string `json:"topic"`    // of a meeting
	Summary  string `json:"summary"`  // of a calendar event
}

// content reads a message of any kind. An unknown kind is named, so that no message is lost silently.
func (a *Account) content(ctx context.Context, id, kind, raw string, all []mention, me identity) content {
	c := a.plainContent(ctx, id, kind, raw)
	if kind == "post" {
		c.text, all = keyed(c.text, all, me)
		if c.text == "" && len(c.files) == 0 {
			c.text = "[post]" // of a form that is not known yet
		}
	}
	c.text, c.mentioned, c.mentions = mentionsIn(c.text, all, me)
	if c.text == "" {
		c.text = described(c)
	}
	return c
}

// described returns the text of a message that has none: the kinds of its files.
func described(c content) string {
	var kinds []string
	for _, f := range c.files {
		kinds = append(kinds, "["+f.Kind+"]")
	}
	return strings.Join(kinds, " ")
}

func (a *Account) plainContent(ctx context.Context, id, kind, raw string) content {
	var b body
	_ = json.Unmarshal([]byte(raw), &b) // an unreadable one is empty, and named below by its kind
	switch kind {
	case "text":
		return content{text: b.Text}
	case "post":
		return readPost([]byte(raw))
	case "image":
		return content{files: file("image", b.ImageKey, "")}
	case "file":
		return content{files: file("file", b.FileKey, b.FileName)}
	case "folder":
		return content{text: fmt.Sprintf("[folder: %s]", b.FileName)}
	case "audio":
		return content{files: file("audio", b.FileKey, "")}
	case "media", "video":
		return content{files: file("video", b.FileKey, b.FileName)}
	case "sticker":
		return content{files: file("sticker", b.FileKey, "")}
	case "interactive":
		return content{text: readCard([]byte(raw))}
	case "share_chat":
		c, _ := a.chatInfo(ctx, b.ChatID) // without a name its id is used
		return content{text: fmt.Sprintf("[shared group: %s (%s)]", cmp.Or(c.name, "?"), b.ChatID)}
	case "share_user":
		return content{text: fmt.Sprintf("[shared contact: %s (%s)]", cmp.Or(a.nameOf(ctx, b.UserID, ""), "?"), b.UserID)}
	case "merge_forward":
		return content{text: a.forwarded(ctx, id)}
	case "location":
		return content{text: fmt.Sprintf("[location: %s]", b.Name)}
	}
	return content{text: strings.TrimSpace(fmt.Sprintf("[%.32s] %s", kind, cmp.Or(b.Text, b.Topic, b.Summary, b.Template)))}
}

func file(kind, key, name string) []chat.Attachment {
	if key == "" {
		return nil
	}
	return []chat.Attachment{{Kind: kind, Key: key, Name: clean(name)}}
}
