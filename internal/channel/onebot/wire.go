package onebot

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"time"

	"xbot/internal/channel"
)

// number is an id of QQ. NapCat writes numbers, some of its kin strings; anything else is read as empty.
type number string

var numberForm = regexp.MustCompile(`^-?[0-9]{1,20}$`)

// UnmarshalJSON reads a number or a string of digits.
func (n *number) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	*n = ""
	if numberForm.MatchString(text) {
		*n = number(text)
	}
	return nil
}

// param is the id as actions take it: a number where it fits.
func (n number) param() any {
	if v, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return v
	}
	return string(n)
}

// text is a string that some write as a number.
type text string

// UnmarshalJSON reads a string or a number; anything else is read as empty.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
		return nil
	}
	*t = ""
	if numberForm.Match(data) {
		*t = text(data)
	}
	return nil
}

// seconds is a moment. NapCat writes seconds, and milliseconds where QQ gave no time.
type seconds int64

// UnmarshalJSON reads a number or a string of digits.
func (s *seconds) UnmarshalJSON(data []byte) error {
	var n number
	_ = n.UnmarshalJSON(data) // it never fails
	v, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil || v < 0 {
		v = 0
	}
	if v > 1e11 {
		v /= 1000
	}
	*s = seconds(v)
	return nil
}

func (s seconds) time() time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(int64(s), 0)
}

// head tells events from answers.
type head struct {
	PostType string          `json:"post_type"`
	Retcode  *int            `json:"retcode"`
	Echo     json.RawMessage `json:"echo"`
}

// answer is what an action is answered with.
type answer struct {
	Status  string          `json:"status"` // ok, async or failed
	Retcode int             `json:"retcode"`
	Data    json.RawMessage `json:"data"`
	Message string          `json:"message"`
	Wording string          `json:"wording"`
	Echo    json.RawMessage `json:"echo"`
	Stream  string          `json:"stream"` // stream-action: more may follow
}

// request asks for an action.
type request struct {
	Action string `json:"action"`
	Params any    `json:"params"`
	Echo   string `json:"echo"`
}

// event is anything that NapCat tells unasked. Which members are set depends on its types. A message of the history or of
// get_msg has the same members.
type event struct {
	Time     seconds `json:"time"`
	SelfID   number  `json:"self_id"`
	PostType string  `json:"post_type"` // message, message_sent, notice, request or meta_event

	MetaType string          `json:"meta_event_type"` // lifecycle or heartbeat
	Interval int64           `json:"interval"`        // milliseconds
	Status   json.RawMessage `json:"status"`

	MessageType string          `json:"message_type"` // private or group
	SubType     string          `json:"sub_type"`
	MessageID   number          `json:"message_id"`
	RealSeq     number          `json:"real_seq"` // order in the chat
	UserID      number          `json:"user_id"`
	GroupID     number          `json:"group_id"`
	GroupName   string          `json:"group_name"`
	Message     json.RawMessage `json:"message"`
	Sender      sender          `json:"sender"`

	NoticeType string   `json:"notice_type"`
	OperatorID number   `json:"operator_id"`
	File       uploaded `json:"file"`

	settled func() // called when it is taken in; nil: nobody waits
}

// sender is who wrote a message.
type sender struct {
	UserID   number `json:"user_id"`
	Nickname string `json:"nickname"`
	Card     string `json:"card"` // name in the group
}

// uploaded is a file that was put into a group.
type uploaded struct {
	ID    text   `json:"id"`
	Name  string `json:"name"`
	Size  number `json:"size"`
	BusID number `json:"busid"`
}

// health is the status of a heartbeat and of get_status.
type health struct {
	Online *bool `json:"online"`
	Good   *bool `json:"good"`
}

// down reports whether QQ is away although NapCat runs.
func (h health) down() bool { return h.Online != nil && !*h.Online || h.Good != nil && !*h.Good }

// parseEvent reads an event; a frame that is none yields nothing.
func parseEvent(data []byte) (*event, bool) {
	var e event
	if channel.Decode(data, &e) != nil || e.PostType == "" {
		return nil, false
	}
	return &e, true
}
