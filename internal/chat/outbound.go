package chat

import (
	"cmp"
	"time"
)

// Address is the destination of an answer on a platform. All ids are the platform's.
type Address struct {
	ChatType ChatType `json:"chat_type"`
	Chat     string   `json:"chat,omitempty"`      // group or channel; in direct chats the platform's chat, if it has one
	Peer     string   `json:"peer,omitempty"`      // the user of a direct chat, or the recipient in a group
	Thread   string   `json:"thread,omitempty"`    // thread in the chat
	ReplyTo  string   `json:"reply_to,omitempty"`  // the user's message that is answered
	InThread bool     `json:"in_thread,omitempty"` // the reply opens a thread, where the platform has threads
	// Channel and Account name the bot that answers, if the place is not that of a message that it got.
	Channel string `json:"channel,omitempty"`
	Account string `json:"account,omitempty"`
	// Names are people whose names the text may mention, by their id.
	Names map[string]string `json:"names,omitempty"`
	// Aside marks that replies to a message there belong to the chat's own conversation, not to the one that wrote it.
	Aside bool `json:"aside,omitempty"`
}

// Setting returns the name of the chat in settings: feishu:oc_4e7, or napcat/work:group:20001.
func (a Address) Setting() string {
	name := a.Channel
	if a.Account != "" {
		name += "/" + a.Account
	}
	if a.ChatType == ChatGroup {
		name += ":group"
	}
	return name + ":" + cmp.Or(a.Chat, a.Peer)
}

// PieceState is the delivery state of a piece.
type PieceState string

// The states of pieces.
const (
	PieceWaiting PieceState = ""
	PieceTried   PieceState = "tried" // sent to the platform; whether it arrived is unknown
	PieceSent    PieceState = "sent"
	PieceLost    PieceState = "lost" // it may or may not have arrived, and is not sent again
)

// Piece is a part of an answer that is sent as one message of a platform.
type Piece struct {
	Text   string     `json:"text,omitempty"`
	File   *PieceFile `json:"file,omitempty"` // sent instead of a text
	Seq    int        `json:"seq"`            // among the answers to the same message of a user, from 1
	State  PieceState `json:"state,omitempty"`
	Tried  time.Time  `json:"tried,omitzero"`   // first
	ID     string     `json:"id,omitempty"`     // as the platform knows it
	Quoted string     `json:"quoted,omitempty"` // the id by which replies quote it, if different
	Thread string     `json:"thread,omitempty"`
	// To is the message of a user that it answers in place of the one that it came too late for, or Own.
	To string `json:"to,omitempty"`
	// Follows marks the continuation of an answer whose beginning quotes the question already.
	Follows bool `json:"follows,omitempty"`
}

// Own is a Piece.To: the piece answers nothing, and is an unprompted message of the bot.
const Own = "-"

// OutboundKind is the kind of an outbound entry.
type OutboundKind string

// The kinds.
const (
	OutboundMessage  OutboundKind = "message"
	OutboundQuestion OutboundKind = "question" // a question of a call to a user
	OutboundSettled  OutboundKind = "settled"  // that question is not open any more
	OutboundCard     OutboundKind = "card"     // a card of the model that needs no answer; its text is the card as JSON
)

// OutboundNext is the next entry to send in a session.
type OutboundNext struct {
	ID      int64
	Kind    OutboundKind
	Channel string
	Account string
	Words   string // the first words
}

// PieceFile is a file on a runner. It is read when it is sent.
type PieceFile struct {
	Runner string `json:"runner"`
	Path   string `json:"path"`
	Name   string `json:"name"`
}

// Outbound is an entry on its way to a platform.
type Outbound struct {
	ID      int64
	Kind    OutboundKind
	Session SessionKey
	Channel string
	Account string
	Place   Address
	Text    string
	Answer  bool   // the model wrote it: files that it links are sent, too
	Nonce   string // 32 hexadecimal digits; with the number of the piece it is the key of the sending
	Open    bool   // its outcome is not known yet
	Pieces  []Piece
	Tries   int // how often a piece was sent to the platform
	Before  int // pieces that answered the same message before
	Written time.Time
	Asked   *Asking // of questions, and of their settlement
}

// Asking is a question of a call on a platform.
type Asking struct {
	Call Call
	Lang string // a phrase.Lang: that of the message which the turn answers
	// InGroup means that the readers include people who may not answer.
	InGroup bool
	Sent    string // the platform's id of the message that asks; empty if there is none
	// Link is where to connect the account that the call waits for; empty: it waits for none, or the link is unknown.
	Link string
}

// Final states of deliveries.
const (
	OutboundSent      = "sent"
	OutboundUncertain = "uncertain" // it may or may not have arrived, and is not sent again
	OutboundFailed    = "failed"    // the platform refuses it permanently
	OutboundExpired   = "expired"   // it was too old when it could be sent
)

// CardState is the delivery state of a card.
type CardState string

// The states of cards. Those after shown are final.
const (
	CardWaiting CardState = "waiting" // nothing was sent
	CardTried   CardState = "tried"   // sent to the platform; whether it arrived is unknown
	CardShown   CardState = "shown"
	CardAnswer  CardState = "answer"  // it became the answer
	CardSettled CardState = "settled" // it was withdrawn, or shows how the turn ended, or is folded
	CardNone    CardState = "none"    // there is none and will be none
)

// Open reports whether the card has no end yet.
func (s CardState) Open() bool { return s == CardWaiting || s == CardTried || s == CardShown }

// Card is the one message on a platform that shows the progress of a turn and becomes its answer.
type Card struct {
	Turn    TurnID
	Session SessionKey
	Channel string
	Account string
	Place   Address
	Nonce   string // 32 hexadecimal digits, the key of its sending
	Message string // the platform's id; empty: not known yet
	State   CardState
	Tried   time.Time // first; zero: never
	Made    time.Time
	Lines   int // the newest short progress update, if the platform cannot edit messages; 0: none was sent
}

// TurnProgress is the current state of a followed turn.
type TurnProgress struct {
	Card
	Turn     Turn // without a state if it was released: the message waits for another one
	Calls    []ToolCall
	Todos    []Todo
	Waits    bool // a delivery is due in the session
	Answered bool // its answer is delivered, or on its way
	// Withdrawn reports that the turn was stopped because all messages that it was to answer were recalled.
	Withdrawn bool
	Retry     *Retry // the model is retried, and nothing has happened since that notice
}

// Topics of one-time notices.
const (
	TopicUnpaired = "door"  // to a platform user who is not paired
	TopicCause    = "cause" // to the administrator, about a problem
	TopicGroup    = "group" // about a group that lacks something
	TopicFiles    = "files" // to a user whose files were not fetched
	// TopicUnlisted is about a group that the policy does not list.
	TopicUnlisted = "unlisted"
)

// NoticeKey is a notice that is sent once, then at most daily or never again.
type NoticeKey struct {
	Topic            string
	Channel, Account string // place; empty if there is none
	About            string // subject
	What             string // which sentence; another one is sent at once
	Asked            string // the message that it answers, repeated if the platform redelivers that message; empty: it answers none
	Most             int    // maximum subjects per day for each channel and account; 0: unlimited. Once ignores it
	Once             bool   // never again, unless What differs
}
