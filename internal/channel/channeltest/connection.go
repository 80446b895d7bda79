package channeltest

import (
	"fmt"

	"github.com/stretchr/testify/require"
)

var connectionClaims = []Claim{
	{"a broken connection is reported and made again", nil, reconnects},
	{"nothing is lost while connections break", []Ability{Replay}, losesNothing},
	{"what nobody expects harms nothing", nil, survivesGarbage},
	{"a bot that ends leaves, and its successor receives", nil, succeeds},
	{"two bots in one process know nothing of each other", nil, keepsApart},
}

func reconnects(b *bench) {
	p := b.run()
	for i := range 2 {
		said := len(p.reports())
		b.Disconnect()
		b.wait(func() bool {
			lost := false
			for _, s := range p.reports()[said:] {
				if !s.Connected {
					lost = true
				} else if lost {
					return b.Connected() > 0
				}
			}
			return false
		}, "the loss of connection %d and the new one were not reported", i)
		p.arrive(Written{Where: Direct, Text: fmt.Sprintf("back again %d", i)})
	}
}

func losesNothing(b *bench) {
	p := b.run()
	p.arrive(Written{Where: Direct, Text: "before"})
	for i := range 3 {
		b.Disconnect()
		for j, in := range b.places() {
			b.Write(say(in, fmt.Sprintf("message %d.%d", i, j)))
		}
		for j := range b.places() {
			p.hear(fmt.Sprintf("message %d.%d", i, j))
		}
	}
}

func survivesGarbage(b *bench) {
	p := b.run()
	p.arrive(Written{Where: Direct, Text: "before"})
	b.Garbage()
	b.wait(func() bool { return p.connected() && b.Connected() > 0 }, "not connected after garbage")
	p.arrive(Written{Where: Direct, Text: "after"})
	require.Len(b, p.received(), 2, "garbage became a message")
	require.Empty(b, append(p.edited(), p.recalled()...), "garbage changed messages")
	require.Empty(b, p.pressed(), "garbage pressed a button")
}

func succeeds(b *bench) {
	p := b.run()
	p.arrive(Written{Where: Direct, Text: "one"})
	p.stop()
	b.wait(func() bool { return b.Connected() == 0 }, "still connected after its end")
	b.run().arrive(Written{Where: Direct, Text: "two"})
	require.Len(b, p.received(), 1)
}

func keepsApart(b *bench) {
	other := b.Start(b)
	mine, theirs := b.run(), b.runOn(other)
	e, _ := mine.arrive(Written{Where: Direct, Text: "for the first"})
	before := len(theirs.received())
	other.Write(Written{Where: Direct, Text: "for the second"})
	b.wait(func() bool { return len(theirs.received()) > before }, "the second bot hears nothing")
	require.Equal(b, "for the second", theirs.received()[before].Text)
	require.Len(b, mine.received(), 1)
	_, err := mine.account.Send(b.within(), answerTo(e), text("apart", "only here", 1))
	require.NoError(b, err)
	_, err = theirs.account.Send(b.within(), answerTo(theirs.received()[before]), text("apart", "only there", 1))
	require.NoError(b, err)
	require.Len(b, b.Shown(Direct), 1)
	require.Contains(b, b.Shown(Direct)[0].Text, "only here")
	require.Len(b, other.Shown(Direct), 1)
	require.Contains(b, other.Shown(Direct)[0].Text, "only there")
	require.Empty(b, other.Broken())
}
