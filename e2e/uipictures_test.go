package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
	"xbot/internal/service"
	"xbot/workflows"
)

// shot is a run that the browser looks at in the Temporal UI.
type shot struct {
	Name     string `json:"name"`
	Workflow string `json:"workflow"`
	Run      string `json:"run"`
	// Summary is part of what is said above the history, Details parts of what the tab User Metadata shows, and History parts of what
	// the history shows.
	Summary string   `json:"summary"`
	Details []string `json:"details,omitempty"`
	History []string `json:"history,omitempty"`
	// Session is the path of the conversation that a link leads to; empty: the run is about none.
	Session string `json:"session,omitempty"`
}

// album collects runs.
type album struct {
	*server
	shots []shot
	types map[string]bool // of the workflows that were looked at
}

// add keeps a run, whose details lead to a conversation unless it is about none; one without a run id is the newest of its workflow.
func (a *album) add(x shot, key chat.SessionKey) {
	a.t.Helper()
	if key != "" {
		x.Session = workflows.ConversationPath(key)
	}
	require.Eventually(a.t, func() bool {
		d, err := a.temporal().DescribeWorkflowExecution(a.t.Context(), x.Workflow, x.Run)
		x.Run = d.GetWorkflowExecutionInfo().GetExecution().GetRunId()
		a.types[d.GetWorkflowExecutionInfo().GetType().GetName()] = true
		return err == nil
	}, time.Minute, 200*time.Millisecond, x.Workflow)
	a.shots = append(a.shots, x)
}

// ended waits for the end of a run, whose details then say how it ended.
func (a *album) ended(workflow, run string) {
	a.t.Helper()
	require.NoError(a.t, a.temporal().GetWorkflow(a.t.Context(), workflow, run).Get(a.t.Context(), nil))
}

// newestOf is the newest run of a type.
func (a *album) newestOf(kind string) (workflow, run string) {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		list, err := a.temporal().ListWorkflow(a.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{PageSize: 1, Query: "WorkflowType = '" + kind + "'"})
		require.NoError(a.t, err)
		for _, e := range list.GetExecutions() {
			workflow, run = e.GetExecution().GetWorkflowId(), e.GetExecution().GetRunId()
		}
		return run != ""
	}, time.Minute, 200*time.Millisecond, kind)
	return workflow, run
}

// TestTemporalUI_TellsTheStoryOfEveryTypeOfWorkflow makes runs of all types that workers register and has a browser read them. Its
// pictures go to XBOT_TEST_ARTIFACTS, by default web/artifacts, in the folder temporal.
func TestTemporalUI_TellsTheStoryOfEveryTypeOfWorkflow(t *testing.T) {
	if _, err := exec.LookPath("chromium"); err != nil && os.Getenv("REQUIRE_CHROMIUM") == "" && os.Getenv("CHROMIUM_PATH") == "" {
		t.Skip("there is no Chromium: install it, or name it in CHROMIUM_PATH")
	}
	t.Parallel()
	s, p := onNapCat(t, hostHooks, "AGENT_TITLES=on", "LLM_RETRY_DELAY=10ms", "LLM_RETRY_ATTEMPTS=2", "LLM_PRICE_INPUT=2", "LLM_PRICE_OUTPUT=10")
	s.model.Handle(func(r llmtest.Request) llmtest.Reply {
		if names(r) {
			return llmtest.Reply{Text: "A look around"}
		}
		if memorizes(r) {
			return llmtest.Reply{Calls: []llmtest.Call{{Name: "save_memory", Arguments: saved(r)}}}
		}
		return llmtest.Run(r)
	})
	s.mine("napcat:20007")
	s.findsRuns()
	a := &album{server: s, types: map[string]bool{}}
	a.ofTurns()
	a.besideTurns()
	a.ofAgents()
	a.ofPlatforms(p)
	a.ofPeople()
	a.ofServices()
	a.ofStorage()
	for _, kind := range workflows.Registered() {
		require.Contains(t, a.types, kind.Name, "nobody looks at a run of this type")
	}
	a.look()
}

func (a *album) ofPeople() {
	a.t.Helper()
	link, err := a.operate("user", "add", "Tom")
	require.NoError(a.t, err, link)
	var id chat.UserID
	require.NoError(a.t, a.database().QueryRow(a.t.Context(), `SELECT id FROM users WHERE name = 'Tom'`).Scan(&id))
	require.NoError(a.t, a.client.DeleteUser(a.t.Context(), id))
	workflow, run := a.newestOf(workflows.NameDeletePerson)
	a.ended(workflow, run)
	a.add(shot{
		Name: "deletion", Workflow: workflow, Run: run, Summary: fmt.Sprintf("delete person %d", id), Details: []string{"deleted"}, History: []string{"delete what is left"},
	}, "")
}

func (a *album) ofServices() {
	a.t.Helper()
	c := a.publishesService(service.Patch{})
	c.begins()
	j := c.tasks(map[string]any{"message": "say good news", "service_ids": []string{c.of.ID}, "schedule_type": "once"})[0]
	c.untilRuns(crashLimit, j.ID, "is over", c.over(1))
	run := a.runOf(workflows.TrackID)
	a.ended(workflows.TrackID, run)
	a.add(shot{Name: "track", Workflow: workflows.TrackID, Run: run, Summary: "jobs of services", Details: []string{"runs go on"}}, "")
}

func (a *album) ofStorage() {
	a.t.Helper()
	a.operated("storage", "migrate", "--to", "local")
	workflow, run := a.newestOf(workflows.NameMigrateStorage)
	a.ended(workflow, run)
	a.add(shot{Name: "storage", Workflow: workflow, Run: run, Summary: "move files to local", Details: []string{"done"}, History: []string{"move files"}}, "")
}

// look has a browser read the runs and take a picture of each.
func (a *album) look() {
	t := a.t
	t.Helper()
	pictures, err := filepath.Abs(cmp.Or(os.Getenv("XBOT_TEST_ARTIFACTS"), filepath.Join("..", "web", "artifacts")))
	require.NoError(t, err)
	for _, x := range a.shots {
		_ = os.Remove(a.picture(pictures, x)) // of an earlier test; there may be none
	}
	list, err := json.Marshal(a.shots)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "runs.json")
	require.NoError(t, os.WriteFile(file, list, 0o600))
	link, err := a.operate("login-link")
	require.NoError(t, err, link)
	look := exec.CommandContext(t.Context(), "node", "test/temporal.mjs")
	look.Dir = filepath.Join("..", "web")
	look.Env = append(os.Environ(), "XBOT_TEST_URL="+a.url, "XBOT_TEST_LINK="+link, "XBOT_TEST_NAMESPACE="+a.namespace(), "XBOT_TEST_RUNS="+file, "XBOT_TEST_ARTIFACTS="+pictures)
	said, err := look.CombinedOutput()
	t.Logf("%s", said)
	require.NoError(t, err)
	for _, x := range a.shots {
		require.FileExists(t, a.picture(pictures, x))
	}
}

func (a *album) picture(folder string, x shot) string {
	return filepath.Join(folder, "temporal", x.Name+"-details.png")
}

func (a *album) ofTurns() {
	a.t.Helper()
	k := a.newTalk()
	turn := k.closed(k.untilEnded(time.Minute, k.send("# what is *here*? [log in](https://evil.example)", k.shell("ls"), `call Glob {"pattern":"*.go"}`, "say nothing yet")))
	a.add(shot{
		Name: "turn", Workflow: workflows.TurnID(k.key), Run: turn.RunID, Summary: `web · admin · "# what is *here*? [log in]`,
		Details: []string{"conversation", "Shell · done · ls", "done · ", " tokens · $", "openai/scripted"}, History: []string{"cost_usd", "scripted · step 1", "Shell · ls"},
	}, k.key)

	a.ended(workflows.TitleID(k.key), "")
	a.add(shot{
		Name: "title", Workflow: workflows.TitleID(k.key), Summary: "title of the conversation", Details: []string{"admin", "done · the conversation has its title by openai/scripted"},
	}, k.key)

	failed := a.newTalk()
	turn = failed.closed(failed.untilEnded(time.Minute, failed.send("fail 401", "say never")))
	a.add(shot{
		Name: "failed", Workflow: workflows.TurnID(failed.key), Run: turn.RunID, Summary: `web · admin · "fail 401`,
		Details: []string{"failed: denied", "the model provider refused the request", "generate · error: denied"}, History: []string{"denied"},
	}, failed.key)

	asks := a.newTalk()
	asks.send(askWhich, "say never")
	asks.foundWaiting(workflows.WaitsQuestion)
	a.add(shot{
		Name: "waiting", Workflow: workflows.TurnID(asks.key), Summary: "web · admin",
		Details: []string{"waiting for an answer: AskUser · Which database?"},
	}, asks.key)

	turn = k.closed(k.untilEnded(time.Minute, k.send("/compact")))
	a.add(shot{Name: "compress", Workflow: workflows.TurnID(k.key), Run: turn.RunID, Summary: `web · admin · "/compact"`, Details: []string{"done · ", " tokens"}}, k.key)
}

func (a *album) besideTurns() {
	a.t.Helper()
	k := a.newTalk()
	k.untilEnded(time.Minute, k.send(k.background("sleep 1; echo built"), "say it runs"))
	call := lastCalls(k)[0].ID
	k.untilAnnounced(time.Minute)
	a.ended(workflows.BackgroundID(call), "")
	a.add(shot{Name: "background", Workflow: workflows.BackgroundID(call), Summary: "bg1 · sleep 1; echo built", Details: []string{"bg1", "exited, code 0"}}, k.key)

	id := k.send("!echo by hand")
	k.untilNotice(time.Minute, "exit code 0")
	a.ended(workflows.CommandID(id), "")
	a.add(shot{Name: "command", Workflow: workflows.CommandID(id), Summary: "command · echo by hand", Details: []string{"exited, code 0"}}, k.key)

	j := a.job(chat.JobPlan{When: "every 1h", Name: "hourly look", Message: "say looked"})
	a.add(shot{
		Name: "cron", Workflow: workflows.CronID(j.ID), Summary: "cron · hourly look", Details: []string{"conversation · admin", "hourly look · every 1h · next "},
	}, cronstore.OwnConversation(j.ID))

	a.hooks(onHost("AgentStop", "true"))
	k = a.newTalk()
	turn := k.closed(k.untilEnded(time.Minute, k.send("say with hooks")))
	a.ended(workflows.ClosingID(turn.ID), "")
	a.add(shot{Name: "closing", Workflow: workflows.ClosingID(turn.ID), Summary: "hooks", Details: []string{"admin", "done · the hooks were told"}}, k.key)
	a.hooks("{}")

	k = a.newTalk()
	k.remember("the door is green")
	k.done("/new")
	workflow, run := a.newestOf(workflows.NameMemorize)
	a.ended(workflow, run)
	a.add(shot{
		Name: "memorize", Workflow: workflow, Run: run, Summary: "memorize · reset", Details: []string{"admin", "done · 1 part read · 1 memory changed · 0 archived"},
	}, k.key)
}

func (a *album) ofAgents() {
	a.t.Helper()
	k := a.newTalk()
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder"}, "say it is built"), "say done"))
	ref := chat.SubagentRef{Parent: k.key, Role: "coder", Call: lastCalls(k)[0].ID}
	a.add(shot{Name: "subagent", Workflow: workflows.SubagentID(ref), Summary: `coder · "coder: say it is built"`, Details: []string{"its parent", `admin · "say it is built"`, "done · ", " tokens · $"}}, k.key)

	k = a.newTalk()
	k.untilEnded(time.Minute, k.send(convene(1, []string{"coder", "reviewer"}, "say hello all"), "say convened"))
	k.untilTold(1)
	group := workflows.GroupChatID(k.groupID())
	a.ended(group, "")
	a.add(shot{Name: "group", Workflow: group, Summary: "group chat · ", Details: []string{"admin", "over · round 1 of 1 · say hello all"}}, k.key)
}

func (a *album) ofPlatforms(p *onebottest.Server) {
	a.t.Helper()
	carol := onebottest.Person("20007")
	require.Eventually(a.t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	p.Say(carol, "20007", p.File("file", "report.txt", []byte("the figures are 4711")))
	const key = "agent:main:dm:admin" // she is the administrator
	at := a.place("report.txt")
	p.Say(carol, "20007", onebottest.Text("say thank you"))
	saw(a.t, p, carol, "thank you")
	a.add(shot{Name: "fetch", Workflow: fetchedBy(a.t, at), Summary: "files · napcat · report.txt", Details: []string{"admin", "done · 1 file", "report.txt · stored"}}, key)
	workflow, run := a.newestOf(workflows.NameDeliver)
	a.ended(workflow, run)
	a.add(shot{Name: "deliver", Workflow: workflow, Run: run, Summary: "deliver · napcat", Details: []string{"admin", `sent · napcat · "thank you" · answer `}}, key)
}
