package platform

import (
	"bytes"
	"context"
	"io"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// chunk is the size of a part of a file in one message, in bytes.
const chunk = 512 << 10

// maxFetch limits a file that came with a message, in bytes.
const maxFetch = 100 << 20

// account is one of a channel of a plugin. Its sessions are in the hub.
type account struct {
	hub      *Hub
	plugin   string
	channel  plugin.Channel
	name     string
	settings map[string]string
}

var _ channel.ConnectedAccount = (*account)(nil)

func (a *account) at() address { return address{a.channel.Name, a.name} }

// accountRef identifies the account of a request.
type accountRef struct {
	Channel string `json:"channel"`
	Account string `json:"account"`
}

func (a *account) named() accountRef { return accountRef{a.channel.Name, a.name} }

func (a *account) secrets() (out []string) {
	for _, o := range a.channel.Options {
		if o.Secret {
			out = append(out, a.settings[o.Name])
		}
	}
	return out
}

// session returns the session that can send.
func (a *account) session() (*session, error) {
	if s := a.hub.session(a.at()); s != nil && s.here() {
		return s, nil
	}
	return nil, fault.Errorf(fault.Unavailable, "the plugin %s does not run for %s at the moment", a.plugin, channel.Name(a.channel.Name, a.name))
}

// Here implements channel.ConnectedAccount.
func (a *account) Here() bool {
	_, err := a.session()
	return err == nil
}

// Traits returns the traits in the manifest.
func (a *account) Traits() channel.Traits {
	t := channel.Traits{MaxText: a.channel.Abilities.Text, MaxFile: a.channel.Abilities.File, Dialect: channel.Plain}
	if a.channel.Abilities.Markdown {
		t.Dialect = channel.Markdown
	}
	if a.channel.Abilities.Idempotent {
		t.Window = channel.Forever
	}
	return t
}

// Check returns the identity of the bot, from its connection. If the account is not open, a plugin that can tries its settings.
func (a *account) Check(ctx context.Context) (channel.Identity, []channel.Problem, error) {
	s, err := a.session()
	if err != nil {
		who, err := a.tried(ctx, err)
		return who, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.told.Connected && s.told.Err != nil {
		return s.who, nil, fault.Errorf(fault.Unavailable, "%w", s.told.Err)
	}
	return s.who, nil, nil
}

// place is the address of a message, for plugins.
type place struct {
	Type    chat.ChatType `json:"type"` // direct or group
	Chat    string        `json:"chat,omitempty"`
	Person  string        `json:"person,omitempty"` // the user who is answered
	Thread  string        `json:"thread,omitempty"`
	ReplyTo string        `json:"reply_to,omitempty"`
}

func placeOf(to channel.Address) place {
	return place{Type: to.ChatType, Chat: to.Chat, Person: to.Peer, Thread: to.Thread, ReplyTo: to.ReplyTo}
}

// outgoingMessage is a message, for plugins.
type outgoingMessage struct {
	accountRef

	To   place     `json:"to"`
	Key  string    `json:"key"`
	Text string    `json:"text,omitempty"`
	File *uploaded `json:"file,omitempty"`
}

// uploaded is a file whose parts were sent before.
type uploaded struct {
	Upload string `json:"upload"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	Size   int    `json:"size"` // bytes
}

// Send sends one message. If the answer is lost, the outcome is unknown.
func (a *account) Send(ctx context.Context, to channel.Address, m channel.Message) (channel.Sent, error) {
	out := outgoingMessage{accountRef: a.named(), To: placeOf(to), Key: m.Key}
	if m.File != nil && int64(len(m.File.Data)) > a.channel.Abilities.File {
		return channel.Sent{}, fault.Errorf(fault.TooLarge, "%s takes files of at most %d bytes", a.channel.Label, a.channel.Abilities.File)
	}
	out.Text = format.Render(a.Traits().Dialect, m.Text)
	if m.Card != nil {
		out.Text = question(*m.Card, a.channel.Abilities.Text)
	}
	if format.Size(channel.Plain, out.Text) > a.channel.Abilities.Text {
		return channel.Sent{}, fault.Errorf(fault.TooLarge, "%s takes texts of at most %d characters", a.channel.Label, a.channel.Abilities.Text)
	}
	s, err := a.session()
	if err != nil {
		return channel.Sent{}, err
	}
	if m.File != nil {
		if out.File, err = a.upload(ctx, s, m.File); err != nil {
			return channel.Sent{}, channel.Certain(explained(err))
		}
	}
	var sent struct {
		ID     string `json:"id"`
		Thread string `json:"thread"`
	}
	if err := s.line.Ask(ctx, bridge.Request{Method: "channels/send", Params: out}, &sent); err != nil {
		return channel.Sent{}, explained(err)
	}
	if !plugin.IsName(sent.ID) || sent.Thread != "" && !plugin.IsName(sent.Thread) { // it was sent, and has no id for replies
		sent.ID, sent.Thread = "", ""
	}
	return channel.Sent{ID: sent.ID, Thread: sent.Thread, At: time.Now()}, nil
}

// question returns a card as a text of at most a number of characters: the text above its fields is shortened.
func question(q channel.Question, most int) string {
	text := format.Question(&q)
	if over := format.Size(channel.Plain, text) - most; over > 0 {
		above := []rune(format.Plain(q.Text))
		q.Text = string(above[:max(0, len(above)-over-1)]) + "…"
		text = format.Question(&q)
	}
	return text
}

// upload sends a file in parts.
func (a *account) upload(ctx context.Context, s *session, f *channel.File) (*uploaded, error) {
	id, _ := secret.NewToken()
	for offset := 0; offset == 0 || offset < len(f.Data); offset += chunk {
		part := f.Data[offset:min(offset+chunk, len(f.Data))]
		err := s.line.Ask(ctx, bridge.Request{Method: "channels/upload", Params: struct {
			accountRef

			Upload string `json:"upload"`
			Offset int    `json:"offset"`
			Data   []byte `json:"data"`
		}{a.named(), id, offset, part}}, &struct{}{})
		if err != nil {
			return nil, err
		}
	}
	return &uploaded{Upload: id, Name: f.Name, Type: f.Type, Size: len(f.Data)}, nil
}

// about is a request about a message.
type about struct {
	accountRef

	To    place  `json:"to"`
	ID    string `json:"id,omitempty"`
	Emoji string `json:"emoji,omitempty"`
}

func (a *account) ask(ctx context.Context, can bool, method string, of about) error {
	if !can {
		return fault.Errorf(fault.Denied, "%s cannot do this", a.channel.Label)
	}
	s, err := a.session()
	if err != nil {
		return err
	}
	of.accountRef = a.named()
	return explained(s.line.Ask(ctx, bridge.Request{Method: method, Params: of}, &struct{}{}))
}

// Delete deletes a message that was sent.
func (a *account) Delete(ctx context.Context, to channel.Address, id string) error {
	return a.ask(ctx, a.channel.Abilities.Delete, "channels/delete", about{To: placeOf(to), ID: id})
}

// React puts a reaction to a user's message.
func (a *account) React(ctx context.Context, to channel.Address, id, emoji string) error {
	return a.ask(ctx, a.channel.Abilities.React, "channels/react", about{To: placeOf(to), ID: id, Emoji: emoji})
}

// Typing shows that an answer is being written.
func (a *account) Typing(ctx context.Context, to channel.Address) error {
	return a.ask(ctx, a.channel.Abilities.Typing, "channels/typing", about{To: placeOf(to)})
}

// Pace does not wait: a plugin reports when there is too much.
func (a *account) Pace(context.Context) error { return nil }

// Find is Denied: plugins have no history to search, so that an unknown outcome stays unknown.
func (a *account) Find(context.Context, channel.Address, channel.Message, time.Time) (channel.Sent, bool, error) {
	return channel.Sent{}, false, fault.Errorf(fault.Denied, "%s has no history that can be searched", a.channel.Label)
}

// Settles returns 0: without a history there is nothing to wait for.
func (a *account) Settles(channel.Message) time.Duration { return 0 }

// Fetch reads a file that came with a message, part by part.
func (a *account) Fetch(ctx context.Context, message string, file chat.Attachment) (io.ReadCloser, error) {
	s, err := a.session()
	if err != nil {
		return nil, err
	}
	r := &partialFile{ctx: ctx, account: a, session: s, message: message, key: file.Key}
	if err := r.next(); err != nil {
		return nil, err
	}
	return r, nil
}

// partialFile is a file that is read part by part.
type partialFile struct {
	ctx     context.Context //nolint:containedctx // of the reader
	account *account
	session *session
	message string
	key     string
	part    bytes.Reader
	offset  int64
	end     bool
}

// next asks for the next part.
func (r *partialFile) next() error {
	var out struct {
		Data []byte `json:"data"`
		End  bool   `json:"end"`
	}
	err := r.session.line.Ask(r.ctx, bridge.Request{Method: "channels/fetch", Params: struct {
		accountRef

		Message string `json:"message"`
		Key     string `json:"key"`
		Offset  int64  `json:"offset"` // bytes
		Limit   int    `json:"limit"`  // bytes
	}{r.account.named(), r.message, r.key, r.offset, chunk}}, &out)
	if err != nil {
		return channel.Certain(explained(err))
	}
	r.offset += int64(len(out.Data))
	switch {
	case r.offset > maxFetch:
		return fault.Errorf(fault.TooLarge, "the file has more than %d bytes", maxFetch)
	case len(out.Data) == 0 && !out.End:
		return fault.Errorf(fault.Unavailable, "the plugin %s gives nothing of the file", r.account.plugin)
	}
	r.part.Reset(out.Data)
	r.end = out.End
	return nil
}

// Read implements io.Reader.
func (r *partialFile) Read(into []byte) (int, error) {
	for r.part.Len() == 0 {
		if r.end {
			return 0, io.EOF
		}
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	return r.part.Read(into)
}

// Close implements io.Closer.
func (r *partialFile) Close() error { return nil }
