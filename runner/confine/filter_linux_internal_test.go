//go:build linux

package confine

import (
	_ "embed"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// judged is what a filter answers to a call.
func judged(t *testing.T, r rules, arch uint32, number int, args ...uint64) uint32 {
	t.Helper()
	vm, err := bpf.NewVM(r.filter())
	require.NoError(t, err)
	data := make([]byte, 64) // the machine of these tests reads in the order of networks
	binary.BigEndian.PutUint32(data[dataNumber:], uint32(number))
	binary.BigEndian.PutUint32(data[dataArch:], arch)
	for i, arg := range args {
		binary.BigEndian.PutUint32(data[dataArgs+8*i:], uint32(arg))
		binary.BigEndian.PutUint32(data[dataArgs+8*i+4:], uint32(arg>>32))
	}
	got, err := vm.Run(data)
	require.NoError(t, err)
	return uint32(got)
}

func TestFilter_FitsTheKernel(t *testing.T) {
	raw, err := bpf.Assemble(rules{asks: true}.filter())
	require.NoError(t, err)
	require.Less(t, len(raw), 4096)
}

func TestFilter_RefusesForeignCalls(t *testing.T) {
	for _, arch := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, unix.AUDIT_ARCH_RISCV64, 0} {
		require.Equal(t, uint32(killCall), judged(t, rules{}, arch, unix.SYS_GETPID))
	}
	require.Equal(t, uint32(noCall), judged(t, rules{}, nativeArch, 0x40000000+unix.SYS_GETPID))
	require.Equal(t, uint32(noCall), judged(t, rules{}, nativeArch, -1))
}

func TestFilter_AnswersByArguments(t *testing.T) {
	const other, self, all = 1234, 0, 0xffffffff
	scoped := rules{asks: true, inside: true, scoped: true, shares: true}
	unscoped := rules{asks: true}
	alone := rules{asks: true, files: askCall, cuts: true}
	for _, c := range []struct {
		name   string
		rules  rules
		want   uint32
		number int
		args   []uint64
	}{
		{"its own limits", scoped, allowCall, unix.SYS_PRLIMIT64, []uint64{self, 7, 1 << 40, 0}},
		{"limits of others are read", scoped, allowCall, unix.SYS_PRLIMIT64, []uint64{other, 7, 0, 5}},
		{"limits of others are set", scoped, askCall, unix.SYS_PRLIMIT64, []uint64{other, 7, 8, 0}},
		{"a pointer beyond 4 GB", scoped, askCall, unix.SYS_PRLIMIT64, []uint64{other, 7, 1 << 40, 0}},
		{"nobody judges", rules{}, denyCall, unix.SYS_PRLIMIT64, []uint64{other, 7, 8, 0}},
		{"its own processors", scoped, allowCall, unix.SYS_SCHED_SETAFFINITY, []uint64{self}},
		{"others' processors", scoped, askCall, unix.SYS_SCHED_SETAFFINITY, []uint64{other}},
		{"others' processors unjudged", rules{}, denyCall, unix.SYS_SCHED_SETSCHEDULER, []uint64{other}},
		{"its own priority", scoped, allowCall, unix.SYS_SETPRIORITY, []uint64{0, self, 5}},
		{"another's priority", scoped, askCall, unix.SYS_SETPRIORITY, []uint64{0, other, 5}},
		{"its own group's priority", scoped, allowCall, unix.SYS_SETPRIORITY, []uint64{1, self, 5}},
		{"another group's priority", scoped, denyCall, unix.SYS_SETPRIORITY, []uint64{1, other, 5}},
		{"a user's priority", scoped, denyCall, unix.SYS_SETPRIORITY, []uint64{2, self, 5}},
		{"its own disk priority", scoped, allowCall, unix.SYS_IOPRIO_SET, []uint64{1, self, 5}},
		{"another's disk priority", scoped, askCall, unix.SYS_IOPRIO_SET, []uint64{1, other, 5}},
		{"a user's disk priority", scoped, denyCall, unix.SYS_IOPRIO_SET, []uint64{3, self, 5}},
		{"a thread", scoped, allowCall, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD}},
		{"a user namespace", scoped, denyCall, unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | 17}},
		{"separate files", scoped, allowCall, unix.SYS_UNSHARE, []uint64{unix.CLONE_FILES}},
		{"a user namespace by unshare", scoped, denyCall, unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWUSER}},
		{"clone3", scoped, noCall, unix.SYS_CLONE3, nil},
		{"debuggers within a domain", scoped, allowCall, unix.SYS_PTRACE, nil},
		{"debuggers without one", unscoped, denyCall, unix.SYS_PTRACE, nil},
		{"shared memory of its own", scoped, allowCall, unix.SYS_SHMGET, nil},
		{"shared memory of all", unscoped, denyCall, unix.SYS_SHMGET, nil},
		{"typing on a terminal", scoped, denyCall, unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}},
		{"the upper half is not looked at by the kernel either", scoped, denyCall, unix.SYS_IOCTL, []uint64{0, 1<<32 | unix.TIOCSTI}},
		{"the size of a terminal", scoped, allowCall, unix.SYS_IOCTL, []uint64{0, unix.TIOCGWINSZ}},
		{"a signal to its group", scoped, allowCall, unix.SYS_KILL, []uint64{self, 15}},
		{"a signal to another", scoped, askCall, unix.SYS_KILL, []uint64{other, 15}},
		{"a signal to another group", scoped, askCall, unix.SYS_KILL, []uint64{all - 1, 15}},
		{"a signal to all", scoped, allowCall, unix.SYS_KILL, []uint64{all, 15}},
		{"a signal to all where Landlock does not hold it", unscoped, denyCall, unix.SYS_KILL, []uint64{all, 15}},
		{"a signal to a thread where Landlock does not hold it", unscoped, askCall, unix.SYS_TGKILL, []uint64{other, other, 15}},
		{"Go's wake-up", unscoped, allowCall, unix.SYS_TGKILL, []uint64{other, other, uint64(unix.SIGURG)}},
		{"a signal by descriptor where Landlock does not hold it", unscoped, noCall, unix.SYS_PIDFD_SEND_SIGNAL, nil},
		{"its own descriptor's owner", unscoped, allowCall, unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN, self}},
		{"another owner of a descriptor", unscoped, askCall, unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN, other}},
		{"another owner unjudged", rules{}, denyCall, unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN, other}},
		{"an owner behind a pointer", unscoped, denyCall, unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN_EX, 1 << 40}},
		{"an owner of a socket", unscoped, denyCall, unix.SYS_IOCTL, []uint64{3, fioSetOwn, 1 << 40}},
		{"a group that owns a socket", unscoped, denyCall, unix.SYS_IOCTL, []uint64{3, siocSetGroup, 1 << 40}},
		{"an owner where Landlock holds its signals", scoped, allowCall, unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN, other}},
		{"a signal of a descriptor", unscoped, allowCall, unix.SYS_FCNTL, []uint64{3, unix.F_SETSIG, 9}},
		{"a queue of messages of its own", scoped, allowCall, unix.SYS_MQ_OPEN, nil},
		{"a queue of messages of all", unscoped, denyCall, unix.SYS_MQ_OPEN, nil},
		{"flags of a file", alone, noControl, unix.SYS_IOCTL, []uint64{3, unix.FS_IOC_SETFLAGS}},
		{"project of a file", alone, noControl, unix.SYS_IOCTL, []uint64{3, 0x401c5820}},
		{"encryption of a folder", alone, noControl, unix.SYS_IOCTL, []uint64{3, 0x800c6613}},
		{"protection of a file from changes", alone, noControl, unix.SYS_IOCTL, []uint64{3, 0x40806685}},
		{"a subvolume", alone, noControl, unix.SYS_IOCTL, []uint64{3, 0x5000940e}},
		{"attributes of FAT", alone, noControl, unix.SYS_IOCTL, []uint64{3, 0x40047211}},
		{"flags of a file are read", alone, allowCall, unix.SYS_IOCTL, []uint64{3, unix.FS_IOC_GETFLAGS}},
		{"a file is cloned", alone, allowCall, unix.SYS_IOCTL, []uint64{3, unix.FICLONE}},
		{"the size of a terminal without mounts", alone, allowCall, unix.SYS_IOCTL, []uint64{0, unix.TIOCGWINSZ}},
		{"flags of a file where mounts hold them", scoped, allowCall, unix.SYS_IOCTL, []uint64{3, unix.FS_IOC_SETFLAGS}},
		{"a mode where nobody listens", alone.unheard(), denyCall, unix.SYS_FCHMODAT, nil},
		{"a file is opened to be read", alone, allowCall, unix.SYS_OPENAT, []uint64{3, 0, unix.O_RDONLY | unix.O_CLOEXEC}},
		{"a file is opened to be written and shortened", alone, allowCall, unix.SYS_OPENAT, []uint64{3, 0, unix.O_WRONLY | unix.O_TRUNC}},
		{"a file is opened to be both and shortened", alone, allowCall, unix.SYS_OPENAT, []uint64{3, 0, unix.O_RDWR | unix.O_TRUNC | unix.O_CREAT}},
		{"a file is opened to be read and shortened", alone, denyCall, unix.SYS_OPENAT, []uint64{3, 0, unix.O_RDONLY | unix.O_TRUNC}},
		{"a file is opened for neither and shortened", alone, denyCall, unix.SYS_OPENAT, []uint64{3, 0, unix.O_ACCMODE | unix.O_TRUNC}},
		{"the same where Landlock holds it", rules{files: askCall}, allowCall, unix.SYS_OPENAT, []uint64{3, 0, unix.O_RDONLY | unix.O_TRUNC}},
		{"a call of a newer kernel", scoped, noCall, lastCall + 1, nil},
		{"mounting", scoped, denyCall, unix.SYS_MOUNT, nil},
		{"reading", scoped, allowCall, unix.SYS_READ, nil},
	} {
		require.Equal(t, c.want, judged(t, c.rules, nativeArch, c.number, c.args...), c.name)
	}
}

// calls are the system calls of an architecture, by name.
func calls(t *testing.T, arch string) map[string]int {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Skip("NOT RUN: the source of golang.org/x/sys cannot be found: " + err.Error())
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+arch+".go"))
	require.NoError(t, err)
	out := map[string]int{}
	for _, found := range regexp.MustCompile(`SYS_(\w+)\s+= (\d+)`).FindAllStringSubmatch(string(source), -1) {
		out[found[1]], err = strconv.Atoi(found[2])
		require.NoError(t, err)
	}
	return out
}

//go:embed testdata/calls.txt
var decided string

// TestFilter_DecidesAboutEveryCallOfTheKernel compares testdata/calls.txt with the calls that golang.org/x/sys knows, and with what the filter does.
func TestFilter_DecidesAboutEveryCallOfTheKernel(t *testing.T) {
	decisions := map[string]string{}
	for line := range strings.Lines(decided) {
		if name, decision, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			decisions[name] = decision
		}
	}
	const other = 1234
	everything, nothing := rules{asks: true, inside: true, scoped: true, shares: true}, rules{asks: true, files: askCall, cuts: true}
	last := 0
	for _, arch := range []string{"amd64", "arm64"} {
		for name, number := range calls(t, arch) {
			last = max(last, number)
			decision := decisions[name]
			require.NotEmpty(t, decision, "decide about %s in testdata/calls.txt", name)
			if arch != runtime.GOARCH || name == "ARCH_SPECIFIC_SYSCALL" {
				continue
			}
			with := judged(t, everything, nativeArch, number, other, other, other)
			without := judged(t, nothing, nativeArch, number, other, other, other)
			switch decision {
			case "own":
				require.Equal(t, []uint32{allowCall, allowCall}, []uint32{with, without}, name)
			case "refused":
				require.NotEqual(t, uint32(allowCall), with, name)
				require.NotEqual(t, uint32(allowCall), without, name)
			case "domain", "shared":
				require.Equal(t, []uint32{allowCall, denyCall}, []uint32{with, without}, name)
			case "limits":
				require.Contains(t, []uint32{denyCall, askCall}, with, name)
				require.Contains(t, []uint32{denyCall, askCall}, without, name)
			case "files":
				require.Equal(t, uint32(allowCall), with, name)
				require.Contains(t, []uint32{askCall, noCall}, without, name)
				require.NotContains(t, []uint32{askCall, allowCall}, judged(t, nothing.unheard(), nativeArch, number), "%s where nobody listens", name)
				require.Equal(t, without == askCall, changesFile(number), "%s is carried out", name)
			case "signals":
				require.NotEqual(t, uint32(allowCall), without, name)
			default:
				require.Equal(t, "arguments", decision, name)
			}
		}
	}
	require.Equal(t, lastCall, last, "a newer call is known: decide about it, and raise lastCall")
}
