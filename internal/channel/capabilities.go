package channel

import (
	"context"
	"io"
	"time"

	"xbot/internal/chat"
)

// The interfaces below are optional abilities. An Account implements the ones its platform has.

// Editor changes a message that was sent.
type Editor interface {
	// Edit replaces the content of a message. The last edit wins: Key and order are up to the caller.
	Edit(ctx context.Context, to Address, id string, m Message) error
	// EditEvery returns the shortest pause between two edits of one message.
	EditEvery() time.Duration
}

// Deleter takes back a message that was sent.
type Deleter interface {
	Delete(ctx context.Context, to Address, id string) error
}

// Reactor adds a reaction to a user's message. The emoji is the platform's name, such as OK; adding it twice has no effect.
// An empty one is the platform's sign that a message was received.
type Reactor interface {
	React(ctx context.Context, to Address, id, emoji string) error
}

// Typist shows for a few seconds that an answer is being written.
type Typist interface {
	Typing(ctx context.Context, to Address) error
}

// Asker shows questions with buttons and forms (Message.Card) and settles them.
type Asker interface {
	// Settle takes the buttons from a question and shows how it was answered.
	Settle(ctx context.Context, to Address, id string, q Question, answer string) error
}

// Streamer shows an answer while it is written, in a separate message.
type Streamer interface {
	// Stream begins such a message, under a key as Send does. Lists of chats may show the first line of m's text; Put shows the text.
	Stream(ctx context.Context, to Address, m Message) (Stream, error)
	// Resume continues a stream that was begun before, by the id of its message. It returns NotFound if that message is no stream.
	Resume(ctx context.Context, to Address, id string) (Stream, error)
}

// Stream is an answer that is being written. The caller numbers its updates in increasing sequences; a call whose sequence
// does not increase is RateLimited.
type Stream interface {
	Sent() Sent
	// Put replaces the text, for as long as the answer takes.
	Put(ctx context.Context, text string, sequence int) error
	// End sets the final text; a second call replaces it.
	End(ctx context.Context, m Message, sequence int) error
}

// Finder looks for a message whose sending has an unknown outcome: one of the bot with this content, sent since a time.
type Finder interface {
	Find(ctx context.Context, to Address, m Message, since time.Time) (Sent, bool, error)
}

// Recorder is a Finder whose history holds, after a time, every message the platform accepted: a missing one was not sent and
// may be sent again. A Find that did not read the whole time in question is Denied.
type Recorder interface {
	Finder
	Settles(m Message) time.Duration
}

// Paced is an account that leaves a pause between its messages.
type Paced interface {
	// Pace waits until the next message may be sent; a Send that follows at once does not wait again. Callers record an attempt
	// between the two: a message that still waits in Pace was certainly not sent.
	Pace(ctx context.Context) error
}

// Fetcher reads a file that a user sent.
type Fetcher interface {
	// Fetch returns the content of a file that came with a message; the caller closes it. Links may expire: NotFound then.
	Fetch(ctx context.Context, message string, a chat.Attachment) (io.ReadCloser, error)
}

// ConnectedAccount is an account that uses the one connection that its Run holds: a process that does not hold it cannot do any of
// this (package remote forwards the calls to the process that does).
type ConnectedAccount interface {
	Account
	Deleter
	Reactor
	Typist
	Recorder
	Fetcher
	Paced
	// Here reports whether this process holds the connection and it is up.
	Here() bool
}
