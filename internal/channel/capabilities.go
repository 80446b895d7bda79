package channel

import (
	"context"
	"io"
	"time"

	"xbot/internal/chat"
)

// The interfaces below are optional abilities. An Account implements those that its platform has.

// Editor changes a message that was sent.
type Editor interface {
	// Edit replaces the content of a message. The newest edit stands: Key and order are the caller's.
	Edit(ctx context.Context, to Address, id string, m Message) error
	// EditEvery is the shortest pause between two edits of one message.
	EditEvery() time.Duration
}

// Deleter takes back a message that was sent.
type Deleter interface {
	Delete(ctx context.Context, to Address, id string) error
}

// Reactor puts a reaction to a person's message. The emoji is the platform's name, such as OK; twice is once. An
// empty one is what says on the platform that a message was taken in.
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

// Streamer shows an answer while it is written, in a message of its own.
type Streamer interface {
	// Stream begins such a message, under a key as Send does. Of its text lists of chats may show the first line; Put shows it.
	Stream(ctx context.Context, to Address, m Message) (Stream, error)
	// Resume continues a stream that was begun before, by the id of its message. NotFound: that message is no stream.
	Resume(ctx context.Context, to Address, id string) (Stream, error)
}

// Stream is an answer that is being written. Sequences are the caller's and grow; what comes with one that does not is
// RateLimited.
type Stream interface {
	Sent() Sent
	// Put replaces the text, for as long as the answer takes.
	Put(ctx context.Context, text string, sequence int) error
	// End leaves the text as it is for good; a second time it replaces it.
	End(ctx context.Context, m Message, sequence int) error
}

// Finder looks for a message whose sending has an unknown outcome: one of the bot with this content, sent since a time.
type Finder interface {
	Find(ctx context.Context, to Address, m Message, since time.Time) (Sent, bool, error)
}

// Recorder is a Finder whose history holds, once a time is over, whatever the platform accepted: what it lacks then was not sent
// and may be sent again. A Find that did not read the whole time in question is Denied.
type Recorder interface {
	Finder
	Settles(m Message) time.Duration
}

// Paced is an account that leaves a pause between its messages.
type Paced interface {
	// Pace waits until the next message may leave; a Send that follows at once does not wait again. Whoever notes that a message
	// leaves does so in between: while it waits for its turn, it is certain that it was not sent.
	Pace(ctx context.Context) error
}

// Fetcher reads a file that a person sent.
type Fetcher interface {
	// Fetch returns the content of a file that came with a message; the caller closes it. Links may expire: NotFound then.
	Fetch(ctx context.Context, message string, a chat.Attachment) (io.ReadCloser, error)
}

// ConnectedAccount is an account that speaks through the one connection that its Run holds: a process that does not hold it cannot do
// any of this (package held passes it on to the one that does).
type ConnectedAccount interface {
	Account
	Deleter
	Reactor
	Typist
	Recorder
	Fetcher
	Paced
	// Here reports whether the connection is held by this process and stands.
	Here() bool
}
