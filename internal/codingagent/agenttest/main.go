package agenttest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// signal is a request of an agent's client.
type signal struct {
	kind    string // prompt, steer, interrupt, answer
	text    string
	seen    []string // the pictures with it
	id      string   // of the request that is answered
	yes     bool
	replies []string
}

// voice writes one protocol.
type voice interface {
	text(id string, pieces []string, whole string)
	thought(text string)
	work(w work)
	askApproval(id string, w work)
	askQuestion(id, text string, options []string)
	junk(id string)
	end(outcome, why string)
}

// work is an action of the agent.
type work struct {
	id, kind, title, output string // kind: command or file
	done, failed            bool
}

// stage is the state that all protocols share.
type stage struct {
	signals chan signal // closed when the client leaves
	mu      sync.Mutex  // guards out and running
	out     io.Writer
	running bool
	session string
}

func (s *stage) write(value any) {
	line, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.Write(append(line, '\n')) // the client may be gone
}

// begin takes a message as the prompt of a turn, or as a steer of the one that runs.
func (s *stage) begin(parts []part) bool {
	s.mu.Lock()
	steers := s.running
	s.running = true
	s.mu.Unlock()
	kind := "prompt"
	if steers {
		kind = "steer"
	}
	text, seen := said(parts)
	s.signals <- signal{kind: kind, text: text, seen: seen}
	return steers
}

func (s *stage) runs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

func (s *stage) rest() {
	s.mu.Lock()
	s.running = false
	s.mu.Unlock()
}

// Main plays the agent whose name the program was started with, until its input ends, and returns its exit code.
func Main(args []string, stdin io.Reader, stdout io.Writer) int {
	name := filepath.Base(args[0])
	if code, ok := check(name, args[1:], stdout); ok {
		return code
	}
	s := &stage{signals: make(chan signal, 100), out: stdout}
	var v voice
	var take func(line []byte)
	switch name {
	case "codex":
		c := &codex{stage: s}
		v, take = c, c.take
	case "claude":
		c := newClaude(s, args)
		if c.lacks(args) {
			return 1
		}
		v, take = c, c.take
	case "kimi":
		k := &kimi{stage: s}
		s.session = flagOf(args, "--session")
		v, take = k, k.take
	case "opencode":
		return serveOpencode(s, args)
	default:
		_, _ = fmt.Fprintln(stdout, "start me as codex, claude, kimi or opencode")
		return 2
	}
	go func() {
		defer close(s.signals)
		lines := bufio.NewScanner(stdin)
		lines.Buffer(nil, 10<<20)
		for lines.Scan() {
			take(lines.Bytes())
		}
	}()
	play(s, v)
	return 0
}

// check answers the commands that ask for the log-in.
func check(name string, args []string, out io.Writer) (int, bool) {
	in := !loggedOut()
	code := 1
	if in {
		code = 0
	}
	switch name + " " + strings.Join(args, " ") {
	case "codex login status":
		_, _ = fmt.Fprintln(out, map[bool]string{true: "Logged in using ChatGPT", false: "Not logged in"}[in])
	case "claude auth status --json":
		_, _ = fmt.Fprintf(out, "{\"loggedIn\": %v}\n", in)
	case "kimi --version":
		_, _ = fmt.Fprintln(out, "kimi, version 1.40.0")
		return 0, true
	case "opencode auth list":
		_, _ = fmt.Fprintf(out, "┌  Credentials ~/.local/share/opencode/auth.json\n└  %d credentials\n", map[bool]int{true: 1}[in])
		return 0, true
	default:
		return 0, false
	}
	return code, true
}

func home() string { return cmp.Or(os.Getenv("XBOT_FAKE_AGENT_HOME"), ".fakeagent") }

func loggedOut() bool {
	_, err := os.Stat(filepath.Join(home(), "logged-out"))
	return err == nil || os.Getenv("XBOT_FAKE_AGENT_LOGGED_OUT") != ""
}

// hears ends the process if it is to end before it takes its input.
func hears() {
	if os.Remove(filepath.Join(home(), "deaf")) == nil {
		os.Exit(9)
	}
}

// flagOf returns the value of a flag of the form --name=value.
func flagOf(args []string, name string) string {
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
	}
	return ""
}

// earlier returns the texts of a conversation, and whether there is one.
func earlier(session string) ([]string, bool) {
	raw, err := os.ReadFile(filepath.Join(home(), filepath.Base(session)))
	if err != nil {
		return nil, false
	}
	var turns []string
	_ = json.Unmarshal(raw, &turns) // our own
	return turns, true
}

// keep stores the texts of a conversation. A kill leaves the old file, or the new one.
func keep(session string, turns []string) {
	raw, err := json.Marshal(turns)
	if err == nil {
		err = os.MkdirAll(home(), 0o700)
	}
	name := filepath.Join(home(), filepath.Base(session))
	if err == nil {
		err = os.WriteFile(fmt.Sprint(name, ".", os.Getpid()), raw, 0o600)
	}
	if err == nil {
		err = os.Rename(fmt.Sprint(name, ".", os.Getpid()), name)
	}
	if err != nil {
		panic(err)
	}
}

// Given is what a client gave an agent to act on.
type Given struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
	Steer   bool   `json:"steer"`
	Text    string `json:"text"`
	// Pictures are the pictures it was shown: "image/png of 67 bytes".
	Pictures []string `json:"pictures,omitempty"`
}

// givenName is the file in which agents record their input, a line each.
const givenName = "given"

// given records the input that the agent is about to act on.
func given(session string, sig signal) {
	line, err := json.Marshal(Given{
		Agent: filepath.Base(os.Args[0]), Session: session, Steer: sig.kind == "steer", Text: sig.text, Pictures: sig.seen,
	})
	if err == nil {
		err = os.MkdirAll(home(), 0o700)
	}
	var file *os.File
	if err == nil {
		file, err = os.OpenFile(filepath.Join(home(), givenName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err == nil {
		_, err = file.Write(append(line, '\n')) // one write: agents that write at once do not mix
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		panic(err)
	}
}

// AllGiven returns the input of agents that store their conversations in a folder, in the order of their beginning.
func AllGiven(folder string) ([]Given, error) {
	data, err := os.ReadFile(filepath.Join(folder, givenName))
	var all []Given
	for line := range strings.Lines(string(data)) {
		var one Given
		if err == nil {
			err = json.Unmarshal([]byte(line), &one)
		}
		all = append(all, one)
	}
	return all, err
}
