package chat

import (
	"cmp"
	"time"
)

// Address is where on a platform an answer goes. All ids are the platform's.
type Address struct {
	ChatType ChatType `json:"chat_type"`
	Chat     string   `json:"chat,omitempty"`      // group or channel; in direct chats the platform's chat, if it has one
	Peer     string   `json:"peer,omitempty"`      // the person of a direct chat, or who is answered in a group
	Thread   string   `json:"thread,omitempty"`    // thread in the chat
	ReplyTo  string   `json:"reply_to,omitempty"`  // the person's message that is answered
	InThread bool     `json:"in_thread,omitempty"` // the reply opens a thread, where the platform has threads
	// Channel and Account say which bot answers, where the place is not that of a message that it got.
	Channel string `json:"channel,omitempty"`
	Account string `json:"account,omitempty"`
	// Names are people who may be named in what is written, by their id.
	Names map[string]string `json:"names,omitempty"`
	// Aside says that what answers to a message there is of the chat's own conversation, not of the one that wrote it.
	Aside bool `json:"aside,omitempty"`
}

// Setting names the chat as settings do: feishu:oc_4e7, or napcat/work:group:20001.
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

// PieceState says what is known of the sending of a piece.
type PieceState string

// The states of pieces.
const (
	PieceWaiting PieceState = ""
	PieceTried   PieceState = "tried" // handed to the platform; whether it arrived is open
	PieceSent    PieceState = "sent"
	PieceLost    PieceState = "lost" // it may or may not have arrived, and is not sent again
)

// Piece is a part of an answer that is sent as one message of a platform.
type Piece struct {
	Text   string     `json:"text,omitempty"`
	File   *PieceFile `json:"file,omitempty"` // sent instead of a text
	Seq    int        `json:"seq"`            // among what answers the same message of a person, from 1
	State  PieceState `json:"state,omitempty"`
	Tried  time.Time  `json:"tried,omitzero"`   // first
	ID     string     `json:"id,omitempty"`     // as the platform knows it
	Quoted string     `json:"quoted,omitempty"` // by which replies to it name it, where that is not its id
	Thread string     `json:"thread,omitempty"`
	// To is the message of a person that it answers in place of the one that it came too late for, or Own.
	To string `json:"to,omitempty"`
	// Follows says that it goes on with an answer whose beginning quotes the question already.
	Follows bool `json:"follows,omitempty"`
}

// Own is a Piece.To: the piece answers nothing, and is a message of the bot's own.
const Own = "-"

// OutboundKind says what is on its way.
type OutboundKind string

// The kinds.
const (
	OutboundMessage  OutboundKind = "message"
	OutboundQuestion OutboundKind = "question" // what a call asks a person
	OutboundSettled  OutboundKind = "settled"  // that question is not open any more
	OutboundCard     OutboundKind = "card"     // a card of the model that nobody waits for; its text is the card as JSON
)

// OutboundNext is what is sent next in a session.
type OutboundNext struct {
	ID      int64
	Kind    OutboundKind
	Channel string
	Account string
	Words   string // the first ones
}

// PieceFile is a file on a runner. It is read when it is sent.
type PieceFile struct {
	Runner string `json:"runner"`
	Path   string `json:"path"`
	Name   string `json:"name"`
}

// Outbound is something on its way to a platform.
type Outbound struct {
	ID      int64
	Kind    OutboundKind
	Session SessionKey
	Channel string
	Account string
	Place   Address
	Text    string
	Answer  bool   // the model wrote it: what it links is sent, too
	Nonce   string // 32 hexadecimal digits; with the number of the piece it is the key of the sending
	Open    bool   // its outcome is not known yet
	Pieces  []Piece
	Tries   int // how often a piece was handed to the platform
	Before  int // pieces that answered the same message before
	Written time.Time
	Asked   *Asking // of questions, and of what settles them
}

// Asking is a question of a call on a platform.
type Asking struct {
	Call Call
	Lang string // a phrase.Lang: that of the message which the turn answers
	// InGroup says that people read it who may not answer.
	InGroup bool
	Sent    string // the platform's id of the message that asks; empty where there is none
	// Link is where the account is connected that the call waits for; empty: it waits for none, or nobody knows where.
	Link string
}

// The ends of what is delivered.
const (
	OutboundSent      = "sent"
	OutboundUncertain = "uncertain" // it may or may not have arrived, and is not sent again
	OutboundFailed    = "failed"    // the platform refuses it for good
	OutboundExpired   = "expired"   // it was too old when it could be sent
)

// CardState says what is known of a card.
type CardState string

// The states of cards. Those after shown are its ends.
const (
	CardWaiting CardState = "waiting" // nothing was sent
	CardTried   CardState = "tried"   // handed to the platform; whether it arrived is open
	CardShown   CardState = "shown"
	CardAnswer  CardState = "answer"  // it became the answer
	CardSettled CardState = "settled" // it was taken back, or says how the turn ended, or is folded
	CardNone    CardState = "none"    // there is none and will be none
)

// Open reports whether the card has no end yet.
func (s CardState) Open() bool { return s == CardWaiting || s == CardTried || s == CardShown }

// Card is the one message on a platform that shows how a turn goes on and becomes its answer.
type Card struct {
	Turn    TurnID
	Session SessionKey
	Channel string
	Account string
	Place   Address
	Nonce   string // 32 hexadecimal digits, the key of its sending
	Message string // as the platform knows it; empty: nobody knows yet
	State   CardState
	Tried   time.Time // first; zero: never
	Made    time.Time
	Lines   int // the newest short message that says that the turn goes on, where the platform changes none; 0: none was sent
}

// TurnProgress is a turn that is followed, as it stands.
type TurnProgress struct {
	Card
	Turn     Turn // without a state if it was released: the message waits for another one
	Calls    []ToolCall
	Todos    []Todo
	Waits    bool // something is to be delivered in the session
	Answered bool // its answer is delivered, or on its way
	// Withdrawn says that the turn was stopped because all that it was to answer was taken back.
	Withdrawn bool
	Retry     *Retry // the model is asked again, and nothing has happened since that was said
}

// Topics of what is said once.
const (
	TopicDoor  = "door"  // to somebody who is not let in
	TopicCause = "cause" // to the administrator, of what keeps something from working
	TopicGroup = "group" // of a group that lacks something
	TopicFiles = "files" // to a person whose files were not fetched
	// TopicUnlisted is of a group that the policy does not list.
	TopicUnlisted = "unlisted"
)

// NoticeKey is a notice that is sent once, then at most daily or never again.
type NoticeKey struct {
	Topic            string
	Channel, Account string // where; empty for what has no place
	About            string // who or what
	What             string // which sentence; another one is said at once
	Asked            string // the message that it answers, said again if the platform brings that again; empty: it answers none
	Most             int    // of how many the topic is told in a day, for each channel and account; 0: of any number. Once does not look at it
	Once             bool   // never again, unless What is another one
}
