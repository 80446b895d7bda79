package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/agent"
)

const here = chat.SessionKey("agent:main:web:thread:here")

// fakeStore stands in for the store, with what was asked of it.
type fakeStore struct {
	t      *testing.T
	tasks  map[chat.CallID]chat.SubagentTask
	agents []chat.Subagent
	said   []chat.Message
	asked  []string
	groups []chat.NewGroup
	peers  []chat.PeerMessage
	tiers  []string
	fail   error
}

func setup(t *testing.T) *fakeStore {
	t.Helper()
	t.Parallel()
	return &fakeStore{t: t, tasks: map[chat.CallID]chat.SubagentTask{}}
}

func (d *fakeStore) AssignTask(_ context.Context, task chat.SubagentTask) (chat.Assignment, error) {
	if d.fail != nil {
		return chat.Assignment{}, d.fail
	}
	d.tasks[task.Call] = task
	return handed(task), nil
}

func handed(task chat.SubagentTask) chat.Assignment {
	return chat.Assignment{Subagent: chat.SubagentRef{Parent: task.Session, Role: task.Role, Instance: task.Instance, Call: task.Call}, Background: task.Background}
}

func (d *fakeStore) AssignmentOf(_ context.Context, call chat.CallID) (chat.Assignment, bool, error) {
	task, ok := d.tasks[call]
	return handed(task), ok, nil
}

func (d *fakeStore) DirectSubagents(context.Context, chat.SessionKey) ([]chat.Subagent, error) {
	return d.agents, d.fail
}

func (d *fakeStore) StopSubagent(_ context.Context, key chat.SessionKey, why string) (bool, error) {
	d.asked = append(d.asked, fmt.Sprintf("stop %s %s", key, why))
	return key == "busy", nil
}

func (d *fakeStore) UnloadSubagent(_ context.Context, key chat.SessionKey, wake bool) (bool, error) {
	d.asked = append(d.asked, fmt.Sprintf("unload %s %t", key, wake))
	return key != "busy", nil
}

func (d *fakeStore) LastMessages(_ context.Context, key chat.SessionKey, n int) ([]chat.Message, error) {
	d.asked = append(d.asked, fmt.Sprintf("last %d of %s", n, key))
	return d.said, nil
}

func (d *fakeStore) Roles(context.Context, tool.Call) ([]role.Role, []role.Broken, error) {
	return []role.Role{{Name: "coder"}, {Name: "reviewer"}}, []role.Broken{{File: "/p/tester.md", Why: "no front matter"}}, nil
}

func (d *fakeStore) Make(_ context.Context, _ tool.Call, r role.Role, tier string) (chat.NewSubagent, error) {
	d.tiers = append(d.tiers, r.Name+" "+tier)
	return chat.NewSubagent{Model: "m/" + tier}, nil
}

func (d *fakeStore) OpenGroup(_ context.Context, g chat.NewGroup) (chat.GroupID, error) {
	d.groups = append(d.groups, g)
	return "g1", d.fail
}

func (d *fakeStore) SpeakInGroup(_ context.Context, id chat.GroupID, from chat.SessionKey, call chat.CallID, text string) error {
	d.asked = append(d.asked, fmt.Sprintf("%s %s %s: %s", id, from, call, text))
	return d.fail
}

func (d *fakeStore) SendPeer(_ context.Context, p chat.PeerMessage) error {
	d.peers = append(d.peers, p)
	return d.fail
}

func (d *fakeStore) run(t tool.Tool, arguments string) chat.ToolResult {
	d.t.Helper()
	result, err := t.Run(d.t.Context(), tool.Call{ID: "t1.0.0", Session: here, User: 7, Arguments: arguments})
	require.NoError(d.t, err)
	return result
}

func (d *fakeStore) refuses(t tool.Tool, refusals map[string]string) {
	d.t.Helper()
	for arguments, want := range refusals {
		result := d.run(t, arguments)
		require.True(d.t, result.IsError, arguments)
		require.Contains(d.t, result.Content, want, arguments)
	}
	require.Empty(d.t, d.tasks)
	require.Empty(d.t, d.groups)
	require.Empty(d.t, d.peers)
	require.Empty(d.t, d.asked)
}

func TestSubAgent_SpawnHandsTheTaskOutOnce(t *testing.T) {
	d := setup(t)
	sub := agent.New(d, d)
	for range 2 {
		result := d.run(sub, `{"role":" Coder ","task":" do it ","model_tier":" Swift "}`)
		require.Empty(t, result.Content, "its answer is the result")
		require.Equal(t, "coder", result.Handed.Subagent.Name())
	}
	require.Equal(t, []string{"coder swift"}, d.tiers, "a repeated call finds what it did")
	got := d.tasks["t1.0.0"]
	require.Equal(t, "m/swift", got.New.Model)
	got.New = nil
	require.Equal(t, chat.SubagentTask{Call: "t1.0.0", Session: here, Turn: "t1", Role: "coder", Text: "do it"}, got)

	d.tasks = map[chat.CallID]chat.SubagentTask{}
	result := d.run(sub, `{"action":"spawn","role":"reviewer","instance":"a","task":"x","background":true}`)
	require.Contains(t, result.Content, "reviewer:a works on it")
	require.True(t, result.Handed.Background)
	d.tasks = map[chat.CallID]chat.SubagentTask{}
	require.Equal(t, "reviewer:a", d.run(sub, `{"action":"send","role":"reviewer","instance":"a","task":"more"}`).Handed.Subagent.Name())
	require.Nil(t, d.tasks["t1.0.0"].New, "send makes nobody")
}

func TestSubAgent_RefusesWhatItCannotDo(t *testing.T) {
	d := setup(t)
	sub := agent.New(d, d)
	d.refuses(sub, map[string]string{
		`{"action":"fire","role":"coder"}`:                              "there are spawn, send, inspect, interrupt, unload and list",
		`{"task":"x"}`:                                                  "role is missing",
		`{"role":"coder"}`:                                              "say all that the agent needs",
		`{"role":"coder","task":"  "}`:                                  "task is missing",
		`{"role":"coder","instance":"a b","task":"x"}`:                  `the instance "a b" is no name`,
		`{"role":"coder","task":"` + strings.Repeat("x", 50_001) + `"}`: "at most 50000 are taken",
		`{"role":"baker","task":"x"}`:                                   `there is no role "baker": there are coder, reviewer`,
		`{"role":"tester","task":"x"}`:                                  "the role tester cannot be read: /p/tester.md: no front matter",
		`{"action":"send","role":"coder","task":"x"}`:                   "spawn one with an instance to send it more",
		`{"action":"inspect","role":"coder"}`:                           `you have no agent "coder": see action list`,
		`{"action":"interrupt","role":"coder","instance":"a"}`:          `you have no agent "coder:a"`,
		`{"action":"unload","role":"coder","instance":"a"}`:             `you have no agent "coder:a"`,
	})
	d.fail = fault.Errorf(fault.Denied, "no more today")
	require.Contains(t, d.run(sub, `{"role":"coder","task":"x"}`).Content, "no more today")
	d.fail = fault.Errorf(fault.Unavailable, "the database is away")
	_, err := sub.Run(t.Context(), tool.Call{ID: "t1.0.0", Session: here, Arguments: `{"role":"coder","task":"x"}`})
	require.Error(t, err, "what a model cannot mend is no result")
}

func TestSubAgent_LooksAfterThoseThatStay(t *testing.T) {
	d := setup(t)
	sub := agent.New(d, d)
	require.Contains(t, d.run(sub, `{"action":"list"}`).Content, "no work")
	d.agents = []chat.Subagent{
		{Session: "busy", Role: "coder", Instance: "a", State: chat.SubagentRunning, Tool: "Shell · make", Waiting: true, Steps: 3, Tokens: 900, Task: "do it"},
		{Session: "new", Role: "coder", State: chat.SubagentDone}, {Session: "old", Role: "coder", State: chat.SubagentDone},
		{Session: "idle", Role: "reviewer", Instance: "b", State: chat.SubagentIdle},
	}
	require.Equal(t, "coder:a · running · Shell · make · waits for a person's permission · 3 steps · 900 tokens · do it", strings.Split(d.run(sub, `{"action":"list"}`).Content, "\n")[0])
	d.said = []chat.Message{
		{Role: chat.RoleUser, Content: "[task]"}, {Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{Name: "Shell", Summary: "make", State: chat.CallDone}}},
	}
	require.Contains(t, d.run(sub, `{"action":"inspect","role":"CODER","instance":"A","tail":9}`).Content, "[user]\n[task]\n\n[assistant]\n- Shell make: done")
	d.run(sub, `{"action":"inspect","role":"coder"}`)
	d.run(sub, `{"action":"inspect","role":"coder","tail":1000}`)
	require.Contains(t, d.run(sub, `{"action":"interrupt","role":"coder","instance":"a"}`).Content, "coder:a is being stopped")
	require.Contains(t, d.run(sub, `{"action":"interrupt","role":"reviewer","instance":"b"}`).Content, "nothing to interrupt")
	require.True(t, d.run(sub, `{"action":"unload","role":"coder","instance":"a"}`).IsError, "it works")
	require.Contains(t, d.run(sub, `{"action":"unload","role":"reviewer","instance":"b"}`).Content, "is unloaded")
	require.Equal(t, []string{
		"last 9 of busy", "last 5 of new", "last 50 of new", "stop busy stop t1.0.0", "stop idle stop t1.0.0", "unload busy true", "unload idle true",
	}, d.asked)
}

func TestCreateChat_MakesAGroupOrOneThatStays(t *testing.T) {
	d := setup(t)
	create := agent.NewCreateChat(d, d, d)
	result := d.run(create, `{"type":"group","members":["coder","coder","reviewer:a"],"topic":" which way? "}`)
	require.Contains(t, result.Content, "group:g1 has begun")
	require.Equal(t, chat.GroupID("g1"), result.Group)
	g := d.groups[0]
	require.Equal(t, []any{chat.CallID("t1.0.0"), here, chat.TurnID("t1"), "which way?", chat.GroupRounds}, []any{g.Call, g.Session, g.Turn, g.Topic, g.Rounds})
	require.Len(t, g.Members, 3)
	require.Equal(t, "a", g.Members[2].Instance)

	one := d.run(create, `{"type":"agent","members":["coder/b"],"topic":"x"}`)
	require.Equal(t, "coder:b", one.Handed.Subagent.Name())
	d.fail = fault.Errorf(fault.Denied, "too many agents")
	require.Contains(t, d.run(create, `{"type":"group","members":["coder","reviewer"],"topic":"x"}`).Content, "too many agents")
}

func TestCreateChat_RefusesWhatIsNoChat(t *testing.T) {
	d := setup(t)
	d.refuses(agent.NewCreateChat(d, d, d), map[string]string{
		`{"type":"group","members":["coder","reviewer"],"topic":" "}`:                                   "topic is missing",
		`{"type":"group","members":["coder","reviewer"],"topic":"` + strings.Repeat("x", 50_001) + `"}`: "write the rest to a file",
		`{"type":"party","members":["coder"],"topic":"x"}`:                                              "there are group and agent",
		`{"type":"group","members":["coder"],"topic":"x"}`:                                              "2 to 8 members, not 1",
		`{"type":"group","members":["coder","a","a","a","a","a","a","a","a"],"topic":"x"}`:              "2 to 8 members, not 9",
		`{"type":"group","members":["coder","reviewer"],"topic":"x","max_rounds":51}`:                   "between 1 and 50, not 51",
		`{"type":"group","members":["coder","reviewer"],"topic":"x","max_rounds":-1}`:                   "between 1 and 50, not -1",
		`{"type":"group","members":["coder:a","Coder:A"],"topic":"x"}`:                                  "is named twice",
		`{"type":"group","members":["coder","baker"],"topic":"x"}`:                                      `there is no role "baker"`,
		`{"type":"group","members":["coder","my role"],"topic":"x"}`:                                    "is no role: use role or role:instance",
		`{"type":"group","members":["coder","coder:a b"],"topic":"x"}`:                                  `the instance "a b" is no name`,
		`{"type":"agent","members":["coder:a","reviewer:b"],"topic":"x"}`:                               "has one member",
		`{"type":"agent","members":["coder"],"topic":"x"}`:                                              "for example coder:a",
		`{"members":["coder:a"],"topic":"x"}`:                                                           "type",
		`{"type":"group","topic":"x"}`:                                                                  "members",
	})
}

func TestSendMessage_ReachesAgentsChatsAndConversations(t *testing.T) {
	d := setup(t)
	send := agent.NewSendMessage(d, d, d)
	require.Equal(t, "coder:a", d.run(send, `{"to":"agent:coder:a","message":"go on"}`).Handed.Subagent.Name())
	require.Contains(t, d.run(send, `{"to":"group:g1","message":" @coder why? "}`).Content, "Said in group:g1.")
	require.Equal(t, []string{"g1 " + string(here) + " t1.0.0: @coder why?"}, d.asked)
	for _, kind := range []string{"session", "peer"} {
		require.Contains(t, d.run(send, `{"to":"`+kind+`:agent:main:web:thread:there","message":"hello"}`).Content, "Sent to session:agent:main:web:thread:there")
	}
	require.Equal(t, chat.PeerMessage{Call: "t1.0.0", Turn: "t1", User: 7, From: here, To: "agent:main:web:thread:there", Text: "hello"}, d.peers[0])
	d.fail = fault.Errorf(fault.NotFound, "you have made no group chat")
	require.True(t, d.run(send, `{"to":"group:g2","message":"x"}`).IsError)
}

func TestSendMessage_RefusesWhatIsNoAddress(t *testing.T) {
	d := setup(t)
	long := strings.Repeat("x", 50_001)
	d.refuses(agent.NewSendMessage(d, d, d), map[string]string{
		`{"to":"agent:coder:a","message":" "}`:                "message is empty",
		`{"to":"coder","message":"x"}`:                        "is no address: use agent:<role>:<instance>, group:<id> or session:<key>",
		`{"to":"agent:","message":"x"}`:                       "is no address",
		`{"to":"agent:main:web:thread:here","message":"x"}`:   "is no address",
		`{"to":"agent:coder","message":"x"}`:                  "spawn one with an instance",
		`{"to":"agent:coder:a b","message":"x"}`:              "is no name",
		`{"to":"group:g1","message":"` + long + `"}`:          "at most 50000 are taken",
		`{"to":"session:there","message":"` + long + `"}`:     "at most 50000 are taken",
		`{"to":"session:` + string(here) + `","message":"x"}`: "this is the conversation itself",
		`{"message":"x"}`:                                     "to",
	})
}
