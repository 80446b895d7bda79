package qq

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"net/http"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Send sends one message. If the platform refuses its form, it is sent in a plainer form: without buttons, without
// Markdown, without addresses. An answer that the platform has had before counts as sent; its id is not known then.
func (a *Account) Send(ctx context.Context, to channel.Address, m channel.Message) (channel.Sent, error) {
	s, err := spotOf(to)
	if err != nil {
		return channel.Sent{}, err
	}
	if m.Seq < 0 || m.Seq > maxSeq {
		return channel.Sent{}, fault.Errorf(fault.Invalid, "seq counts the answers to one message and is at most %d", maxSeq)
	}
	if m.File != nil {
		return a.sendFile(ctx, s, m)
	}
	d := draft{text: m.Text, card: m.Card, mentions: m.Mentions, markdown: true}
	if m.Card != nil {
		d.keyboard = keyboardOf(*m.Card)
	}
	if strings.TrimSpace(d.says()) == "" {
		return channel.Sent{}, fault.Errorf(fault.Invalid, "a message to QQ needs text")
	}
	return a.sendDraft(ctx, s, m, d)
}

// sendDraft sends a text, in plainer and plainer forms until one is accepted.
func (a *Account) sendDraft(ctx context.Context, s spot, m channel.Message, d draft) (channel.Sent, error) {
	d.markdown = d.markdown && a.may(s.scene, noMarkdown)
	if !d.markdown || !a.may(s.scene, noButtons) {
		d = d.wordy()
	}
	for {
		sent, err := a.post(ctx, s, d.body(s, m))
		r, refused := errors.AsType[*refusal](err)
		if !refused {
			return sent, err
		}
		switch c := r.class(); {
		case c == noButtons && d.keyboard != nil:
			a.mayNot(s.scene, noButtons)
			d = d.wordy()
		case c == noMarkdown && d.markdown:
			a.mayNot(s.scene, noMarkdown)
			d.markdown = false
			d = d.wordy()
		case c == badMarkdown && d.markdown:
			d.markdown = false // this one only
			d = d.wordy()
		case c == blockedLinks && !d.unlinked && !a.set.refuseLinks:
			d.unlinked = true
		default:
			return channel.Sent{}, explained(err)
		}
	}
}

// post sends a body. An answer that was sent before, or is under review, counts as sent.
func (a *Account) post(ctx context.Context, s spot, body any) (channel.Sent, error) {
	var got postResponse
	err := a.call(ctx, http.MethodPost, s.messages(), body, &got)
	return got.sent(s, err)
}

// postResponse is the answer to a message.
type postResponse struct {
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Ext       extra  `json:"ext_info"`
}

// extra is QQ's additional data of a message: in groups and direct chats the number by which replies name it.
type extra struct{ Quoted loose }

// UnmarshalJSON never fails: without the number the message is sent as well.
func (e *extra) UnmarshalJSON(raw []byte) error {
	var said struct {
		Quoted loose `json:"ref_idx"`
	}
	if json.Unmarshal(raw, &said) == nil {
		e.Quoted = said.Quoted
	}
	return nil
}

func (p postResponse) sent(s spot, err error) (channel.Sent, error) {
	if r, ok := errors.AsType[*refusal](err); ok {
		if c := r.class(); c == repeated && s.replyTo != "" || c == audited {
			return channel.Sent{}, nil
		}
	}
	if err != nil {
		return channel.Sent{}, err
	}
	return channel.Sent{ID: p.ID, Quoted: clean(string(p.Ext.Quoted)), At: moment(p.Timestamp)}, nil
}

// The number of an answer, QQ's msg_seq, identifies it: (message of the user, number) is accepted once. It is the caller's
// Seq, or made of its Key. Each plainer form has a separate range: whether a refused form uses up its number is not
// documented, and if it does, the same number would make the plain form a repetition that is never shown.
const (
	maxSeq       = 99
	keySeqs      = 4900
	stepMarkdown = 5000
	stepButtons  = 10000
	stepLinks    = 20000
	typingSeq    = 45000 // of "is writing", which has no place among the answers
	typingSeqs   = 5000
)

func (d draft) seq(m channel.Message) int {
	n := m.Seq
	if n == 0 {
		h := fnv.New32a()
		_, _ = h.Write([]byte(m.Key)) // it never fails
		n = maxSeq + 1 + int(h.Sum32()%keySeqs)
	}
	return d.number(n)
}

// number moves the number of an answer into the range of the form.
func (d draft) number(n int) int {
	if !d.markdown {
		n += stepMarkdown
	}
	if d.unbuttoned {
		n += stepButtons
	}
	if d.unlinked {
		n += stepLinks
	}
	return n
}

const (
	// typingFor is how long "is writing" is shown, QQ's longest.
	typingFor = 60 * time.Second
	// typingEvery is when it is renewed, so that there is no gap.
	typingEvery = 50 * time.Second
	// usualTyping is how often it is shown for a message: QQ counts it among the answers, and leaves two for replies.
	usualTyping = 2
)

// Typing shows in a direct chat for a minute that an answer is being written. QQ counts it among the answers to a message: the
// caller respects Writing.Times.
func (a *Account) Typing(ctx context.Context, to channel.Address) error {
	s, err := spotOf(to)
	if err != nil {
		return err
	}
	if s.scene != direct || s.replyTo == "" || a.set.typing == 0 {
		return nil
	}
	_, err = a.post(ctx, s, map[string]any{
		"msg_type": kindTyping, "msg_id": s.replyTo, "msg_seq": typingSeq + a.typed.Add(1)%typingSeqs,
		"input_notify": map[string]int{"input_type": 1, "input_second": int(typingFor.Seconds())},
	})
	return explained(err)
}

// Delete takes a message back, within two minutes of its sending.
func (a *Account) Delete(ctx context.Context, to channel.Address, id string) error {
	s, err := spotOf(to)
	if err != nil {
		return err
	}
	if id == "" {
		return fault.Errorf(fault.NotFound, "QQ did not say the id of this message, so it cannot be recalled")
	}
	address := s.message(id)
	if s.inGuild() {
		address += "?hidetip=true"
	}
	return explained(a.call(ctx, http.MethodDelete, address, nil, nil))
}
