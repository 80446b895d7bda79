package permission_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/permission"
)

const (
	allow = chat.RuleAllow
	ask   = chat.RuleAsk
	deny  = chat.RuleDeny
)

func shell(command string) permission.Call {
	return permission.Call{Tool: "Shell", Acts: true, Kind: chat.PatternCommand, Subject: command}
}

func write(path string) permission.Call {
	return permission.Call{Tool: "FileCreate", Acts: true, Kind: chat.PatternPath, Subject: path}
}

func rule(tool, pattern string, rule chat.Rule) chat.ToolRule {
	return chat.ToolRule{Tool: tool, Pattern: pattern, Rule: rule}
}

func TestDecide_TheNarrowestWordCounts(t *testing.T) {
	t.Parallel()
	wide := func(r chat.Rule) []chat.ToolRule { return []chat.ToolRule{rule("Shell", "", r)} }
	status := rule("Shell", "git status", allow)
	read := permission.Call{Tool: "Read", Kind: chat.PatternPath, Subject: "a"}
	for name, c := range map[string]struct {
		permits      chat.UserPermissions
		installation permission.Defaults
		call         permission.Call
		want         chat.Rule
	}{
		"nothing was said":                            {call: shell("make"), want: ask},
		"nothing was said by an administrator":        {permits: chat.UserPermissions{Admin: true}, call: shell("make"), want: allow},
		"nothing was said of what only reads":         {call: read, want: allow},
		"the installation asks":                       {installation: permission.Defaults{Rules: map[string]chat.Rule{"Shell": ask}}, call: shell("make"), want: ask},
		"the installation's preset for others":        {installation: permission.Defaults{Others: "auto"}, call: shell("make"), want: allow},
		"and not for administrators":                  {permits: chat.UserPermissions{Admin: true}, installation: permission.Defaults{Others: "ask"}, call: shell("make"), want: allow},
		"a preset asks for what acts":                 {permits: chat.UserPermissions{Own: "ask"}, call: shell("make"), want: ask},
		"and not for what only reads":                 {permits: chat.UserPermissions{Own: "ask"}, call: read, want: allow},
		"a preset comes before the installation":      {permits: chat.UserPermissions{Own: "auto"}, installation: permission.Defaults{Rules: map[string]chat.Rule{"Shell": ask}}, call: shell("make"), want: allow},
		"but not before its denial":                   {permits: chat.UserPermissions{Own: "auto"}, installation: permission.Defaults{Rules: map[string]chat.Rule{"Shell": deny}}, call: shell("make"), want: deny},
		"the conversation comes before the person":    {permits: chat.UserPermissions{Here: "auto", Own: "ask"}, call: shell("make"), want: allow},
		"a rule for the tool comes before presets":    {permits: chat.UserPermissions{Here: "ask", Rules: wide(allow)}, call: shell("make"), want: allow},
		"and before the installation's denial":        {permits: chat.UserPermissions{Rules: wide(ask)}, installation: permission.Defaults{Rules: map[string]chat.Rule{"Shell": deny}}, call: shell("make"), want: ask},
		"a pattern comes before the rule of its tool": {permits: chat.UserPermissions{Rules: append(wide(deny), status)}, call: shell("git status"), want: allow},
		"also where it is the stricter":               {permits: chat.UserPermissions{Rules: append(wide(allow), rule("Shell", "rm", deny))}, call: shell("rm -rf /"), want: deny},
		"of several patterns the strictest":           {permits: chat.UserPermissions{Rules: []chat.ToolRule{rule("Shell", "git", allow), rule("Shell", "git push", ask)}}, call: shell("git push"), want: ask},
		"rules are for their tool":                    {permits: chat.UserPermissions{Own: "ask", Rules: []chat.ToolRule{rule("FileReplace", "**", allow)}}, call: write("a"), want: ask},
		"read only denies what acts":                  {permits: chat.UserPermissions{Here: "read_only", Rules: append(wide(allow), status)}, call: shell("git status"), want: deny},
		"and lets the rest read":                      {permits: chat.UserPermissions{Here: "read_only"}, call: read, want: allow},
		"unless a rule denies it":                     {permits: chat.UserPermissions{Here: "read_only", Rules: []chat.ToolRule{rule("Read", "a", deny)}}, call: read, want: deny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, permission.Decide(c.permits, c.installation, c.call).Rule)
		})
	}
}

func TestDecide_OffersTheRulesThatWouldHaveAllowedTheCall(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"git status -s":                     {"git status"},
		"go test ./... -run X":              {"go test"},
		"npm run build -- --watch":          {"npm run build"},
		"ls -la":                            {"ls"},
		"cd sub && go build ./... | tail":   {"cd sub", "go build", "tail"},
		"cd sub && git status":              nil,
		"git log --output=x":                nil,
		"docker run x":                      nil,
		"rm -rf build":                      nil,
		"find . -name x":                    nil,
		"sudo make":                         nil,
		"python3 -c 'print(1)'":             nil,
		"python3 manage.py test":            {"python3 manage.py"},
		"bash scripts/test -v":              {"bash scripts/test"},
		"make 2>&1":                         {"make"},
		"git -C x status":                   nil,
		"npm run -s build":                  nil,
		"git":                               nil,
		"bash -c 'git status'":              nil,
		"cat <<EOF\nx\nEOF":                 nil,
		"echo x > file":                     nil,
		"rm $FILE":                          nil,
		"$CMD x":                            nil,
		"A=b make":                          nil,
		"for f in *; do echo $f; done":      nil,
		"broken '":                          nil,
		"a; b; c; d; e; f":                  nil,
		"git status; ls; git status --long": {"git status", "ls"},
	} {
		v := permission.Decide(chat.UserPermissions{Own: "ask"}, permission.Defaults{}, shell(command))
		require.Equal(t, ask, v.Rule, command)
		var offered []string
		for _, r := range v.Always {
			require.Equal(t, rule("Shell", r.Pattern, allow), r)
			offered = append(offered, r.Pattern)
		}
		require.Equal(t, want, offered, command)
		if want != nil {
			require.Equal(t, allow, permission.Decide(chat.UserPermissions{Own: "ask", Rules: v.Always}, permission.Defaults{}, shell(command)).Rule, command)
		}
	}
	v := permission.Decide(chat.UserPermissions{Own: "ask"}, permission.Defaults{}, permission.Call{Tool: "Cron", Acts: true})
	require.Equal(t, []chat.ToolRule{rule("Cron", "", allow)}, v.Always, "a tool without patterns is allowed as a whole")
	v = permission.Decide(chat.UserPermissions{Rules: []chat.ToolRule{rule("Shell", "git push", ask)}}, permission.Defaults{}, shell("git push -f"))
	require.Empty(t, v.Always, "who wants to be asked about it is asked")
}

func TestDecide_ACommandThatHidesWhatItDoesIsNotAllowedByThePrefix(t *testing.T) {
	t.Parallel()
	permits := chat.UserPermissions{Own: "ask", Rules: []chat.ToolRule{rule("Shell", "git status", allow)}}
	for _, command := range []string{
		"git status; rm -rf /", "git status && curl x | sh", "git status | tee x", "git status &\nrm x", "git status $(rm x)", "git status `rm x`",
		"git status <(rm x)", "git status > /etc/passwd", "git status >> x", "git status &> x", "git status 2> x",
		"PATH=/tmp git status", "LD_PRELOAD=x.so git status", "PATH=/tmp; git status", "export PATH=/tmp; git status", "declare PATH=/tmp; git status",
		"git() { rm x; }; git status", "function git { rm x; }; git status", "alias git=rm; git status", "hash -p /tmp/x git; git status",
		"for PATH in /tmp; do git status; done", "read PATH; git status", ": ${PATH:=/tmp}; git status", "git status ${x:=$(rm x)}", "((PATH=1)); git status",
		"gi? status", "$GIT status", "/tmp/git status", "./git status", "git stash", "gitstatus", "git", "\"git status\"", "env git status",
		`g\it status`, "cd x && git status", "git status \"$HOME\"", "git status *.go", "(git status)", "if git status; then git status -s; fi", "! git status", "time git status", "git status # rm x",
		"git status # \\\nrm x", `git status $'\'; rm x; #'`, "git status 'a[$(rm x)]'", "echo ${HOME:_}", "git status --output=x", "git status ~", "git status &", "git status |& git status",
		"eval 'git status; rm x'", "if git status; then rm x; fi", "while git status; do rm x; done", "coproc rm x", "case x in x) rm y;; esac",
		"git status <<EOF\n$(rm x)\nEOF", "git status \x00", "[[ -f x ]] && git status", "! git status || rm x", "{ git status; rm x; }", "(git status; rm x)",
		"git status\nrm x", "git status ;rm x", "git \\\nstatus;\\\nrm x", "exec git status", ". ./git status", "trap 'rm x' EXIT; git status", "",
	} {
		require.Equal(t, ask, permission.Decide(permits, permission.Defaults{}, shell(command)).Rule, "%q", command)
	}
	for _, command := range []string{
		"git status", "git   status --short", "git 'status'", "\"git\" status", "git status && git status", "git status 2>/dev/null", "git status 2>&1",
		"git status 'a b'", "git status || git status; git status\n\ngit status |\ngit status",
	} {
		require.Equal(t, allow, permission.Decide(permits, permission.Defaults{}, shell(command)).Rule, "%q", command)
	}
}

func TestDecide_ADenialFindsItsCommandWhereverItStands(t *testing.T) {
	t.Parallel()
	permits := chat.UserPermissions{Own: "auto", Rules: []chat.ToolRule{rule("Shell", "rm", deny), rule("Shell", "git push", ask)}}
	for command, want := range map[string]chat.Rule{
		"rm x": deny, "/bin/rm x": deny, "ls && rm x": deny, "sudo -u a rm x": deny, "find . -exec rm {} +": deny, "xargs rm": deny, "bash -c 'rm x'": deny, "bash -lc 'ls; rm x'": deny,
		"eval rm x": deny, "eval 'rm x'": deny, "echo $(rm x)": deny, "f() { rm x; }; f": deny, "r\\m x": deny, "'r'm x": deny, "A=b rm x": deny, "git push -f": ask, "timeout 5 git push": ask,
		"git -C x push": ask, "git --no-pager push": ask, "git $X": ask, "git \"$(echo push)\"": ask, "git $X push": ask, "git commit -m push": allow, "git -C x pull": allow,
		"$X y": ask, "r? x": ask, "curl x | sh": ask, "bash -c \"$X\"": ask, "eval $X": ask, "broken '": ask, "sudo $X": ask,
		"ls": allow, "git pull": allow, "echo rm": allow, "rmdir x": allow, "bash script.sh": allow, "grep push .git": allow,
		"nohup sh -c 'rm x'": deny, "env -S 'rm x'": deny, "env -S'rm x'": deny, "env -vSrm x": deny, "env --split-string='rm x'": deny, "find . -exec sh -c 'rm x' ;": deny, "xargs sh -c 'rm x'": deny, "sh -c -e 'rm x'": deny,
		"sh -ec 'rm x'": deny, "sh -e -c 'rm x'": deny, "bash --norc -c 'rm x'": deny, "bash -o pipefail -c 'rm x'": deny, "bash +O extglob -c 'rm x'": deny, "sh -c -- 'rm x'": deny, "sh -c 'sh -c \"rm x\"'": deny, "timeout 5 bash -c 'rm x'": deny,
		"su -c 'rm x' a": deny, "ssh host 'rm x'": deny, "ssh host rm x": deny, "script -c 'rm x' /dev/null": deny, "flock f -c 'rm x'": deny, "watch 'rm x'": deny, "sudo sh -c 'rm x'": deny, "busybox rm x": deny, "busybox sh -c 'rm x'": deny, "trap 'rm x' EXIT": deny, "xargs -n1 /bin/rm": deny,
		"sh": ask, "sh -s": ask, "sh -": ask, "bash /dev/stdin": ask, "bash <<EOF\nrm x\nEOF": ask, "echo rm x | bash": ask, "sh script -c x": ask, "tar xf x --to-command='rm x'": ask, "tar xf x --checkpoint-action=exec=rm": ask, "git -c alias.x='!rm x' x": ask, "rsync -e 'rm x' a b": ask,
		"git submodule foreach 'rm x'": ask, "git rebase -x 'rm x'": ask, "ssh -o ProxyCommand='rm x' h": ask, "python3 -c 'import os'": ask, "python3": ask, "perl -e 1": ask, "node -e 1": ask, "env python3 -c 1": ask, "python3 -v -c 1": ask, "ruby -v -e 1": ask, "python3 -W ignore -c 1": ask, "python3.11 -c 1": ask, "nodejs -e 1": ask, "bash-5.2 -c 'rm x'": deny, "python3 -m pytest x": allow, "awk '{system(1)}'": ask, "awk '{print | 1}'": ask, "sed 's/a/b/e' x": ask, "sed -n '1e x'": ask,
		"test -v 'a[$(rm x)]'": ask, "printf -v 'a[$(rm x)]' y": ask, `git status $'\'; rm x; #'`: ask, "git status # \\\nrm x": ask, "alias ls=rm": ask, "make x='rm y'": ask, "vim -c '!rm x'": ask,
		"python3 x.py": allow, "python3 --version": allow, "sed 's/a/b/g' x": allow, "sed -n 1,5p x": allow, "awk '{print $1}' x": allow, "grep 'rm x' y": allow, "git commit -m 'do not rm x'": allow, "echo 'rm x'": allow, "printf 'rm x'": allow, "bash -x script.sh": allow, "ls farm": allow, "cat docs/rm.md": allow,
	} {
		require.Equal(t, want, permission.Decide(permits, permission.Defaults{}, shell(command)).Rule, command)
	}
}

func TestDecide_PathsAreReadFromTheWorkingFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, path, cwd string
		want               chat.Rule
	}{
		{"docs/**", "docs/a/b.md", "/w", allow}, {"docs/**", "/w/docs/a.md", "/w", allow}, {"docs/**", "./docs/../docs/a", "/w", allow}, {"docs/**", "docs/a", "", allow},
		{"docs/**", "docs/../secret", "/w", ask}, {"docs/**", "../docs/a", "/w", ask}, {"**", "../x", "/w", ask}, {"**", "../x", "", ask}, {"**", "/etc/passwd", "/w", ask},
		{"**", "/etc/passwd", "", ask}, {"docs/**", "~/docs/a", "/w", ask}, {"*.md", "docs/a.md", "/w", ask}, {"**/*.md", "docs/a.md", "/w", allow},
		{"/etc/**", "/etc/x", "/w", allow}, {"/w/**", "a", "/w", allow}, {"/w/**", "../a", "/w", ask}, {"/w/**", "a", "", ask}, {"/etc/**", "", "/w", ask},
	} {
		permits := chat.UserPermissions{Own: "ask", Cwd: c.cwd, Rules: []chat.ToolRule{rule("FileCreate", c.pattern, allow)}}
		require.Equal(t, c.want, permission.Decide(permits, permission.Defaults{}, write(c.path)).Rule, "%+v", c)
	}
	denied := func(pattern, path, cwd string) chat.Rule {
		return permission.Decide(chat.UserPermissions{Admin: true, Cwd: cwd, Rules: []chat.ToolRule{rule("FileCreate", pattern, deny)}}, permission.Defaults{}, write(path)).Rule
	}
	require.Equal(t, deny, denied("**/.env", "a/.ENV", "/w"), "some file systems do not tell them apart")
	require.Equal(t, deny, denied("/etc/**", "../etc/x", "/w"))
	require.Equal(t, ask, denied("/etc/**", "../etc/x", ""), "it cannot be told")
	require.Equal(t, ask, denied("docs/**", "/w/docs/x", ""), "where the working folder is not known, a path may be in it")
	require.Equal(t, allow, denied("docs/**", "/x/docs/x", "/w"))
	v := permission.Decide(chat.UserPermissions{Own: "ask", Cwd: "/w"}, permission.Defaults{}, write("a\nObey me/b"))
	require.Empty(t, v.Always, "a rule that a person cannot read is not offered")
	require.Equal(t, allow, denied("/etc/**", "x", "/w"))
	for path, want := range map[string]string{"docs/a/b.md": "docs/a/**", "b.md": "b.md", "/etc/x": "/etc/x", "a[1]/b": `a\[1]/**`} {
		v = permission.Decide(chat.UserPermissions{Own: "ask", Cwd: "/w"}, permission.Defaults{}, write(path))
		require.Equal(t, []chat.ToolRule{rule("FileCreate", want, allow)}, v.Always)
		require.Equal(t, allow, permission.Decide(chat.UserPermissions{Own: "ask", Cwd: "/w", Rules: v.Always}, permission.Defaults{}, write(path)).Rule, path)
	}
}

func TestDecide_HostsAreThoseOfTheAddress(t *testing.T) {
	t.Parallel()
	fetch := func(address string) permission.Call {
		return permission.Call{Tool: "DownloadFile", Acts: true, Kind: chat.PatternHost, Subject: address}
	}
	permits := chat.UserPermissions{Own: "ask", Rules: []chat.ToolRule{rule("DownloadFile", "example.com", allow), rule("DownloadFile", "*.example.org", allow)}}
	for address, want := range map[string]chat.Rule{
		"https://example.com/x": allow, "https://EXAMPLE.com.:8443/x": allow, "https://a.example.org": allow, "https://user@example.com/": allow,
		"https://a.example.com": ask, "https://example.org": ask, "https://example.com.evil.net": ask, "https://example.com@evil.net/": ask, "https://evil.net/#example.com": ask, "nonsense": ask, "": ask,
		"https://evil.net\\@example.com": ask,
	} {
		require.Equal(t, want, permission.Decide(permits, permission.Defaults{}, fetch(address)).Rule, address)
	}
}

func TestCheckPattern_SaysWhatAPatternMustBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind      chat.PatternKind
		text, got string
	}{
		{chat.PatternCommand, " git  status * ", "git status"}, {chat.PatternCommand, "git status:*", "git status"}, {chat.PatternCommand, "echo 'a b'", "echo 'a b'"},
		{chat.PatternPath, "docs/../docs/**", "docs/**"}, {chat.PatternPath, "/etc/**", "/etc/**"}, {chat.PatternHost, "*.Example.com.", "*.example.com"}, {"", "", ""},
	} {
		got, err := permission.CheckPattern("T", c.kind, c.text)
		require.NoError(t, err)
		require.Equal(t, c.got, got)
	}
	for _, c := range []struct {
		kind chat.PatternKind
		text string
	}{
		{chat.PatternCommand, "*"}, {chat.PatternCommand, "git; rm"}, {chat.PatternCommand, "$X"}, {chat.PatternCommand, "A=b git"}, {chat.PatternCommand, "git > x"}, {chat.PatternCommand, "'"}, {chat.PatternCommand, "git $X"},
		{chat.PatternPath, "../x"}, {chat.PatternPath, "~/x"}, {chat.PatternPath, "[x"}, {chat.PatternHost, "https://x"}, {chat.PatternHost, "*"}, {chat.PatternHost, "*.*"}, {"", "x"},
	} {
		_, err := permission.CheckPattern("T", c.kind, c.text)
		require.True(t, fault.Is(err, fault.Invalid), "%+v: %v", c, err)
	}
}

func FuzzDecide_WhatIsOfferedIsEnoughAndNothingPanics(f *testing.F) {
	for _, s := range []string{"git status", "a | b && c", "bash -c 'x y'", "rm -rf $X", "for x in y; do z; done", "cat <<E\nx\nE", "a > b", "echo \"a b\" 'c'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, command string) {
		v := permission.Decide(chat.UserPermissions{Own: "ask", Rules: []chat.ToolRule{rule("Shell", "git status", allow), rule("Shell", "rm", deny)}}, permission.Defaults{}, shell(command))
		if v.Rule != ask || len(v.Always) == 0 {
			return
		}
		for _, r := range v.Always {
			if kept, err := permission.CheckPattern("Shell", chat.PatternCommand, r.Pattern); err == nil && kept != r.Pattern {
				t.Errorf("%q is offered and kept as %q", r.Pattern, kept)
			}
		}
		again := permission.Decide(chat.UserPermissions{Own: "ask", Rules: append(v.Always, rule("Shell", "git status", allow))}, permission.Defaults{}, shell(command))
		if again.Rule != allow {
			t.Errorf("%q is not allowed by what was offered: %v", command, v.Always)
		}
	})
}

func TestDecide_WhoIsOutsideIsAskedNothing(t *testing.T) {
	t.Parallel()
	writes, reads := permission.Call{Tool: "FileCreate", Acts: true, Plans: false}, permission.Call{Tool: "Read", Plans: true}
	for name, c := range map[string]struct {
		permits chat.UserPermissions
		house   permission.Defaults
		call    permission.Call
		want    chat.Rule
	}{
		"what the service has runs":                      {chat.UserPermissions{}, permission.Defaults{}, writes, chat.RuleAllow},
		"though others of the house are asked":           {chat.UserPermissions{}, permission.Defaults{Others: chat.PresetAsk}, writes, chat.RuleAllow},
		"a rule of the installation to ask denies":       {chat.UserPermissions{}, permission.Defaults{Rules: map[string]chat.Rule{"FileCreate": chat.RuleAsk}}, writes, chat.RuleDeny},
		"a rule of the installation to deny holds":       {chat.UserPermissions{}, permission.Defaults{Rules: map[string]chat.Rule{"File*": chat.RuleDeny}}, writes, chat.RuleDeny},
		"a scene that is read only holds":                {chat.UserPermissions{}, permission.Defaults{Scene: chat.PresetReadOnly}, writes, chat.RuleDeny},
		"a scene that asks denies what acts":             {chat.UserPermissions{}, permission.Defaults{Scene: chat.PresetAsk}, writes, chat.RuleDeny},
		"and lets read":                                  {chat.UserPermissions{}, permission.Defaults{Scene: chat.PresetReadOnly}, reads, chat.RuleAllow},
		"no rule of anybody widens what is denied":       {chat.UserPermissions{Own: chat.PresetAuto, Here: chat.PresetAuto, Rules: []chat.ToolRule{{Tool: "FileCreate", Rule: chat.RuleAllow}}}, permission.Defaults{Rules: map[string]chat.Rule{"FileCreate": chat.RuleDeny}}, writes, chat.RuleDeny},
		"there are no plans to wait for":                 {chat.UserPermissions{Planning: true}, permission.Defaults{}, writes, chat.RuleAllow},
		"rules of people to ask are not those of guests": {chat.UserPermissions{Rules: []chat.ToolRule{{Tool: "FileCreate", Rule: chat.RuleAsk}}}, permission.Defaults{}, writes, chat.RuleAllow},
	} {
		c.permits.Outside = true
		got := permission.Decide(c.permits, c.house, c.call)
		require.Equal(t, permission.Decision{Rule: c.want}, got, name)
	}
}
