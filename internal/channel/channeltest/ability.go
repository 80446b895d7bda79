package channeltest

import (
	"strings"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
)

var abilityClaims = []Claim{
	{"what a person edits arrives as an edit of the same message", []Ability{Editing}, learnsEdits},
	{"what a person takes back arrives as recalled", []Ability{Recalling}, learnsRecalls},
	{"a process that has not received a message learns that it is taken back", []Ability{Recalling}, successorLearnsRecalls},
	{"a recall that the receiver could not commit is delivered again", []Ability{Recalling, Redelivery}, redeliversRecalls},
	{"a message that is edited shows the newest text", nil, edits},
	{"a message that is deleted is gone", nil, deletes},
	{"a reaction is shown once", nil, reacts},
	{"that an answer is written can be shown", nil, types},
	{"that an answer is written is shown again when it is said again", nil, typesAgain},
	{"an answer that is streamed ends as one message", nil, streams},
}

func learnsEdits(b *bench) {
	p := b.run()
	for _, in := range b.places() {
		e, id := p.arrive(say(in, "at frist"))
		n := len(p.edited())
		b.Emulator.(Corrector).Correct(id, "at first")
		b.wait(func() bool { return len(p.edited()) > n }, "the edit did not arrive")
		got := p.edited()[n]
		require.Equal(b, identity(e), identity(got))
		require.Equal(b, "at first", got.Text)
	}
}

func learnsRecalls(b *bench) {
	p := b.run()
	for _, in := range b.places() {
		e, id := p.arrive(say(in, "never mind"))
		n := len(p.recalled())
		b.Emulator.(Recaller).Recall(id)
		b.wait(func() bool { return len(p.recalled()) > n }, "the recall did not arrive")
		got := p.recalled()[n]
		require.Equal(b, e.ID, got.ID)
		require.Equal(b, e.ChatType, got.ChatType)
		require.Equal(b, e.Chat, got.Chat)
	}
}

func successorLearnsRecalls(b *bench) {
	for _, in := range b.places() {
		p := b.run()
		e, id := p.arrive(say(in, "never mind"))
		p.stop()
		b.wait(func() bool { return b.Connected() == 0 }, "still connected")
		fresh := b.run()
		b.Emulator.(Recaller).Recall(id)
		b.wait(func() bool { return len(fresh.recalled()) > 0 }, "the recall did not arrive")
		got := fresh.recalled()[0]
		require.Equal(b, e.ID, got.ID, "the message has the id that its receiver knows")
		require.Equal(b, e.ChatType, got.ChatType)
		require.Equal(b, e.Chat, got.Chat)
		fresh.stop()
		b.wait(func() bool { return b.Connected() == 0 }, "still connected")
	}
}

func redeliversRecalls(b *bench) {
	p := b.run()
	e, id := p.arrive(say(Direct, "never mind"))
	p.refuseRecalls(2)
	b.Emulator.(Recaller).Recall(id)
	b.wait(func() bool { return len(p.recalled()) > 0 }, "it was not delivered again")
	require.Equal(b, e.ID, p.recalled()[0].ID)
}

// able gives the account's ability, or skips: small interfaces are optional for an adapter.
func able[T any](b *bench, account channel.Account) T {
	b.Helper()
	a, ok := account.(T)
	if !ok {
		b.Skipf("the account is no %T", new(T))
	}
	return a
}

func edits(b *bench) {
	p, to := b.asked()
	editor := able[channel.Editor](b, p.account)
	sent, err := p.account.Send(b.within(), to, text("edited", "Working on it.", 1))
	require.NoError(b, err)
	for _, body := range []string{"Half of it.", "All of it.", "All of it."} {
		require.NoError(b, editor.Edit(b.within(), to, sent.ID, channel.Message{Key: "edited", Text: body, Seq: 1}))
	}
	shown := b.Shown(Direct)
	require.Len(b, shown, 1)
	require.Contains(b, shown[0].Text, "All of it.")
	require.NotContains(b, shown[0].Text, "Working")
	require.GreaterOrEqual(b, shown[0].Edits, 2)
}

func deletes(b *bench) {
	p, to := b.asked()
	deleter := able[channel.Deleter](b, p.account)
	sent, err := p.account.Send(b.within(), to, text("deleted", "A mistake.", 1))
	require.NoError(b, err)
	require.NoError(b, deleter.Delete(b.within(), to, sent.ID))
	require.Empty(b, b.Shown(Direct))
}

func reacts(b *bench) {
	p := b.run()
	reactor := able[channel.Reactor](b, p.account)
	world, ok := b.Emulator.(Reacted)
	require.True(b, ok, "the emulator does not show reactions")
	in := Direct
	if b.has(Groups) {
		in = Group // QQ has reactions only there
	}
	e, id := p.arrive(say(in, "look"))
	for range 2 {
		require.NoError(b, reactor.React(b.within(), answerTo(e), e.ID, world.Emoji()))
	}
	require.Equal(b, []string{world.Emoji()}, world.Reactions(id))
	other, id := p.arrive(say(in, "and this"))
	for range 2 {
		require.NoError(b, reactor.React(b.within(), answerTo(other), other.ID, ""), "the adapter knows a sign of its own")
	}
	require.Len(b, world.Reactions(id), 1)
}

func types(b *bench) {
	p, to := b.asked()
	require.NoError(b, able[channel.Typist](b, p.account).Typing(b.within(), to))
	require.Empty(b, b.Shown(Direct), "it is no message")
}

func typesAgain(b *bench) {
	p := b.run()
	typist := able[channel.Typist](b, p.account)
	world, ok := b.Emulator.(Typed)
	require.True(b, ok, "the emulator does not show who writes")
	e, id := p.arrive(say(Direct, "hello"))
	to := answerTo(e)
	traits := channel.TraitsAt(p.account, to)
	times := 2
	if traits.Replies > 0 && traits.Writing.Times >= 0 {
		times = traits.Writing.Times
	}
	for n := range times {
		require.NoError(b, typist.Typing(b.within(), to))
		require.Equal(b, n+1, world.Typed(id))
	}
	if traits.Replies > 0 {
		require.Less(b, times, traits.Replies, "no answer is left")
	}
	_, err := p.account.Send(b.within(), to, text("answer", "Here it is.", 1))
	require.NoError(b, err)
	require.Len(b, b.Shown(Direct), 1)
}

func streams(b *bench) {
	p, to := b.asked()
	streamer := able[channel.Streamer](b, p.account)
	stream, err := streamer.Stream(b.within(), to, text("streamed", "…", 1))
	require.NoError(b, err)
	words := strings.Fields("this answer is written word by word")
	for i := range words {
		require.NoError(b, stream.Put(b.within(), strings.Join(words[:i+1], " "), i+1))
	}
	stream, err = streamer.Resume(b.within(), to, stream.Sent().ID)
	require.NoError(b, err, "another process goes on with it")
	whole := strings.Join(words, " ") + "."
	require.NoError(b, stream.Put(b.within(), strings.Join(words, " "), len(words)+1))
	require.NoError(b, stream.End(b.within(), text("streamed", whole, 1), len(words)+2))
	require.NoError(b, stream.End(b.within(), text("streamed", whole, 1), len(words)+3), "a second time")
	shown := b.Shown(Direct)
	require.Len(b, shown, 1)
	require.Equal(b, stream.Sent().ID, shown[0].ID)
	require.Contains(b, shown[0].Text, "this answer is written word by word.")
}
