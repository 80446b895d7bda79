// Package wire defines the messages to and from NapCat: OneBot 11 with the extensions of NapCat, as JSON.
package wire

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"time"
)

// Number is an id of QQ. NapCat writes numbers, some of its kin strings; anything else is read as empty.
type Number string

// NumberForm matches ids.
var NumberForm = regexp.MustCompile(`^-?[0-9]{1,20}$`)

// UnmarshalJSON reads a number or a string of digits.
func (n *Number) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	*n = ""
	if NumberForm.MatchString(text) {
		*n = Number(text)
	}
	return nil
}

// Param returns the id as actions take it: a number if it fits.
func (n Number) Param() any {
	if v, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return v
	}
	return string(n)
}

// Text is a string that some write as a number.
type Text string

// UnmarshalJSON reads a string or a number; anything else is read as empty.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = Text(s)
		return nil
	}
	*t = ""
	if NumberForm.Match(data) {
		*t = Text(data)
	}
	return nil
}

// Seconds is a moment. NapCat writes seconds, and milliseconds where QQ gave no time.
type Seconds int64

// UnmarshalJSON reads a number or a string of digits.
func (s *Seconds) UnmarshalJSON(data []byte) error {
	var n Number
	_ = n.UnmarshalJSON(data) // it never fails
	v, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil || v < 0 {
		v = 0
	}
	if v > 1e11 {
		v /= 1000
	}
	*s = Seconds(v)
	return nil
}

// Time returns the moment, or zero if there is none.
func (s Seconds) Time() time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(int64(s), 0)
}

// Head distinguishes events from answers.
type Head struct {
	PostType string          `json:"post_type"`
	Retcode  *int            `json:"retcode"`
	Echo     json.RawMessage `json:"echo"`
}

// Answer is the response to an action.
type Answer struct {
	Status  string          `json:"status"` // ok, async or failed
	Retcode int             `json:"retcode"`
	Data    json.RawMessage `json:"data"`
	Message string          `json:"message"`
	Wording string          `json:"wording"`
	Echo    json.RawMessage `json:"echo"`
	Stream  string          `json:"stream"` // stream-action: more may follow
}

// Partial reports whether more answers follow.
func (a Answer) Partial() bool {
	var d struct {
		Type string `json:"type"`
	}
	return a.Status == "ok" && a.Stream == "stream-action" && json.Unmarshal(a.Data, &d) == nil && d.Type == "stream"
}

// Request asks for an action.
type Request struct {
	Action string `json:"action"`
	Params any    `json:"params"`
	Echo   string `json:"echo"`
}

// Event is an unsolicited message of NapCat. Which members are set depends on its types. A message of the history or of
// get_msg has the same members.
type Event struct {
	Time     Seconds `json:"time"`
	SelfID   Number  `json:"self_id"`
	PostType string  `json:"post_type"` // message, message_sent, notice, request or meta_event

	MetaType string          `json:"meta_event_type"` // lifecycle or heartbeat
	Interval int64           `json:"interval"`        // milliseconds
	Status   json.RawMessage `json:"status"`

	MessageType string          `json:"message_type"` // private or group
	SubType     string          `json:"sub_type"`
	MessageID   Number          `json:"message_id"`
	RealSeq     Number          `json:"real_seq"` // order in the chat
	UserID      Number          `json:"user_id"`
	GroupID     Number          `json:"group_id"`
	GroupName   string          `json:"group_name"`
	Message     json.RawMessage `json:"message"`
	Sender      Sender          `json:"sender"`

	NoticeType string   `json:"notice_type"`
	OperatorID Number   `json:"operator_id"`
	File       uploaded `json:"file"`
}

// Sender is the author of a message.
type Sender struct {
	UserID   Number `json:"user_id"`
	Nickname string `json:"nickname"`
	Card     string `json:"card"` // name in the group
}

// uploaded is a file that was put into a group.
type uploaded struct {
	ID    Text   `json:"id"`
	Name  string `json:"name"`
	Size  Number `json:"size"`
	BusID Number `json:"busid"`
}

// Health is the status of a heartbeat and of get_status.
type Health struct {
	Online *bool `json:"online"`
	Good   *bool `json:"good"`
}

// Down reports whether QQ is away although NapCat runs.
func (h Health) Down() bool { return h.Online != nil && !*h.Online || h.Good != nil && !*h.Good }
