package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/workflows"
)

// call is a line of a program that calls a tool.
func call(tool string, arguments args) string {
	data, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return "call " + tool + " " + string(data)
}

// convene is a call that makes a group chat: what each member does with the topic is a program of the scripted model.
func convene(rounds int, members []string, program ...string) string {
	return call("CreateChat", args{"type": "group", "members": members, "max_rounds": rounds, "topic": strings.Join(program, "\n")})
}

// groupID is that of the chat that was made last.
func (k *talk) groupID() chat.GroupID {
	k.t.Helper()
	var id chat.GroupID
	require.NoError(k.t, k.look().QueryRow(k.t.Context(), "SELECT id FROM group_chats ORDER BY created_at DESC LIMIT 1").Scan(&id))
	return id
}

// lines are what was said in the chat so far, in the order of it: speaker and text.
func (k *talk) lines() []string {
	k.t.Helper()
	return k.linesOf(k.look())
}

func (k *talk) linesOf(db *pgx.Conn) (out []string) {
	k.t.Helper()
	rows, err := db.Query(k.t.Context(), "SELECT speaker || ' ' || outcome || ' ' || said FROM group_lines ORDER BY group_id, seq")
	require.NoError(k.t, err)
	defer rows.Close()
	for rows.Next() {
		var line string
		require.NoError(k.t, rows.Scan(&line))
		out = append(out, line)
	}
	return out
}

func (k *talk) untilLines(n int) {
	k.t.Helper()
	db := k.look()
	require.Eventually(k.t, func() bool { return len(k.linesOf(db)) >= n }, time.Minute, 20*time.Millisecond, "lines of the chat")
}

func TestGroup_SpeaksInTurnAndTellsItsEndOnce(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(convene(2, []string{"coder", "reviewer", "planner"}, "say I think so"), "say begun")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State, "the turn does not wait for the chat")
	require.Contains(t, lastCalls(k)[0].Result, "has begun")
	told := k.untilTold(1)
	var want []string
	for n := range 6 {
		want = append(want, fmt.Sprintf("%d done I think so", n%3))
	}
	require.Equal(t, want, k.lines())
	require.Len(t, told, 1)
	require.Contains(t, told[0], "ended: all rounds are over · 6 lines]")
	require.Contains(t, told[0], "coder: I think so\nreviewer: I think so\nplanner: I think so")
	agents, tasks, turns := k.handed()
	require.Equal(t, []int{3, 6, 6}, []int{agents, tasks, turns}, "members keep their conversation")
	require.NoError(t, k.temporal().GetWorkflow(t.Context(), workflows.GroupChatID(k.groupID()), "").Get(t.Context(), nil))
	k.wellFormed()
}

func TestGroup_EndsWhenNobodyHasAnythingToAdd(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.send(convene(50, []string{"coder", "reviewer"}, "say NO_REPLY"), "say begun")
	require.Contains(t, k.untilTold(1)[0], "nobody had more to add · 2 lines")
	require.Equal(t, []string{"0 passed ", "1 passed "}, k.lines())
}

func TestGroup_ItsMakerSaysWhoSpeaksNextAndEndsIt(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.untilEnded(time.Minute, k.send(convene(50, []string{"coder", "reviewer", "planner:a"}, "delay 1500ms", "say hm"), "say begun"))
	to := "group:" + string(k.groupID())
	k.untilEnded(time.Minute, k.send(call("SendMessage", args{"to": to, "message": "@planner:a what do you think?"}), "say ok"))
	k.untilLines(3)
	require.Equal(t, []string{"-1 done @planner:a what do you think?", "0 done hm", "2 done hm"}, k.lines()[:3])
	k.untilEnded(time.Minute, k.send(call("SendMessage", args{"to": to, "message": "/end enough"}), "say ok"))
	require.Contains(t, k.untilTold(1)[0], "ended: it was ended")
	k.untilEnded(time.Minute, k.send(call("SendMessage", args{"to": to, "message": "one more"}), "say ok"))
	require.Contains(t, lastCalls(k)[0].Result, "is over")
}

// The server is killed twice while three agents talk.
func TestGroup_SurvivesKills(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.send(convene(3, []string{"coder", "reviewer", "planner"}, "delay 700ms", "say still here"), "say begun")
	for _, n := range []int{2, 5} {
		k.untilLines(n)
		k.crash()
		k.boot()
	}
	told := k.untilTold(1)
	var want []string
	for n := range 9 {
		want = append(want, fmt.Sprintf("%d done still here", n%3))
	}
	require.Equal(t, want, k.lines(), "each line once, in their order, and no round more")
	require.Len(t, told, 1)
	_, tasks, turns := k.handed()
	require.Equal(t, []int{9, 9}, []int{tasks, turns})
	k.wellFormed()
}

func TestPeer_IsToldOnceOverAKillAndAnswers(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	other := k.newTalk()
	reply := call("SendMessage", args{"to": "session:" + string(k.key), "message": "say heard you"})
	k.send(call("SendMessage", args{"to": "session:" + string(other.key), "message": reply + "\nsay passed on"}), "then", "delay 2s", "say sent")
	other.untilPeer(1)
	k.crash()
	k.boot()
	k.untilPeer(1)
	require.Contains(t, other.peers()[0], "[message from session:"+string(k.key))
	require.Contains(t, k.peers()[0], "[message from session:"+string(other.key))
	require.Len(t, k.peers(), 1)
	require.Len(t, other.peers(), 1)
	k.wellFormed()
}

// peers are what other conversations have told this one.
func (k *talk) peers() (out []string) {
	k.t.Helper()
	for _, m := range k.transcript().Messages {
		if m.Origin == chat.OriginPeer {
			out = append(out, m.Content)
		}
	}
	return out
}

func (k *talk) untilPeer(n int) {
	k.t.Helper()
	require.Eventually(k.t, func() bool { return len(k.peers()) >= n && k.session().Running == "" }, time.Minute, 50*time.Millisecond, "messages of conversations")
}

// Two conversations that answer each other without end stop by themselves.
func TestPeer_ALoopOfConversationsEnds(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	other := k.newTalk()
	var send func(n int) string
	send = func(n int) string {
		to := []chat.SessionKey{other.key, k.key}[n%2]
		if n > chat.MaxPeerHops+1 {
			return "say too far"
		}
		return call("SendMessage", args{"to": "session:" + string(to), "message": send(n+1) + "\nsay on"})
	}
	k.send(send(0), "say begun")
	require.Eventually(t, func() bool { return len(k.peers())+len(other.peers()) == chat.MaxPeerHops }, time.Minute, 50*time.Millisecond)
	last := other
	if chat.MaxPeerHops%2 == 0 {
		last = k
	}
	last.untilPeer(chat.MaxPeerHops / 2)
	require.Contains(t, lastCalls(last)[0].Result, "without a person")
}

// TestHistories_OfGroupChats keeps the histories of a chat and of the turn that makes it.
func TestHistories_OfGroupChats(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	turn := k.untilEnded(time.Minute, k.send(convene(2, []string{"coder", "reviewer"}, "say "+spoken), "say "+spoken))
	small(t, "turn that makes a chat", k.capture("convenes", turn), 40, 8<<10)
	k.untilTold(1)
	workflow := workflows.GroupChatID(k.groupID())
	require.NoError(t, k.temporal().GetWorkflow(t.Context(), workflow, "").Get(t.Context(), nil))
	small(t, "group chat", k.captureRun("groupchat", workflow, ""), 80, 16<<10)
}
