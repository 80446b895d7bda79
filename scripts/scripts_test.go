// Package scripts_test runs the scripts of this folder with fake programs in PATH.
package scripts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// machine is a folder of programs and what else a script sees of its machine.
type machine struct {
	t   *testing.T
	dir string
	env []string
}

// newMachine returns a machine with the basic programs only.
func newMachine(t *testing.T) *machine {
	m := &machine{t: t, dir: t.TempDir()}
	m.link("basename", "bash", "cat", "dirname", "env", "grep", "kill", "mkdir", "mktemp", "rm", "sed", "sh", "sleep", "sort", "tail", "tr", "wc")
	m.program("uname", "echo Linux")
	return m
}

// link installs programs of this machine.
func (m *machine) link(names ...string) {
	m.t.Helper()
	for _, name := range names {
		path, err := exec.LookPath(name)
		require.NoError(m.t, err)
		require.NoError(m.t, os.Symlink(path, filepath.Join(m.dir, name)))
	}
}

// program installs a program that is a shell script, in place of a linked one of that name.
func (m *machine) program(name, script string) {
	m.t.Helper()
	_ = os.Remove(filepath.Join(m.dir, name)) // there may be none; a link must not be written through
	require.NoError(m.t, os.WriteFile(filepath.Join(m.dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// distribution sets the contents of /etc/os-release.
func (m *machine) distribution(text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, "os-release")
	require.NoError(m.t, os.WriteFile(path, []byte(text), 0o644))
	m.env = append(m.env, "OS_RELEASE="+path)
}

func (m *machine) command(script string, args ...string) *exec.Cmd {
	path, err := filepath.Abs(script)
	require.NoError(m.t, err)
	cmd := exec.CommandContext(m.t.Context(), path, args...)
	cmd.Dir = m.dir
	cmd.Env = append([]string{"PATH=" + m.dir, "TMPDIR=" + m.dir}, m.env...)
	return cmd
}

// complete returns a machine with all that check-prerequisites looks for.
func complete(t *testing.T) *machine {
	m := newMachine(t)
	m.distribution("ID=debian\n")
	m.program("go", `case "$2" in GOVERSION) echo go1.99.0;; GOTOOLCHAIN) echo auto;; esac`)
	m.program("node", "echo v22.12.0")
	m.program("npm", "")
	m.program("initdb", "")
	m.program("postgres", "echo 'postgres (PostgreSQL) 17.2 (Debian 17.2-1)'")
	m.env = append(m.env, "XBOT_POSTGRES_BIN="+m.dir) // not the one of this machine
	return m
}

func TestPrerequisites_OfACompleteMachineAreAccepted(t *testing.T) {
	out, err := complete(t).command("check-prerequisites").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out))
}

func TestPrerequisites_MissingOnesAreNamedWithTheCommandThatInstallsThem(t *testing.T) {
	fedora := "ID=fedora\n"
	for name, c := range map[string]struct {
		change func(*machine)
		want   []string
	}{
		"no Go":       {func(m *machine) { m.remove("go") }, []string{"Go 1.", "is missing", "go.dev/dl"}},
		"old Go":      {func(m *machine) { m.program("go", "echo go1.19.8") }, []string{"go1.19.8 is installed"}},
		"fixed Go":    {func(m *machine) { m.program("go", `case "$2" in GOVERSION) echo go1.24.0;; *) echo local;; esac`) }, []string{"go1.24.0 is installed"}},
		"no Node":     {func(m *machine) { m.remove("node") }, []string{"Node.js with npm is missing", "apt install nodejs npm"}},
		"old Node":    {func(m *machine) { m.program("node", "echo v20.18.3") }, []string{"Node.js 20.18.3 is installed"}},
		"odd Node":    {func(m *machine) { m.program("node", "echo v22.11.0") }, []string{"Node.js 22.11.0 is installed"}},
		"no npm":      {func(m *machine) { m.remove("npm") }, []string{"npm is not"}},
		"no initdb":   {func(m *machine) { m.remove("initdb") }, []string{"initdb and postgres are missing", "sudo apt install postgresql"}},
		"no Postgres": {func(m *machine) { m.remove("postgres") }, []string{"initdb and postgres are missing"}},
		"old Postgres": {func(m *machine) { m.program("postgres", "echo 'postgres (PostgreSQL) 13.9'") },
			[]string{"15 or newer", "version 13 is installed"}},
		"Fedora": {func(m *machine) { m.remove("npm"); m.remove("initdb"); m.distribution(fedora) },
			[]string{"sudo dnf install nodejs", "sudo dnf install postgresql-server"}},
		"macOS": {func(m *machine) { m.remove("go"); m.remove("initdb"); m.program("uname", "echo Darwin") },
			[]string{"brew install go", "brew install postgresql"}},
		"Ubuntu":  {func(m *machine) { m.remove("initdb"); m.distribution("ID=ubuntu\nID_LIKE=\"debian\"\n") }, []string{"sudo apt install postgresql"}},
		"another": {func(m *machine) { m.remove("initdb"); m.distribution("ID=void\n") }, []string{"XBOT_POSTGRES_BIN names"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := complete(t)
			c.change(m)
			out, err := m.command("check-prerequisites").CombinedOutput()
			require.Error(t, err)
			for _, part := range c.want {
				require.Contains(t, string(out), part)
			}
		})
	}
}

func (m *machine) remove(name string) { require.NoError(m.t, os.Remove(filepath.Join(m.dir, name))) }

func TestPrerequisites_AnOlderGoThatDownloadsTheNewerOneIsAccepted(t *testing.T) {
	m := complete(t)
	m.program("go", `case "$2" in GOVERSION) echo go1.24.4;; GOTOOLCHAIN) echo auto;; esac`)
	out, err := m.command("check-prerequisites").CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestPrerequisites_OnlyTheNamedOnesAreChecked(t *testing.T) {
	m := complete(t)
	m.remove("initdb")
	out, err := m.command("check-prerequisites", "go", "node").CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestPrerequisites_PostgresIsSoughtWhereXbotSeeksIt compares the folders of the script with those of the product.
func TestPrerequisites_PostgresIsSoughtWhereXbotSeeksIt(t *testing.T) {
	script, err := os.ReadFile("check-prerequisites")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(script), "postgres_folders=(\n")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n)")
	require.Equal(t, productFolders(t), strings.Fields(strings.NewReplacer("\t", " ", `"`, "").Replace(list)))
}

// productFolders returns the value of folders in internal/host/localstack/pgserver.
func productFolders(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../internal/host/localstack/pgserver/binaries.go", nil, 0)
	require.NoError(t, err)
	var folders []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != "folders" {
			return true
		}
		for _, value := range spec.Values[0].(*ast.CompositeLit).Elts {
			text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
			require.NoError(t, err)
			folders = append(folders, text)
		}
		return false
	})
	require.NotEmpty(t, folders)
	return folders
}

func TestBuild_ShowsHowManyPackagesAreCompiled(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, "PROGRESS_SECONDS=0")
	// The build ends when the total has been shown, after two minutes at most.
	m.program("go", `cd "${0%/*}"
if [ "$1" = list ]; then printf 'a\nb\nc/d\n'; exit; fi
printf 'go: downloading example.org/a v1.0.0\na\nb\n' >&2
i=0; until grep -q '2 of 3 packages compiled' out || [ $i = 1200 ]; do i=$((i+1)); sleep 0.1; done
echo c/d >&2`)
	out, err := os.Create(filepath.Join(m.dir, "out"))
	require.NoError(t, err)
	defer out.Close()
	build := m.command("go-build", m.dir+"/bin/", "-s -w", "./cmd/a")
	build.Stdout = out
	require.NoError(t, build.Run())
	shown, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	require.Contains(t, string(shown), "2 of 3 packages compiled")
	require.Regexp(t, `\n  3 packages compiled, \d+ s\n$`, string(shown))
}

func TestBuild_OfCachedPackagesPrintsNothing(t *testing.T) {
	m := newMachine(t)
	m.program("go", "")
	out, err := m.command("go-build", m.dir+"/bin/", "", "./cmd/a").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out))
}

func TestBuild_ThatFailsPrintsTheErrorsOnly(t *testing.T) {
	m := newMachine(t)
	m.program("go", `printf 'example.org/a/b\n# xbot/server\nserver/serve.go:12:2: undefined: x\n' >&2; exit 1`)
	out, err := m.command("go-build", m.dir+"/bin/", "", "./cmd/a").CombinedOutput()
	require.Error(t, err)
	require.Equal(t, "# xbot/server\nserver/serve.go:12:2: undefined: x\n", string(out))
}

// TestFreshClone_MeasuresBothCommands runs the script in a small repository, with a make that prints what the real one prints.
func TestFreshClone_MeasuresBothCommands(t *testing.T) {
	for name, c := range map[string]struct {
		run  string // what make run does
		want string // in what the script prints; empty for a failure
	}{
		"server": {`echo 'Building xbot, xbot-cli and xbot-runner (1)'; echo 'Starting xbot'; mkdir -p "$XBOT_HOME/run"; echo $$ >"$XBOT_HOME/run/serve.lock"
echo 'xbot      http://127.0.0.1:8080/login#token=x   (sign in once with this link)'; echo "data      $XBOT_HOME"; exec sleep 600`, "| make run, until the link | "},
		"no server": {"echo 'Building xbot, xbot-cli'; exit 2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			for _, tool := range []string{"git", "chmod", "mkfifo", "date", "nproc", "du", "cut"} {
				path, err := exec.LookPath(tool)
				require.NoError(t, err)
				require.NoError(t, os.Symlink(path, filepath.Join(m.dir, tool)))
			}
			m.program("make", `cd "$2" && [ -e README.md ] && [ "$(basename "$GOCACHE")" = go-build ] || exit 3
mkdir -p "$GOCACHE" "$GOMODCACHE" "$npm_config_cache"
[ "$3" = test ] && exit
`+c.run)
			repository := filepath.Join(m.dir, "repository")
			require.NoError(t, os.MkdirAll(filepath.Join(repository, "scripts"), 0o755))
			script, err := os.ReadFile("fresh-clone")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(repository, "scripts", "fresh-clone"), script, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(repository, "README.md"), []byte("# x\nIt takes long. <!-- times -->\nMore.\n"), 0o644))
			for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"}} {
				out, err := exec.Command("git", append([]string{"-C", repository}, args...)...).CombinedOutput()
				require.NoError(t, err, string(out))
			}
			out, err := m.command(filepath.Join(repository, "scripts", "fresh-clone"), "--write").CombinedOutput()
			left, globErr := filepath.Glob(filepath.Join(m.dir, "fresh-clone.*"))
			require.NoError(t, globErr)
			require.Empty(t, left)
			if c.want == "" {
				require.Error(t, err)
				require.Contains(t, string(out), "without a link")
				return
			}
			require.NoError(t, err, string(out))
			for _, part := range []string{c.want, "| page and xbot-temporal | ", "| make test | ", "| Go's build cache after make test | ", "empty caches"} {
				require.Contains(t, string(out), part)
			}
			readme, err := os.ReadFile(filepath.Join(repository, "README.md"))
			require.NoError(t, err)
			require.Regexp(t, "^# x\nThe first `make run` takes \\d+ minutes on \\d+ cores, .* <!-- times -->\nMore.\n$", string(readme))
		})
	}
}
