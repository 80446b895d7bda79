package opencode_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/opencode"
)

// begun is a driver whose session is open.
func begun(t *testing.T) codingagent.Driver {
	t.Helper()
	d := opencode.New(codingagent.Turn{Key: "k", Text: "x", Dir: "/w", Sandbox: codingagent.WorkspaceWrite, Approvals: codingagent.ApproveOnRequest})
	d.Line([]byte(`{"type":"ready"}`))
	require.Len(t, d.Line([]byte(`{"type":"response","id":"session:k","status":200,"body":{"id":"s"}}`)).Writes, 1)
	return d
}

func event(kind, properties string) []byte {
	return fmt.Appendf(nil, `{"type":"event","event":{"id":"e","type":%q,"properties":%s}}`, kind, properties)
}

func sent(t *testing.T, writes []codingagent.Write) (path string, body string) {
	t.Helper()
	require.Len(t, writes, 1)
	var w struct {
		Path string          `json:"path"`
		Body json.RawMessage `json:"body"`
	}
	require.NoError(t, json.Unmarshal(writes[0].Line, &w))
	return w.Path, string(w.Body)
}

// The shapes are those of @opencode-ai/sdk 1.19.3: EventPermissionV2Asked, EventQuestionV2Asked and their replies.
func TestOpencode_AnswersPermissionsAndQuestionsOfTheSecondFormBelowTheirSession(t *testing.T) {
	d := begun(t)
	step := d.Line(event("permission.v2.asked", `{"id":"per_1","sessionID":"s","action":"bash","resources":["git push"],"metadata":{"command":"git push origin"}}`))
	require.Len(t, step.Events, 1)
	asked := step.Events[0].(codingagent.Request)
	require.Equal(t, codingagent.CommandRun, asked.Approval.Kind)
	require.Equal(t, "git push origin", asked.Approval.Title)
	require.Empty(t, d.Line(event("permission.asked", `{"id":"per_1","sessionID":"s","permission":"bash","patterns":["git push"]}`)), "it is asked once")
	path, body := sent(t, d.Answer("per_1", codingagent.Answer{Approved: true}))
	require.Equal(t, "/api/session/s/permission/per_1/reply", path)
	require.JSONEq(t, `{"reply":"once"}`, body)

	step = d.Line(event("question.v2.asked", `{"id":"que_1","sessionID":"s","questions":[{"question":"Which?","header":"Q","options":[{"label":"a","description":""}]}]}`))
	require.Len(t, step.Events, 1)
	path, body = sent(t, d.Answer("que_1", codingagent.Answer{Replies: map[string][]string{"Which?": {"a"}}}))
	require.Equal(t, "/api/session/s/question/que_1/reply", path)
	require.JSONEq(t, `{"answers":[["a"]]}`, body)
	path, _ = sent(t, d.Answer("que_1", codingagent.Answer{Declined: true}))
	require.Equal(t, "/api/session/s/question/que_1/reject", path)
}

func TestOpencode_AnEditOfTheSecondFormOutsideTheFolderIsAskedAndOneInsideIsNot(t *testing.T) {
	d := begun(t)
	require.Len(t, d.Line(event("permission.v2.asked", `{"id":"1","sessionID":"s","action":"edit","resources":["../x"]}`)).Events, 1)
	path, body := sent(t, d.Line(event("permission.v2.asked", `{"id":"2","sessionID":"s","action":"edit","resources":["x"]}`)).Writes)
	require.Equal(t, "/api/session/s/permission/2/reply", path)
	require.JSONEq(t, `{"reply":"once"}`, body)
}

func TestOpencode_APromptWhoseConnectionBrokeHasNoEndOfItsOwn(t *testing.T) {
	d := begun(t)
	require.Empty(t, d.Line([]byte(`{"type":"response","id":"prompt:k","status":0,"error":"Post \"http://127.0.0.1:1\": EOF"}`)))
	require.Empty(t, d.Line([]byte(`{"type":"end","error":"the server of opencode ended"}`)), "nobody knows what it did")
	step := d.Line([]byte(`{"type":"response","id":"prompt:k","status":0,"error":"context deadline exceeded"}`))
	require.Equal(t, codingagent.Failed, step.Events[0].(codingagent.End).Outcome)
}
