package project_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp/project"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/pg"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/tooltest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

const (
	talk    = chat.SessionKey("agent:main:web:thread:t")
	servers = `{"mcpServers": {"stall": {"command": "node", "args": ["stall.js"]}}}`
	guarded = `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh ./.xbot/check.sh"}]}]}}`
)

// cloned is a cloned folder of the workspace in which a conversation works.
type cloned struct {
	*project.Projects

	t     *testing.T
	store *store.Store
	box   *tooltest.Box
	alice users.User
	rules policy.Permissions

	denied string // a file that the runner does not read
}

func (c *cloned) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return deniedBox{c.box, c.denied}, nil
}

// deniedBox refuses to read a file.
type deniedBox struct {
	*tooltest.Box

	file string
}

func (d deniedBox) ReadFile(ctx context.Context, file string, from, most int64) (sandbox.FileData, error) {
	if file == d.file {
		return sandbox.FileData{}, fault.Errorf(fault.Denied, "%s belongs to xbot itself and is not accessible", file)
	}
	return d.Box.ReadFile(ctx, file, from, most)
}

func (c *cloned) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Permissions: c.rules}, nil
}

// hooked reports whether hooks of folders are used.
type hooked bool

func (h hooked) ProjectHooks() bool { return bool(h) }

func clone(t *testing.T) *cloned {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	c := &cloned{t: t, box: tooltest.New(t), store: store.New(pool, store.Options{Feed: feed.New(slog.New(slog.DiscardHandler))})}
	var err error
	c.alice, err = c.store.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	_, err = c.store.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: talk, Owner: c.alice.ID, Channel: "web"})
	require.NoError(t, err)
	require.NoError(t, c.store.Conversations.SetCwd(t.Context(), talk, c.box.Name(), filepath.Join(c.box.Workspace(), "repo")))
	c.Projects = &project.Projects{
		Folders: c.store.Hooks, MCPServers: c.store.MCPServers, Key: secret.Key{1}, Sandboxes: c, Policies: c, Hooked: hooked(true), Log: slog.New(slog.DiscardHandler),
	}
	t.Cleanup(c.Close)
	c.put(".mcp.json", servers)
	c.put(".xbot/hooks.json", guarded)
	c.put(".xbot/check.sh", "exit 0")
	c.put(".agents/skills/ship/SKILL.md", "---\nname: ship\ndescription: Ships.\n---\n")
	c.put("AGENTS.md", "Rules.")
	return c
}

func (c *cloned) put(name, content string) { c.box.Put(c.t, filepath.Join("repo", name), content) }

func (c *cloned) folder() string { return filepath.Join(c.box.Workspace(), "repo") }

// hooks returns the hooks that would run now.
func (c *cloned) hooks() []hook.Doc {
	c.t.Helper()
	docs, err := c.Hooks(c.t.Context(), talk)
	require.NoError(c.t, err)
	return docs
}

// seen returns the folder as its user sees it.
func (c *cloned) seen() project.Seen {
	c.t.Helper()
	all, err := c.List(c.t.Context(), c.alice.ID)
	require.NoError(c.t, err)
	require.Len(c.t, all, 1)
	return all[0]
}

func (c *cloned) agree() project.Seen {
	c.t.Helper()
	c.hooks()
	now, _, err := c.Agree(c.t.Context(), c.alice.ID, c.seen().ID, c.seen().Digest)
	require.NoError(c.t, err)
	return now
}

// used reports whether the folder is used. Hooks, servers and skills share one agreement, so that all or none are.
func (c *cloned) used() bool {
	c.t.Helper()
	hooks := len(c.hooks()) > 0
	skills, err := c.Agreed(c.t.Context(), c.alice.ID, c.box.Name(), c.folder())
	require.NoError(c.t, err)
	listed, err := c.InForce(c.t.Context(), toolset.Place{Session: talk, User: c.alice.ID})
	require.NoError(c.t, err)
	called := false
	for _, s := range listed {
		called = called || c.CheckAgreement(c.t.Context(), c.alice.ID, s.Project, c.box) == nil
	}
	require.Equal(c.t, hooks, skills)
	require.Equal(c.t, hooks, called)
	return hooks
}

func TestAttack_NothingOfAFolderIsUsedUnlessItsPersonAgreedToAllOfIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(c *cloned)
		stands bool
	}{
		"nothing": {func(*cloned) {}, true},
		"the hooks": {func(c *cloned) {
			c.put(".xbot/hooks.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
		}, false},
		"a blank in the hooks":         {func(c *cloned) { c.put(".xbot/hooks.json", guarded+" ") }, false},
		"more hooks":                   {func(c *cloned) { c.put(".xbot/hooks.local.json", guarded) }, false},
		"no hooks":                     {func(c *cloned) { require.NoError(c.t, os.Remove(filepath.Join(c.folder(), ".xbot/hooks.json"))) }, false},
		"the program of a hook":        {func(c *cloned) { c.put(".xbot/check.sh", "exit 2") }, false},
		"no program of a hook":         {func(c *cloned) { require.NoError(c.t, os.Remove(filepath.Join(c.folder(), ".xbot/check.sh"))) }, false},
		"a link for the program":       {func(c *cloned) { c.link(".xbot/check.sh", "exit 2") }, false},
		"a link to the same program":   {func(c *cloned) { c.link(".xbot/check.sh", "exit 0") }, true},
		"a program that is too large":  {func(c *cloned) { c.put(".xbot/check.sh", string(make([]byte, 1<<20+1))) }, false},
		"the servers":                  {func(c *cloned) { c.put(".mcp.json", `{"mcpServers": {"stall": {"command": "sh"}}}`) }, false},
		"a blank in the servers":       {func(c *cloned) { c.put(".mcp.json", servers+"\n") }, false},
		"a link for the servers":       {func(c *cloned) { c.link(".mcp.json", `{"mcpServers": {}}`) }, false},
		"no servers":                   {func(c *cloned) { require.NoError(c.t, os.Remove(filepath.Join(c.folder(), ".mcp.json"))) }, false},
		"servers that cannot be read":  {func(c *cloned) { c.put(".mcp.json", "[]") }, false},
		"a folder for the servers":     {func(c *cloned) { c.folderFor(".mcp.json") }, false},
		"a folder for the hooks":       {func(c *cloned) { c.folderFor(".xbot/hooks.json") }, false},
		"a skill, which is text":       {func(c *cloned) { c.put(".agents/skills/ship/SKILL.md", "# Other") }, true},
		"instructions, which are text": {func(c *cloned) { c.put("AGENTS.md", "Other rules.") }, true},
		"the policy":                   {func(c *cloned) { c.rules.ProjectServers = policy.ProjectServersOff }, false},
		"the word is taken back": {func(c *cloned) {
			_, err := c.Withdraw(c.t.Context(), c.alice.ID, c.seen().ID)
			require.NoError(c.t, err)
		}, false},
		"the conversation works elsewhere": {func(c *cloned) {
			require.NoError(c.t, c.store.Conversations.SetCwd(c.t.Context(), talk, c.box.Name(), filepath.Join(c.box.Workspace(), "other")))
			require.NoError(c.t, os.CopyFS(filepath.Join(c.box.Workspace(), "other"), os.DirFS(c.folder())))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := clone(t)
			require.Empty(t, f.hooks(), "nobody has agreed")
			seen := f.agree()
			require.Len(t, seen.Bundle.Hooks, 1)
			require.Equal(t, []project.Program{{Path: filepath.Join(f.folder(), ".xbot/check.sh"), Digest: seen.Bundle.Programs[0].Digest}}, seen.Bundle.Programs)
			require.Equal(t, []string{filepath.Join(f.folder(), ".agents/skills/ship")}, seen.Bundle.Skills)
			require.Equal(t, []string{filepath.Join(f.folder(), "AGENTS.md")}, seen.Bundle.Notes)
			require.True(t, f.used())
			c.change(f)
			if name == "the conversation works elsewhere" {
				require.Empty(t, f.hooks())
				return
			}
			require.Equal(t, c.stands, f.used())
		})
	}
}

// TestAttack_AProgramOfAHookIsFoundHoweverItsCommandNamesIt changes the program after the agreement.
func TestAttack_AProgramOfAHookIsFoundHoweverItsCommandNamesIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ command, program string }{
		"by its path":                      {"tools/check", "tools/check"},
		"with a dot":                       {"./tools/../tools/check", "tools/check"},
		"by the variable":                  {`"$XBOT_PROJECT_DIR"/tools/check`, "tools/check"},
		"after cd":                         {"cd tools && ./check", "tools/check"},
		"after cd to a path":               {"cd tools/more; ./check", "tools/more/check"},
		"after two":                        {"cd tools && cd more && sh check", "tools/more/check"},
		"after cd and back":                {"cd tools/more && sh ../check", "tools/check"},
		"in a shell that changes its path": {`PATH=tools/more:$PATH check`, "tools/more/check"},
		"by a name with a blank":           {`"$PWD/my tools"/check`, "my tools/check"},
		"by a name with an escaped blank":  {`my\ tools/check`, "my tools/check"},
		"in braces":                        {`sh ${XBOT_PROJECT_DIR}/tools/check`, "tools/check"},
		"in a script within quotes":        {`sh -c "cd tools && exec ./check"`, "tools/check"},
		"in an assignment":                 {`CHECK="tools"/check; $CHECK`, "tools/check"},
		"by the shell's own substitution":  {"$(echo tools/check)", "tools/check"},
		"after words that are no shell":    {"if tools/check", "tools/check"},
		"after env":                        {"env -C tools ./check", "tools/check"},
		"after a link":                     {"cd alias && ./check", "tools/check"},
	} {
		t.Run(name, func(t *testing.T) {
			f := clone(t)
			command, err := json.Marshal(c.command)
			require.NoError(t, err)
			f.put(".xbot/hooks.json", strings.Replace(guarded, `"sh ./.xbot/check.sh"`, string(command), 1))
			f.put("tools/more/other", "")
			require.NoError(t, os.Symlink("tools", filepath.Join(f.folder(), "alias")))
			f.put(c.program, "exit 0")
			f.agree()
			require.True(t, f.used())
			f.put(c.program, "exit 2")
			require.False(t, f.used())
		})
	}
}

// TestAttack_AHookWithAProgramThatCannotBeReadIsRefused has programs whose changes would not be noticed.
func TestAttack_AHookWithAProgramThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(c *cloned, file string) error
		says string
	}{
		"a link to itself": {func(_ *cloned, file string) error { return os.Symlink(filepath.Base(file), file) }, "cannot be read"},
		"what xbot denies": {func(c *cloned, file string) error {
			c.denied = file
			return os.WriteFile(file, []byte("exit 0"), 0o600)
		}, "cannot be read"},
		"a large file":       {func(_ *cloned, file string) error { return os.WriteFile(file, make([]byte, 1<<20+1), 0o600) }, "more than 1 MB"},
		"a file as a folder": {func(_ *cloned, file string) error { return os.WriteFile(filepath.Dir(file)+"/below", nil, 0o600) }, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			f := clone(t)
			f.put(".xbot/other", "")
			require.NoError(t, os.Remove(filepath.Join(f.folder(), ".xbot/check.sh")))
			require.NoError(t, c.make(f, filepath.Join(f.folder(), ".xbot/check.sh")))
			if name == "a file as a folder" {
				f.put(".xbot/hooks.json", strings.Replace(guarded, "check.sh", "below/check.sh", 1))
			}
			require.Empty(t, f.hooks())
			require.Contains(t, f.seen().Problem, c.says)
			require.Empty(t, f.seen().Digest, "there is nothing to agree to")
		})
	}
}

// link replaces a file by a link to another one.
func (c *cloned) link(name, content string) {
	c.t.Helper()
	other := c.box.Put(c.t, "elsewhere", content)
	require.NoError(c.t, os.Remove(filepath.Join(c.folder(), name)))
	require.NoError(c.t, os.Symlink(other, filepath.Join(c.folder(), name)))
}

func (c *cloned) folderFor(name string) {
	c.t.Helper()
	require.NoError(c.t, os.Remove(filepath.Join(c.folder(), name)))
	require.NoError(c.t, os.Mkdir(filepath.Join(c.folder(), name), 0o755))
}

// TestAttack_AgreeingIsToWhatWasShown changes the folder, or the user, between the listing and the agreement.
func TestAttack_AgreeingIsToWhatWasShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(c *cloned)
		digest func(c *cloned) string
		who    func(c *cloned) chat.UserID
		want   fault.Kind
	}{
		"the servers change":  {before: func(c *cloned) { c.put(".mcp.json", `{"mcpServers": {}}`) }, want: fault.Conflict},
		"the hooks change":    {before: func(c *cloned) { c.put(".xbot/hooks.json", "{}") }, want: fault.Conflict},
		"the program changes": {before: func(c *cloned) { c.put(".xbot/check.sh", "exit 2") }, want: fault.Conflict},
		"no digest":           {digest: func(*cloned) string { return "" }, want: fault.Conflict},
		"another digest":      {digest: func(*cloned) string { return "5e" }, want: fault.Conflict},
		"somebody else": {who: func(c *cloned) chat.UserID {
			bob, err := c.store.Users.CreateUser(c.t.Context(), "bob", "admin")
			require.NoError(c.t, err)
			all, err := c.List(c.t.Context(), bob.ID)
			require.NoError(c.t, err)
			require.Empty(c.t, all, "nobody is asked about a folder of somebody else")
			return bob.ID
		}, want: fault.NotFound},
		"who may not": {before: func(c *cloned) { c.rules.ProjectServers = policy.ProjectServersOff }, want: fault.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			f := clone(t)
			f.hooks()
			seen := f.seen()
			digest, who := seen.Digest, f.alice.ID
			if c.before != nil {
				c.before(f)
			}
			if c.digest != nil {
				digest = c.digest(f)
			}
			if c.who != nil {
				who = c.who(f)
			}
			_, _, err := f.Agree(t.Context(), who, seen.ID, digest)
			require.Equal(t, c.want, fault.KindOf(err), "%v", err)
			f.rules = policy.Permissions{}
			require.Empty(t, f.hooks())
		})
	}
}

// heldBox blocks after it has read .mcp.json until it is released.
type heldBox struct {
	*tooltest.Box

	read, release chan struct{}
}

func (h *heldBox) ReadFile(ctx context.Context, file string, from, most int64) (sandbox.FileData, error) {
	got, err := h.Box.ReadFile(ctx, file, from, most)
	if filepath.Base(file) == ".mcp.json" {
		close(h.read)
		<-h.release
	}
	return got, err
}

func TestStands_AnOlderLookIsNotNotedAfterANewerOne(t *testing.T) {
	f := clone(t)
	agreed := f.agree()
	held := &heldBox{f.box, make(chan struct{}), make(chan struct{})}
	older := make(chan error, 1)
	go func() { older <- f.CheckAgreement(t.Context(), f.alice.ID, agreed.Project, held) }()
	<-held.read
	f.put(".mcp.json", "[]")
	require.Empty(t, f.hooks())
	close(held.release)
	require.NoError(t, <-older, "it has read what was agreed to")
	require.NotEmpty(t, f.seen().Problem)
	agrees, err := f.Agreed(t.Context(), f.alice.ID, f.box.Name(), f.folder())
	require.NoError(t, err)
	require.False(t, agrees)
}

func TestAgree_AMemberMayAgreeToSkillsAloneUnlessTheyAreOff(t *testing.T) {
	f := clone(t)
	_, err := f.store.Users.CreateUser(t.Context(), "root", "admin")
	require.NoError(t, err)
	require.NoError(t, f.store.Users.SetRole(t.Context(), f.alice.ID, "member"))
	f.hooks()
	require.False(t, f.seen().MayAgree)

	require.NoError(t, os.Remove(filepath.Join(f.folder(), ".mcp.json")))
	require.NoError(t, os.RemoveAll(filepath.Join(f.folder(), ".xbot")))
	f.hooks()
	require.True(t, f.seen().MayAgree)
	f.agree()
	skills, err := f.Agreed(t.Context(), f.alice.ID, f.box.Name(), f.folder())
	require.NoError(t, err)
	require.True(t, skills)

	f.rules.ProjectServers = policy.ProjectServersOff
	skills, err = f.Agreed(t.Context(), f.alice.ID, f.box.Name(), f.folder())
	require.NoError(t, err)
	require.False(t, skills)
	f.rules = policy.Permissions{}
	f.put(".mcp.json", servers)
	f.hooks()
	require.False(t, f.seen().MayAgree, "a server came in")
}

func TestHooks_AFolderThatCommandsDoNotSeeHasNone(t *testing.T) {
	f := clone(t)
	require.NoError(t, os.Chmod(filepath.Join(f.folder(), ".xbot"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(f.folder(), ".xbot"), 0o755) })
	if os.Geteuid() == 0 {
		t.Skip("the system hides nothing from root")
	}
	require.Empty(t, f.hooks(), "and that refuses no call")
}

func TestHooks_AreNotReadWhereTheAdministratorHasNone(t *testing.T) {
	f := clone(t)
	f.Hooked = hooked(false)
	require.Empty(t, f.hooks())
	f.agree()
	require.Empty(t, f.seen().Bundle.Hooks)
	before := f.seen().Digest
	f.Hooked = hooked(true)
	require.Empty(t, f.hooks(), "hooks that nobody was shown are asked about")
	require.NotEqual(t, before, f.seen().Digest)
}
