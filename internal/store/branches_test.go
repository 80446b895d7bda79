package store_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

// again accepts a message in place of another one.
func (b *bundle) again(id string, of chat.MessageID, text string) engine.Accepted {
	b.t.Helper()
	in := b.inbound(id, text)
	in.Options.Replaces = of
	got, err := b.Turns.Accept(b.t.Context(), in)
	require.NoError(b.t, err)
	return got
}

// branch is a whole turn of a message in place of another one.
func (b *bundle) branch(turn chat.TurnID, of chat.MessageID, text string) {
	b.t.Helper()
	b.again("m-"+string(turn), of, text)
	b.responds(turn, text)
}

func (b *bundle) responds(turn chat.TurnID, text string) {
	b.t.Helper()
	_, ok := b.claim(turn)
	require.True(b.t, ok)
	b.spend(b.begin(turn, 0), "p/a", "answer to "+text, chat.Usage{PromptTokens: 10, CompletionTokens: 1})
	b.finish(turn, chat.TurnDone)
}

// versions returns the versions of what stands in the transcript with a text.
func (b *bundle) versions(text string) []chat.MessageID {
	b.t.Helper()
	for _, m := range b.transcript().Messages {
		if m.Content == text {
			return m.Branches
		}
	}
	b.t.Fatalf("%q is not in the transcript", text)
	return nil
}

func (b *bundle) lastRewind(after int64) (last chat.Rewound) {
	b.t.Helper()
	for _, e := range b.events(after) {
		if e.Kind == chat.EventRewind {
			require.NoError(b.t, json.Unmarshal(e.Data, &last))
		}
	}
	return last
}

func TestBranch_TakesThePlaceOfAMessageAndKeepsIt(t *testing.T) {
	b := setup(t)
	for i := range 3 {
		b.exchange(chat.TurnID(fmt.Sprint("t", i)), fmt.Sprint("q", i))
	}
	first, seq := b.id("q1"), b.transcript().Seq
	upto := b.id("answer to q2")
	b.branch("t3", first, "q1 changed")

	require.Equal(t, []string{"q0", "answer to q0", "q1 changed", "answer to q1 changed"}, b.seen())
	require.Equal(t, b.seen(), b.said(), "people see what the model sees")
	require.Equal(t, chat.Rewound{From: first, Upto: upto}, b.lastRewind(seq))
	second := b.id("q1 changed")
	require.Equal(t, []chat.MessageID{first, second}, b.versions("q1 changed"))
	require.Empty(t, b.versions("q0"))
	var told chat.Message
	for _, e := range b.events(seq) {
		if e.Kind == chat.EventMessage {
			var m chat.Message
			require.NoError(t, json.Unmarshal(e.Data, &m))
			if m.ID == second {
				told = m
			}
		}
	}
	require.Equal(t, []chat.MessageID{first, second}, told.Branches, "who watches learns of the versions with the message")

	all, err := b.Conversations.Messages(t.Context(), key, conversation.Page{Limit: 100, Rewound: true})
	require.NoError(t, err)
	require.Len(t, all.Messages, 8, "nothing is deleted")

	b.branch("t4", first, "q1") // the one that is away names the place as well
	require.Equal(t, []string{"q0", "answer to q0", "q1", "answer to q1"}, b.seen())
	require.Equal(t, []chat.MessageID{first, second, b.id("q1")}, b.versions("q1"))
}

func TestBranch_SwitchesThereAndBackWithAllThatFollowed(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.exchange("t1", "a")
	a := b.id("a")
	b.branch("t2", a, "b")
	bb := b.id("b")
	b.exchange("t3", "b2")
	onB := b.seen()
	seq := b.transcript().Seq

	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, a))
	require.Equal(t, []string{"q0", "answer to q0", "a", "answer to a"}, b.seen())
	require.Equal(t, chat.Rewound{From: a, Upto: b.id("answer to b2"), Again: true}, b.lastRewind(seq))
	b.exchange("t4", "a2")
	onA := b.seen()
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, bb))
	require.Equal(t, onB, b.seen())
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, a))
	require.Equal(t, onA, b.seen(), "what was said later in a branch comes back with it")
	require.Equal(t, onA, b.said())

	seq = b.transcript().Seq
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, a))
	require.Equal(t, seq, b.transcript().Seq, "where the conversation is already nothing happens")
}

func TestBranch_WithinABranchStaysAsItWasWhenTheOuterOneIsSwitched(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "a")
	b.exchange("t1", "a2")
	a, a2 := b.id("a"), b.id("a2")
	b.branch("t2", a2, "a3")
	b.branch("t3", a, "b")
	require.Equal(t, []string{"b", "answer to b"}, b.seen())
	require.Equal(t, fault.Conflict, fault.KindOf(b.Branches.SwitchBranch(t.Context(), key, a2)), "its place is in another branch")

	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, a))
	require.Equal(t, []string{"a", "answer to a", "a3", "answer to a3"}, b.seen())
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, a2))
	require.Equal(t, []string{"a", "answer to a", "a2", "answer to a2"}, b.seen())
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, b.id("b")))
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, a))
	require.Equal(t, []string{"a", "answer to a", "a2", "answer to a2"}, b.seen())
}

func TestBranch_EachBeginsWithItsOwnCompactionAndReset(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	common := b.compact(b.id("answer to q0"), "common")
	b.exchange("t1", "a")
	a := b.id("a")
	b.exchange("t2", "a2")
	own := b.compact(b.id("answer to a"), "of a")
	compaction := func() chat.ControlID {
		w, err := b.Conversations.Window(t.Context(), key)
		require.NoError(t, err)
		if w.Compaction == nil {
			return 0
		}
		return w.Compaction.ID
	}
	require.Equal(t, own.ID, compaction())
	b.branch("t3", a, "b")
	require.Equal(t, common.ID, compaction(), "a summary of the other branch stands for nothing here")
	require.Equal(t, []string{"b", "answer to b"}, b.seen())
	require.NoError(t, b.Conversations.Renew(t.Context(), key, "1", chat.ResetNew))
	b.exchange("t4", "b2")
	require.Zero(t, compaction())
	require.Equal(t, []string{"b2", "answer to b2"}, b.seen())

	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, a))
	require.Equal(t, own.ID, compaction())
	require.Equal(t, []string{"a2", "answer to a2"}, b.seen(), "the reset is one of the other branch")
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, b.id("b")))
	require.Zero(t, compaction())
	require.Equal(t, []string{"b2", "answer to b2"}, b.seen())
}

func TestBranch_BringsBackTheToDoListAndTheEditsOfItsTurns(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.plan("t1", "a")
	a := b.id("a")
	edited := b.id("q0")
	edit := b.control(chat.Control{Kind: chat.ControlEdit, Message: edited, Turn: "t1", Edit: &chat.Edit{Action: chat.EditTruncate, Message: edited}})
	holds := func() bool {
		w, err := b.Conversations.Window(t.Context(), key)
		require.NoError(t, err)
		for _, c := range w.Controls {
			if c.Kind == chat.ControlUndo && c.Undo == edit.ID {
				return false
			}
		}
		return true
	}
	todos := func() []chat.Todo {
		list, err := b.Conversations.Todos(t.Context(), key)
		require.NoError(t, err)
		return list
	}
	require.True(t, holds())
	for range 2 {
		b.branch(chat.TurnID("t-"+fmt.Sprint(b.transcript().Seq)), a, "b")
		require.False(t, holds())
		require.Empty(t, todos())
		require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, a))
		require.True(t, holds())
		require.Equal(t, planned("a"), todos())
	}
}

func TestBranch_RepeatedFindsItsOwnAndAnotherTargetUnderTheSameIDIsRefused(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.exchange("t1", "q1")
	of := b.id("q1")
	first := b.again("x", of, "q1")
	require.Equal(t, engine.Accepted{ID: first.ID, Duplicate: true}, b.again("x", of, "q1"))
	in := b.inbound("x", "q1")
	_, err := b.Turns.Accept(t.Context(), in)
	require.Equal(t, fault.Conflict, fault.KindOf(err), "a plain message is another one")
	in.Options.Replaces = b.id("q0")
	_, err = b.Turns.Accept(t.Context(), in)
	require.Equal(t, fault.Conflict, fault.KindOf(err))

	b.responds("t2", "q1")
	for range 2 { // the claim is repeated by an activity whose end was not seen
		_, ok := b.claim("t2")
		require.True(t, ok)
	}
	require.Equal(t, engine.Accepted{ID: first.ID, Duplicate: true}, b.again("x", of, "q1"))
	require.Len(t, b.versions("q1"), 2)
	require.Equal(t, []string{"q0", "answer to q0", "q1", "answer to q1"}, b.seen())
}

func TestBranch_AskedTwiceBeforeItsTurnIsTwoMoreVersions(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q")
	of := b.id("q")
	b.again("x", of, "q")
	b.again("y", of, "q")
	b.responds("t1", "q")
	b.responds("t2", "q")
	require.Len(t, b.versions("q"), 3)
	require.Equal(t, []string{"q", "answer to q"}, b.seen())
}

func TestBranch_OfAReleasedClaimIsPutBackUntilItIsClaimedAgain(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.plan("t1", "q1")
	before := b.seen()
	compacted := b.compact(b.id("q1"), "up to q1")
	of, seq := b.id("q1"), b.transcript().Seq
	b.again("x", of, "q1 changed")
	_, ok := b.claim("t2")
	require.True(t, ok)
	require.Equal(t, []string{"q0", "answer to q0", "q1 changed"}, b.seen())
	settled, err := b.Turns.SettleTurn(t.Context(), "t2")
	require.NoError(t, err)
	require.Equal(t, engine.SettledReleased, settled)

	w, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, compacted.ID, w.Compaction.ID)
	require.Equal(t, before, b.said())
	require.True(t, b.lastRewind(seq).Again)
	require.Len(t, b.transcript().Queued, 1)
	list, err := b.Conversations.Todos(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, planned("q1"), list)

	b.responds("t3", "q1 changed")
	require.Equal(t, []string{"q0", "answer to q0", "q1 changed", "answer to q1 changed"}, b.seen())
	require.Len(t, b.versions("q1 changed"), 2)
	require.NoError(t, b.Branches.SwitchBranch(t.Context(), key, of))
	require.Equal(t, before, b.said())
}

func TestBranch_OfAMessageThatWasTakenBackMeanwhileIsAskedAtTheEnd(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.exchange("t1", "q1")
	of := b.id("q1")
	b.order("r1", "/rewind")
	b.again("x", of, "q1 changed")
	require.NoError(t, b.Conversations.Rewind(t.Context(), "r1", 1, 0))
	b.finish("r1", chat.TurnDone)
	b.responds("t2", "q1 changed")
	require.Equal(t, []string{"q0", "answer to q0", "q1 changed", "answer to q1 changed"}, b.seen())
	require.Empty(t, b.versions("q1 changed"))
	require.Equal(t, fault.Conflict, fault.KindOf(b.Branches.CheckReplace(t.Context(), key, of)))
	require.Equal(t, fault.Conflict, fault.KindOf(b.Branches.SwitchBranch(t.Context(), key, of)))
}

func TestBranch_SwitchRefusesWhileATurnRunsAndWhatIsNoMessageOfAPerson(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q")
	of := b.id("q")
	b.branch("t1", of, "changed")
	require.Equal(t, fault.NotFound, fault.KindOf(b.Branches.SwitchBranch(t.Context(), key, 999999)))
	require.Equal(t, fault.Conflict, fault.KindOf(b.Branches.SwitchBranch(t.Context(), key, b.id("answer to q"))))
	other := key + "2"
	b.session(other)
	require.Equal(t, fault.NotFound, fault.KindOf(b.Branches.SwitchBranch(t.Context(), other, of)), "messages of another session are none")
	require.Equal(t, fault.NotFound, fault.KindOf(b.Branches.CheckReplace(t.Context(), other, of)))

	b.send("m", "more")
	b.claim("t2")
	err := b.Branches.SwitchBranch(t.Context(), key, of)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.Equal(t, i18n.Say(i18n.English, i18n.BranchBusy), i18n.Explain(i18n.English, err))
	require.Equal(t, []string{"changed", "answer to changed", "more"}, b.seen())
}

func TestBranch_SwitchedByManyAtOnceIsOneBranchInTheEnd(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.exchange("t1", "v")
	of := b.id("v")
	b.branch("t2", of, "v2")
	b.branch("t3", of, "v3")
	ids := b.versions("v3")
	require.Len(t, ids, 3)
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			if err := b.Branches.SwitchBranch(t.Context(), key, ids[i%3]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Go(func() {
		if _, _, err := b.Turns.Claim(t.Context(), key, "none", "run", 0); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	seen := b.seen()
	require.Len(t, seen, 4, "one version, with its answer, behind what all have in common")
	require.Equal(t, "answer to "+seen[2], seen[3])
	require.Equal(t, ids, b.versions(seen[2]))
}

func TestBranch_CommandAsksAgainBeforeWhatWasSentLater(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.exchange("t1", "q1")
	b.order("r1", "/retry")
	b.send("later", "later")
	for range 3 {
		require.NoError(t, b.Branches.AskAgain(t.Context(), "r1", 1, 0, ""))
	}
	require.Equal(t, i18n.Say(i18n.English, i18n.AskedAgain, "q1"), b.said()[len(b.said())-1])
	require.True(t, b.finish("r1", chat.TurnDone), "the message waits")
	b.responds("t2", "q1")
	require.Equal(t, []string{"q0", "answer to q0", "q1", "answer to q1"}, b.seen())
	require.Equal(t, b.seen(), b.said(), "the command went with what it replaced")
	b.responds("t3", "later")

	b.order("r2", "/edit")
	require.NoError(t, b.Branches.AskAgain(t.Context(), "r2", 0, b.versions("q1")[0], "q1 changed"))
	b.finish("r2", chat.TurnDone)
	b.responds("t4", "q1 changed")
	require.Equal(t, []string{"q0", "answer to q0", "q1 changed", "answer to q1 changed"}, b.seen())
}

func TestBranch_CommandListsAndSwitches(t *testing.T) {
	b := setup(t)
	turns := 0
	order := func(to chat.MessageID) string {
		turns++
		turn := chat.TurnID(fmt.Sprint("r", turns))
		b.order(turn, "/branch")
		require.NoError(t, b.Branches.Branch(t.Context(), turn, to))
		require.NoError(t, b.Branches.Branch(t.Context(), turn, to), "carried out once")
		b.finish(turn, chat.TurnDone)
		return b.said()[len(b.said())-1]
	}
	require.Equal(t, i18n.Say(i18n.English, i18n.BranchNone), order(0))
	b.exchange("t0", "a")
	a := b.id("a")
	b.branch("t1", a, "b")
	second := b.id("b")
	require.Equal(t, i18n.Say(i18n.English, i18n.BranchList)+fmt.Sprintf("\n\n* `m%d` a\n* `m%d` b", a, second)+i18n.Say(i18n.English, i18n.BranchHere), order(0))
	require.Equal(t, i18n.Say(i18n.English, i18n.BranchIn, a), order(a))
	require.Equal(t, []string{"a", "answer to a"}, b.seen())
	require.Equal(t, i18n.Say(i18n.English, i18n.BranchIn, second), order(second))
	require.Equal(t, []string{"b", "answer to b"}, b.seen())
	require.Equal(t, i18n.Say(i18n.English, i18n.RewindGone, 999999), order(999999))
}

func TestBranch_OfABurstAsksAllOfItAgain(t *testing.T) {
	b := setup(t)
	for i, text := range []string{"one", "two"} {
		in := b.inbound(fmt.Sprint("m", i), text)
		in.Queue.Mode, in.Queue.DebounceMS = chat.QueueCollect, 1
		_, err := b.Turns.Accept(t.Context(), in)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { _, ok := b.claim("t0"); return ok }, time.Minute, 5*time.Millisecond)
	b.finish("t0", chat.TurnDone)
	text, err := b.Branches.TextAt(t.Context(), key, b.id("one"))
	require.NoError(t, err)
	require.Equal(t, "one\n\ntwo", text)
}

func TestFork_OfABranchHasNoOtherOnes(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "a")
	b.branch("t1", b.id("a"), "b")
	made := b.fork(conversation.NewFork{})
	copied, err := b.Conversations.Messages(t.Context(), made.Key, conversation.Page{Limit: 10, Rewound: true})
	require.NoError(t, err)
	require.Len(t, copied.Messages, 2)
	require.Equal(t, "b", copied.Messages[0].Content)
	require.Empty(t, copied.Messages[0].Branches)
}

func TestBranch_WhatCameWithTheMessageComesWithItAgain(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	got := b.sends("m1", chat.QueueFollowup, twoFiles[0])
	p, err := b.Attachments.AttachmentSet(t.Context(), got.ID)
	require.NoError(t, err)
	f := p.Files[0]
	f.Runner, f.Path, f.Size = "local", "/srv/inbox/a.pdf", 9
	require.NoError(t, b.Attachments.FileStored(t.Context(), got.ID, f))
	require.NoError(t, b.Attachments.EndFetch(t.Context(), got.ID))
	require.True(t, b.claims("t1"))
	shown := chat.PictureRef{Hash: "h", MediaType: "image/png", Width: 1, Height: 1}
	_, err = b.pool.Exec(t.Context(), `UPDATE messages SET pictures = jsonb_build_array($1::jsonb)`, `{"hash":"h","media_type":"image/png","width":1,"height":1}`)
	require.NoError(t, err)
	asked := b.written()[0]
	b.finishPeer("t1")

	text, err := b.Branches.TextAt(t.Context(), peerKey, asked.ID)
	require.NoError(t, err)
	for turn, words := range map[chat.TurnID]string{"t2": text, "t3": "look closely"} {
		in := engine.NewRow{Session: peerKey, User: b.user.ID, Channel: "napcat", PlatformID: "again " + string(turn), Text: words}
		in.Options.Replaces = asked.ID
		_, err = b.Turns.Accept(t.Context(), in)
		require.NoError(t, err)
		require.True(t, b.claims(turn))
		all := b.written()
		require.Len(t, all, 1)
		want := map[chat.TurnID]string{"t2": asked.Content, "t3": "look closely\n[file: a.pdf · 9 bytes · /srv/inbox/a.pdf]"}[turn]
		require.Equal(t, want, all[0].Content)
		require.Equal(t, []chat.PictureRef{shown}, all[0].Pictures)
		b.finishPeer(turn)
	}
}

func (b *bundle) finishPeer(turn chat.TurnID) {
	b.t.Helper()
	_, err := b.Turns.FinishTurn(b.t.Context(), peerKey, turn, chat.TurnDone, "")
	require.NoError(b.t, err)
}
