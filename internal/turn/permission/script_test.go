package permission_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/permission"
)

// decided is what a rule to allow some commands makes of a command.
func decided(command string, patterns ...string) permission.Decision {
	permits := chat.UserPermissions{Own: "ask"}
	for _, p := range patterns {
		permits.Rules = append(permits.Rules, rule("Shell", p, allow))
	}
	return permission.Decide(permits, permission.Defaults{}, shell(command))
}

func TestJudged_WritesTheWordsThatWereRead(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"make":                  "make",
		"  make   -s\tall  ":    "make -s all",
		`echo "a b" 'it is' ""`: "echo 'a b' 'it is' ''",
		`echo "it's"`:           `echo 'it'"'"'s'`,
		`"if" x`:                "'if' x",
		"a|b&&c||d;e":           "a | b && c || d ; e",
		"a |\n\n b\n\nc\n":      "a | b \n c",
		"a 2>&1 >/dev/null 2> /dev/null <  /dev/null >>/dev/null 1>&2 >&2": "a 2>&1 >/dev/null 2>/dev/null </dev/null >>/dev/null 1>&2 >&2",
		"a 2>&1|b":                               "a 2>&1 | b",
		"echo '*' '?' '#' '!' '~' '{a,b}' '(x)'": "echo '*' '?' '#' '!' '~' '{a,b}' '(x)'",
		"grep 苹果 一.txt":                          "grep 苹果 一.txt",
		"head -n 2 >/dev/null":                   "head -n 2 >/dev/null",
		"a b=c --d=e,f:g@h%i+j":                  "a b=c --d=e,f:g@h%i+j",
		"make;":                                  "make",
	} {
		got, ok := permission.Judged(command)
		require.True(t, ok, command)
		require.Equal(t, want, got, command)
		again, ok := permission.Judged(got)
		require.True(t, ok, got)
		require.Equal(t, got, again)
	}
	got, ok := permission.Judged("git diff --stat")
	require.True(t, ok)
	require.Regexp(t, `^git --no-pager -c safe\.bareRepository=explicit .* diff --no-ext-diff --no-textconv --stat$`, got)
}

func TestJudged_LeavesOutWhatShellsExpandOrEvaluate(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"", " ", "\n", "#x", "a # b", "a#b", `a\ b`, `a \`, "a \\\nb", "$A", "a $A", "a '$A'", `a "$A"`, "a `b`", "a '`b`'", `a 'b\'`, `a "\b"`, "a $'b'", `a $"b"`, "a $(b)", "a ${b}", "a $((1))",
		"a*", "a ?", "a [b]", "{ a; }", "a {b,c}", "~", "a ~/b", "a:~", "(a)", "a (b)", "a()", "! a", "if a", "time a", "a; do b", "coproc a", "function a", "a &", "a & b", "a |& b", "a &> b", "a &>/dev/null", "a ;; b",
		"a ;& b", "a &&", "a |", "a ||\n", "| a", "&& a", "; a", "a ; ; b", "a && && b", "a && ; b", "a ||| b", "a &&& b", "a=b", "a=b c", "a+=b c", "'a=b' c", "a''=b c", "a > b", "a >> b", "a < b", "a <<b\nc\nb", "a <<< b", "a <(b)", "a >(b)", "a >| b",
		"a 3>&1", "a 2>&3", "a 2>&1x", "a 2>&1'x'", "a >&1>b", "a >/dev/nullx", "a >/dev/null/../x", "a >'/dev/null'", "a 10>/dev/null", "a 1</dev/null", "a 3</dev/null", "a 0>/dev/null", "a >&-", "a <&0", "a 2>&1&", ">/dev/null", "a; >/dev/null",
		"a\rb", "a\x00b", "a\vb", "a\fb", "a\x1bb", "a\u0085b", "a\u00a0b", "a\u200bb", "a\u2028b", "a\u3000b", "a\ufeffb", "a\xffb", "a 'b", `a "b`, "a !b", "a ^b", "a|&b", "a ;;",
	} {
		_, ok := permission.Judged(command)
		require.False(t, ok, "%q", command)
	}
}

func TestDecide_ARuleToAllowHoldsForItsWordsAndPlainOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, command string
		want             chat.Rule
	}{
		{"git log", "git log -n 5 --oneline", allow}, {"git log", "git log --output=x", ask}, {"git log", "git log --outp=x", ask}, {"git log", "git log --ext-diff", ask}, {"git log", "git log --show-signature", ask},
		{"git log --output=x", "git log --output=x", allow}, {"git diff", "git diff --stat HEAD", allow}, {"git diff", "git diff --output x", ask}, {"git diff", "git diff --textconv", ask},
		{"git grep", "git grep -n TODO", allow}, {"git grep", "git grep -O TODO", ask}, {"git grep", "git grep -nOless TODO", ask}, {"git grep", "git grep --open-files-in-pager=x", ask}, {"git rebase", "git rebase -x x main", ask}, {"git rebase", "git rebase --exec=x", ask},
		{"git fetch", "git fetch origin", allow}, {"git fetch", "git fetch --upload-pack=x .", ask}, {"git push", "git push --receive-pack=x", ask}, {"git push", "git push -u origin main", allow}, {"git archive", "git archive -o x HEAD", ask}, {"git clone", "git clone -c core.pager=x y", ask},
		{"git", "git status", ask}, {"git", "git -c alias.x=y x", ask}, {"git config", "git config core.pager x", ask}, {"git config --list", "git config --list", allow}, {"git submodule", "git submodule foreach x", ask}, {"git bisect", "git bisect run x", ask},
		{"go test", "go test ./... -run X", allow}, {"go test", "go test -exec x", ask}, {"go test", "go test --exec=x", ask}, {"go build", "go build -toolexec=x", ask}, {"go build", "go build -o x", ask}, {"go vet", "go vet -vettool=x", ask}, {"go run", "go run ./x", ask}, {"go run ./x", "go run ./x", allow},
		{"make", "make -j4 test", allow}, {"make", "make -f x", ask}, {"make", "make -sC x", ask}, {"make", "make --eval=x", ask}, {"make", "make SHELL=x", ask}, {"make", "make --file x", ask}, {"make --direc", "make --direc x", ask},
		{"npm run build", "npm run build -- --watch", allow}, {"npm run build", "npm run build --prefix x", ask}, {"npm run build", "npm run build --script-shell=x", ask}, {"npm test", "npm test", allow}, {"npm", "npm run x", ask}, {"npm exec", "npm exec x", ask},
		{"find", "find . -name x", ask}, {"find .", "find . -exec rm x", ask}, {"find . -name x", "find . -name x", allow}, {"find . -name x", "find . -name x -delete", ask}, {"find .", "find . -fprintf x y", ask},
		{"tar", "tar xf x", ask}, {"tar tf x", "tar tf x", allow}, {"tar tf x", "tar tf x --to-command=y", ask}, {"tar tf", "tar tf x --checkpoint-action=exec=y", ask}, {"ssh host", "ssh host rm x", ask}, {"ssh host uptime", "ssh host uptime", allow}, {"ssh", "ssh -o ProxyCommand=x y", ask},
		{"xargs", "xargs rm", ask}, {"awk", "awk x y", ask}, {"sed -n", "sed -n -i x y", ask}, {"sed -n p x", "sed -n p x", allow}, {"rsync", "rsync -e x a b", ask}, {"curl", "curl -o x https://example.com", ask}, {"curl https://example.com", "curl https://example.com -K x", ask}, {"curl https://example.com", "curl https://example.com", allow},
		{"wget", "wget -O x y", ask}, {"python3", "python3 -c x", ask}, {"python3.11", "python3.11 -c x", ask}, {"python3.11 x.py", "python3.11 x.py y", allow}, {"nodejs", "nodejs -e x", ask}, {"gmake", "gmake -f x", ask}, {"gmake", "gmake SHELL=x", ask}, {"gsort", "gsort -o x y", ask}, {"gsed", "gsed -n x", ask}, {"gmake", "gmake test", allow}, {"clang-15", "clang-15 -o x y", ask}, {"tclsh", "tclsh x", ask}, {"deno eval", "deno eval x", ask}, {"python3", "python3 x.py", ask}, {"python3 x.py", "python3 x.py -c y", allow}, {"python3 -m pytest", "python3 -m pytest tests", allow}, {"python3 -m", "python3 -m x", ask}, {"node", "node -e x", ask}, {"node x.js", "node x.js y", allow}, {"perl", "perl -e x", ask},
		{"sh", "sh -c x", ask}, {"bash x", "bash x -v", allow}, {"env", "env x", ask}, {"sudo", "sudo x", ask}, {"sudo make", "sudo make install", ask}, {"sudo make install", "sudo make install", allow}, {"rm build", "rm build -rf /", ask}, {"rm build", "rm build", allow},
		{"sort", "sort -n x", allow}, {"sort", "sort -o x y", ask}, {"sort", "sort -no x", ask}, {"sort", "sort --compress-program=x y", ask}, {"sort", "sort --outpu=x", ask}, {"rg", "rg TODO", allow}, {"rg", "rg --pre x y", ask}, {"fd", "fd x -x rm", ask}, {"cat", "cat x y", allow},
		{"uniq", "uniq x y", ask}, {"tee", "tee x", ask}, {"docker run", "docker run x", ask}, {"docker ps", "docker ps -a", allow}, {"docker build", "docker build -o x .", ask}, {"cargo build", "cargo build --config x", ask}, {"cargo test", "cargo test --release", allow}, {"printf", "printf -v x y", ask}, {"printf", "printf x", allow},
		{"echo", "echo x", allow}, {"echo x", "echo x y", allow}, {"echo", "echoes x", ask}, {"echo", "/tmp/echo x", ask}, {"./x", "./x y", allow}, {"export", "export x", ask}, {"source x", "source x", ask}, {". x", ". x", ask}, {"eval x", "eval x", ask}, {"alias x", "alias x", ask}, {"exec x", "exec x", ask}, {"trap x", "trap x", ask}, {"read x", "read x", ask}, {"set x", "set x", ask},
	} {
		got := decided(c.command, c.pattern)
		require.Equal(t, c.want, got.Rule, "%s: %s", c.pattern, c.command)
		require.Equal(t, c.want == allow, got.Judged, "%s: %s", c.pattern, c.command)
	}
}

func TestDecide_CdIsJudged(t *testing.T) {
	t.Parallel()
	require.Equal(t, ask, decided("cd x && make", "make").Rule)
	require.Equal(t, allow, decided("cd x && make", "make", "cd x").Rule)
	require.Equal(t, ask, decided("cd y && make", "make", "cd x").Rule)
	require.Equal(t, ask, decided("cd x/y && make", "make", "cd x").Rule)
	require.Equal(t, ask, decided("cd x y && make", "make", "cd x", "cd").Rule)
	require.Equal(t, ask, decided("cd x && git status", "git status", "cd x").Rule, "a folder may hold a repository of somebody else")
	require.Empty(t, decided("cd x && git status").Always)
	require.Equal(t, ask, decided("cd x && ls && /usr/bin/git status", "/usr/bin/git status", "ls", "cd x").Rule)
	require.Equal(t, []chat.ToolRule{rule("Shell", "cd x", allow), rule("Shell", "make", allow)}, decided("cd x && make").Always)
	require.Equal(t, ask, decided("pushd x", "pushd x").Rule)
	require.Equal(t, allow, decided("git status; cd x", "git status", "cd x").Rule)
}
