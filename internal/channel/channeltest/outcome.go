package channeltest

import (
	"context"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

var outcomeClaims = []Claim{
	{"the same key is sent once, by whichever process", nil, sendsOnce},
	{"the same key from two processes at once is sent once", nil, sendsOnceAtOnce},
	{"a send whose answer was lost stays one message", []Ability{Certainty}, survivesLostAnswer},
	{"a send that never arrived is sent in the end", []Ability{Certainty}, survivesLostRequest},
	{"an answer that does not come in time is uncertain", nil, knowsNotKnowing},
	{"an outage is told from an uncertain end", nil, tellsOutage},
	{"a limit tells when to come back", []Ability{Limits}, tellsLimits},
	{"a refusal is told as one", nil, tellsRefusal},
}

// asked returns a process with a question that waits for an answer.
func (b *bench) asked() (*process, channel.Address) {
	b.Helper()
	p := b.run()
	e, _ := p.arrive(say(Direct, "a question"))
	return p, answerTo(e)
}

func sendsOnce(b *bench) {
	p, to := b.asked()
	m := text("once", "Only once.", 1)
	first, err := p.account.Send(b.within(), to, m)
	require.NoError(b, err)
	if channel.TraitsAt(p.account, to).Window == 0 {
		found := b.find(p.account, to, m)
		require.Equal(b, first.ID, found.ID)
		return
	}
	for _, account := range []channel.Account{p.account, b.Open(b)} {
		again, err := account.Send(b.within(), to, m)
		require.NoError(b, err)
		if again.ID != "" {
			require.Equal(b, first.ID, again.ID)
		}
		require.Len(b, b.Shown(Direct), 1)
	}
}

func sendsOnceAtOnce(b *bench) {
	p, to := b.asked()
	if channel.TraitsAt(p.account, to).Window == 0 {
		b.Skip("the platform has no keys")
	}
	accounts := []channel.Account{p.account, b.Open(b)}
	var wg sync.WaitGroup
	errs := make([]error, len(accounts))
	for i, account := range accounts {
		wg.Go(func() { _, errs[i] = account.Send(b.within(), to, text("at-once", "Only once.", 1)) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(b, err)
	}
	require.Len(b, b.Shown(Direct), 1)
}

// find looks for a message that must be there.
func (b *bench) find(account channel.Account, to channel.Address, m channel.Message) channel.Sent {
	b.Helper()
	finder, ok := account.(channel.Finder)
	if !ok {
		b.Skip("the platform has neither keys nor a history")
	}
	var sent channel.Sent
	var found bool
	var err error
	b.wait(func() bool { // the connection may just have broken
		sent, found, err = finder.Find(b.within(), to, m, time.Now().Add(-time.Minute))
		return !fault.Is(err, fault.Unavailable)
	}, "it could not be asked for")
	require.NoError(b, err)
	require.True(b, found, "%s was not found", m.Key)
	return sent
}

func survivesLostAnswer(b *bench) {
	p, to := b.asked()
	m := text("lost-answer", "Said and not heard.", 1)
	b.Befall(Trouble{Kind: LostAnswer, Times: 1})
	_, err := p.account.Send(b.within(), to, m)
	b.Befall(Trouble{})
	if err != nil {
		require.True(b, channel.Unknown(err), "it was accepted, so nobody may call it a failure: %v", err)
	}
	next := b.Open(b)
	if channel.TraitsAt(next, to).Window > 0 {
		_, err = next.Send(b.within(), to, m)
		require.NoError(b, err)
	} else {
		require.Equal(b, b.Shown(Direct)[0].ID, b.find(p.account, to, m).ID)
	}
	require.Len(b, b.Shown(Direct), 1)
}

func survivesLostRequest(b *bench) {
	p, to := b.asked()
	m := text("lost-request", "Not heard at first.", 1)
	b.Befall(Trouble{Kind: LostRequest, Times: 1})
	_, err := p.account.Send(b.within(), to, m)
	b.Befall(Trouble{})
	if err == nil { // the adapter has retried itself
		require.Len(b, b.Shown(Direct), 1)
		return
	}
	if finder, ok := p.account.(channel.Finder); ok && channel.TraitsAt(p.account, to).Window == 0 {
		var found bool
		b.wait(func() bool { // a side may not have noticed yet that the connection broke
			_, found, err = finder.Find(b.within(), to, m, time.Now().Add(-time.Minute))
			return err == nil || fault.KindOf(err) != fault.Unavailable
		}, "not connected again")
		require.NoError(b, err)
		require.False(b, found, "it was never accepted")
	}
	_, err = p.account.Send(b.within(), to, m)
	require.NoError(b, err)
	require.Len(b, b.Shown(Direct), 1)
}

func knowsNotKnowing(b *bench) {
	p, to := b.asked()
	b.Befall(Trouble{Kind: LostAnswer, Times: -1})
	_, err := p.account.Send(b.within(), to, text("unknown", "Said.", 1))
	b.Befall(Trouble{})
	require.Error(b, err)
	require.True(b, channel.Unknown(err), "%v", err)
	if channel.TraitsAt(p.account, to).Window > 0 {
		require.Len(b, b.Shown(Direct), 1)
	}
}

func tellsOutage(b *bench) {
	p, to := b.asked()
	b.Befall(Trouble{Kind: Down, Times: -1})
	_, err := p.account.Send(b.within(), to, text("down", "Nobody hears this.", 1))
	require.Equal(b, fault.Unavailable, fault.KindOf(err), "%v", err)
	b.Befall(Trouble{})
	require.Empty(b, b.Shown(Direct))
	_, err = p.account.Send(b.within(), to, text("down", "Nobody hears this.", 1))
	require.NoError(b, err)
	require.Len(b, b.Shown(Direct), 1)
}

func tellsLimits(b *bench) {
	p, to := b.asked()
	b.Befall(Trouble{Kind: Limited, Times: -1, After: 7 * time.Second})
	ctx, cancel := context.WithTimeout(b.Context(), min(5*time.Second, b.patience))
	defer cancel()
	_, err := p.account.Send(ctx, to, text("limited", "Too much.", 1))
	require.Equal(b, fault.RateLimited, fault.KindOf(err), "%v", err)
	require.False(b, channel.Unknown(err), "the platform said no")
	if b.has(Delay) {
		require.Equal(b, 7*time.Second, fault.After(err))
	}
	b.Befall(Trouble{})
	require.Empty(b, b.Shown(Direct))
	_, err = p.account.Send(b.within(), to, text("limited", "Too much.", 1))
	require.NoError(b, err)
	require.Len(b, b.Shown(Direct), 1)
}

func tellsRefusal(b *bench) {
	p, to := b.asked()
	b.Befall(Trouble{Kind: Refused, Times: -1})
	_, err := p.account.Send(b.within(), to, text("refused", "Not wanted.", 1))
	require.Contains(b, []fault.Kind{fault.Denied, fault.NotFound, fault.Invalid}, fault.KindOf(err), "%v", err)
	require.False(b, channel.Unknown(err), "the platform said no")
	require.Empty(b, b.Shown(Direct))
}
