package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm/llmtest"
)

// TestDocs_CommandsDoWhatThePagesShow runs every command of these pages, in a shell, from the first to the last, and compares
// what it prints with what the page says.
func TestDocs_CommandsDoWhatThePagesShow(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{ // what is typed before, where the page takes for granted that a server runs
		"README.md": "", "docs/quickstart.md": "", "docs/guide/http.md": "xbot version", "docs/operate/backup.md": "xbot-cli -p 'say hello'",
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			w := newWalk(t)
			if !strings.Contains(w.page(name), "$ git clone ") {
				w.checkOut()
			}
			if before != "" {
				w.serve("xbot serve", "...\n")
				w.typed(before)
			}
			for _, c := range commandsOf(w.page(name)) {
				w.do(c)
			}
		})
	}
}

// shown is a command of a page, and what the page says that it prints.
type shown struct{ command, output string }

// commandsOf reads the blocks of a console: lines that begin with "$ ", those that go on with "> ", and what is printed.
func commandsOf(page string) []shown {
	var found []shown
	for _, block := range regexp.MustCompile("(?ms)^```console\n(.*?)^```").FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			switch last := len(found) - 1; {
			case strings.HasPrefix(line, "$ "):
				found = append(found, shown{command: line[2:]})
			case strings.HasPrefix(line, "> "):
				found[last].command += line[2:]
			default:
				found[last].output += line
			}
		}
	}
	return found
}

// walk is somebody who does what a page says, with a home folder of their own.
type walk struct {
	t       *testing.T
	home    string
	address string
	env     []string
	names   *strings.Replacer // what a page writes, and what it is here
	in      io.Writer         // of the shell
	out     *bufio.Reader
	server  *exec.Cmd // the newest one
	printed *output   // by it
	ended   chan struct{}
}

// addressOfPages is the repository in the pages.
const addressOfPages = "https://git.example.org/xbot.git"

func newWalk(t *testing.T) *walk {
	home, err := os.MkdirTemp("", "xw")
	require.NoError(t, err)
	w := &walk{t: t, home: home, address: freeAddress(t)}
	model := llmtest.New(t)
	model.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: "pong"} })
	w.names = strings.NewReplacer("127.0.0.1:8080", w.address, "/home/you", home, `"api_key": "sk-..."`, `"api_key": "sk-test", "base_url": "`+model.BaseURL()+`"`)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	tools := filepath.Join(home, "tools")
	require.NoError(t, os.Mkdir(tools, 0o755))
	realMake, err := exec.LookPath("make")
	require.NoError(t, err)
	// What is tested is built already: "make run" builds nothing, and "make test" only says what it would do.
	wrapper := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = test ]; then set -- --dry-run test; fi\nexec %s --old-file=build \"$@\"\n", realMake)
	require.NoError(t, os.WriteFile(filepath.Join(tools, "make"), []byte(wrapper), 0o755))
	path := []string{tools, bin, os.Getenv("PATH")}
	servers, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	require.NoError(t, err)
	w.env = []string{
		"HOME=" + home, "XBOT_HTTP_ADDR=" + w.address, "PATH=" + strings.Join(append(path, servers...), ":"), "LANG=C.UTF-8", "PAGER=cat",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=url." + root + ".insteadOf", "GIT_CONFIG_VALUE_0=" + addressOfPages,
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*",
	}
	t.Cleanup(w.leave)
	w.open()
	return w
}

// page is what a page says.
func (w *walk) page(name string) string {
	text, err := os.ReadFile(filepath.Join("..", name))
	require.NoError(w.t, err)
	return string(text)
}

// open starts the shell in which all commands of a page are typed.
func (w *walk) open() {
	shell := exec.Command("bash", "--noprofile", "--norc")
	shell.Dir, shell.Env = w.home, w.env
	in, err := shell.StdinPipe()
	require.NoError(w.t, err)
	out, to := io.Pipe()
	shell.Stdout, shell.Stderr = to, to
	require.NoError(w.t, shell.Start())
	w.in, w.out = in, bufio.NewReader(out)
	w.t.Cleanup(func() {
		_ = shell.Process.Kill() // what it started in the background ends with its server
		_ = out.Close()
	})
}

// done ends the output of a command, with its exit status.
const done = "--- done "

// typed runs a command in the shell and returns what it printed.
func (w *walk) typed(command string) string {
	w.t.Helper()
	_, err := fmt.Fprintf(w.in, "{ %s\n} </dev/null\necho; echo '%s'$?\n", strings.TrimRight(command, "\n"), done)
	require.NoError(w.t, err)
	var printed strings.Builder
	for {
		line, err := w.out.ReadString('\n')
		require.NoError(w.t, err, "after %s: %s", command, &printed)
		if status, ended := strings.CutPrefix(line, done); ended {
			require.Equal(w.t, "0\n", status, "%s printed:\n%s", command, &printed)
			return strings.TrimSuffix(printed.String(), "\n")
		}
		printed.WriteString(line)
	}
}

// checkOut is where somebody is who reads a page of the repository.
func (w *walk) checkOut() { w.typed("git clone --quiet " + addressOfPages + " xbot && cd xbot") }

// do does what a page shows.
func (w *walk) do(c shown) {
	w.t.Helper()
	command, _, _ := strings.Cut(w.names.Replace(c.command), "     #")
	if strings.HasSuffix(strings.TrimSpace(command), "make run") || strings.HasSuffix(strings.TrimSpace(command), "xbot serve") {
		output, interrupted := strings.CutSuffix(c.output, "^C\n")
		w.serve(strings.TrimSpace(command), w.names.Replace(output))
		if interrupted {
			w.interrupt()
		}
		return
	}
	require.Regexp(w.t, pattern(w.names.Replace(c.output)), w.typed(command), "%s", command)
}

// pattern is what an output has to look like: "..." stands for anything, on a line of its own for any lines.
func pattern(output string) string {
	var b strings.Builder
	b.WriteString("^")
	for line := range strings.Lines(output) {
		if strings.TrimSpace(line) == "..." {
			b.WriteString(`(?s:.*)`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, "\n")), `\.\.\.`, ".*") + `\s*\n?`)
	}
	b.WriteString(`\s*$`)
	return b.String()
}

// serve starts a server as in another terminal, and waits until it has printed what the page shows. One that ran there before has
// been killed, or is interrupted now, as the page says in words.
func (w *walk) serve(command, says string) {
	w.t.Helper()
	w.interrupt()
	dir := strings.TrimSpace(w.typed("[ -e .bin ] || ln -s " + bin + " .bin; pwd"))
	w.printed, w.ended = &output{}, make(chan struct{})
	w.server = exec.Command("bash", "-c", command)
	w.server.Dir, w.server.Env = dir, w.env
	w.server.Stdout, w.server.Stderr = w.printed, w.printed
	w.server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(w.t, w.server.Start())
	go func(server *exec.Cmd, ended chan struct{}) {
		_ = server.Wait() // how it ends is seen by those who end it
		close(ended)
	}(w.server, w.ended)
	expected := regexp.MustCompile(pattern(says))
	require.Eventually(w.t, func() bool { return expected.MatchString(w.printed.String()) }, startLimit, 50*time.Millisecond,
		"%s printed:\n%s\nThe page says:\n%s", command, w.printed, says)
	require.Eventually(w.t, func() bool {
		answer, err := http.Get("http://" + w.address + "/readyz")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, startLimit, 50*time.Millisecond)
}

// interrupt ends the server as Ctrl-C does, if one runs.
func (w *walk) interrupt() {
	if w.server == nil {
		return
	}
	_ = syscall.Kill(-w.server.Process.Pid, syscall.SIGINT) // it may have been killed
	<-w.ended
	w.server = nil
}

// leave ends what was started and removes what was written.
func (w *walk) leave() {
	if w.t.Failed() && w.printed != nil {
		w.t.Logf("the server printed:\n%s", w.printed)
	}
	w.interrupt()
	for _, pid := range find(w.t, w.home) { // of a server that was killed and not started again
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	require.Eventually(w.t, func() bool { return os.RemoveAll(w.home) == nil }, 20*time.Second, 100*time.Millisecond)
}
