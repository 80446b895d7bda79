// Package codingagenttest is the conformance suite of drivers of coding agents: each passes it against a real process that
// implements the protocol of its agent.
package codingagenttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agenttest"
)

// Run checks the promises of every driver.
func Run(t *testing.T, a Agent) {
	for name, claim := range map[string]func(*testing.T, Agent){
		"answers with its last message": answers, "streams what it says": streams, "goes on in its thread": resumes,
		"says that it takes what it is told before it does anything": takes, "says that a thread is not there": gone,
		"takes a steer into the running turn": steers, "ends when it is interrupted": interrupted,
		"is interrupted before its turn has an id": interruptedEarly, "runs what is approved, and not what is declined": approvals,
		"asks the person": questions, "tells of commands and files": works, "tells what it costs": usage,
		"says why it failed": fails, "says that nobody is logged in": loggedOut, "leaves a death to its caller, and goes on after it": dies,
		"makes the same of the same lines": replays, "does not hang on what it does not know": junk, "never asks where nobody may be asked": never,
		"edits within the folder without asking": edits, "shows the pictures of a message": pictures, "answers where its model sees no pictures": blind,
		"takes no message for a command": unslashed,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); claim(t, a) })
	}
}

// turn makes a turn whose text is a script.
func turn(t *testing.T, script ...string) codingagent.Turn {
	t.Helper()
	return codingagent.Turn{
		Key: "turn-1", Text: strings.Join(script, "\n"), Dir: t.TempDir(),
		Sandbox: codingagent.WorkspaceWrite, Approvals: codingagent.ApproveOnRequest,
	}
}

func saying(text string) codingagent.Message { return codingagent.Message{Text: text} }

func answers(t *testing.T, a Agent) {
	end := a.begin(t, turn(t, "say first", "say the <last> & 最后")).end()
	require.Equal(t, codingagent.End{Outcome: codingagent.Completed, Reply: "the <last> & 最后"}, end)
}

func streams(t *testing.T, a Agent) {
	c := a.begin(t, turn(t, "think hm", "say one two three", "say four"))
	c.end()
	pieces, wholes := map[string]string{}, map[string]string{}
	var order []string
	for _, text := range all[codingagent.Text](c) {
		require.NotContains(t, wholes, text.Message, "a closed message goes on")
		if pieces[text.Message] += text.Delta; text.Done {
			wholes[text.Message] = text.Whole
			order = append(order, text.Whole)
		}
	}
	require.Equal(t, wholes, pieces, "the pieces make the whole")
	require.Equal(t, []string{"one two three", "four"}, order)
	require.Equal(t, []codingagent.Thought{{Delta: "hm"}}, all[codingagent.Thought](c))
}

func resumes(t *testing.T, a Agent) {
	first := turn(t, "say hello")
	c := a.begin(t, first)
	c.end()
	threads := all[codingagent.Thread](c)
	require.Len(t, threads, 1)
	c.leave()
	second := first
	second.Key, second.Text, second.Thread = "turn-2", "recall", threads[0].ID
	c = a.begin(t, second)
	require.Equal(t, "turns: 1; last: say hello", c.end().Reply)
	require.Equal(t, threads, all[codingagent.Thread](c))
}

func takes(t *testing.T, a Agent) {
	c := a.begin(t, turn(t, "run echo x", "say done"))
	c.end()
	var order []string
	for _, event := range c.events {
		order = append(order, strings.TrimPrefix(fmt.Sprintf("%T", event), "codingagent."))
	}
	require.Contains(t, order, "Taken")
	require.Less(t, slices.Index(order, "Taken"), slices.Index(order, "Work"), "%v", order)
	require.Len(t, all[codingagent.Taken](c), 1)

	tn := turn(t, "run touch made")
	require.NoError(t, os.MkdirAll(filepath.Join(tn.Dir, ".fakeagent"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(tn.Dir, ".fakeagent", "deaf"), nil, 0o600))
	c = a.begin(t, tn)
	for c.step() {
	}
	require.Empty(t, all[codingagent.Taken](c), "one that dies as it is told what to do has not taken it")
	require.NoFileExists(t, filepath.Join(tn.Dir, "made"))
}

func gone(t *testing.T, a Agent) {
	tn := turn(t, "say hello")
	tn.Thread = "5e551011-0000-4000-8000-000000000000"
	end := a.begin(t, tn).end()
	if a.Makes {
		require.Equal(t, codingagent.Completed, end.Outcome)
		return
	}
	require.Equal(t, codingagent.Failed, end.Outcome)
	require.True(t, end.Gone, "%+v", end)
	require.False(t, end.LogIn)
}

func steers(t *testing.T, a Agent) {
	c := a.begin(t, turn(t, "say working", "wait", "say done"))
	until[codingagent.Text](c, nil)
	writes, ok := c.driver.Steer("s1", saying("use tabs"))
	require.True(t, ok)
	c.write(writes)
	again, ok := c.driver.Steer("s1", saying("use tabs"))
	require.True(t, ok)
	require.Equal(t, writes, again, "a repeat is the same")
	until(c, func(text codingagent.Text) bool { return text.Done && text.Whole == "steered: use tabs" })
	require.Equal(t, "done", c.end().Reply)
	_, taken := c.driver.Steer("s1", saying("use tabs"))
	require.True(t, taken, "the agent took it")
	_, taken = c.driver.Steer("s2", saying("too late"))
	require.False(t, taken, "it waits for the next turn")
}

func interrupted(t *testing.T, a Agent) {
	c := a.begin(t, turn(t, "say working", "wait"))
	until[codingagent.Text](c, nil)
	c.write(c.driver.Interrupt("i1"))
	end := c.end()
	require.Equal(t, codingagent.Interrupted, end.Outcome)
	require.Empty(t, end.Error)
}

func interruptedEarly(t *testing.T, a Agent) {
	tn := turn(t, "wait")
	c := a.begin(t, tn)
	c.write(c.driver.Interrupt("i1"))
	require.Equal(t, codingagent.Interrupted, c.end().Outcome)
}

func approvals(t *testing.T, a Agent) {
	for _, approved := range []bool{true, false} {
		tn := turn(t, "ask approval echo made > made", "say after")
		c := a.begin(t, tn)
		asked := until[codingagent.Request](c, nil)
		require.NotNil(t, asked.Approval)
		require.Equal(t, codingagent.CommandRun, asked.Approval.Kind)
		require.Equal(t, "echo made > made", asked.Approval.Title)
		writes := c.driver.Answer(asked.ID, codingagent.Answer{Approved: approved, Always: approved})
		require.Len(t, writes, 1)
		require.Equal(t, writes, c.driver.Answer(asked.ID, codingagent.Answer{Approved: approved, Always: approved}))
		c.write(writes)
		require.Equal(t, "after", c.end().Reply)
		if approved {
			require.FileExists(t, filepath.Join(tn.Dir, "made"))
		} else {
			require.NoFileExists(t, filepath.Join(tn.Dir, "made"))
		}
		require.Nil(t, c.driver.Answer("nothing", codingagent.Answer{Approved: true}))
	}
}

func questions(t *testing.T, a Agent) {
	for said, answer := range map[string]codingagent.Answer{"chosen: red": {}, "no answer": {Declined: true}} {
		c := a.begin(t, turn(t, "ask question Which colour? | red | blue"))
		asked := until[codingagent.Request](c, nil)
		require.Len(t, asked.Questions, 1)
		q := asked.Questions[0]
		require.Equal(t, "Which colour?", q.Text)
		require.Equal(t, []string{"red", "blue"}, q.Options)
		if !answer.Declined {
			answer.Replies = map[string][]string{q.ID: {"red"}}
		}
		c.write(c.driver.Answer(asked.ID, answer))
		require.Equal(t, said, c.end().Reply)
	}
}

func works(t *testing.T, a Agent) {
	c := a.begin(t, turn(t, "run echo out; exit 3", "edit notes.txt hello", "say done"))
	c.end()
	last := map[string]codingagent.Work{}
	begun := map[string]bool{}
	for _, w := range all[codingagent.Work](c) {
		begun[w.ID] = begun[w.ID] || !w.Done
		last[w.ID] = w
	}
	require.Len(t, last, 2)
	for id, w := range last {
		require.True(t, begun[id] && w.Done, "it begins and ends: %+v", w)
		if w.Kind == codingagent.CommandRun {
			require.Equal(t, "echo out; exit 3", w.Title)
			require.True(t, w.Failed)
			require.Equal(t, "out\n", w.Output)
			continue
		}
		require.Equal(t, codingagent.FileChange, w.Kind)
		require.Equal(t, []string{"notes.txt"}, w.Files)
		require.False(t, w.Failed)
	}
}

func usage(t *testing.T, a Agent) {
	c := a.begin(t, turn(t, "say hi"))
	c.end()
	spent := all[codingagent.Usage](c)
	require.NotEmpty(t, spent)
	require.Equal(t, codingagent.Usage{Input: 100, CachedInput: 40, Output: 10}, spent[len(spent)-1])
}

func fails(t *testing.T, a Agent) {
	end := a.begin(t, turn(t, "say before", "fail the model is overloaded")).end()
	require.Equal(t, codingagent.Failed, end.Outcome)
	require.Contains(t, end.Error, "the model is overloaded")
	require.False(t, end.LogIn)
}

func loggedOut(t *testing.T, a Agent) {
	end := a.begin(t, turn(t, "fail login")).end()
	require.Equal(t, codingagent.Failed, end.Outcome)
	require.True(t, end.LogIn, "%+v", end)
	require.NotEmpty(t, end.Error)
	for in, expected := range map[string]bool{"": true, "XBOT_FAKE_AGENT_LOGGED_OUT=1": a.Silent} {
		cmd := a.command(t, t.TempDir(), a.Check.Command)
		cmd.Env = append(cmd.Env, in)
		out, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); err != nil {
			require.True(t, ok, "%v", err)
			require.Equal(t, expected, a.Check.LoggedIn(exit.ExitCode(), string(out)), "%s", out)
			continue
		}
		require.Equal(t, expected, a.Check.LoggedIn(0, string(out)), "%s", out)
	}
	require.NotEmpty(t, a.Check.Hint)
}

func dies(t *testing.T, a Agent) {
	tn := turn(t, "say before", "die")
	c := a.begin(t, tn)
	for c.step() {
	}
	require.Empty(t, all[codingagent.End](c), "nobody knows what it did")
	threads := all[codingagent.Thread](c)
	require.Len(t, threads, 1)
	tn.Key, tn.Text, tn.Thread = "turn-2", "recall", threads[0].ID
	require.Equal(t, "turns: 1; last: say before die", strings.ReplaceAll(a.begin(t, tn).end().Reply, "\n", " "))
}

// replays reads the log of a whole turn again, from its beginning, up to each of its lines, like a later server.
func replays(t *testing.T, a Agent) {
	tn := turn(t, "think hm", "say one two", "run echo x", "ask approval echo y", "wait", "ask question Q? | a | b", "say end")
	c := a.begin(t, tn)
	asked := until(c, func(r codingagent.Request) bool { return r.Approval != nil })
	c.write(c.driver.Answer(asked.ID, codingagent.Answer{Approved: true}))
	until(c, func(w codingagent.Work) bool { return w.Done && w.Title == "echo y" })
	writes, ok := c.driver.Steer("s1", saying("more"))
	require.True(t, ok)
	c.write(writes)
	person := until(c, func(r codingagent.Request) bool { return r.Approval == nil })
	c.write(c.driver.Answer(person.ID, codingagent.Answer{Declined: true}))
	c.end()
	for n := range c.log {
		driver := a.New(tn)
		require.Equal(t, c.driver.Start(), driver.Start())
		for i, line := range c.log[:n+1] {
			require.Equal(t, c.steps[i], driver.Line(line), "line %d of %d: %s", i, n, line)
		}
		again, ok := driver.Steer("s1", saying("more"))
		if ok {
			require.Equal(t, writes, again, "the key and the line of a steer do not depend on what was read")
		}
	}
}

func junk(t *testing.T, a Agent) {
	require.Equal(t, "after", a.begin(t, turn(t, "junk", "say after")).end().Reply)
}

func never(t *testing.T, a Agent) {
	for _, box := range []codingagent.Sandbox{"", codingagent.ReadOnly, codingagent.WorkspaceWrite} {
		tn := turn(t, "ask approval touch made", "say after")
		tn.Sandbox, tn.Approvals = box, codingagent.ApproveNever
		c := a.begin(t, tn)
		require.Equal(t, "after", c.end().Reply)
		require.Empty(t, all[codingagent.Request](c))
		require.NoFileExists(t, filepath.Join(tn.Dir, "made"))
	}
}

func edits(t *testing.T, a Agent) {
	if a.Sandbox {
		return // the agent asks only for what its own sandbox does not allow
	}
	for file, box := range map[string]codingagent.Sandbox{"in.txt": codingagent.WorkspaceWrite, "not.txt": codingagent.ReadOnly, "../out.txt": codingagent.WorkspaceWrite} {
		tn := turn(t, fmt.Sprintf("ask edit %s hello", file), "say after")
		tn.Sandbox, tn.Approvals = box, codingagent.ApproveNever
		c := a.begin(t, tn)
		require.Equal(t, "after", c.end().Reply)
		require.Empty(t, all[codingagent.Request](c))
		_, err := os.Stat(filepath.Join(tn.Dir, file))
		require.Equal(t, file == "in.txt", err == nil, "%s", file)
	}
}

func pictures(t *testing.T, a Agent) {
	tn := turn(t, "see", "say now wait", "wait", "see")
	small := codingagent.Picture{Hash: "a", MediaType: "image/png", Data: []byte("small")}
	large := codingagent.Picture{Hash: "b", MediaType: "image/jpeg", Data: make([]byte, codingagent.MaxMessagePictures-5)}
	tn.Pictures = []codingagent.Picture{small, {Hash: "gone", MediaType: "image/png"}, large}
	c := a.begin(t, tn)
	shown := fmt.Sprintf("pictures: 2; image/png of 5 bytes, image/jpeg of %d bytes", len(large.Data))
	until(c, func(text codingagent.Text) bool { return text.Done && text.Whole == shown })
	message := saying("look at this, too")
	message.Pictures = []codingagent.Picture{small}
	writes, ok := c.driver.Steer("s1", message)
	require.True(t, ok)
	c.write(writes)
	if a.Blinks {
		require.Equal(t, "pictures: 0; ", c.end().Reply)
		return
	}
	require.Equal(t, "pictures: 1; image/png of 5 bytes", c.end().Reply)
}

func blind(t *testing.T, a Agent) {
	tn := turn(t, "run echo x >> ran", "see")
	require.NoError(t, os.MkdirAll(filepath.Join(tn.Dir, ".fakeagent"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(tn.Dir, ".fakeagent", "blind"), nil, 0o600))
	tn.Pictures = []codingagent.Picture{{Hash: "a", MediaType: "image/png", Data: []byte("small")}}
	c := a.begin(t, tn)
	end := c.end()
	require.Equal(t, codingagent.Completed, end.Outcome)
	require.Len(t, all[codingagent.Taken](c), 1)
	ran, err := os.ReadFile(filepath.Join(tn.Dir, "ran"))
	require.NoError(t, err)
	require.Equal(t, "x\n", string(ran))
	if a.Blinks {
		require.Equal(t, "pictures: 0; ", end.Reply)
	}
}

func unslashed(t *testing.T, a Agent) {
	tn := turn(t, "say working", "wait", "recall")
	tn.Text = " /yolo\n" + tn.Text
	c := a.begin(t, tn)
	until[codingagent.Text](c, nil)
	writes, ok := c.driver.Steer("s1", saying("/yolo"))
	require.True(t, ok)
	c.write(writes)
	require.Equal(t, codingagent.Completed, c.end().Outcome)
	given, err := agenttest.AllGiven(filepath.Join(tn.Dir, ".fakeagent"))
	require.NoError(t, err)
	require.Len(t, given, 2)
	for _, g := range given {
		require.Contains(t, g.Text, "/yolo")
		require.Equal(t, a.Commands, !strings.HasPrefix(strings.TrimSpace(g.Text), "/"), "%s reads commands: %q", g.Agent, g.Text)
	}
}
