package e2e

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// last returns the newest message of a person.
func (k *talk) last() (last chat.Message) {
	k.t.Helper()
	for _, m := range k.transcript().Messages {
		if m.Role == chat.RoleUser && m.Origin == "" {
			last = m
		}
	}
	return last
}

// again asks a message again; an empty text asks what stood there.
func (k *talk) again(id string, of chat.MessageID, text string) apiclient.Accepted {
	k.t.Helper()
	got, err := k.client.AskAgain(k.t.Context(), k.key, of, apiclient.AskAgain{ClientMessageID: id, Text: text})
	require.NoError(k.t, err)
	return got
}

func (k *talk) switchTo(id chat.MessageID) {
	k.t.Helper()
	require.NoError(k.t, k.client.SwitchBranch(k.t.Context(), k.key, id))
}

// conversation is what a request had of the conversation, a line each, without what stands before messages.
func (k *talk) conversation(turn chat.TurnID) (lines []string) {
	k.t.Helper()
	sent, err := k.client.GetRequest(k.t.Context(), k.key, turn, 0)
	require.NoError(k.t, err)
	require.True(k.t, sent.Exact, "it can be made again as it was")
	for _, m := range sent.Messages {
		if m.Role == "user" || m.Role == "assistant" {
			text := m.Content[strings.LastIndex(m.Content, "]")+1:]
			lines = append(lines, strings.TrimSpace(text))
		}
	}
	return lines
}

func TestBranches_AskEditRetrySwitchBackOverKillsAndTheModelSeesThatBranchAlone(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done("say one")
	k.done("say two")
	first := k.last()
	firstTurn := first.Turn
	edit := k.again("edit-1", first.ID, "say two changed")
	k.crash() // after it was accepted, before or while its turn runs
	restarted := time.Now()
	k.boot()
	edited := k.recovered("an edited message", restarted, edit.ID)
	require.Equal(t, chat.TurnDone, edited.State)
	require.Equal(t, []string{"one", "two changed"}, k.answers())
	require.Equal(t, apiclient.Accepted{ID: edit.ID, Duplicate: true}, k.again("edit-1", first.ID, "say two changed"))
	k.done("say three")

	second := k.transcript().Messages[2]
	retry := k.again("retry-1", second.ID, "")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, retry.ID).State)
	require.Equal(t, []string{"one", "two changed"}, k.answers(), "what followed went with the version that it followed")
	third := k.last()
	require.Equal(t, []chat.MessageID{first.ID, second.ID, third.ID}, third.Branches)

	k.switchTo(first.ID)
	k.crash()
	k.boot()
	require.Equal(t, []string{"one", "two"}, k.answers())
	now := k.untilEnded(crashLimit, k.send("say four"))
	require.Equal(t, []string{"say one", "one", "say two", "two", "say four"}, k.conversation(now.ID))
	require.Equal(t, []string{"say one", "one", "say two changed"}, k.conversation(edited.ID), "a step of another branch is shown as it was")
	require.Equal(t, []string{"say one", "one", "say two"}, k.conversation(firstTurn))

	k.switchTo(second.ID)
	require.Equal(t, []string{"one", "two changed", "three"}, k.answers())
	after := k.untilEnded(crashLimit, k.send("say five"))
	require.Equal(t, []string{"say one", "one", "say two changed", "two changed", "say three", "three", "say five"}, k.conversation(after.ID))
	require.Equal(t, []string{"say one", "one", "say two", "two", "say four"}, k.conversation(now.ID), "what was away meanwhile is in the request that had it")
	k.wellFormed()
}

func TestBranches_ServerKilledAtRandomMomentsAfterARetryHasOneMoreVersion(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done("say zero")
	k.done("say one")
	for versions := 2; versions <= 4; versions++ {
		pause := time.Duration(rand.IntN(80)) * time.Millisecond
		id := k.send("/retry")
		moment := time.NewTimer(pause)
		<-moment.C
		k.crash()
		k.boot()
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
		require.Eventually(t, func() bool { return len(k.last().Branches) == versions && len(k.answers()) == 2 }, crashLimit, 50*time.Millisecond, "killed %s after it was accepted: %s", pause, k.dump())
		require.Equal(t, []string{"zero", "one"}, k.answers())
	}
	k.wellFormed()
}
