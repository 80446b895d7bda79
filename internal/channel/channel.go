// Package channel is the port to chat platforms: the operations every platform has, and small interfaces for those only some
// have. An adapter (channel/feishu, channel/qq, channel/onebot) speaks one platform's protocol and knows nothing of
// conversations: it turns incoming events into envelopes and outgoing messages into messages of the platform. Adapters keep
// no state that must survive a restart; such state is in rows of their callers.
package channel

import (
	"context"
	"time"

	"xbot/internal/chat"
)

// Account is one bot on one platform, as configured. An implementation is safe for concurrent use.
type Account interface {
	// Run receives until ctx ends: it connects, reconnects with growing pauses, and passes on what arrives. It returns nil
	// when ctx ends, and a fault of kind Denied or Invalid when trying again cannot help (wrong secret).
	Run(ctx context.Context, to Receiver, report Reporter) error
	// Send sends one message. With the same Key it may be called again after a crash or an unknown outcome: within
	// Traits.Window the platform drops the second one. An error of kind RateLimited carries the platform's delay; Unknown
	// reports whether it is open if the message was sent.
	Send(ctx context.Context, to Address, m Message) (Sent, error)
	// Check tries the credentials against the platform and names what is missing, such as a permission.
	Check(ctx context.Context) (Identity, []Problem, error)
	// Traits hold in every chat of the account; a chat may permit more (TraitsAt).
	Traits() Traits
}

// Receiver accepts the events of a platform. An implementation commits before it returns, so that an adapter may acknowledge
// afterwards; an error asks the platform to deliver again. The same event may be passed in any number of times.
type Receiver interface {
	Receive(ctx context.Context, e chat.Envelope) error
	// Edited and Recalled change a message that was received; they do nothing to one that was answered already.
	Edited(ctx context.Context, e chat.Envelope) error
	Recalled(ctx context.Context, e chat.Envelope) error
	// Pressed returns an answer by a button or a form of a card. The user sees the result at once.
	Pressed(ctx context.Context, p Press) (Toast, error)
}

// Reporter receives the state of an account.
type Reporter interface {
	Report(s Status)
}

// Unreported is a Reporter that drops reports.
type Unreported struct{}

// Report implements Reporter.
func (Unreported) Report(Status) {}

// Traits are the limits and features of a platform.
type Traits struct {
	MaxText int           // characters of one message; longer texts are split
	MaxFile int64         // bytes of one file that is sent
	Window  time.Duration // how long the platform drops a second message with the same Key; 0: it does not, Forever: always
	// Replies and ReplyWindow bound answers to one message of a user (QQ), each separately; 0: unbounded. Past them Send
	// returns Denied, of which TooLate is true.
	Replies     int
	ReplyWindow time.Duration
	Dialect     Dialect
	// Signs is how many calls an hour may be made for progress (reactions, "is writing", lines that a turn still runs), where too
	// many calls endanger the account; 0: no limit, negative: none. Only progress is refused, never an answer.
	Signs int
	// Writing configures how a Typist shows that an answer is being written.
	Writing Writing
	// Buttons is true if a question (Message.Card) without fields has buttons, even if the account is no Asker.
	Buttons bool
}

// Writing configures how "is writing" is shown.
type Writing struct {
	// Every is the interval for showing it again while an answer takes; 0: some seconds.
	Every time.Duration
	// Times bounds how often it is shown for one message of a user if the platform counts it among the answers to that message
	// (Replies); negative: as often as an answer takes, 0: never. Elsewhere it has no effect.
	Times int
}

// Varying is an account whose platform has different limits in different places.
type Varying interface {
	TraitsAt(to Address) Traits
}

// TraitsAt returns the traits of an account for a message to a place.
func TraitsAt(a Account, to Address) Traits {
	if v, ok := a.(Varying); ok {
		return v.TraitsAt(to)
	}
	return a.Traits()
}

// Forever is a Window without an end.
const Forever = time.Duration(1<<63 - 1)

// Dialect is how a platform shows text.
type Dialect string

// The dialects.
const (
	Markdown Dialect = "markdown" // Markdown with tables and code, as the page shows it
	Card     Dialect = "card"     // Feishu's Markdown inside of cards
	Plain    Dialect = "plain"    // no markup at all
)

// Address is the destination of a message.
type Address = chat.Address

// Message is one message to a platform. Exactly one of Text, File and Card is set.
type Message struct {
	// Key identifies the sending permanently: 1 to 50 characters of [A-Za-z0-9_.-].
	Key  string `json:"key,omitempty"`
	Text string `json:"text,omitempty"` // in Markdown; the adapter brings it into the dialect
	// Seq counts the messages that answer one message of a user, from 1 (QQ's msg_seq).
	Seq  int       `json:"seq,omitempty"`
	File *File     `json:"file,omitempty"`
	Card *Question `json:"card,omitempty"`
	// Mentions are names that may occur in the text as @name, by the platform's id.
	Mentions map[string]string `json:"mentions,omitempty"`
	// Follows marks a message that continues an answer: where the platform permits it, it does not quote the question again.
	Follows bool `json:"follows,omitempty"`
	// Folded is shown below Text, collapsed until a user opens it; platforms that cannot fold omit it.
	Folded string `json:"folded,omitempty"`
}

// File is a file that is sent.
type File struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"` // MIME type
	Data []byte `json:"data,omitempty"`
}

// Sent is a message as the platform knows it.
type Sent struct {
	ID     string    `json:"id"`
	Quoted string    `json:"quoted,omitempty"` // by which replies to it name it, if that is not its id
	Thread string    `json:"thread,omitempty"` // the thread it is in or has opened
	At     time.Time `json:"at,omitzero"`
}

// Identity is the bot as the platform knows it.
type Identity struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// Problem is something that the platform does not permit the bot, and what to do about it.
type Problem struct {
	What string `json:"what"` // such as a permission's name
	Do   string `json:"do"`   // a sentence
}

// Status is the state of the receiving side of an account.
type Status struct {
	Connected bool
	Event     time.Time     // when the last event came, if this status is about one
	Lag       time.Duration // between the platform's clock and its arrival here
	Err       error         // why it is not connected
}
