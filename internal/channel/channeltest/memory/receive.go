package memory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/channeltest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Run receives until ctx ends.
func (a *account) Run(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	for ctx.Err() == nil {
		c, err := a.home().connect(a.secret)
		if err != nil {
			report.Report(channel.Status{Err: err})
			if !a.has[Stubborn] {
				return fault.Errorf(fault.Denied, "sign on: %w", err)
			}
			<-ctx.Done()
			return nil
		}
		report.Report(channel.Status{Connected: true})
		a.listen(ctx, c, to, report)
		if a.has[Lingers] && ctx.Err() != nil {
			return nil
		}
		c.close()
		if a.has[Quits] {
			<-ctx.Done()
		}
		if a.has[Forgets] { // it stays away long enough to miss messages
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
		if ctx.Err() == nil && !a.has[Silent] {
			report.Report(channel.Status{Err: errBroken})
		}
	}
	return nil
}

// home returns the world that the account is in, or the newest one if the process knows only one.
func (a *account) home() *World {
	if a.has[Shared] {
		return newest.Load()
	}
	return a.world
}

// newest is state of a process that it should not have.
var newest atomic.Pointer[World]

func (a *account) listen(ctx context.Context, c *conn, to channel.Receiver, report channel.Reporter) {
	for {
		e, ok := c.next(ctx)
		if !ok {
			return
		}
		if a.has[AcksEarly] {
			c.ack(e, true)
		}
		err := a.handle(ctx, e, to)
		report.Report(channel.Status{Connected: true, Event: time.Now(), Lag: time.Since(e.post.at)})
		if !a.has[AcksEarly] {
			c.ack(e, err == nil || a.has[AcksAlways])
		}
	}
}

func (a *account) handle(ctx context.Context, e event, to channel.Receiver) error {
	switch e.kind {
	case "message":
		a.met[e.post.id] = true
		return to.Receive(ctx, a.envelope(e.post))
	case "edit":
		if a.has[Deaf] {
			return nil
		}
		return to.Edited(ctx, a.envelope(e.post))
	case "recall":
		if a.has[Deaf] || a.has[Forgetting] && !a.met[e.post.id] {
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

// envelope turns a message of the platform into an envelope.
func (a *account) envelope(p post) chat.Envelope {
	e := chat.Envelope{
		ID:     p.id,
		Source: chat.Source{Channel: "memory", Account: channeltest.Account, ChatType: chat.ChatDirect, Chat: "d-" + people[p.who].ID},
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

// spoil applies the flaws to an envelope.
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
