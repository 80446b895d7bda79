package qq

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"xbot/internal/channel"
)

// buttonEvent is the event of a button.
type buttonEvent struct {
	ID      string `json:"id"`
	Scene   string `json:"scene"` // c2c, group or guild
	User    string `json:"user_openid"`
	Group   string `json:"group_openid"`
	Member  string `json:"group_member_openid"`
	Channel string `json:"channel_id"`
	Data    struct {
		Resolved struct {
			Data    string `json:"button_data"`
			User    string `json:"user_id"`
			Message string `json:"message_id"`
		} `json:"resolved"`
	} `json:"data"`
}

// choice is the value of a button.
type choice struct {
	Question string `json:"q"`
	Button   string `json:"b,omitempty"`
	Field    string `json:"f,omitempty"`
	Value    string `json:"v,omitempty"`
}

// Codes of the response to a press; the user's client has a text for each.
const (
	pressDone     = 0
	pressFailed   = 1
	pressRepeated = 3
)

// interaction passes on an answer by a button, and reports the outcome to the user's client, which waits.
func (a *Account) interaction(ctx context.Context, to channel.Receiver, raw json.RawMessage) error {
	var p buttonEvent
	if channel.Decode(raw, &p) != nil || clean(p.ID) == "" {
		return nil
	}
	var c choice
	if json.Unmarshal([]byte(p.Data.Resolved.Data), &c) != nil || clean(c.Question) == "" {
		a.settle(ctx, p.ID, pressDone) // a button of another program
		return nil
	}
	toast, err := to.Pressed(ctx, a.press(p, c))
	if err != nil {
		if channel.Refused(err) {
			a.settle(ctx, p.ID, pressFailed)
		}
		return err
	}
	code := pressDone
	switch toast.Kind {
	case "error":
		code = pressFailed
	case "warning":
		code = pressRepeated
	}
	a.settle(ctx, p.ID, code)
	return nil
}

func (a *Account) press(p buttonEvent, c choice) channel.Press {
	press := channel.Press{
		Channel: Name, Account: a.name, Event: clean(p.ID), Message: clean(p.Data.Resolved.Message),
		Sender: clean(cmp.Or(p.Member, p.User, p.Data.Resolved.User)), Chat: clean(cmp.Or(p.Group, p.Channel, p.User)),
		Question: clean(c.Question), Button: clean(c.Button),
	}
	if c.Field != "" {
		press.Values = map[string][]string{clean(c.Field): {clean(c.Value)}}
	}
	return press
}

// settleTime bounds settle: the user's client waits no longer, and the events behind this one wait, too.
const settleTime = 3 * time.Second

// settle stops the spinner of the button. The answer is committed already, so a failure costs nothing but the picture.
func (a *Account) settle(ctx context.Context, id string, code int) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	_ = a.call(ctx, http.MethodPut, "/interactions/"+url.PathEscape(id), map[string]int{"code": code}, nil)
}
