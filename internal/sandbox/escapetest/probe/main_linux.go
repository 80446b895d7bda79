// Command probe makes attempts that a shell cannot. It exits with 0 where an attempt succeeds.
package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// patience bounds every wait.
const patience = 5 * time.Second

// attempts by their name, with the arguments that follow it.
var attempts = map[string]func(args []string) error{
	"unix":     func(args []string) error { return dial("unix", args[0]) },
	"abstract": func(args []string) error { return dial("unix", "@"+args[0]) },
	"tcp":      func(args []string) error { return dial("tcp", args[0]) },
	"http":     get,
	"tls":      handshake,
	"ptrace":   func(args []string) error { return ptrace(pid(args[0])) },
	"threads":  func(args []string) error { return anyThread(pid(args[0]), ptrace) },
	"other":    other,
	"each":     each,
	"without":  without,
	"vmread":   func(args []string) error { return vmread(pid(args[0])) },
	"getfd":    func(args []string) error { return getfd(pid(args[0])) },
	"setns":    setns,
	"mount":    func(args []string) error { return mount(args[0]) },
	"opentree": opentree,
	"chroot":   func(args []string) error { return unix.Chroot(args[0]) },
	"handle":   handle,
	"userns":   userns,
	"raw":      func([]string) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) },
	"packet":   func([]string) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) },
	"hostname": hostname,
	"module":   module,
	"syslog": func([]string) error {
		_, err := unix.Klogctl(unix.SYSLOG_ACTION_READ_ALL, make([]byte, 4096))
		return err
	},
	"bpf":    bpfMap,
	"change": func(args []string) error { return changes[args[0]](args[1]) },
	"race":   race,
}

func main() {
	runtime.LockOSThread() // tracing and namespaces belong to a thread
	debug.SetGCPercent(-1) // calls get addresses as numbers
	maps.Copy(attempts, common)
	if len(os.Args) < 2 || attempts[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: probe ATTEMPT ARGUMENT...")
		os.Exit(2)
	}
	if err := attempts[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func pid(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return n
}

func dial(network, address string) error {
	conn, err := net.DialTimeout(network, address, patience)
	if err != nil {
		return err
	}
	return conn.Close()
}

func get(args []string) error {
	client := http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(args[0])
	if err != nil {
		return err
	}
	defer resp.Body.Close() // nothing is read
	if resp.StatusCode >= http.StatusMultipleChoices {
		return errors.New(resp.Status)
	}
	return nil
}

// handshake succeeds when a server of HTTP/2 answers: one that wants a certificate refuses after the handshake.
func handshake(args []string) error {
	cfg := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}
	if len(args) == 3 {
		pair, err := tls.LoadX509KeyPair(args[1], args[2])
		if err != nil {
			return err
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: patience}, "tcp", args[0], cfg)
	if err != nil {
		return err
	}
	defer conn.Close() // nothing is left to say
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 9))
	return err
}

func ptrace(pid int) error {
	if err := unix.PtraceSeize(pid); err != nil {
		return err
	}
	return nil // the end of this process lets go of it
}

// anyThread makes an attempt at each thread of a process. One success is enough.
func anyThread(pid int, attempt func(thread int) error) error {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return err
	}
	all := errors.New("no thread")
	for _, entry := range entries {
		thread, err := strconv.Atoi(entry.Name())
		if err == nil {
			err = attempt(thread)
		}
		if err == nil {
			return nil
		}
		all = errors.Join(all, fmt.Errorf("thread %s: %w", entry.Name(), err))
	}
	return all
}

// vmread reads a byte that every process has: the kernel maps the stack's top at the address that its auxv ends at.
func vmread(pid int) error {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return err
	}
	var address uint64
	if _, err := fmt.Sscanf(string(maps), "%x-", &address); err != nil {
		return err
	}
	buf := make([]byte, 1)
	local := []unix.Iovec{{Base: &buf[0], Len: 1}}
	_, err = unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: uintptr(address), Len: 1}}, 0)
	return err
}

func getfd(pid int) error {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	fd, err := unix.PidfdGetfd(process, 0, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func setns(args []string) error {
	fd, err := unix.Open("/proc/"+args[0]+"/ns/uts", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Setns(fd, unix.CLONE_NEWUTS)
}

func mount(dir string) error {
	if err := unix.Mount("x", dir, "tmpfs", 0, ""); err != nil {
		return err
	}
	return unix.Unmount(dir, unix.MNT_DETACH)
}

func opentree(args []string) error {
	fd, err := unix.OpenTree(unix.AT_FDCWD, args[0], unix.OPEN_TREE_CLONE)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// handle opens a file past its path, by its number. A second argument is a place on the same file system, in whose stead
// "/" is taken.
func handle(args []string) error {
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, args[0], 0)
	if err != nil {
		return err
	}
	place := "/"
	if len(args) == 2 {
		place = args[1]
	}
	root, err := unix.Open(place, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	fd, err := unix.OpenByHandleAt(root, h, unix.O_RDONLY)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// userns makes a namespace in which everything is allowed, and uses it. A thread may do so only where the process has no
// other, so a child does.
func userns([]string) error {
	child, err := os.StartProcess("/proc/self/exe", []string{"probe", "mount", "/"}, &os.ProcAttr{
		Files: []*os.File{nil, nil, os.Stderr},
		Sys: &syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS, UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		},
	})
	if err != nil {
		return err
	}
	state, err := child.Wait()
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	return err
}

func socket(domain, kind, proto int) error {
	fd, err := unix.Socket(domain, kind, proto)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// hostname sets the name that there is.
func hostname([]string) error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	return unix.Sethostname([]byte(name))
}

// module loads nothing: the kernel complains of that only to those who may load something.
func module([]string) error {
	if err := unix.InitModule([]byte("x"), ""); errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		return err
	}
	return nil
}

// bpfMap makes a map of programs' data of a kind that is for the privileged.
func bpfMap([]string) error {
	const hashMap, create = 9, 0 // BPF_MAP_TYPE_LRU_HASH, BPF_MAP_CREATE
	attr := [4]uint32{hashMap, 4, 4, 1}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, create, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}
