package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/larksuite/oapi-sdk-go/v3/event/dispatcher/callback"
	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

// The events that are processed. All others are acknowledged and passed over.
const (
	eventMessage  = "im.message.receive_v1"
	eventRecalled = "im.message.recalled_v1"
	eventPressed  = "card.action.trigger"
)

// event is an event of the platform, of the second version.
type event struct {
	Schema string `json:"schema"`
	Header struct {
		ID      string `json:"event_id"`
		Type    string `json:"event_type"`
		Created string `json:"create_time"` // milliseconds
		Token   string `json:"token"`
		AppID   string `json:"app_id"`
	} `json:"header"`
	Event json.RawMessage `json:"event"`
}

// take passes an event on and returns the response to the platform, which is empty except for cards. An error asks for the
// event again: an event that can never be accepted is no error, since it would come again for hours.
func (a *Account) take(ctx context.Context, raw []byte, to channel.Receiver, report channel.Reporter) (*callback.CardActionTriggerResponse, error) {
	nothing := &callback.CardActionTriggerResponse{}
	var e event
	if err := jsonlimit.Default.Check(raw); err != nil {
		pass(report, fault.Errorf(fault.Invalid, "an event was passed over: %w", err))
		return nothing, nil
	}
	if err := channel.Decode(raw, &e); err != nil {
		pass(report, fault.Errorf(fault.Invalid, "an event is not JSON: %w", err))
		return nothing, nil
	}
	if e.Header.AppID != "" && e.Header.AppID != a.set.appID {
		pass(report, fault.Errorf(fault.Invalid, "an event for the app %.64s came here", e.Header.AppID))
		return nothing, nil
	}
	answer, sent, err := a.dispatch(ctx, e, to)
	if err != nil {
		if channel.Refused(err) {
			pass(report, err)
			return nothing, nil
		}
		report.Report(channel.Status{Connected: true, Event: time.Now(), Err: fault.Errorf(fault.Unavailable, "an event was not taken, Feishu sends it again: %w", err)})
		return nil, err
	}
	report.Report(channel.Status{Connected: true, Event: time.Now(), Lag: lag(sent)})
	return cmp.Or(answer, nothing), nil
}

// pass reports an event that cannot be processed.
func pass(report channel.Reporter, err error) {
	report.Report(channel.Status{Connected: true, Event: time.Now(), Err: fault.Errorf(fault.Invalid, "an event was passed over: %w", err)})
}

func lag(sent time.Time) time.Duration {
	if sent.IsZero() {
		return 0
	}
	return max(0, time.Since(sent))
}

func (a *Account) dispatch(ctx context.Context, e event, to channel.Receiver) (answer *callback.CardActionTriggerResponse, sent time.Time, err error) {
	created := instant(e.Header.Created)
	switch e.Header.Type {
	case eventMessage:
		envelope, mine, err := a.envelope(ctx, e.Event)
		if err != nil || !mine {
			return nil, created, err
		}
		return nil, cmp.Or(created, envelope.SentAt), to.Receive(ctx, envelope)
	case eventRecalled:
		envelope, known, err := a.recalled(ctx, e.Event)
		if err != nil || !known {
			return nil, created, err
		}
		return nil, created, to.Recalled(ctx, envelope)
	case eventPressed:
		answer, err := a.pressed(ctx, e, to)
		return answer, created, err
	}
	return nil, created, nil
}

// instant reads milliseconds, or microseconds, as some events have them; the zero time if there are none.
func instant(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	if n > 1e14 {
		return time.UnixMicro(n).UTC()
	}
	return time.UnixMilli(n).UTC()
}

// pressed passes on the answer to a card. It is read by types of this package: the library's do not allow a value that is a text.
func (a *Account) pressed(ctx context.Context, e event, to channel.Receiver) (*callback.CardActionTriggerResponse, error) {
	var in struct {
		Operator struct {
			OpenID  string  `json:"open_id"`
			UnionID *string `json:"union_id"`
		} `json:"operator"`
		Action struct {
			Value json.RawMessage            `json:"value"`
			Form  map[string]json.RawMessage `json:"form_value"`
			// Option is the entry of a menu.
			Option json.RawMessage `json:"option"`
		} `json:"action"`
		Context struct {
			Message string `json:"open_message_id"`
			Chat    string `json:"open_chat_id"`
		} `json:"context"`
	}
	if err := channel.Decode(e.Event, &in); err != nil {
		return nil, fault.Errorf(fault.Invalid, "the answer to a card is malformed: %w", err)
	}
	button, ok := readButton(in.Action.Value)
	if !ok || in.Operator.OpenID == "" {
		return nil, nil // a card of another program
	}
	if entry := answers(in.Action.Option); button.Action == "" && len(entry) == 1 {
		button.Action = entry[0]
	}
	p := channel.Press{
		Channel: Name, Account: a.name, Event: e.Header.ID, Sender: in.Operator.OpenID, Union: identifier(in.Operator.UnionID),
		Chat: in.Context.Chat, Message: in.Context.Message, Question: button.Question, Button: button.Name, Values: button.values(in.Action.Form, a.namesIn(ctx, in.Context.Chat)),
	}
	toast, err := to.Pressed(ctx, p)
	if err != nil || toast.Text == "" {
		return nil, err
	}
	answer := &callback.CardActionTriggerResponse{Toast: &callback.Toast{Type: cmp.Or(toast.Kind, "info"), Content: toast.Text}}
	if toast.Card != nil {
		answer.Card = &callback.Card{Type: "raw", Data: askCard(*toast.Card, shownBy{})}
	}
	return answer, nil
}

// author is the author of a message, and its place.
type author struct {
	sender chat.Peer
	in     place
	chat   string
	thread string
}

// recalled makes the envelope of a message that was taken back. The event does not have its author: that is remembered, or
// looked up; without it there is nothing to take back.
func (a *Account) recalled(ctx context.Context, raw json.RawMessage) (chat.Envelope, bool, error) {
	var in larkim.P2MessageRecalledV1Data
	if err := channel.Decode(raw, &in); err != nil || data(in.MessageId) == "" {
		return chat.Envelope{}, false, fault.Errorf(fault.Invalid, "a recall is malformed")
	}
	id, where := *in.MessageId, data(in.ChatId)
	w, known := a.wrote.Get(id)
	if !known {
		var err error
		if w, known, err = a.authorOf(ctx, id, where); err != nil || !known {
			return chat.Envelope{}, false, err
		}
	}
	return chat.Envelope{
		ID:     id,
		Source: chat.Source{Channel: Name, Account: a.name, ChatType: w.in.kind, Chat: cmp.Or(where, w.chat), Thread: w.thread},
		Sender: w.sender,
	}, true, nil
}

// authorOf looks up the author of a message that this process did not see.
func (a *Account) authorOf(ctx context.Context, message, in string) (author, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	items, err := a.read(ctx, message)
	if refused(err) && !refusedAs(err, limited) {
		return author{}, false, nil
	}
	if err != nil {
		return author{}, false, err
	}
	if len(items) == 0 || items[0].senderType != "user" || items[0].sender == "" {
		return author{}, false, nil
	}
	m := items[0]
	where, err := a.chatInfo(ctx, cmp.Or(m.chat, in))
	if err != nil {
		return author{}, false, err
	}
	return author{sender: chat.Peer{ID: m.sender}, in: where, chat: cmp.Or(m.chat, in), thread: m.thread}, true, nil
}
