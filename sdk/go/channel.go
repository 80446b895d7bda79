package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Platform is what a channel does. Errors are Refused, Limited or Away; with any other one xbot does not know whether something was done.
type Platform interface {
	// Open connects an account, and returns who the bot is. It is called again after a restart. What arrives is handed to a.Receive from
	// then on, until Close.
	Open(ctx context.Context, a *Account) (Bot, error)
	// Close ends what Open began.
	Close(a *Account)
	// Send sends a message, and returns its id on the platform.
	Send(ctx context.Context, a *Account, m Outgoing) (id string, err error)
}

// Optional interfaces of a Platform, used if its abilities in plugin.json name them; every one may be a Checker.
type (
	// Checker tries the settings of an account without receiving for it, which may be open elsewhere.
	Checker interface {
		Check(ctx context.Context, a *Account) (Bot, error)
	}
	// Deleter takes back a message of the bot.
	Deleter interface {
		Delete(ctx context.Context, a *Account, to Place, id string) error
	}
	// Typist shows that an answer is being written.
	Typist interface {
		Typing(ctx context.Context, a *Account, to Place) error
	}
	// Reactor puts a reaction to a user's message.
	Reactor interface {
		React(ctx context.Context, a *Account, to Place, id, emoji string) error
	}
	// Fetcher reads at most limit bytes of a file that came with a message, from an offset. end: there are no more.
	Fetcher interface {
		Fetch(ctx context.Context, a *Account, message, key string, offset int64, limit int) (data []byte, end bool, err error)
	}
)

// Bot is the bot as the platform knows it.
type Bot struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Place is where a message goes.
type Place struct {
	Type    string `json:"type"` // direct or group
	Chat    string `json:"chat"`
	Person  string `json:"person"` // who is answered
	Thread  string `json:"thread"`
	ReplyTo string `json:"reply_to"` // id of the message that is answered
}

// Outgoing is a message of the bot: a text or a file.
type Outgoing struct {
	To   Place
	Key  string // the same when the same message is sent again
	Text string
	File *OutgoingFile
}

// OutgoingFile is a file that is sent.
type OutgoingFile struct {
	Name, Type string
	Data       []byte
}

// Incoming is a message of a user.
type Incoming struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"` // direct or group
	Chat      string    `json:"chat,omitempty"`
	Subject   string    `json:"subject,omitempty"` // name of the group
	Thread    string    `json:"thread,omitempty"`
	Sender    Bot       `json:"sender"`
	Text      string    `json:"text"`                // without the mention of the bot
	Mentioned bool      `json:"mentioned,omitempty"` // the bot is
	Answers   bool      `json:"answers,omitempty"`   // it answers to a message of the bot
	ReplyTo   string    `json:"reply_to,omitempty"`
	SentAt    time.Time `json:"sent_at,omitzero"`
	Seq       int64     `json:"seq,omitempty"` // order among messages of one instant
	Files     []File    `json:"files,omitempty"`
}

// File is a file of a user. Key is what Fetch gets.
type File struct {
	Kind string `json:"kind"` // image, audio, video or file
	Key  string `json:"key"`
	Name string `json:"name,omitempty"`
	Size int64  `json:"size,omitempty"` // bytes
}

// Why something about a message failed.
const (
	codeRefused = -32001
	codeLimited = -32002
	codeAway    = -32003

	codeNoMethod = -32601
)

// CodedError is the reason why something about a message failed.
type CodedError struct {
	Code  int
	Words string
	After time.Duration // when to ask again; of Limited
}

// Error implements error.
func (e *CodedError) Error() string { return e.Words }

// Refused returns an error for something that cannot be done, now or later.
func Refused(format string, args ...any) error {
	return &CodedError{Code: codeRefused, Words: fmt.Sprintf(format, args...)}
}

// Limited returns an error for too many requests at once, with the time after which to ask again.
func Limited(after time.Duration, format string, args ...any) error {
	return &CodedError{Code: codeLimited, Words: fmt.Sprintf(format, args...), After: after}
}

// Away returns an error for something that was not done and may work later.
func Away(format string, args ...any) error {
	return &CodedError{Code: codeAway, Words: fmt.Sprintf(format, args...)}
}

// IsRefused reports whether xbot or a platform will not take the same at any later time.
func IsRefused(err error) bool {
	coded, ok := errors.AsType[*CodedError](err)
	return ok && coded.Code == codeRefused
}

// err returns the error of a message.
func (e *rpcError) err() error {
	switch e.Code {
	case codeRefused, codeLimited, codeAway:
		out := &CodedError{Code: e.Code, Words: e.Message}
		if e.Data != nil {
			out.After = time.Duration(e.Data.RetryAfter * float64(time.Second))
		}
		return out
	}
	return errors.New(e.Message)
}

// coded returns the form of an error in a message.
func coded(err error) *rpcError {
	out := &rpcError{Code: -32000, Message: cut(err.Error())}
	if c, ok := errors.AsType[*CodedError](err); ok {
		out.Code = c.Code
		if c.After > 0 {
			out.Data = &delay{c.After.Seconds()}
		}
	}
	return out
}

// Account is a bot that is configured, while it is open.
type Account struct {
	Channel string
	Name    string // empty: the one without a name

	plugin   *Plugin
	settings map[string]string

	mu      sync.Mutex
	uploads map[string][]byte
}

// Setting returns the value of an option; empty: it has none.
func (a *Account) Setting(name string) string { return a.settings[name] }

// Receive hands over a message of a user, and returns once xbot has stored it. IsRefused: xbot will never take it; with another error the
// same message is to be handed over again, later. It may be handed over any number of times.
func (a *Account) Receive(ctx context.Context, m Incoming) error { return a.report(ctx, "receive", m) }

// Edited reports that a user has changed a message.
func (a *Account) Edited(ctx context.Context, m Incoming) error { return a.report(ctx, "edited", m) }

// Recalled reports that a user took a message back.
func (a *Account) Recalled(ctx context.Context, m Incoming) error {
	return a.report(ctx, "recalled", m)
}

func (a *Account) report(ctx context.Context, what string, m Incoming) error {
	_, err := a.plugin.request(ctx, "channels/"+what, struct {
		Channel string   `json:"channel"`
		Account string   `json:"account"`
		Message Incoming `json:"message"`
	}{a.Channel, a.Name, m})
	if errors.Is(err, errTooLong) {
		return Refused("%v", err) // it would be at any later time
	}
	return err
}

// Status reports that the account is connected, or why it is not.
func (a *Account) Status(ctx context.Context, problem error) error {
	in := map[string]any{"channel": a.Channel, "account": a.Name, "connected": problem == nil}
	if problem != nil {
		in["error"] = cut(problem.Error())
	}
	_, err := a.plugin.request(ctx, "channels/status", in)
	return err
}

// Channel makes the plugin the platform of a channel of its plugin.json.
func (p *Plugin) Channel(name string, of Platform) {
	if p.channels.of == nil {
		p.channels.of, p.channels.open = map[string]Platform{}, map[[2]string]*Account{}
	}
	p.channels.of[name] = of
}

// channels are those of a plugin.
type channels struct {
	of map[string]Platform

	mu   sync.Mutex
	open map[[2]string]*Account
}

// accountRequest is a request about an account.
type accountRequest struct {
	Channel  string            `json:"channel"`
	Account  string            `json:"account"`
	Settings map[string]string `json:"settings"`
	To       Place             `json:"to"`
	Key      string            `json:"key"`
	Text     string            `json:"text"`
	ID       string            `json:"id"`
	Emoji    string            `json:"emoji"`
	Message  string            `json:"message"`
	Offset   int64             `json:"offset"`
	Limit    int               `json:"limit"`
	Upload   string            `json:"upload"`
	Data     []byte            `json:"data"`
	File     *struct {
		Upload string `json:"upload"`
		Name   string `json:"name"`
		Type   string `json:"type"`
	} `json:"file"`
}

// channel answers a request about an account.
func (p *Plugin) channel(ctx context.Context, method string, params json.RawMessage) (any, error) {
	var in accountRequest
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, Refused("the params do not fit: %v", err)
	}
	of := p.channels.of[in.Channel]
	if of == nil {
		return nil, Refused("there is no channel %s", in.Channel)
	}
	id := [2]string{in.Channel, in.Account}
	switch method {
	case "channels/open":
		return p.openAccount(ctx, of, id, in.Settings)
	case "channels/check":
		if can, ok := of.(Checker); ok {
			return can.Check(ctx, &Account{Channel: id[0], Name: id[1], plugin: p, settings: in.Settings})
		}
		return nil, &CodedError{Code: codeNoMethod, Words: "the channel cannot be checked"}
	}
	p.channels.mu.Lock()
	a := p.channels.open[id]
	if method == "channels/close" {
		delete(p.channels.open, id)
	}
	p.channels.mu.Unlock()
	if a == nil {
		return nil, Away("the account is not open")
	}
	switch method {
	case "channels/close":
		of.Close(a)
		return struct{}{}, nil
	case "channels/upload":
		return struct{}{}, a.upload(in)
	case "channels/send":
		return a.send(ctx, of, in)
	}
	return a.more(ctx, of, method, in)
}

func (p *Plugin) openAccount(ctx context.Context, of Platform, id [2]string, settings map[string]string) (any, error) {
	a := &Account{Channel: id[0], Name: id[1], plugin: p, settings: settings, uploads: map[string][]byte{}}
	p.channels.mu.Lock()
	before := p.channels.open[id]
	p.channels.open[id] = a
	p.channels.mu.Unlock()
	if before != nil {
		of.Close(before)
	}
	who, err := of.Open(ctx, a)
	if err != nil {
		p.channels.mu.Lock()
		if p.channels.open[id] == a {
			delete(p.channels.open, id)
		}
		p.channels.mu.Unlock()
	}
	return who, err
}

// maxUploads is how many files may be on their way to an account at once.
const maxUploads = 4

func (a *Account) upload(in accountRequest) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if in.Offset != int64(len(a.uploads[in.Upload])) {
		return Away("a part of the file is missing")
	}
	if in.Offset == 0 && len(a.uploads) >= maxUploads {
		clear(a.uploads) // their senders have given up, or send them again
	}
	a.uploads[in.Upload] = append(a.uploads[in.Upload], in.Data...)
	return nil
}

func (a *Account) send(ctx context.Context, of Platform, in accountRequest) (any, error) {
	m := Outgoing{To: in.To, Key: in.Key, Text: in.Text}
	if in.File != nil {
		a.mu.Lock()
		data, ok := a.uploads[in.File.Upload]
		delete(a.uploads, in.File.Upload)
		a.mu.Unlock()
		if !ok {
			return nil, Away("the file is not here")
		}
		m.File = &OutgoingFile{in.File.Name, in.File.Type, data}
	}
	id, err := of.Send(ctx, a, m)
	return map[string]string{"id": id}, err
}

// more does what not every platform can.
func (a *Account) more(ctx context.Context, of Platform, method string, in accountRequest) (any, error) {
	switch method {
	case "channels/delete":
		if can, ok := of.(Deleter); ok {
			return struct{}{}, can.Delete(ctx, a, in.To, in.ID)
		}
	case "channels/typing":
		if can, ok := of.(Typist); ok {
			return struct{}{}, can.Typing(ctx, a, in.To)
		}
	case "channels/react":
		if can, ok := of.(Reactor); ok {
			return struct{}{}, can.React(ctx, a, in.To, in.ID, in.Emoji)
		}
	case "channels/fetch":
		if can, ok := of.(Fetcher); ok {
			data, end, err := can.Fetch(ctx, a, in.Message, in.Key, in.Offset, in.Limit)
			return map[string]any{"data": data, "end": end}, err
		}
	}
	return nil, Refused("the channel cannot do this")
}
