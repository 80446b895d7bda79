package feishu

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	// historyPage is how many messages the platform gives at once, and historyPages how many pages are read: older messages
	// stay unknown.
	historyPage  = 50
	historyPages = 20
	// clocks is how much the platform's clock may differ from the local one.
	clocks = 5 * time.Second
)

// container is where messages are listed: a chat, or a thread, whose messages its chat does not list.
type container struct{ kind, id string }

// Find looks for a message of the bot whose sending has an unknown outcome: the first since a time with the same content, where
// Send may have put it. It returns Invalid if there are more messages since then than are searched.
func (a *Account) Find(ctx context.Context, to channel.Address, m channel.Message, since time.Time) (channel.Sent, bool, error) {
	in, err := a.containers(ctx, to)
	if err != nil {
		return channel.Sent{}, false, channel.Certain(err)
	}
	for _, c := range in {
		sent, found, err := a.findIn(ctx, c, to, m, since.Add(-clocks))
		if err != nil || found {
			return sent, found, channel.Certain(err)
		}
	}
	return channel.Sent{}, false, nil
}

// containers returns where a message sent to a place may be: in its thread, or in the chat if the thread is gone.
func (a *Account) containers(ctx context.Context, to channel.Address) ([]container, error) {
	var all []container
	thread := to.Thread
	if thread == "" && to.InThread && to.ReplyTo != "" { // a thread that the answer has opened
		items, err := a.read(ctx, to.ReplyTo)
		if err != nil && !refusedAs(err, gone) {
			return nil, err
		}
		if len(items) > 0 {
			thread = items[0].thread
		}
	}
	if thread != "" {
		all = append(all, container{"thread", thread})
	}
	if to.Chat != "" {
		all = append(all, container{"chat", to.Chat})
	}
	if len(all) == 0 {
		return nil, fault.Errorf(fault.Invalid, "a message of a chat without an id cannot be looked for")
	}
	return all, nil
}

// findIn searches the messages of one container, the newest first: for threads a page is the only bound.
func (a *Account) findIn(ctx context.Context, in container, to channel.Address, m channel.Message, since time.Time) (sent channel.Sent, found bool, err error) {
	q := larkim.NewListMessageReqBuilder().ContainerIdType(in.kind).ContainerId(in.id).SortType("ByCreateTimeDesc").
		PageSize(historyPage).CardMsgContentType(cardContent)
	if in.kind == "chat" {
		q.StartTime(strconv.FormatInt(since.Unix(), 10))
	}
	for range historyPages {
		out, err := call(ctx, a, a.im.Message.List, q.Build())
		if err != nil {
			return sent, false, err
		}
		page := data(out.Data)
		for _, s := range allStored(page.Items) {
			if s.created.Before(since) {
				return sent, found, nil
			}
			elsewhere := in.kind == "chat" && s.parent != "" && s.parent != to.ReplyTo // it answers to another message
			if !elsewhere && a.same(ctx, s, m) {
				sent, found = channel.Sent{ID: s.id, Thread: s.thread, At: s.created}, true
			}
		}
		if !data(page.HasMore) || data(page.PageToken) == "" {
			return sent, found, nil
		}
		q.PageToken(*page.PageToken)
	}
	if found {
		return sent, true, nil
	}
	return sent, false, fault.Errorf(fault.Invalid, "more than %d messages were written since; the message was not looked for among the older ones", historyPage*historyPages)
}

// same reports whether a fetched message is one of the bot with the content of another.
func (a *Account) same(ctx context.Context, s storedMessage, m channel.Message) bool {
	if s.gone || s.senderType != "app" || s.sender != a.set.appID {
		return false
	}
	if m.File != nil {
		return a.sameFile(ctx, s, *m.File)
	}
	all := renderings(m)
	if m.Card != nil {
		all = []rendered{{kind: "interactive", content: encode(askCard(*m.Card, shownBy{m.Mentions, anyKeys(*m.Card)}))}}
	}
	shown := wordsOf(s.kind, s.content)
	for _, r := range all {
		if r.kind == s.kind && shown != "" && wordsOf(r.kind, r.content) == shown {
			return true
		}
	}
	return false
}

// sameFile compares files by their names, and images, which have none, by their content.
func (a *Account) sameFile(ctx context.Context, s storedMessage, f channel.File) bool {
	var b body
	if json.Unmarshal([]byte(s.content), &b) != nil {
		return false
	}
	if s.kind != "image" {
		return b.FileName != "" && b.FileName == fileName(f)
	}
	content, err := a.Fetch(ctx, s.id, chat.Attachment{Kind: "image", Key: b.ImageKey})
	if err != nil {
		return false
	}
	defer content.Close()
	raw, err := io.ReadAll(io.LimitReader(content, maxImage+1))
	return err == nil && bytes.Equal(raw, f.Data)
}

// wordsOf returns the letters of a message, without markup and white space, which the platform may change.
func wordsOf(kind, content string) string {
	var b body
	var said string
	switch kind {
	case "interactive":
		said = readCard([]byte(content))
	case "post":
		said = readPost([]byte(content)).text
	default:
		_ = json.Unmarshal([]byte(content), &b) // an unreadable one has no letters
		said = b.Text
	}
	return cmp.Or(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r < unicode.MaxASCII && unicode.IsOneOf([]*unicode.RangeTable{unicode.P, unicode.S}, r) {
			return -1
		}
		return r
	}, said), strings.TrimSpace(said))
}
