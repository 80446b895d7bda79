// Package confine starts commands in a sandbox: they may change their own files, read most of the rest, and see nothing that gives power over the
// product or the machine.
//
// On Linux a command runs in a separate mount namespace. The hidden folders and the sockets of services such as
// container engines are covered, /dev holds nothing but harmless devices, and everything outside the writable folders is
// mounted read-only. Root gets the namespace directly and loses all but a few capabilities; another user gets it through
// a user namespace and has none. A Landlock domain enforces the same once more, and keeps the command from changing mounts
// and from looking into other processes. Programs gain no privileges when they are executed, so sudo does not work.
// If no namespace can be created, as inside most containers, a Landlock domain does it alone. A system call filter forbids what none of these does:
// other processes' limits and scheduling, new user namespaces, foreign system calls.
//
// The sandbox is built by a separate process that becomes the command (Main): it is in no domain until the sandbox is built, and
// nothing but the command ever is in the command's. What cannot be hidden for certain is not executed.
//
// It is a sandbox, not another machine. The kernel is shared, and so is the network, the list of processes, and everything the user may read outside
// the hidden folders. Where that is too much, a runner needs a separate container or machine.
package confine

import (
	"os"
	"runtime"
	"syscall"
)

// Method is how commands are confined. The empty one does not.
type Method string

// The methods.
const (
	None     Method = ""
	Mount    Method = "mount namespace"
	User     Method = "user and mount namespace"
	Landlock Method = "Landlock alone" // no namespace: hidden folders are there, and cannot be opened
)

// The first arguments of the program when it is to do a part of the work (Main).
const (
	shellVerb = "confined-shell" // builds the sandbox in its namespace and executes a shell
	probeVerb = "confine-probe"  // tries a method
)

// failed is the exit code when the sandbox cannot be built: then the command is not executed.
const failed = 126

// Policy defines the files that a command may see and change. Paths are absolute with links followed.
type Policy struct {
	Hide    []Hidden `json:"hide,omitempty"`    // what it must not see
	Sockets []string `json:"sockets,omitempty"` // of agents, hidden where there is a namespace; links are followed
	Write   []string `json:"write,omitempty"`   // folders that it may change; "/" leaves everything writable but /proc and /sys
	Limits  Limits   `json:"limits,omitzero"`
	Show    []string `json:"show,omitempty"`    // folders that it may read although they lie in hidden ones
	Offline bool     `json:"offline,omitempty"` // it may open no sockets: neither to the network nor to other programs of this machine
	IPC     bool     `json:"ipc,omitempty"`     // it may use System V shared memory also without a namespace: there is none of other programs
}

// Request is a call by which a process of a command reaches for another.
type Request struct {
	From   int            // the thread that calls
	Target int            // a process or a thread; a process group if negative
	Signal syscall.Signal // what it is to get; negative if its limits or its scheduling are to be changed, or if it is to own a descriptor
	Still  func() bool    // whether the call still waits; if not, its thread's number may be another's
}

// Judge decides about a request. With goOn the kernel and the policy decide; else the call returns err, and without one it has been carried out.
type Judge func(Request) (goOn bool, err error)

// Record records that a command starts, before its shell is executed and while its sandbox is built. After an error nothing is executed.
type Record interface {
	Start() error
}

// Command is a command for a shell, in a separate process group.
type Command struct {
	Text   string
	Dir    string
	Env    []string // complete
	Input  uintptr  // descriptor
	Output uintptr  // descriptor, for stdout
	Errors uintptr  // descriptor, for stderr; may be the same
	Judge  Judge    // nil: the command reaches for no process but its own
	Record Record   // nil: nothing records the start
	Policy
}

// Start starts a command in a goroutine that keeps its thread: where the system can do it, the command dies with that
// thread, and so with this process.
func Start(method Method, c Command) (pid int, err error) {
	started := make(chan struct{})
	go func() {
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

// recordStart records the start, if it is to be.
func (c Command) recordStart() error {
	if c.Record == nil {
		return nil
	}
	return c.Record.Start()
}

// shell returns how a command is executed.
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
	return confinedShell()
}

// self returns the running program.
func self() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe" // also after its file was replaced
	}
	return os.Args[0]
}
