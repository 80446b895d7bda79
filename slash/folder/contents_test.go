package folder_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp/project"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/folder"
)

// agreementsFake has one folder and records the agreement to it.
type agreementsFake struct {
	seen   *project.Seen // nil: it has nothing to agree to
	agreed string        // the digest
	err    error
}

func (r *agreementsFake) Here(context.Context, chat.UserID, chat.SessionKey) (project.Seen, bool, error) {
	if r.seen == nil {
		return project.Seen{}, false, r.err
	}
	return *r.seen, true, r.err
}

func (r *agreementsFake) At(ctx context.Context, _ chat.UserID, _ sandbox.Sandbox, _ string) (project.Seen, bool, error) {
	return r.Here(ctx, 1, "")
}

func (r *agreementsFake) Agree(_ context.Context, _ chat.UserID, _ int64, digest string) (project.Seen, error) {
	if !r.seen.MayAgree {
		return project.Seen{}, fault.Errorf(fault.Denied, "only administrators may agree to folders here (permissions.projectServers of the policy)")
	}
	r.agreed, r.seen.Agreed = digest, digest
	return *r.seen, nil
}

func (r *agreementsFake) Withdraw(context.Context, chat.UserID, int64) error {
	r.agreed, r.seen.Agreed = "", ""
	return nil
}

// run runs /folder and returns what the user reads.
func (r *agreementsFake) run(t *testing.T, args string) string {
	t.Helper()
	said, err := folder.Contents{Agreements: r}.Run(t.Context(), slashcommand.Request{User: 1, Lang: i18n.English}, args)
	require.Equal(t, err == nil, said != "", args)
	if err != nil {
		return i18n.Explain(i18n.English, err)
	}
	return said
}

const digest = "3fa9c1d2e5b84f60a7"

func withHook() *project.Seen {
	s := &project.Seen{MayAgree: true}
	s.Runner, s.Folder, s.Digest = "laptop", "/srv/repo", digest
	s.Bundle = project.Bundle{
		Hooks:  []hook.Doc{{Source: "/srv/repo/.xbot/hooks.json", Layer: hook.LayerProject, Text: []byte(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh check.sh"}]}]}}`)}},
		Skills: []string{"/srv/repo/.agents/skills/ship"}, Notes: []string{"/srv/repo/AGENTS.md"},
	}
	e := project.Entry{}
	e.Name, e.Command, e.Args, e.Env = "stall", "node", []string{"stall.js", "a b"}, map[string]string{"LD_PRELOAD": "x.so"}
	s.Entries = []project.Entry{e}
	return s
}

func TestFolder_ShowsEverythingAndUsesItOnceItsUserAgrees(t *testing.T) {
	r := &agreementsFake{seen: withHook()}
	said := r.run(t, "")
	for _, part := range []string{
		"`/srv/repo` on `laptop`: not used", "MCP server `stall` runs `node` `stall.js` `a b` with `LD_PRELOAD=x.so`", "PreToolUse hook: `sh check.sh`",
		"Skill: `/srv/repo/.agents/skills/ship`", "`/srv/repo/AGENTS.md`", "`/folder agree 3fa9c1d2e5b8`",
	} {
		require.Contains(t, said, part)
	}
	require.Contains(t, r.run(t, "agree 3fa9c1d2e5b8"), "`/srv/repo` on `laptop`: used")
	require.Equal(t, digest, r.agreed)
	require.Contains(t, r.run(t, "withdraw"), "Nothing of `/srv/repo` is used")
	require.Empty(t, r.agreed)
}

func TestAttack_AFolderIsNotAgreedToUnread(t *testing.T) {
	for name, c := range map[string]struct {
		change     func(s *project.Seen)
		args, says string
	}{
		"without a digest":          {nil, "agree", "Write `/folder`"},
		"with too little of it":     {nil, "agree 3fa9c1d2e5b", "Write `/folder`"},
		"with another one":          {nil, "agree 000000000000", "has other contents now"},
		"with another long one":     {nil, "agree " + digest + "00", "has other contents now"},
		"with words behind it":      {nil, "agree 3fa9c1d2e5b8 now", "has other contents now"},
		"with another verb":         {nil, "approve 3fa9c1d2e5b8", "Write `/folder`"},
		"by somebody who may not":   {func(s *project.Seen) { s.MayAgree = false }, "agree 3fa9c1d2e5b8", "only administrators"},
		"when it cannot be read":    {func(s *project.Seen) { s.Digest, s.Problem = "", "it is no JSON" }, "agree 3fa9c1d2e5b8", "has other contents now"},
		"when it is too long":       {func(s *project.Seen) { s.Entries[0].Args = []string{strings.Repeat("x", 9000)} }, "", "Review it on the page"},
		"with a line break":         {func(s *project.Seen) { s.Entries[0].Args = []string{"\n* Skill: `x`"} }, "", "`stall` runs `node` `` \\n* Skill: `x` ``"},
		"with letters turned round": {func(s *project.Seen) { s.Entries[0].Args = []string{"a\u202eb"} }, "", `a\u202eb`},
	} {
		t.Run(name, func(t *testing.T) {
			r := &agreementsFake{seen: withHook()}
			if c.change != nil {
				c.change(r.seen)
			}
			said := r.run(t, c.args)
			require.Contains(t, said, c.says)
			require.Empty(t, r.agreed)
			if name == "when it is too long" {
				require.NotContains(t, said, "/folder agree", "nobody agrees to what was not shown")
			}
		})
	}
}

func TestFolder_TellsThatThereIsNothing(t *testing.T) {
	require.Contains(t, (&agreementsFake{}).run(t, ""), "no hooks, MCP servers or skills")
	require.Contains(t, (&agreementsFake{err: fault.Errorf(fault.Unavailable, "laptop is offline")}).run(t, ""), "laptop is offline")
}

func TestCd_TellsOfContentsThatWaitForAnAgreement(t *testing.T) {
	p, r := &fixture{}, &agreementsFake{seen: withHook()}
	for _, c := range []struct {
		change func(s *project.Seen)
		tells  bool
	}{
		{func(*project.Seen) {}, true},
		{func(s *project.Seen) { s.Agreed = "before" }, true},
		{func(s *project.Seen) { s.Agreed = digest }, false},
		{func(s *project.Seen) { s.Agreed, s.MayAgree = "", false }, false},
		{func(s *project.Seen) { s.Digest, s.Problem = "", "it is no JSON" }, false},
	} {
		c.change(r.seen)
		require.NoError(t, folder.Cd{Conversations: p, Turns: p, Sandboxes: p, Agreements: r}.RunInTurn(t.Context(), chat.TurnCommand{Turn: "t1", Lang: "en"}, "/srv/src"))
		require.Equal(t, c.tells, strings.Contains(p.said, "`/folder`"), p.said)
	}
	r.err = fault.Errorf(fault.Unavailable, "laptop is offline")
	require.NoError(t, folder.Cd{Conversations: p, Turns: p, Sandboxes: p, Agreements: r}.RunInTurn(t.Context(), chat.TurnCommand{Turn: "t1", Lang: "en"}, "/srv/src"), "it is a hint only")
}
