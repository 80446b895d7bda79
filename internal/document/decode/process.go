package decode

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"xbot/internal/fault"
)

const (
	// afterKill bounds the wait for a killed process.
	afterKill = 5 * time.Second
	// maxWords bounds the kept part of the process's stderr, in bytes.
	maxWords = 4 << 10
)

// environment is that of a process: no settings, no keys. The process is short-lived, so little garbage is collected; one line of a crash is enough.
var environment = []string{"GOGC=400", "GOMAXPROCS=2", "GOTRACEBACK=none"}

// process decodes one file.
type process struct {
	name, what string
	Limits
}

// run starts the process, sends it the request and the file, and returns its answer.
func (p process) run(ctx context.Context, head, file []byte) ([]byte, error) {
	self, err := program()
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "find the program that decodes: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, p.Time)
	defer cancel()
	out, words := &boundedBuffer{left: p.Answer, full: cancel}, &boundedBuffer{left: maxWords}
	cmd := exec.CommandContext(limited, self, Command, p.name)
	cmd.Dir, cmd.Env, cmd.WaitDelay = "/", environment, afterKill
	cmd.Stdout, cmd.Stderr = out, words
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C in a terminal goes to the server only, which ends the process
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "start the process that decodes %s: %w", p.what, err)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, err := in.Write(head)
		if err == nil {
			_, err = in.Write(file)
		}
		_ = err // a process that does not read has ended; Wait returns why
	}()
	err = cmd.Wait() // which closes its input
	<-sent
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case out.left < 0:
		return nil, fault.Errorf(fault.Invalid, "%s has too much in it; ask for less, or send a smaller one", p.what)
	case err != nil:
		return nil, p.ended(cmd.ProcessState, limited.Err() != nil, err, words.kept.String())
	}
	return out.kept.Bytes(), nil
}

// ended returns the error of a process without an answer, from its exit status and its stderr.
func (p process) ended(state *os.ProcessState, late bool, err error, words string) error {
	used := state.UserTime() + state.SystemTime()
	status, _ := state.Sys().(syscall.WaitStatus)
	killed := status.Signaled() && status.Signal() == syscall.SIGKILL
	switch {
	case late && used < p.CPU/2:
		return fault.Errorf(fault.Unavailable, "%s was not decoded within %s; try again when less runs on this machine", p.what, p.Time)
	case late, killed && used >= p.CPU:
		return fault.Errorf(fault.Invalid, "%s takes more than %s to decode; send a smaller one", p.what, p.CPU)
	case killed, lacksMemory(words):
		return fault.Errorf(fault.TooLarge, "%s takes more memory than %d MB to decode; send a smaller one", p.what, p.Memory>>20)
	case anyIn(words, "stack overflow", "stack exceeds"):
		return fault.Errorf(fault.Invalid, "%s is nested too deeply to be decoded", p.what)
	}
	first, _, _ := strings.Cut(words, "\n")
	return fault.Errorf(fault.Invalid, "%s cannot be read: its decoder failed (%w) %s", p.what, err, sentence(first))
}

// lacksMemory reports whether a process wrote that it could not allocate. The C library writes that it has no memory for a thread, or does not check
// for it, which ends in a segmentation fault outside of Go code.
func lacksMemory(words string) bool {
	return anyIn(words, "out of memory", "cannot allocate", "errno=12", "newosproc", "pthread_create failed") || strings.HasPrefix(words, "SIGSEGV")
}

func anyIn(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// program returns the path of the running program, also after its file was replaced.
func program() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// boundedBuffer keeps a number of bytes, calls full at the first byte beyond, and refuses the rest. Its buffer is not embedded: io.Copy would prefer its
// ReadFrom to Write.
type boundedBuffer struct {
	kept bytes.Buffer
	left int
	full context.CancelFunc // nil: not called
}

var errFull = errors.New("the answer is too long")

// Write keeps a part.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), max(b.left, 0))
	b.kept.Write(p[:n])
	if b.left -= len(p); b.left >= 0 {
		return n, nil
	}
	if b.full != nil {
		b.full()
	}
	return n, errFull
}
