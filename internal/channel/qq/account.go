package qq

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/token"
)

// Account is one bot. It is safe for concurrent use, except that Run has one caller at a time, in one process: the platform
// gives the events of a bot to one session.
type Account struct {
	name   string
	set    settings
	http   *http.Client
	files  *http.Client // for addresses that came with messages
	memory channel.Memory
	pace   pace
	tokens *token.Cache

	// self is the bot as the platform knows it; nil until the first READY or Check.
	self atomic.Pointer[person]

	// A feature that the platform has refused once is not tried again in the same kind of place, until the process ends.
	unable sync.Map      // set of refusedClass
	typed  atomic.Uint32 // numbers of "is writing"
}

// The optional abilities of an account.
var (
	_ channel.Account = (*Account)(nil)
	_ channel.Varying = (*Account)(nil)
	_ channel.Deleter = (*Account)(nil)
	_ channel.Typist  = (*Account)(nil)
	_ channel.Fetcher = (*Account)(nil)
	_ channel.Webhook = (*Account)(nil)
)

func newAccount(name string, s settings, client *http.Client, memory channel.Memory) *Account {
	a := &Account{name: name, set: s, http: client, files: client, memory: memory, pace: realPace}
	a.typed.Store(rand.Uint32N(typingSeqs)) // another process has other numbers
	a.tokens = token.New(a.askToken)
	return a
}

// Run receives until ctx ends. In webhook mode it only watches that the credentials hold: events come to Webhook.
func (a *Account) Run(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	if report == nil {
		report = channel.Unreported{}
	}
	if a.set.webhook {
		return a.watch(ctx, report)
	}
	return (&gateway{Account: a, to: to, report: report}).run(ctx)
}

// refusedClass is a class of messages that a bot may not send in a kind of place.
type refusedClass struct {
	scene scene
	class class
}

// may reports whether the platform has not refused a class of messages in a kind of place.
func (a *Account) may(s scene, c class) bool {
	_, refusedBefore := a.unable.Load(refusedClass{s, c})
	return !refusedBefore
}

func (a *Account) mayNot(s scene, c class) { a.unable.Store(refusedClass{s, c}, true) }

// pace is how fast connections are renewed.
type pace struct {
	first, most time.Duration // the pause after a disconnect, doubled each time
	quick       time.Duration // a connection that lasted less counts as cut off
	cool        time.Duration // the pause after three such connections in a row
	retry       time.Duration // the first pause before an event is delivered again
	patience    time.Duration // how long one event may fail before it is skipped
	save        time.Duration // how often the position in the stream of events is saved
}

var realPace = pace{
	first: time.Second, most: time.Minute, quick: 5 * time.Second, cool: time.Minute,
	retry: 200 * time.Millisecond, patience: channel.Patience, save: time.Second,
}
