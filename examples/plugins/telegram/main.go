// Command telegram is an xbot plugin that connects bots of Telegram by long polling. It needs no address that Telegram can reach.
package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	plugin "xbot/sdk/go"
)

func main() {
	p := plugin.New()
	p.Channel("telegram", &telegram{bots: map[*plugin.Account]*bot{}})
	_ = p.Run() // xbot has ended it
}

const (
	// pollTime is how long Telegram may hold a request for updates, in seconds.
	pollTime = 25
	// callTime bounds every other request.
	callTime = 50 * time.Second
	// again is the pause after a failure.
	again = 2 * time.Second
)

// telegram is the platform.
type telegram struct {
	mu   sync.Mutex
	bots map[*plugin.Account]*bot
}

// bot is one of its accounts.
type bot struct {
	api

	account *plugin.Account
	me      user
	stop    context.CancelFunc
	done    chan struct{}
}

// apiOf returns the Bot API with the settings of an account.
func apiOf(a *plugin.Account) api {
	return api{base: strings.TrimRight(a.Setting("api"), "/"), token: a.Setting("token"), http: &http.Client{Timeout: callTime}}
}

// Check implements plugin.Checker.
func (t *telegram) Check(ctx context.Context, a *plugin.Account) (plugin.Bot, error) {
	var me user
	err := apiOf(a).call(ctx, "getMe", struct{}{}, &me)
	return plugin.Bot{ID: number(me.ID), Name: "@" + me.Username}, err
}

// Open implements plugin.Platform.
func (t *telegram) Open(ctx context.Context, a *plugin.Account) (plugin.Bot, error) {
	b := &bot{api: apiOf(a), account: a, done: make(chan struct{})}
	if err := b.call(ctx, "getMe", struct{}{}, &b.me); err != nil {
		return plugin.Bot{}, err
	}
	life, stop := context.WithCancel(context.Background())
	b.stop = stop
	t.mu.Lock()
	t.bots[a] = b
	t.mu.Unlock()
	go b.poll(life)
	return plugin.Bot{ID: number(b.me.ID), Name: "@" + b.me.Username}, nil
}

// Close implements plugin.Platform.
func (t *telegram) Close(a *plugin.Account) {
	t.mu.Lock()
	b := t.bots[a]
	delete(t.bots, a)
	t.mu.Unlock()
	if b != nil {
		b.stop()
		<-b.done
	}
}

func (t *telegram) bot(a *plugin.Account) (*bot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b := t.bots[a]; b != nil {
		return b, nil
	}
	return nil, plugin.Away("the account is not open")
}

// poll receives. Telegram keeps an update until one behind it is asked for, which happens once xbot has stored it.
func (b *bot) poll(ctx context.Context) {
	defer close(b.done)
	offset, wrong := int64(0), false
	for ctx.Err() == nil {
		var updates []update
		err := b.call(ctx, "getUpdates", map[string]any{"offset": offset, "timeout": pollTime, "allowed_updates": []string{"message", "edited_message"}}, &updates)
		if ctx.Err() != nil {
			return
		}
		if err != nil || wrong {
			_ = b.account.Status(ctx, err) // the next one says it again
		}
		if wrong = err != nil; wrong {
			rest(ctx, again)
			continue
		}
		for _, u := range updates {
			if !b.take(ctx, u) {
				break // the same ones come again
			}
			offset = u.ID + 1
		}
	}
}

// take hands an update over, and reports whether it is done with.
func (b *bot) take(ctx context.Context, u update) bool {
	m, tell := u.Message, b.account.Receive
	if u.Edited != nil {
		m, tell = u.Edited, b.account.Edited
	}
	if m == nil || m.From == nil || m.From.Bot {
		return true
	}
	in, ok := b.incoming(m)
	if !ok {
		return true
	}
	in.Seq = u.ID
	err := tell(ctx, in)
	if err == nil || plugin.IsRefused(err) {
		return true
	}
	rest(ctx, again)
	return false
}

// incoming converts a message for xbot. It returns false if xbot cannot use it.
func (b *bot) incoming(m *message) (plugin.Incoming, bool) {
	in := plugin.Incoming{
		ID: number(m.ID), Type: "direct", Chat: number(m.Chat.ID), Text: m.Text + m.Caption, SentAt: time.Unix(m.Date, 0),
		Sender: plugin.Bot{ID: number(m.From.ID), Name: strings.TrimSpace(m.From.First + " " + m.From.Last)},
	}
	switch m.Chat.Type {
	case "private":
	case "group", "supergroup":
		in.Type, in.Subject = "group", m.Chat.Title
	default:
		return in, false
	}
	if m.Topic {
		in.Thread = number(m.Thread)
	}
	if m.Reply != nil {
		in.ReplyTo = number(m.Reply.ID)
		in.Answers = m.Reply.From != nil && m.Reply.From.ID == b.me.ID
	}
	in.Text, in.Mentioned = unmentioned(in.Text, b.me.Username)
	in.Files = files(m)
	return in, in.Text != "" || len(in.Files) > 0 || in.Mentioned
}

// unmentioned takes mentions of the bot out of a text.
func unmentioned(text, name string) (string, bool) {
	if name == "" {
		return text, false
	}
	words, found := strings.SplitAfter(text, " "), false
	for i, w := range words {
		plain := strings.TrimRight(strings.TrimSpace(w), ",:;.!?")
		if strings.EqualFold(plain, "@"+name) {
			words[i], found = "", true
		}
	}
	if !found {
		return text, false
	}
	return strings.TrimSpace(strings.Join(words, "")), true
}

func files(m *message) (out []plugin.File) {
	if n := len(m.Photo); n > 0 {
		out = append(out, plugin.File{Kind: "image", Key: m.Photo[n-1].ID, Name: "photo.jpg", Size: m.Photo[n-1].Size})
	}
	for _, f := range []struct {
		kind string
		of   *remote
	}{{"file", m.Document}, {"audio", m.Voice}, {"audio", m.Audio}, {"video", m.Video}} {
		if f.of != nil {
			out = append(out, plugin.File{Kind: f.kind, Key: f.of.ID, Name: f.of.Name, Size: f.of.Size})
		}
	}
	return out
}

// Send implements plugin.Platform.
func (t *telegram) Send(ctx context.Context, a *plugin.Account, m plugin.Outgoing) (string, error) {
	b, err := t.bot(a)
	if err != nil {
		return "", err
	}
	var sent message
	if m.File != nil {
		values := map[string]string{"chat_id": chatOf(m.To)}
		if m.To.Thread != "" {
			values["message_thread_id"] = m.To.Thread
		}
		err = b.send(ctx, "sendDocument", "document", values, m.File, &sent)
		return number(sent.ID), err
	}
	in := map[string]any{"chat_id": chatOf(m.To), "text": m.Text}
	if m.To.Thread != "" {
		in["message_thread_id"] = m.To.Thread
	}
	if id, err := strconv.ParseInt(m.To.ReplyTo, 10, 64); err == nil && m.To.Type == "group" {
		in["reply_parameters"] = map[string]any{"message_id": id, "allow_sending_without_reply": true}
	}
	err = b.call(ctx, "sendMessage", in, &sent)
	return number(sent.ID), err
}

// Delete implements plugin.Deleter.
func (t *telegram) Delete(ctx context.Context, a *plugin.Account, to plugin.Place, id string) error {
	return t.do(ctx, a, "deleteMessage", map[string]any{"chat_id": chatOf(to), "message_id": id})
}

// Typing implements plugin.Typist.
func (t *telegram) Typing(ctx context.Context, a *plugin.Account, to plugin.Place) error {
	return t.do(ctx, a, "sendChatAction", map[string]any{"chat_id": chatOf(to), "action": "typing"})
}

func (t *telegram) do(ctx context.Context, a *plugin.Account, method string, in any) error {
	b, err := t.bot(a)
	if err != nil {
		return err
	}
	var done bool
	return b.call(ctx, method, in, &done)
}

// Fetch implements plugin.Fetcher.
func (t *telegram) Fetch(ctx context.Context, a *plugin.Account, _, key string, offset int64, limit int) ([]byte, bool, error) {
	b, err := t.bot(a)
	if err != nil {
		return nil, false, err
	}
	return b.file(ctx, key, offset, limit)
}

// chatOf returns the chat of a place: a private one has the id of its person.
func chatOf(to plugin.Place) string {
	if to.Chat != "" {
		return to.Chat
	}
	return to.Person
}

func number(id int64) string { return fmt.Sprint(id) }

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
