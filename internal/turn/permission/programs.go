package permission

import (
	"path"
	"slices"
	"strings"
)

// Programs, by how much the beginning of a command determines what it does.
var (
	// multiplexers run the subcommand in their next word, some of them the one in the word after that.
	multiplexers = []string{
		"git", "go", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "rustup", "docker", "podman", "kubectl", "helm", "terraform", "pip", "pip3",
		"uv", "poetry", "bundle", "gem", "composer", "dotnet", "gradle", "mvn", "apt", "apt-get", "brew", "dnf", "yum", "systemctl",
		"journalctl", "gh", "glab", "aws", "gcloud", "az", "conda", "mix", "rails", "swift", "nix", "lark-cli", "xbot",
	}
	deeper = []string{
		"npm run", "pnpm run", "yarn run", "bun run", "deno run", "docker compose", "git remote", "git stash", "git worktree", "go mod", "uv run",
		"uv pip", "poetry run", "bundle exec", "cargo run", "python -m", "python3 -m",
	}
	// interpreters run the file, or the package, that their next word names.
	interpreters = []string{
		"python", "python3", "pypy", "node", "nodejs", "perl", "ruby", "php", "lua", "luajit", "tclsh", "wish", "pwsh", "powershell", "osascript", "Rscript", "julia",
		"groovy", "scala", "elixir", "guile", "sbcl", "tsx", "ts-node", "npx", "uvx", "pipx",
	}
	// anything are programs of which every word matters, also an added one: they write, delete, execute or connect as their words say.
	anything = []string{
		"eval", "alias", "unalias", "cd", "rm", "mv", "dd", "chmod", "chown", "kill", "pkill", "killall", "tee", "install", "split", "csplit", "uniq", "xxd",
		"sed", "awk", "gawk", "mawk", "nawk", "ed", "ex", "vi", "vim", "nvim", "emacs", "nano", "less", "more", "most", "man", "info", "m4", "dc", "expect",
		"tar", "bsdtar", "cpio", "zip", "unzip", "7z", "rsync", "curl", "wget", "scp", "sftp", "ftp", "nc", "ncat", "socat", "telnet", "openssl", "gpg",
		"cc", "c++", "gcc", "g++", "clang", "clang++", "ld", "gdb", "lldb", "sqlite3", "psql", "mysql", "crontab", "at", "batch", "tmux", "screen",
	}
	// executors are heads followed by words that name a program, or settings that do.
	executors = []string{
		"git config", "git filter-branch", "git bisect", "git submodule", "git difftool", "git mergetool", "git send-email", "git daemon", "git instaweb",
		"git hook", "git credential", "git upload-pack", "git receive-pack", "git upload-archive", "git maintenance", "git for-each-repo",
		"go run", "go tool", "go generate", "go env", "npm exec", "npm x", "npm config", "npm set", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx", "bun x", "deno eval", "deno repl",
		"docker run", "docker exec", "docker create", "podman run", "podman exec", "podman create", "kubectl exec", "kubectl run", "kubectl debug", "docker compose run",
		"docker compose exec", "gh alias", "gh extension", "nix run", "nix shell", "nix develop", "conda run", "terraform console", "cargo install", "gem exec",
	}
	// changers are commands of the shell that change what later words mean: no rule allows them.
	changers = []string{
		".", "source", "eval", "exec", "command", "builtin", "alias", "unalias", "set", "shopt", "enable", "hash", "export", "readonly", "declare", "typeset",
		"local", "unset", "read", "mapfile", "readarray", "getopts", "trap", "let", "pushd", "popd", "bind", "complete", "compopt", "fc", "return", "exit", "break", "continue", "shift",
	}
)

// options of programs that write or execute something that a rule does not name, by the beginning of the command. Long GNU options may be
// abbreviated, and letters combined.
var options = []struct {
	head    string
	long    []string // without the dashes
	letters string
	exact   bool // long names are not cut, and one dash is enough
}{
	{head: "git", long: []string{
		"output", "output-directory", "ext-diff", "textconv", "open-files-in-pager", "exec", "upload-pack", "receive-pack", "exec-path", "config", "config-env",
		"template", "separate-git-dir", "git-dir", "work-tree", "show-signature", "strategy", "extcmd", "tool", "git-format", "to-cmd", "super-prefix",
	}},
	{head: "git grep", letters: "O"},
	{head: "git rebase", letters: "xs"},
	{head: "git merge", letters: "s"},
	{head: "git pull", letters: "s"},
	{head: "git archive", letters: "o"},
	{head: "git format-patch", letters: "o"},
	{head: "git clone", letters: "uc"},
	{head: "go", exact: true, long: []string{
		"o", "C", "exec", "toolexec", "overlay", "modfile", "pkgdir", "ldflags", "gcflags", "asmflags", "gccgoflags", "c", "compiler", "vettool", "outputdir", "coverprofile",
		"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "fuzzcachedir", "test.outputdir", "test.coverprofile", "test.cpuprofile",
		"test.memprofile", "test.blockprofile", "test.mutexprofile", "test.trace", "test.fuzzcachedir", "test.testlogfile",
	}},
	{head: "cargo", long: []string{"config", "manifest-path", "target-dir", "artifact-dir", "out-dir", "root", "path", "git"}, letters: "CZ"},
	{head: "npm", long: npmOptions, letters: "cC"},
	{head: "pnpm", long: npmOptions, letters: "cC"},
	{head: "yarn", long: npmOptions},
	{head: "bun", long: append([]string{"preload", "require", "import", "eval"}, npmOptions...), letters: "cre"},
	{head: "make", long: []string{"file", "makefile", "directory", "include-dir", "eval"}, letters: "fCIE"},
	{head: "gradle", long: []string{"init-script", "build-file", "project-dir", "settings-file", "include-build", "gradle-user-home"}, letters: "Ibpcg"},
	{head: "mvn", long: []string{"file", "settings", "global-settings", "toolchains"}, letters: "fsgt"},
	{head: "docker", long: []string{"host", "config", "context", "output", "file", "metadata-file", "iidfile", "cidfile", "mount", "volume", "privileged"}, letters: "Hofcv"},
	{head: "podman", long: []string{"url", "connection", "output", "file", "iidfile", "hooks-dir", "runtime", "conmon", "mount", "volume", "privileged"}, letters: "ofcv"},
	{head: "kubectl", long: []string{"kubeconfig", "server", "token", "output-directory", "cache-dir", "editor"}, letters: "s"},
	{head: "pip", long: []string{"target", "prefix", "root", "python", "report", "log", "src", "config-settings"}, letters: "t"},
	{head: "pip3", long: []string{"target", "prefix", "root", "python", "report", "log", "src", "config-settings"}, letters: "t"},
	{head: "terraform", exact: true, long: []string{"chdir", "out", "state", "state-out", "backup", "plugin-dir", "from-module"}},
	{head: "sort", long: []string{"output", "compress-program", "temporary-directory", "files0-from"}, letters: "oT"},
	{head: "rg", long: []string{"pre", "hostname-bin", "search-zip"}, letters: "z"},
	{head: "ag", long: []string{"pager"}},
	{head: "fd", long: []string{"exec", "exec-batch"}, letters: "xX"},
	{head: "fdfind", long: []string{"exec", "exec-batch"}, letters: "xX"},
	{head: "tree", letters: "oR"},
	{head: "date", long: []string{"set"}, letters: "s"},
	{head: "file", long: []string{"compile", "magic-file"}, letters: "Cm"},
	{head: "printf", letters: "v"},
	{head: "yq", long: []string{"inplace", "in-place"}, letters: "i"},
	{head: "ctags", long: []string{"options"}, letters: "fo"},
	{head: "bat", long: []string{"pager", "diff"}},
	{head: "batcat", long: []string{"pager", "diff"}},
	{head: "diff", long: []string{"output"}, letters: "l"},
	{head: "pr", letters: "o"},
	{head: "strace", letters: "o"},
	{head: "ps", letters: "k"},
	{head: "journalctl", long: []string{"cursor-file", "vacuum-size", "vacuum-time", "vacuum-files", "rotate", "root", "image"}},
	{head: "pytest", long: []string{"basetemp", "rootdir", "confcutdir", "junit-xml", "junitxml", "log-file", "debug", "override-ini", "pdbcls", "import-mode"}, letters: "pco"},
	{head: "jest", long: []string{"config", "setupFiles", "testRunner", "transform", "globalSetup", "reporters", "outputFile", "coverageDirectory"}, letters: "c"},
	{head: "eslint", long: []string{"config", "rulesdir", "parser", "plugin", "resolve-plugins-relative-to", "output-file", "format", "cache-file", "cache-location"}, letters: "cof"},
	{head: "prettier", long: []string{"config", "plugin", "plugin-search-dir"}},
	{head: "tsc", exact: true, long: []string{"outDir", "outFile", "project", "p", "build", "b", "declarationDir", "tsBuildInfoFile", "generateTrace", "generateCpuProfile"}},
}

var npmOptions = []string{
	"prefix", "dir", "cwd", "script-shell", "shell", "node-options", "userconfig", "globalconfig", "config", "call", "package", "registry", "cache", "node-gyp", "git",
	"editor", "viewer", "browser", "init-module", "use-yarnrc", "modules-folder", "global-dir", "global-bin-dir",
}

// head returns the beginning of a command that a rule may be for; ok is false if no beginning determines what it does.
func (w words) head() (head words, ok bool) {
	name, n := path.Base(w[0]), 1
	switch {
	case name == "cd":
		return w, len(w) == 2
	case isOne(wrappers, name), isOne(anything, name), slices.Contains(changers, name):
		return nil, false
	case isOne(multiplexers, name), isOne(interpreters, name), isOne(shells, name):
		if n = 2; len(w) > 2 && slices.Contains(deeper, name+" "+w[1]) {
			n = 3
		}
		dashed := len(w) >= n && strings.HasPrefix(w[n-1], "-")
		if len(w) < n || dashed || slices.Contains(executors, strings.Join(append(words{name}, w[1:n]...), " ")) {
			return nil, false
		}
	}
	return w[:n], !slices.Contains(w[:n], unknown)
}

// isOne reports whether a list has a program, also under a name with a version, such as python3.11 or clang-15, or with the g of GNU, such as
// gsed.
func isOne(list []string, name string) bool {
	return slices.ContainsFunc([]string{name, strings.TrimRight(name, "0123456789.-"), strings.TrimPrefix(name, "g")}, func(name string) bool {
		return slices.Contains(list, name)
	})
}

// meant reports whether a rule for a pattern covers a command that begins with the pattern. Further words are not covered if the pattern does
// not determine what the program does, or if one of them is an option that writes or executes.
func (w words) meant(pattern words) bool {
	if !w.begins(pattern) || slices.Contains(changers, w[0]) {
		return false
	}
	head, ok := w.head()
	if len(w) == len(pattern) {
		return true
	}
	added := w[len(pattern):]
	if last := pattern[len(pattern)-1]; len(pattern) > len(head) && !strings.Contains(last, "=") {
		added = append(words{last}, added...) // an option may take the first of them
	}
	return ok && len(pattern) >= len(head) && !w.overreaches(added)
}

// overreaches reports whether one of the words that a rule does not name is an option that writes or executes something else. Words after
// "--" are judged as well.
func (w words) overreaches(added words) bool {
	name := path.Base(w[0])
	if isOne([]string{"make"}, name) && slices.ContainsFunc(added, func(word string) bool { return strings.Contains(word, "=") }) {
		return true // a variable, such as SHELL
	}
	heads := []string{name}
	if len(w) > 1 {
		heads = append(heads, name+" "+w[1])
	}
	for _, o := range options {
		if !slices.Contains(heads, o.head) && !isOne([]string{o.head}, name) {
			continue
		}
		if slices.ContainsFunc(added, func(word string) bool { return isOption(word, o.long, o.letters, o.exact) }) {
			return true
		}
	}
	return false
}

// isOption reports whether a word may be one of some options.
func isOption(word string, long []string, letters string, exact bool) bool {
	name, dashed := strings.CutPrefix(word, "-")
	if !dashed {
		return false
	}
	name, double := strings.CutPrefix(name, "-")
	name, _, _ = strings.Cut(name, "=")
	if exact {
		return slices.Contains(long, name)
	}
	if double {
		return name != "" && slices.ContainsFunc(long, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	return strings.ContainsAny(name, letters)
}

// gitSettings prevent git from running programs that the settings of a repository name. There is none against its filters
// (filter.NAME.clean).
var gitSettings = []string{
	"safe.bareRepository=explicit", "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.editor=false", "sequence.editor=false",
	"core.sshCommand=ssh", "protocol.ext.allow=never", "gpg.program=gpg", "gpg.ssh.program=ssh-keygen", "gpg.x509.program=gpgsm", "log.showSignature=false",
}

// withoutDrivers are the commands of git with options that prevent running programs for single files.
var withoutDrivers = []string{"diff", "log", "show", "blame", "annotate", "whatchanged", "format-patch"}

// safeGit returns a command with these settings, if it runs git.
func safeGit(w words) words {
	if path.Base(w[0]) != "git" {
		return w
	}
	out := words{w[0], "--no-pager"}
	for _, s := range gitSettings {
		out = append(out, "-c", s)
	}
	if len(w) > 1 && slices.Contains(withoutDrivers, w[1]) {
		return append(append(out, w[1], "--no-ext-diff", "--no-textconv"), w[2:]...)
	}
	return append(out, w[1:]...)
}
