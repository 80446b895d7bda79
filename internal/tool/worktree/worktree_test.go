package worktree_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/tooltest"
	"xbot/internal/tool/worktree"
)

// crew is a repository in a workspace, and agents that work in it.
type crew struct {
	t      *testing.T
	box    *tooltest.Box
	memory *tooltest.Memory
	calls  int
}

func newCrew(t *testing.T) *crew {
	t.Helper()
	t.Parallel()
	c := &crew{t: t, box: tooltest.New(t), memory: tooltest.NewMemory()}
	c.box.Put(t, "repo/a.txt", "one\n")
	c.git("repo", "init", "-q", "-b", "main")
	c.commit("repo", "first")
	return c
}

func (c *crew) git(dir string, args ...string) string {
	c.t.Helper()
	full := append([]string{"-C", filepath.Join(c.box.Workspace(), dir), "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)
	out, err := exec.CommandContext(c.t.Context(), "git", full...).CombinedOutput()
	require.NoError(c.t, err, string(out))
	return strings.TrimSpace(string(out))
}

func (c *crew) commit(dir, why string) {
	c.t.Helper()
	c.git(dir, "add", "-A")
	c.git(dir, "commit", "-q", "-m", why)
}

// Worktree names the worktree of a session after its last part.
func (c *crew) Worktree(_ context.Context, session chat.SessionKey) (string, error) {
	return string(session[strings.LastIndex(string(session), ":")+1:]), nil
}

// call is one of the agent, where it is now.
func (c *crew) call(agent, arguments string) tool.Call {
	c.calls++
	call := c.box.Call(chat.CallID(fmt.Sprintf("t.0.%d", c.calls)), arguments)
	call.Session = chat.SessionKey("agent:main:subagent:" + agent)
	call.Cwd = c.cwd(agent)
	return call
}

func (c *crew) cwd(agent string) string {
	if at := c.memory.Cwds[chat.SessionKey("agent:main:subagent:"+agent)]; at != "" {
		return at
	}
	return filepath.Join(c.box.Workspace(), "repo")
}

func (c *crew) run(call tool.Call) chat.ToolResult {
	c.t.Helper()
	got, err := worktree.New(c.memory, c.memory, c).Run(c.t.Context(), call)
	require.NoError(c.t, err)
	return got
}

func (c *crew) works(agent, arguments string) string {
	c.t.Helper()
	got := c.run(c.call(agent, arguments))
	require.False(c.t, got.IsError, got.Content)
	return got.Content
}

func (c *crew) fails(agent, arguments string) string {
	c.t.Helper()
	got := c.run(c.call(agent, arguments))
	require.True(c.t, got.IsError, got.Content)
	return got.Content
}

func TestInit_MovesToABranchOfItsOwnThatTheRepositoryDoesNotShow(t *testing.T) {
	c := newCrew(t)
	said := c.works("coder-a", `{"action":"init"}`)
	require.Contains(t, said, "new branch xbot/coder-a")
	require.Equal(t, filepath.Join(c.box.Workspace(), "repo/.xbot/worktrees/coder-a"), c.cwd("coder-a"))
	require.Equal(t, "xbot/coder-a", c.git("repo/.xbot/worktrees/coder-a", "branch", "--show-current"))
	require.Empty(t, c.git("repo", "status", "--porcelain"))
	require.Contains(t, c.works("coder-a", `{"action":"init"}`), "is there already")
}

// Three agents begin at the same instant, change the same line of the same file, and commit.
func TestInit_AgentsThatWorkAtOnceDoNotMeet(t *testing.T) {
	c := newCrew(t)
	agents := []string{"coder-a", "coder-b", "tester-c"}
	var calls []tool.Call
	for _, agent := range agents {
		calls = append(calls, c.call(agent, `{"action":"init"}`))
	}
	var all errgroup.Group
	for i, agent := range agents {
		all.Go(func() error {
			got, err := worktree.New(c.memory, c.memory, c).Run(t.Context(), calls[i])
			if err != nil || got.IsError {
				return fmt.Errorf("%w: %s", err, got.Content)
			}
			at := filepath.Join(c.box.Workspace(), "repo/.xbot/worktrees", agent)
			if err := os.WriteFile(filepath.Join(at, "a.txt"), []byte(agent+"\n"), 0o600); err != nil {
				return err
			}
			out, err := exec.CommandContext(t.Context(), "git", "-C", at, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-am", agent).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
	}
	require.NoError(t, all.Wait())
	require.Equal(t, "one\n", c.box.Get(t, "repo/a.txt"))
	for _, agent := range agents {
		require.Equal(t, agent, c.git("repo", "show", "xbot/"+agent+":a.txt"))
		require.Equal(t, "1", c.git("repo", "rev-list", "--count", "main..xbot/"+agent))
	}
	said := c.works("coder-a", `{"action":"status"}`)
	require.Equal(t, 3, strings.Count(said, "1 commits of its own"))
	require.Equal(t, 1, strings.Count(said, "yours"))
}

// The hook runs inside git worktree add, and finds whether another one is at it.
func TestInit_OneAtATimeAsksGitAboutARepository(t *testing.T) {
	c := newCrew(t)
	c.box.Put(t, "repo/.git/hooks/post-checkout", `#!/bin/sh
cd "$(git rev-parse --git-common-dir)" || exit
mkdir busy 2>/dev/null || { touch overlap; exit; }
if [ -e /proc/self/fd/9 ]; then touch inherited; fi
sleep 0.1
rmdir busy
`)
	require.NoError(t, os.Chmod(filepath.Join(c.box.Workspace(), "repo/.git/hooks/post-checkout"), 0o700))
	var calls []tool.Call
	for i := range 6 {
		calls = append(calls, c.call(fmt.Sprintf("coder-%d", i), `{"action":"init"}`))
	}
	var all errgroup.Group
	for _, call := range calls {
		all.Go(func() error {
			got, err := worktree.New(c.memory, c.memory, c).Run(t.Context(), call)
			if err != nil || got.IsError {
				return fmt.Errorf("%w: %s", err, got.Content)
			}
			return nil
		})
	}
	require.NoError(t, all.Wait())
	require.NoFileExists(t, filepath.Join(c.box.Workspace(), "repo/.git/overlap"))
	require.NoFileExists(t, filepath.Join(c.box.Workspace(), "repo/.git/inherited"), "what git leaves running must not keep others waiting")
	require.Empty(t, c.git("repo", "status", "--porcelain"))
}

func TestInit_TheSameCallAgainIsTheSameWorktree(t *testing.T) {
	c := newCrew(t)
	call := c.call("coder-a", `{"action":"init"}`)
	first := c.run(call)
	call.Cwd = c.cwd("coder-a") // as another attempt would read it
	require.Equal(t, first, c.run(call))
	require.Len(t, strings.Split(c.git("repo", "worktree", "list"), "\n"), 2)
}

func TestInit_BeginsFromWhereTheSessionIsAndSaysWhatIsLeftBehind(t *testing.T) {
	c := newCrew(t)
	c.works("coder-a", `{"action":"init"}`)
	c.box.Put(t, "repo/.xbot/worktrees/coder-a/b.txt", "two\n")
	c.commit("repo/.xbot/worktrees/coder-a", "second")
	c.box.Put(t, "repo/.xbot/worktrees/coder-a/c.txt", "three\n")
	c.memory.Cwds["agent:main:subagent:coder-deep"] = c.cwd("coder-a") // handed on by the other
	said := c.works("coder-deep", `{"action":"init"}`)
	require.Contains(t, said, "The 1 uncommitted changes")
	require.Equal(t, "two\n", c.box.Get(t, "repo/.xbot/worktrees/coder-deep/b.txt"))
}

func TestCleanup_RefusesToLoseWhatIsNotCommitted(t *testing.T) {
	c := newCrew(t)
	c.works("coder-a", `{"action":"init"}`)
	c.box.Put(t, "repo/.xbot/worktrees/coder-a/new.txt", "x")
	said := c.fails("coder-a", `{"action":"cleanup"}`)
	require.Contains(t, said, "?? new.txt")
	require.Contains(t, said, "Nothing was removed")
	require.Equal(t, "x", c.box.Get(t, "repo/.xbot/worktrees/coder-a/new.txt"))

	said = c.works("coder-a", `{"action":"cleanup","force":true}`)
	require.Contains(t, said, "with 1 uncommitted changes")
	require.Contains(t, said, "is gone")
	require.NoDirExists(t, filepath.Join(c.box.Workspace(), "repo/.xbot/worktrees/coder-a"))
	require.Equal(t, filepath.Join(c.box.Workspace(), "repo"), c.cwd("coder-a"))
}

func TestCleanup_KeepsCommitsThatNobodyElseHas(t *testing.T) {
	c := newCrew(t)
	c.works("coder-a", `{"action":"init"}`)
	c.box.Put(t, "repo/.xbot/worktrees/coder-a/a.txt", "changed\n")
	c.commit("repo/.xbot/worktrees/coder-a", "second")
	require.Contains(t, c.works("coder-a", `{"action":"cleanup","force":true}`), "stays, with 1 commits of its own")
	require.Contains(t, c.works("coder-a", `{"action":"init"}`), "which was there, with 1 commits")
	c.git("repo", "merge", "-q", "xbot/coder-a")
	require.Contains(t, c.works("coder-a", `{"action":"cleanup"}`), "is gone")
	require.Contains(t, c.fails("coder-a", `{"action":"cleanup"}`), "There is no worktree")
}

func TestCleanup_RefusesToLoseCommitsThatAreOnNoBranch(t *testing.T) {
	c := newCrew(t)
	c.works("coder-a", `{"action":"init"}`)
	c.git("repo/.xbot/worktrees/coder-a", "checkout", "-q", "--detach")
	c.box.Put(t, "repo/.xbot/worktrees/coder-a/a.txt", "changed\n")
	c.commit("repo/.xbot/worktrees/coder-a", "loose")
	require.Contains(t, c.fails("coder-a", `{"action":"cleanup"}`), "1 commits are on no branch")
}

func TestWorktree_OfAnotherConversationIsLeftAlone(t *testing.T) {
	c := newCrew(t)
	c.works("coder-a", `{"action":"init"}`)
	require.Contains(t, c.fails("coder-b", `{"action":"init","instance":"coder-a"}`), "in use by another conversation")
	require.Contains(t, c.fails("coder-b", `{"action":"cleanup","instance":"coder-a","force":true}`), "belongs to another conversation")
}

func TestInit_ComesBackWhenSomebodyRemovedItsFolder(t *testing.T) {
	c := newCrew(t)
	c.works("coder-a", `{"action":"init"}`)
	require.NoError(t, os.RemoveAll(filepath.Join(c.box.Workspace(), "repo/.xbot/worktrees/coder-a")))
	delete(c.memory.Cwds, "agent:main:subagent:coder-a")
	require.Contains(t, c.works("coder-a", `{"action":"init"}`), "which was there")
}

func TestInit_StaysInTheWorkspace(t *testing.T) {
	c := newCrew(t)
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(c.box.Workspace(), "repo/.xbot")))
	require.Contains(t, c.fails("coder-a", `{"action":"init"}`), "not made through links")

	outside := t.TempDir()
	require.NoError(t, exec.CommandContext(t.Context(), "git", "init", "-q", outside).Run())
	require.NoError(t, os.Symlink(outside, filepath.Join(c.box.Workspace(), "away")))
	call := c.call("coder-a", `{"action":"init"}`)
	call.Cwd = filepath.Join(c.box.Workspace(), "away")
	require.Contains(t, c.run(call).Content, "outside the workspace")

	for _, bad := range []string{"../up", "a b", "-x", "a/b", "a'b"} {
		require.Contains(t, c.fails("coder-a", fmt.Sprintf(`{"action":"init","instance":%q}`, bad)), "is no name")
	}
}

func TestInit_SaysWhatIsMissing(t *testing.T) {
	c := newCrew(t)
	call := c.call("coder-a", `{"action":"init"}`)
	call.Cwd = c.box.Workspace()
	require.Contains(t, c.run(call).Content, "There is no git repository")
	c.box.Put(t, "empty/a", "x")
	c.git("empty", "init", "-q")
	call = c.call("coder-a", `{"action":"init"}`)
	call.Cwd = filepath.Join(c.box.Workspace(), "empty")
	require.Contains(t, c.run(call).Content, "no commit yet")
	require.Contains(t, c.fails("coder-a", `{"action":"drop"}`), "there is no action")
}
