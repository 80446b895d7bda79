package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/channeltest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Flaw is something that an adapter may do wrong.
type Flaw string

// The flaws.
const (
	Nameless      Flaw = "its identity has no id"
	Stubborn      Flaw = "it tries a wrong secret for ever"
	Garbles       Flaw = "it trims what people wrote"
	KeepsMention  Flaw = "it leaves the mention of the bot in the text"
	AlwaysMeant   Flaw = "it takes everything for a mention"
	Threadless    Flaw = "it does not tell threads from their group"
	Mixes         Flaw = "it takes everybody for one person"
	Anonymous     Flaw = "it does not tell names"
	Quoteless     Flaw = "it does not tell what a message answers to"
	AcksEarly     Flaw = "it acknowledges before the commit"
	AcksAlways    Flaw = "it acknowledges what was not committed"
	FreshIDs      Flaw = "it makes an id for every delivery"
	OwnClock      Flaw = "it takes the time of arrival for the time of sending"
	Quits         Flaw = "it does not connect again"
	Silent        Flaw = "it does not report that it lost the connection"
	Forgets       Flaw = "it does not get what was written while it was away"
	Trusting      Flaw = "it takes everything for a message"
	Lingers       Flaw = "it stays connected when its context ends"
	Misplaces     Flaw = "it answers threads in their group"
	AlwaysReplies Flaw = "it quotes where nothing is answered"
	Renames       Flaw = "it sends with a key of its own"
	Repeats       Flaw = "it sends again without a key after a lost answer"
	Certain       Flaw = "it takes a lost answer for a failure"
	Swallows      Flaw = "it takes a lost request for a success"
	Doubtful      Flaw = "it takes a refusal for an unknown outcome"
	Hasty         Flaw = "it does not tell when to come back"
	Blunt         Flaw = "it takes every refusal for an outage"
	Strips        Flaw = "it loses code"
	Cuts          Flaw = "it cuts long texts"
	Impatient     Flaw = "it sends only the beginning of long texts"
	Clips         Flaw = "it reads only the beginning of files"
	Conjures      Flaw = "it makes an empty file of one that is gone"
	Corrupts      Flaw = "it converts the line ends of files"
	Oversizes     Flaw = "it cuts files that are too large"
	Deaf          Flaw = "it does not hear of edits and recalls"
	Frozen        Flaw = "it does not edit"
	Undying       Flaw = "it does not delete"
	Effusive      Flaw = "it reacts again and again"
	Chatty        Flaw = "it shows that it types by a message"
	Stutters      Flaw = "it streams in several messages"
	Amnesiac      Flaw = "it does not know its streams any more"
	Unasking      Flaw = "it leaves the options out"
	Forgetful     Flaw = "it loses what was filled in"
	Unsettled     Flaw = "it leaves the buttons"
	Mispresses    Flaw = "it mistakes one button for another"
	Vague         Flaw = "it does not know its limits"
	Shared        Flaw = "it keeps its connections for the whole process"
	Hopeless      Flaw = "it takes an outage for a refusal"
	Shuffles      Flaw = "it sends every second message before the first"
	Picky         Flaw = "it does not take long keys"
	Unbounded     Flaw = "it answers more often than it says"
	Timeless      Flaw = "it does not tell when a message was sent"
	Blind         Flaw = "it does not find what it has sent"
	Believes      Flaw = "it finds what it has not sent"
)

// account is the adapter.
type account struct {
	world  *World
	secret string
	has    map[Flaw]bool
	late   *channel.Message // of one who shuffles
}

// finding is an account of a platform without keys.
type finding struct{ *account }

var (
	_ channel.Editor   = (*account)(nil)
	_ channel.Deleter  = (*account)(nil)
	_ channel.Reactor  = (*account)(nil)
	_ channel.Typist   = (*account)(nil)
	_ channel.Asker    = (*account)(nil)
	_ channel.Streamer = (*account)(nil)
	_ channel.Fetcher  = (*account)(nil)
	_ channel.Finder   = finding{}
)

// Traits tells what the platform permits.
func (a *account) Traits() channel.Traits {
	if a.has[Vague] {
		return channel.Traits{}
	}
	t := channel.Traits{MaxText: maxText, MaxFile: maxFile, Dialect: channel.Markdown}
	if a.has[Unbounded] {
		t.Replies, t.ReplyWindow = 3, time.Minute
	}
	if a.world.keys {
		t.Window = channel.Forever
	}
	return t
}

// Check tells who the bot is.
func (a *account) Check(context.Context) (channel.Identity, []channel.Problem, error) {
	if a.secret != "right" {
		return channel.Identity{}, nil, fault.Errorf(fault.Denied, "the secret is wrong")
	}
	if a.has[Nameless] {
		return channel.Identity{}, nil, nil
	}
	return channel.Identity{ID: "bot", Name: "Bot"}, nil, nil
}

// Run receives until ctx ends.
func (a *account) Run(ctx context.Context, to channel.Receiver, report func(channel.Status)) error {
	for ctx.Err() == nil {
		c, err := a.home().connect(a.secret)
		if err != nil {
			report(channel.Status{Err: err})
			if !a.has[Stubborn] {
				return fault.Errorf(fault.Denied, "sign on: %w", err)
			}
			<-ctx.Done()
			return nil
		}
		report(channel.Status{Connected: true})
		a.listen(ctx, c, to, report)
		if a.has[Lingers] && ctx.Err() != nil {
			return nil
		}
		c.close()
		if a.has[Quits] {
			<-ctx.Done()
		}
		if a.has[Forgets] { // it stays away long enough to be written to
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
		if ctx.Err() == nil && !a.has[Silent] {
			report(channel.Status{Err: errBroken})
		}
	}
	return nil
}

// home is the world that the account is in, or the newest one if the process knows only one.
func (a *account) home() *World {
	if a.has[Shared] {
		return newest.Load()
	}
	return a.world
}

// newest is what a process remembers that should not.
var newest atomic.Pointer[World]

func (a *account) listen(ctx context.Context, c *conn, to channel.Receiver, report func(channel.Status)) {
	for {
		e, ok := c.next(ctx)
		if !ok {
			return
		}
		if a.has[AcksEarly] {
			c.ack(e, true)
		}
		err := a.handle(ctx, e, to)
		report(channel.Status{Connected: true, Event: time.Now(), Lag: time.Since(e.post.at)})
		if !a.has[AcksEarly] {
			c.ack(e, err == nil || a.has[AcksAlways])
		}
	}
}

func (a *account) handle(ctx context.Context, e event, to channel.Receiver) error {
	switch e.kind {
	case "message":
		return to.Receive(ctx, a.envelope(e.post))
	case "edit":
		if a.has[Deaf] {
			return nil
		}
		return to.Edited(ctx, a.envelope(e.post))
	case "recall":
		if a.has[Deaf] {
			return nil
		}
		return to.Recalled(ctx, a.envelope(e.post))
	case "press":
		press := channel.Press{
			Channel: "memory", Account: channeltest.Account, Event: e.id, Sender: people[0].ID, Message: e.post.id, Question: e.post.card.ID,
			Button: e.button, Values: e.values,
		}
		if a.has[Forgetful] {
			press.Values = nil
		}
		if a.has[Mispresses] {
			press.Button = press.Button[1:]
		}
		toast, err := to.Pressed(ctx, press)
		e.answer <- toast
		return err
	}
	if a.has[Trusting] {
		return to.Receive(ctx, a.envelope(e.post))
	}
	return nil
}

// envelope turns a message of the platform into one of ours.
func (a *account) envelope(p post) chat.Envelope {
	e := chat.Envelope{
		ID:     p.id,
		Place:  chat.Place{Channel: "memory", Account: channeltest.Account, ChatType: chat.ChatDirect, Chat: "d-" + people[p.who].ID},
		Sender: people[p.who],
		SentAt: p.at, Seq: p.seq, Text: p.text, Mentioned: (p.mention || a.has[AlwaysMeant]) && p.where != channeltest.Direct,
	}
	if p.where != channeltest.Direct {
		e.ChatType, e.Chat = chat.ChatGroup, group
	}
	if p.where == channeltest.Thread && !a.has[Threadless] {
		e.Thread = thread
	}
	if p.other {
		e.Text, e.Mentions = "@"+people[1-p.who].Name+" "+p.text, []chat.Peer{people[1-p.who]}
	}
	for i, f := range p.files {
		e.Attachments = append(e.Attachments, chat.Attachment{Kind: f.Kind, Name: f.Name, Key: fmt.Sprintf("%s/%d", p.id, i), Size: int64(len(f.Data))})
	}
	if quoted := a.world.find(p.replyTo); quoted != nil && !a.has[Quoteless] {
		e.Parent, e.Answers, e.Quote = quoted.id, quoted.who < 0, &chat.Quote{Text: quoted.text}
	}
	return a.spoil(e, p)
}

// spoil does what flaws do to an envelope.
func (a *account) spoil(e chat.Envelope, p post) chat.Envelope {
	if a.has[Garbles] {
		e.Text = strings.Join(strings.Fields(e.Text), " ")
	}
	if a.has[KeepsMention] && p.mention {
		e.Text = "@Bot " + e.Text
	}
	if a.has[Mixes] {
		e.Sender = people[0]
	}
	if a.has[Anonymous] {
		e.Sender.Name, e.Mentions = "", nil
	}
	if a.has[FreshIDs] {
		e.ID = strconv.FormatUint(rand.Uint64(), 36)
	}
	if a.has[OwnClock] {
		e.SentAt, e.Seq = time.Now(), 0
	}
	if a.has[Timeless] {
		e.SentAt = time.Unix(0, 0)
	}
	return e
}

func (w *World) find(id string) *post {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said[id]
}

// Send sends one message.
func (a *account) Send(_ context.Context, to channel.Place, m channel.Message) (channel.Sent, error) {
	if a.has[Picky] && len(m.Key) > 40 {
		return channel.Sent{}, fault.Errorf(fault.Invalid, "the key is too long")
	}
	if a.has[Shuffles] && a.late == nil {
		a.late = &m
		return channel.Sent{ID: "b0"}, nil
	}
	p, err := a.put(to, a.spoilMessage(m))
	if a.late != nil {
		_, err = a.put(to, *a.late)
		a.late = nil
	}
	if errors.Is(err, errBroken) && a.has[Repeats] {
		m.Key += "-again"
		p, err = a.put(to, m)
	}
	if errors.Is(err, errBroken) && a.has[Swallows] {
		return channel.Sent{ID: "b0"}, nil
	}
	return channel.Sent{ID: p.id, Thread: to.Thread, At: p.at}, a.fault(err)
}

func (a *account) put(to channel.Place, m channel.Message) (post, error) {
	where, reply := whereOf(to), to.ReplyTo
	if a.has[Misplaces] && where == channeltest.Thread {
		where = channeltest.Group
	}
	if a.has[AlwaysReplies] {
		reply = "m1"
	}
	return a.world.accept(where, m, reply)
}

// spoilMessage does what flaws do to a message.
func (a *account) spoilMessage(m channel.Message) channel.Message {
	if a.has[Renames] {
		m.Key = strconv.FormatUint(rand.Uint64(), 36)
	}
	if a.has[Strips] {
		m.Text = strings.ReplaceAll(m.Text, "w16", "")
	}
	if a.has[Cuts] && len(m.Text) > maxText {
		m.Text = m.Text[:maxText]
	}
	if a.has[Impatient] && len(m.Text) > maxText/2 {
		m.Text = m.Text[:maxText/2]
	}
	if m.File != nil {
		file := *m.File
		if a.has[Corrupts] {
			file.Data = bytes.ReplaceAll(file.Data, []byte("\r\n"), []byte("\n"))
		}
		if a.has[Oversizes] && len(file.Data) > maxFile {
			file.Data = file.Data[:maxFile]
		}
		m.File = &file
	}
	if a.has[Unasking] && m.Card != nil {
		m.Card = &channel.Question{ID: m.Card.ID, Title: m.Card.Title, Buttons: m.Card.Buttons}
	}
	return m
}

func whereOf(to channel.Place) channeltest.Where {
	switch {
	case to.ChatType == chat.ChatDirect:
		return channeltest.Direct
	case to.Thread != "":
		return channeltest.Thread
	}
	return channeltest.Group
}

// fault is an error of the platform as the port has it.
func (a *account) fault(err error) error {
	if err == nil {
		return nil
	}
	if a.has[Doubtful] {
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "send: %w", err))
	}
	if a.has[Hopeless] {
		return fault.Errorf(fault.Denied, "send: %w", err)
	}
	if a.has[Blunt] {
		return fault.Errorf(fault.Unavailable, "send: %w", err)
	}
	if l, ok := errors.AsType[*limited](err); ok {
		if a.has[Hasty] {
			l.after = 0
		}
		return fault.Limited(l.after, "send: %w", err)
	}
	switch {
	case errors.Is(err, errBroken):
		if a.has[Certain] {
			return fault.Errorf(fault.Unavailable, "send: %w", err)
		}
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "send: %w", err))
	case errors.Is(err, errRefused):
		return fault.Errorf(fault.Denied, "send: %w", err)
	case errors.Is(err, errLarge):
		return fault.Errorf(fault.TooLarge, "send: %w", err)
	}
	return fault.Errorf(fault.Unavailable, "send: %w", err)
}

// Find looks for a message of the bot.
func (f finding) Find(_ context.Context, to channel.Place, m channel.Message, since time.Time) (channel.Sent, bool, error) {
	if f.has[Blind] {
		return channel.Sent{}, false, nil
	}
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	i := slices.IndexFunc(f.world.posts, func(p *post) bool {
		return p.where == whereOf(to) && !p.at.Before(since) && p.text == m.Text && (m.File != nil) == (len(p.files) > 0)
	})
	if i < 0 {
		return channel.Sent{ID: "b0"}, f.has[Believes], nil
	}
	return channel.Sent{ID: f.world.posts[i].id}, true, nil
}

// Fetch reads a file.
func (a *account) Fetch(_ context.Context, _ string, at chat.Attachment) (io.ReadCloser, error) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	data, ok := a.world.files[at.Key]
	if !ok && !a.has[Conjures] {
		return nil, fault.Errorf(fault.NotFound, "no file %s", at.Key)
	}
	if a.has[Clips] {
		data = data[:len(data)/2]
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// Edit changes a message.
func (a *account) Edit(_ context.Context, _ channel.Place, id string, m channel.Message) error {
	return a.world.change(id, func(p *post) {
		p.edits++
		if !a.has[Frozen] {
			p.text = m.Text
		}
	})
}

// EditEvery is no pause at all.
func (a *account) EditEvery() time.Duration { return 0 }

// Delete takes a message back.
func (a *account) Delete(_ context.Context, _ channel.Place, id string) error {
	return a.world.change(id, func(p *post) { p.gone = !a.has[Undying] })
}

// React puts a reaction to a message.
func (a *account) React(_ context.Context, _ channel.Place, id, emoji string) error {
	return a.world.change(id, func(p *post) {
		if a.has[Effusive] || !slices.Contains(p.reactions, emoji) {
			p.reactions = append(p.reactions, emoji)
		}
	})
}

// Typing shows nothing that lasts.
func (a *account) Typing(ctx context.Context, to channel.Place) error {
	if a.has[Chatty] {
		_, err := a.Send(ctx, to, channel.Message{Key: "typing", Text: "..."})
		return err
	}
	return nil
}

// Settle shows how a question was answered.
func (a *account) Settle(_ context.Context, _ channel.Place, id string, _ channel.Question, answer string) error {
	if a.has[Unsettled] {
		return nil
	}
	return a.world.change(id, func(p *post) { p.settled = answer })
}

// stream is an answer that is being written.
type stream struct {
	*account
	to   channel.Place
	sent channel.Sent
}

// Stream begins an answer.
func (a *account) Stream(ctx context.Context, to channel.Place, key string) (channel.Stream, error) {
	sent, err := a.Send(ctx, to, channel.Message{Key: key})
	return &stream{account: a, to: to, sent: sent}, err
}

// Resume goes on with an answer.
func (a *account) Resume(_ context.Context, to channel.Place, id string) (channel.Stream, error) {
	if a.world.find(id) == nil || a.has[Amnesiac] {
		return nil, fault.Errorf(fault.NotFound, "no message %s", id)
	}
	return &stream{account: a, to: to, sent: channel.Sent{ID: id}}, nil
}

// Sent is the message of the stream.
func (s *stream) Sent() channel.Sent { return s.sent }

// Put shows the text so far.
func (s *stream) Put(ctx context.Context, text string, sequence int) error {
	if s.has[Stutters] {
		_, err := s.Send(ctx, s.to, channel.Message{Key: fmt.Sprintf("stream-%d", sequence), Text: text})
		return err
	}
	return s.Edit(ctx, s.to, s.sent.ID, channel.Message{Text: text})
}

// End shows the whole text.
func (s *stream) End(ctx context.Context, m channel.Message, sequence int) error {
	return s.Put(ctx, m.Text, sequence)
}
