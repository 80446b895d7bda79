// Package channeltest is the conformance suite of the channel port: the promises of every adapter, tested against an
// emulator of its platform. An adapter's test gives a Platform, and Run tries every claim on a fresh emulator.
//
//	func TestConformance(t *testing.T) {
//		channeltest.Run(t, channeltest.Platform{
//			Channel: "feishu",
//			Start:   func(t testing.TB) channeltest.Emulator { return newWorld(t) },
//			Lacks:   map[channeltest.Ability]string{channeltest.Editing: "people cannot edit what they have sent"},
//		})
//	}
package channeltest

import (
	"testing"
	"time"

	"xbot/internal/channel"
)

// Account is the name of the account that emulators open; envelopes must carry it.
const Account = "suite"

// Platform describes a platform to the suite.
type Platform struct {
	// Channel is the name of the driver; envelopes and presses must carry it.
	Channel string
	// Start makes an emulator for one claim: a bot, two people, and a group that all three are in. It ends with the test,
	// and leaves no goroutine behind.
	Start func(t testing.TB) Emulator
	// Lacks names the abilities that the platform lacks, with the reason for the reader of the test's output. All others
	// must work.
	Lacks map[Ability]string
	// Patience is how long a claim waits for something to happen; 0: 15 seconds.
	Patience time.Duration
	// Leaves names functions of a library whose goroutines keep running, which the suite cannot end.
	Leaves []string
}

// Ability is a feature that not every platform has.
type Ability string

// The abilities.
const (
	Groups      Ability = "groups"      // there are groups, and the bot gets what mentions it there
	Overhearing Ability = "overhearing" // the bot gets what does not mention it in groups, too
	Threads     Ability = "threads"     // groups have threads
	Quotes      Ability = "quotes"      // a message may answer another one, and the envelope shows it (Parent, Answers, Quote)
	Names       Ability = "names"       // the platform gives the names of its users
	Inbound     Ability = "inbound"     // people can send files
	Outbound    Ability = "outbound"    // the bot can send files
	Editing     Ability = "editing"     // people can edit what they have sent, and the bot learns it
	Recalling   Ability = "recalling"   // people can take back what they have sent, and the bot learns it
	Acks        Ability = "acks"        // the platform learns that an event has arrived
	Redelivery  Ability = "redelivery"  // what was not acknowledged, or was acknowledged as failed, is delivered again
	Replay      Ability = "replay"      // what is written while the bot is away reaches it when it is back
	Order       Ability = "order"       // SentAt and Seq give the order of any two messages of a chat
	Delay       Ability = "delay"       // a refusal for too many calls gives the time to wait
	Limits      Ability = "limits"      // the platform reports too many calls
	Credentials Ability = "credentials" // the bot proves who it is with a secret that may be wrong
	Reach       Ability = "reach"       // a process that does not receive can ask the platform, and send
	Certainty   Ability = "certainty"   // an uncertain send can be made certain: by its Key within the window, or by Find
)

// Where is a place of the emulator.
type Where string

// The places. Thread is a thread of the group.
const (
	Direct Where = "direct" // the chat of the writing person with the bot
	Group  Where = "group"
	Thread Where = "thread"
)

// Emulator is a platform with its people, as the suite drives it. All methods may be called at any time, by several
// goroutines. Ids of messages are the emulator's and opaque to the suite; they are those of Sent.ID for messages of the bot.
type Emulator interface {
	// Open makes an account named Account of the bot, as a fresh process makes it that knows its settings alone; state that a
	// process may store on disk by the port (a session to resume) is kept. Its background work ends with the test. For
	// deliveries by HTTP the account's Run serves its Webhook until ctx ends.
	Open(t testing.TB) channel.Account
	// OpenWrong is Open with a secret that is wrong. It is not called where Credentials are lacking.
	OpenWrong(t testing.TB) channel.Account

	// Write writes a message as a person, delivers the event, and returns the id of the message. It does not wait for the bot.
	Write(w Written) string
	// Again delivers the event of a message once more, like a platform that has missed the acknowledgement.
	Again(id string)
	// Hold keeps events back from now on; Release delivers them, newest first if reverse, and holds no more.
	Hold()
	Release(reverse bool)
	// Acked reports whether the platform counts the event of a message as delivered. Not called where Acks are lacking.
	Acked(id string) bool
	// Disconnect breaks every connection on which events travel, without a close frame.
	Disconnect()
	// Connected returns how many such connections there are now, after sign-on. Where events come by HTTP: how many servers are known.
	Connected() int
	// Garbage delivers events that no client expects: malformed frames, bodies that are too large, unknown types of events
	// and of messages, missing members. None of it is a message that could be answered.
	Garbage()

	// Befall makes the next calls that send (messages and files alike) meet with trouble.
	Befall(t Trouble)
	// Shown returns the bot's messages that users see in a place now, oldest first; Direct is the chat of person 0.
	Shown(in Where) []Shown
	// Broken names requests of the bot that the platform would not have understood or trusted: a wrong signature, a stale
	// token, a frame out of order. Refusals that the suite asked for (Befall, OpenWrong) are not included.
	Broken() []string
}

// Corrector is an emulator whose people can edit (Editing).
type Corrector interface {
	Correct(id, text string)
}

// Recaller is an emulator whose people can take back (Recalling).
type Recaller interface {
	Recall(id string)
}

// Presser is an emulator whose people can answer cards. It is asked for when the account is a channel.Asker.
type Presser interface {
	// Press presses a button of a card as person 0, with the fields filled in by name, and returns the toast.
	Press(card, button string, values map[string][]string) (channel.Toast, error)
}

// Written is a message of a person.
type Written struct {
	Who     int // 0 or 1
	Where   Where
	Text    string // without the mention
	Mention bool   // of the bot; in Group and Thread
	Other   bool   // mentions the other user, too; the text has @ and their name, which must be in the envelope's Text, too
	Answers string // id of the message that it answers to; empty: none
	Files   []File
}

// File is a file that a person sends or sees.
type File struct {
	Kind string // image, audio, video or file, as in chat.Attachment
	Name string // not every platform keeps names of images
	Data []byte
}

// Trouble is a failure of calls that send.
type Trouble struct {
	Kind  TroubleKind
	Times int           // calls that it affects; negative: all from now on, 0: it is over
	After time.Duration // for Limited: when to come back, in whole seconds; not used where Delay is lacking
}

// TroubleKind is a kind of trouble.
type TroubleKind string

// The kinds.
const (
	Limited     TroubleKind = "limited"      // refused, since there were too many calls
	Refused     TroubleKind = "refused"      // refused permanently, since the bot may not write there
	Down        TroubleKind = "down"         // refused, since the platform has an outage; nothing was accepted
	LostRequest TroubleKind = "lost request" // the connection breaks; nothing was accepted
	LostAnswer  TroubleKind = "lost answer"  // accepted and shown, then the connection breaks before the answer
)

// Shown is a message of the bot as people see it.
type Shown struct {
	ID      string
	Text    string // as it is read, for any kind of message: card, rich text, text; the title of a card first
	ReplyTo string // id of the message that it is shown as an answer to, or whose thread it is in; empty: none
	Files   []File
	Buttons []string // labels, as long as they can be pressed
	Edits   int
	Calls   bool // it mentions all users of the chat
}

// Typed is an emulator that shows in direct chats that the bot writes. It is asked for when the account is a channel.Typist.
type Typed interface {
	// Typed returns how often that was shown to the author of a message.
	Typed(id string) int
}

// Reacted is an emulator that shows reactions. It is asked for when the account is a channel.Reactor.
type Reacted interface {
	// Reactions returns those of the bot on a message of a person, by the platform's name, and an emoji that it permits.
	Reactions(id string) []string
	Emoji() string
}
