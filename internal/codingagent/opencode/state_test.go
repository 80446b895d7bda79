package opencode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
)

func response(id, body string) []byte {
	return []byte(`{"type":"response","id":"` + id + `","status":200,"body":` + body + `}`)
}

// lines gives a driver lines and returns the events that follow.
func lines(d codingagent.Driver, all ...[]byte) (events []codingagent.Event) {
	for _, line := range all {
		events = append(events, d.Line(line).Events...)
	}
	return events
}

const lostMessages = `[
	{"info":{"id":"u0","role":"user","sessionID":"s"},"parts":[{"id":"p0","type":"text","text":"earlier"}]},
	{"info":{"id":"a0","role":"assistant","sessionID":"s"},"parts":[{"id":"p1","type":"text","text":"an earlier answer","time":{"end":1}}]},
	{"info":{"id":"u1","role":"user","sessionID":"s"},"parts":[{"id":"p2","type":"text","text":"x"}]},
	{"info":{"id":"a1","role":"assistant","sessionID":"s","tokens":{"input":5,"output":2}},"parts":[
		{"id":"p3","type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"ls"},"output":"f"}},
		{"id":"p4","type":"text","text":"Hello, you.","time":{"end":2}}]}]`

func TestOpencode_ReadsTheStateOfTheSessionAfterEventsWereLost(t *testing.T) {
	d := begun(t)
	lines(d, event("message.updated", `{"info":{"id":"u1","sessionID":"s","role":"user"}}`),
		event("message.updated", `{"info":{"id":"a1","sessionID":"s","role":"assistant"}}`),
		event("message.part.updated", `{"part":{"id":"p4","sessionID":"s","messageID":"a1","type":"text","text":"Hello"}}`))
	writes := d.Line([]byte(`{"type":"resubscribed"}`)).Writes
	var keys []string
	for _, w := range writes {
		keys = append(keys, w.Key)
	}
	require.Equal(t, []string{"messages:1:k", "permissions:1:k", "questions:1:k", "status:1:k"}, keys)

	events := lines(d, response("messages:1:k", lostMessages), response("permissions:1:k", "[]"), response("questions:1:k", "[]"), response("status:1:k", "{}"))
	require.Equal(t, codingagent.Usage{Input: 5, Output: 2}, events[0])
	require.Equal(t, codingagent.Work{ID: "c", Kind: codingagent.CommandRun, Title: "ls", Done: true, Output: "f"}, events[1])
	require.Equal(t, codingagent.Text{Message: "p4", Whole: "Hello, you.", Done: true}, events[2])
	require.Equal(t, codingagent.End{Outcome: codingagent.Completed, Reply: "Hello, you."}, events[3])
	require.Len(t, events, 4, "messages of earlier turns are no events of this one")
}

func TestOpencode_GoesOnWithASessionThatStillWorksAfterEventsWereLost(t *testing.T) {
	d := begun(t)
	lines(d, []byte(`{"type":"response","id":"prompt:k","status":204}`), []byte(`{"type":"resubscribed"}`))
	events := lines(d, response("messages:1:k", lostMessages), response("permissions:1:k", `[{"id":"per","sessionID":"s","permission":"bash","patterns":["make"]}]`),
		response("questions:1:k", `{"odd":1}`), response("status:1:k", `{"s":{"type":"busy"}}`))
	require.IsType(t, codingagent.Request{}, events[len(events)-1], "a request whose event was lost is asked")
	events = lines(d, event("session.idle", `{"sessionID":"s"}`))
	require.Equal(t, codingagent.End{Outcome: codingagent.Completed, Reply: "Hello, you."}, events[0])
}

func TestOpencode_RefusesAPermissionWithAFieldOfAnotherType(t *testing.T) {
	d := begun(t)
	step := d.Line(event("permission.asked", `{"id":"1","sessionID":"s","permission":"edit","patterns":["x"],"metadata":{"filepath":["../../etc/passwd"]}}`))
	require.Empty(t, step.Events)
	_, body := sent(t, step.Writes)
	require.JSONEq(t, `{"reply":"reject"}`, body)
	path, _ := sent(t, d.Line(event("question.asked", `{"id":"2","sessionID":"s","questions":"Which?"}`)).Writes)
	require.Equal(t, "/question/2/reject", path)
}
