// Package confine starts commands, and keeps folders out of their sight: those that hold the product's keys,
// certificates and sockets. Everything else stays as it is.
//
// On Linux the command runs in a mount namespace of its own, in which an empty file system covers each folder. Root
// gets that directly; another user through a user namespace, in which set-user-id programs such as sudo do not work.
// A Landlock domain that forbids nothing else keeps the command from taking the cover away and from looking through
// /proc into processes outside. This is a wall against curiosity and against instructions planted in what the model
// reads. It is not a jail: root can still reach a disk by its device, and on new kernels read the environment of other
// processes, which therefore is no place for secrets where commands run as root.
package confine

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Method is how folders are hidden. The empty one hides nothing.
type Method string

// The methods.
const (
	None  Method = ""
	Mount Method = "mount namespace"          // the thread that starts the command enters it
	User  Method = "user and mount namespace" // the program executes itself in it, before the command (Main)
)

// The first arguments of the program when it is to do a part of the work (Main).
const (
	shellVerb = "confined-shell" // covers folders in its namespace and executes a shell
	probeVerb = "confine-probe"  // tries a method
)

// failed is the exit code when a folder cannot be covered: then the command is not executed.
const failed = 126

// probeTime bounds one try of a method.
const probeTime = 10 * time.Second

// Command is what a shell is to execute, in a process group of its own.
type Command struct {
	Text   string
	Dir    string
	Env    []string // complete
	Input  uintptr  // descriptor
	Output uintptr  // descriptor, for stdout
	Errors uintptr  // descriptor, for stderr; may be the same
	Hide   []string
}

// Start starts a command in a goroutine that keeps its thread: where the system can do it, the command dies with that
// thread, and so with this process.
func Start(method Method, c Command) (pid int, err error) {
	started := make(chan struct{})
	go func() {
		// The thread may have entered a namespace, so it serves nothing else: it waits, or ends with the goroutine.
		runtime.LockOSThread()
		pid, err = start(method, c)
		close(started)
		if err == nil {
			select {}
		}
	}()
	<-started
	return pid, err
}

// shell is how an unconfined command is executed.
func shell(c Command) (path string, argv []string, attr *syscall.ProcAttr) {
	return "/bin/sh", []string{"sh", "-c", c.Text}, &syscall.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: []uintptr{c.Input, c.Output, c.Errors}, Sys: &syscall.SysProcAttr{Setpgid: true},
	}
}

// IsVerb reports whether the program was started for Main.
func IsVerb(args []string) bool {
	return len(args) > 1 && (args[1] == shellVerb || args[1] == probeVerb)
}

// Main does what the arguments of the process, program name included, ask for, and returns the exit code. It must be
// called first thing in the process.
func Main(args []string) int {
	if args[1] == probeVerb {
		return probe(args[2:])
	}
	return confinedShell(args[2:])
}

// Find tries the methods, each in a process of its own, and returns the first that hides the folders indeed: witness,
// a file in one of them, must not be there for a command. Without any it says why.
func Find(hide []string, witness string) (Method, error) {
	var reasons []string
	for _, method := range methods() {
		cmd := exec.Command(self(), append([]string{probeVerb, string(method), witness}, hide...)...)
		cmd.Env, cmd.Dir = []string{}, "/"
		out, err := cmd.CombinedOutput()
		if err == nil {
			return method, nil
		}
		reasons = append(reasons, fmt.Sprintf("%s: %s", method, cmp.Or(strings.TrimSpace(string(out)), err.Error())))
	}
	if len(reasons) == 0 {
		return None, errors.New("this system has no way to hide folders from commands")
	}
	return None, errors.New(strings.Join(reasons, "; "))
}

// probe is Find's other process. Its arguments are a method, the witness and the folders.
func probe(args []string) int {
	if len(args) < 2 {
		fmt.Fprintf(os.Stderr, "usage: xbot-runner %s METHOD WITNESS FOLDER...\n", probeVerb)
		return failed
	}
	if err := try(Method(args[0]), args[2:], args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// try starts a command that looks for the witness.
func try(method Method, hide []string, witness string) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	out, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = Start(method, Command{
		Text: `test -e "$XBOT_WITNESS" || echo hidden`, Dir: "/", Env: []string{"XBOT_WITNESS=" + witness},
		Input: null.Fd(), Output: end.Fd(), Errors: end.Fd(), Hide: hide,
	})
	if err = errors.Join(err, end.Close()); err != nil {
		return err
	}
	if err := out.SetReadDeadline(time.Now().Add(probeTime)); err != nil {
		return err
	}
	said, err := io.ReadAll(out)
	if err != nil {
		return err
	}
	switch text := strings.TrimSpace(string(said)); text {
	case "hidden":
		return nil
	case "":
		return errors.New("the folder stayed visible")
	default:
		return errors.New(text)
	}
}
