package memory_test

import (
	"flag"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/channeltest"
	"xbot/internal/channel/channeltest/memory"
)

func platform(keys bool, flaws ...memory.Flaw) channeltest.Platform {
	return channeltest.Platform{Channel: "memory", Start: func(testing.TB) channeltest.Emulator { return memory.New(keys, flaws...) }}
}

func TestSuite_PassesWhereKeysAreKept(t *testing.T) { channeltest.Run(t, platform(true)) }

func TestSuite_PassesWhereHistoryIsSearched(t *testing.T) { channeltest.Run(t, platform(false)) }

// attempt is a test that may fail.
type attempt struct {
	testing.TB

	mu       sync.Mutex
	failed   bool
	skipped  bool
	cleanups []func()
}

func (a *attempt) Helper() {}

func (a *attempt) Cleanup(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cleanups = append(a.cleanups, f)
}

func (a *attempt) Errorf(string, ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = true
}

func (a *attempt) Error(...any) { a.Errorf("") }

func (a *attempt) Fail() { a.Errorf("") }

func (a *attempt) Fatalf(string, ...any) { a.FailNow() }

func (a *attempt) FailNow() {
	a.mu.Lock()
	a.failed = true
	a.mu.Unlock()
	runtime.Goexit()
}

func (a *attempt) Failed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}

func (a *attempt) Skip(...any) { a.skipped = true; runtime.Goexit() }

func (a *attempt) Skipf(string, ...any) { a.Skip() }

// failed tries a claim and reports whether it failed.
func failed(t *testing.T, claim string, p channeltest.Platform) bool {
	t.Helper()
	i := slices.IndexFunc(channeltest.Claims(), func(c channeltest.Claim) bool { return c.Name == claim })
	require.GreaterOrEqual(t, i, 0, "no claim %q", claim)
	a := &attempt{TB: t}
	run := func(f func()) {
		done := make(chan struct{})
		go func() { defer close(done); f() }()
		<-done
	}
	run(func() { channeltest.Claims()[i].Try(a, p) })
	for _, f := range slices.Backward(a.cleanups) {
		run(f)
	}
	require.False(t, a.skipped, "the claim was skipped")
	return a.Failed()
}

// breach is a flaw with the claims that see it.
type breach struct {
	flaw    memory.Flaw
	history bool // there are no keys
	claims  []string
}

// caught says which claims see which flaw.
var caught = []breach{
	{flaw: memory.Nameless, claims: []string{"the bot learns who it is and that nothing is missing"}},
	{flaw: memory.Stubborn, claims: []string{"a wrong secret ends the account and its check"}},
	{flaw: memory.Vague, claims: []string{"what the platform permits is told"}},
	{flaw: memory.Timeless, claims: []string{"what a person writes arrives as it was written"}},
	{flaw: memory.Garbles, claims: []string{"text of any kind arrives whole"}},
	{flaw: memory.KeepsMention, claims: []string{"a mention in a group arrives as one"}},
	{flaw: memory.AlwaysMeant, claims: []string{"what does not mention the bot in a group arrives as such"}},
	{flaw: memory.Threadless, claims: []string{"a thread is told from its group"}},
	{flaw: memory.Mixes, claims: []string{"people are told apart"}},
	{flaw: memory.Anonymous, claims: []string{"people are called by their names"}},
	{flaw: memory.Quoteless, claims: []string{"an answer to a message says to which"}},
	{flaw: memory.AcksEarly, claims: []string{"an event is acknowledged only after the receiver has committed it"}},
	{flaw: memory.AcksAlways, claims: []string{"what the receiver could not commit is delivered again"}},
	{flaw: memory.FreshIDs, claims: []string{"an event that comes twice has one id, at any distance"}},
	{flaw: memory.OwnClock, claims: []string{"events that come in disorder can be put in order"}},
	{flaw: memory.Quits, claims: []string{"a broken connection is reported and made again"}},
	{flaw: memory.Silent, claims: []string{"a broken connection is reported and made again"}},
	{flaw: memory.Forgets, claims: []string{"nothing is lost while connections break"}},
	{flaw: memory.Trusting, claims: []string{"what nobody expects harms nothing"}},
	{flaw: memory.Lingers, claims: []string{"a bot that ends leaves, and its successor receives"}},
	{flaw: memory.Shared, claims: []string{"two bots in one process know nothing of each other"}},
	{flaw: memory.Misplaces, claims: []string{"an answer is shown where the question was asked"}},
	{flaw: memory.AlwaysReplies, claims: []string{"a message that answers nothing is shown"}},
	{flaw: memory.Requotes, claims: []string{"an answer in pieces quotes the question once"}},
	{flaw: memory.Shuffles, claims: []string{"messages are shown in the order of their sending"}},
	{flaw: memory.Picky, claims: []string{"keys of any form are taken"}},
	{flaw: memory.Unbounded, claims: []string{"answers to one message end where the platform's limit is"}},
	{flaw: memory.Renames, claims: []string{
		"the same key is sent once, by whichever process", "the same key from two processes at once is sent once", "a file is sent once for its key",
	}},
	{flaw: memory.Repeats, claims: []string{"a send whose answer was lost stays one message"}},
	{flaw: memory.Certain, claims: []string{"an answer that does not come in time is uncertain", "a send whose answer was lost stays one message"}},
	{flaw: memory.Swallows, claims: []string{"a send that never arrived is sent in the end"}},
	{flaw: memory.Doubtful, claims: []string{"a refusal is told as one", "a limit tells when to come back"}},
	{flaw: memory.Hasty, claims: []string{"a limit tells when to come back"}},
	{flaw: memory.Blunt, claims: []string{"a refusal is told as one", "a limit tells when to come back"}},
	{flaw: memory.Hopeless, claims: []string{"an outage is told from an uncertain end"}},
	{flaw: memory.Strips, claims: []string{"markup of any kind loses no words"}},
	{flaw: memory.Loud, claims: []string{
		"nothing that a model writes calls everybody", "whatever a model writes, and wherever it is shown, it calls nobody",
	}},
	{flaw: memory.Cuts, claims: []string{"a text over the limit is refused or shown whole, never cut"}},
	{flaw: memory.Impatient, claims: []string{"a long answer is shown whole, in parts that are whole"}},
	{flaw: memory.Clips, claims: []string{"files of people can be fetched"}},
	{flaw: memory.Conjures, claims: []string{"a file that is not there any more is not found"}},
	{flaw: memory.Corrupts, claims: []string{"files and images are sent"}},
	{flaw: memory.Oversizes, claims: []string{"a file over the limit is refused before it is sent"}},
	{flaw: memory.Deaf, claims: []string{
		"what a person edits arrives as an edit of the same message", "what a person takes back arrives as recalled",
	}},
	{flaw: memory.Forgetting, claims: []string{"a process that has not received a message learns that it is taken back"}},
	{flaw: memory.AcksAlways, claims: []string{"a recall that the receiver could not commit is delivered again"}},
	{flaw: memory.Frozen, claims: []string{"a message that is edited shows the newest text"}},
	{flaw: memory.Undying, claims: []string{"a message that is deleted is gone"}},
	{flaw: memory.Effusive, claims: []string{"a reaction is shown once"}},
	{flaw: memory.Chatty, claims: []string{"that an answer is written can be shown"}},
	{flaw: memory.Fades, claims: []string{"that an answer is written is shown again when it is said again"}},
	{flaw: memory.Amnesiac, claims: []string{"an answer that is streamed ends as one message"}},
	{flaw: memory.Stutters, claims: []string{"an answer that is streamed ends as one message"}},
	{flaw: memory.Unasking, claims: []string{"a question is shown with all that may be answered"}},
	{flaw: memory.Mispresses, claims: []string{"an approval is answered by its buttons"}},
	{flaw: memory.Forgetful, claims: []string{"a form comes back with what was filled in"}},
	{flaw: memory.Unsettled, claims: []string{"a settled question shows its answer and no buttons"}},
	{flaw: memory.Blind, history: true, claims: []string{"a send whose answer was lost stays one message", "the same key is sent once, by whichever process"}},
	{flaw: memory.Believes, history: true, claims: []string{"a send that never arrived is sent in the end"}},
}

func TestSuite_CatchesEveryFlaw(t *testing.T) {
	require.NoError(t, flag.Set("rapid.nofailfile", "true"), "what fails here is meant to")
	require.NoError(t, flag.Set("rapid.shrinktime", "0s"))
	for _, c := range caught {
		for _, claim := range c.claims {
			t.Run(string(c.flaw)+"/"+claim, func(t *testing.T) {
				p := platform(!c.history, c.flaw)
				p.Patience = 400 * time.Millisecond
				require.True(t, failed(t, claim, p), "the claim is kept")
			})
		}
	}
}

func TestSuite_EveryClaimCanFail(t *testing.T) {
	for _, claim := range channeltest.Claims() {
		require.True(t, slices.ContainsFunc(caught, func(b breach) bool { return slices.Contains(b.claims, claim.Name) }), "no flaw breaks %q", claim.Name)
	}
}
