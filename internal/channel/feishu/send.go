package feishu

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// maxUUID is how long a uuid may be, in bytes.
const maxUUID = 50

// uuid returns the key under which the platform drops a second sending.
func uuid(key, suffix string) string {
	if len(key)+len(suffix) <= maxUUID {
		return key + suffix
	}
	sum := sha256.Sum256([]byte(key + "\x00" + suffix))
	return hex.EncodeToString(sum[:16])
}

// Send sends one message. A message that the platform refuses as a card is sent as rich text, and then as text; where it
// has no threads the answer is outside of one; and if the message that is answered is gone, the answer goes to its chat.
func (a *Account) Send(ctx context.Context, to channel.Address, m channel.Message) (channel.Sent, error) {
	if m.Follows && !to.InThread && to.Thread == "" {
		to.ReplyTo = "" // the message it continues quotes the question
	}
	switch {
	case m.Card != nil:
		keys, err := a.pictures(ctx, *m.Card)
		if err != nil {
			return channel.Sent{}, err
		}
		return a.deliver(ctx, to, m.Key, rendered{kind: "interactive", content: encode(askCard(*m.Card, shownBy{m.Mentions, keys}))})
	case m.File != nil:
		r, err := a.uploaded(ctx, *m.File)
		if err != nil {
			return channel.Sent{}, err
		}
		return a.deliver(ctx, to, m.Key, r)
	case strings.TrimSpace(m.Text) == "":
		return channel.Sent{}, fault.Errorf(fault.Invalid, "a message without text cannot be sent")
	}
	all := renderings(m)
	if len(all) == 0 {
		return channel.Sent{}, fault.Errorf(fault.TooLarge, "the text has %d bytes, which is too long for one message of Feishu; split it", len(m.Text))
	}
	return a.first(all, func(r rendered) (channel.Sent, error) { return a.deliver(ctx, to, m.Key, r) })
}

// first tries one form after the other while the platform does not accept the content.
func (a *Account) first(all []rendered, try func(rendered) (channel.Sent, error)) (channel.Sent, error) {
	var sent channel.Sent
	var err error
	for _, r := range all {
		if sent, err = try(r); !refusedAs(err, badContent, tooLong, unclear) {
			return sent, err
		}
	}
	return sent, err
}

// deliver sends one message to its place: as an answer, into its thread if the answered message is gone, or to the chat if
// the thread is gone too.
func (a *Account) deliver(ctx context.Context, to channel.Address, key string, r rendered) (channel.Sent, error) {
	if to.ReplyTo != "" {
		sent, err := a.reply(ctx, to, to.ReplyTo, key, r)
		if !refusedAs(err, gone, threadless) {
			return sent, err
		}
		r.suffix += ".c"
	}
	if to.Thread != "" {
		sent, err := a.join(ctx, to, key, r)
		if !refusedAs(err, gone) && !errors.Is(err, errEmptyThread) {
			return sent, err
		}
	}
	return a.create(ctx, to, key, r)
}

// join writes into a thread by answering its newest message.
func (a *Account) join(ctx context.Context, to channel.Address, key string, r rendered) (channel.Sent, error) {
	newest, err := a.newest(ctx, to.Thread)
	if err != nil {
		return channel.Sent{}, err
	}
	r.suffix += ".l"
	return a.reply(ctx, to, newest, key, r)
}

// reply answers to a message, in a thread if that is wanted and possible.
func (a *Account) reply(ctx context.Context, to channel.Address, message, key string, r rendered) (channel.Sent, error) {
	in := &larkim.ReplyMessageReqBody{MsgType: &r.kind, Content: &r.content, Uuid: new(uuid(key, r.suffix))}
	if !to.InThread && to.Thread == "" {
		return a.answer(ctx, message, in)
	}
	in.ReplyInThread = new(true)
	sent, err := a.answer(ctx, message, in)
	if refusedAs(err, threadless) {
		in.ReplyInThread, in.Uuid = nil, new(uuid(key, r.suffix+".f"))
		return a.answer(ctx, message, in)
	}
	return sent, err
}

func (a *Account) answer(ctx context.Context, message string, in *larkim.ReplyMessageReqBody) (channel.Sent, error) {
	out, err := call(ctx, a, a.im.Message.Reply, larkim.NewReplyMessageReqBuilder().MessageId(message).Body(in).Build())
	if err != nil {
		return channel.Sent{}, err
	}
	m := data(out.Data)
	return receipt(m.MessageId, m.ThreadId, m.CreateTime)
}

// receipt returns the platform's response to an accepted message.
func receipt(id, thread, created *string) (channel.Sent, error) {
	if data(id) == "" {
		return channel.Sent{}, channel.Uncertain(fault.Errorf(fault.Unavailable, "Feishu took a message and did not name it"))
	}
	return channel.Sent{ID: *id, Thread: data(thread), At: instant(data(created))}, nil
}

// create sends a message that answers nothing.
func (a *Account) create(ctx context.Context, to channel.Address, key string, r rendered) (channel.Sent, error) {
	id, kind := to.Chat, "chat_id"
	if id == "" {
		id, kind = to.Peer, "open_id"
	}
	if id == "" || to.ChatType != chat.ChatDirect && to.Chat == "" {
		return channel.Sent{}, fault.Errorf(fault.Invalid, "a message to Feishu needs the id of a chat, or of a person for a direct one")
	}
	in := &larkim.CreateMessageReqBody{ReceiveId: &id, MsgType: &r.kind, Content: &r.content, Uuid: new(uuid(key, r.suffix))}
	out, err := call(ctx, a, a.im.Message.Create, larkim.NewCreateMessageReqBuilder().ReceiveIdType(kind).Body(in).Build())
	if err != nil {
		return channel.Sent{}, err
	}
	m := data(out.Data)
	return receipt(m.MessageId, m.ThreadId, m.CreateTime)
}

// errEmptyThread means that a thread has no message that could be answered.
var errEmptyThread = errors.New("the thread is empty or gone")

// newest finds the newest message of a thread that is still there.
func (a *Account) newest(ctx context.Context, thread string) (string, error) {
	q := larkim.NewListMessageReqBuilder().ContainerIdType("thread").ContainerId(thread).SortType("ByCreateTimeDesc").PageSize(historyPage)
	out, err := call(ctx, a, a.im.Message.List, q.Build())
	if err != nil {
		return "", channel.Certain(err)
	}
	for _, m := range allStored(data(out.Data).Items) {
		if !m.gone {
			return m.id, nil
		}
	}
	return "", fault.Errorf(fault.NotFound, "%w", errEmptyThread)
}

// Edit replaces the content of a message: of a card in place, of a rich text or a text, as which it may have been sent, too.
func (a *Account) Edit(ctx context.Context, _ channel.Address, id string, m channel.Message) error {
	if m.File != nil {
		return fault.Errorf(fault.Invalid, "a file that was sent cannot be changed")
	}
	all := renderings(m)
	if m.Card != nil {
		keys, err := a.pictures(ctx, *m.Card)
		if err != nil {
			return err
		}
		all = []rendered{{kind: "interactive", content: encode(askCard(*m.Card, shownBy{m.Mentions, keys}))}}
	}
	if len(all) == 0 {
		return fault.Errorf(fault.TooLarge, "the text has %d bytes, which is too long for one message of Feishu", len(m.Text))
	}
	_, err := a.first(all, func(r rendered) (channel.Sent, error) {
		if r.kind == "interactive" {
			return channel.Sent{}, a.showCard(ctx, id, r.content)
		}
		in := &larkim.UpdateMessageReqBody{MsgType: &r.kind, Content: &r.content}
		_, err := call(ctx, a, a.im.Message.Update, larkim.NewUpdateMessageReqBuilder().MessageId(id).Body(in).Build())
		return channel.Sent{}, err
	})
	return err
}

// showCard replaces the card of a message.
func (a *Account) showCard(ctx context.Context, id, content string) error {
	in := &larkim.PatchMessageReqBody{Content: &content}
	_, err := call(ctx, a, a.im.Message.Patch, larkim.NewPatchMessageReqBuilder().MessageId(id).Body(in).Build())
	return err
}

// Delete takes back a message that was sent; one that is gone already is no error.
func (a *Account) Delete(ctx context.Context, _ channel.Address, id string) error {
	_, err := call(ctx, a, a.im.Message.Delete, larkim.NewDeleteMessageReqBuilder().MessageId(id).Build())
	if refusedAs(err, gone) {
		return nil
	}
	return err
}

// React adds a reaction to a message. The platform allows one of each kind per user.
func (a *Account) React(ctx context.Context, _ channel.Address, id, emoji string) error {
	in := &larkim.CreateMessageReactionReqBody{ReactionType: &larkim.Emoji{EmojiType: new(cmp.Or(emoji, "OnIt"))}}
	_, err := call(ctx, a, a.im.MessageReaction.Create, larkim.NewCreateMessageReactionReqBuilder().MessageId(id).Body(in).Build())
	return err
}
