package memory

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/channeltest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Send sends one message.
func (a *account) Send(_ context.Context, to channel.Address, m channel.Message) (channel.Sent, error) {
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

func (a *account) put(to channel.Address, m channel.Message) (post, error) {
	where, reply := whereOf(to), to.ReplyTo
	if a.has[Misplaces] && where == channeltest.Thread {
		where = channeltest.Group
	}
	if m.Follows && !a.has[Requotes] {
		reply = ""
	}
	if a.has[AlwaysReplies] {
		reply = "m1"
	}
	return a.world.accept(where, m, reply)
}

// quiet removes the mentions of a text.
func quiet(text string) string { return strings.ReplaceAll(text, calls, "@\u200beveryone") }

// spoilMessage applies the flaws to a message.
func (a *account) spoilMessage(m channel.Message) channel.Message {
	if a.has[Renames] {
		m.Key = strconv.FormatUint(rand.Uint64(), 36)
	}
	if !a.has[Loud] {
		m.Text = quiet(m.Text)
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

func whereOf(to channel.Address) channeltest.Where {
	switch {
	case to.ChatType == chat.ChatDirect:
		return channeltest.Direct
	case to.Thread != "":
		return channeltest.Thread
	}
	return channeltest.Group
}

// fault converts an error of the platform to one of the port.
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
