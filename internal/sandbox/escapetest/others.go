package escapetest

import (
	"slices"
	"strings"
)

// Walls that an attempt may need to be refused. Where a kernel lacks one the attempt is left out, and counted.
const (
	namespaces = "namespaces" // folders are out of sight, not only shut
	domain     = "landlock"   // processes are kept apart
	scope      = "scope"      // and the signals and abstract sockets of Landlock, since Linux 6.12
)

// watched are processes that belong to others, the command's own shim among them.
var watched = []string{"$PPID", "@VICTIM@", "@SERVE@", "@RUNNER@", "@POSTGRES@", "@TEMPORAL@"}

// looks are attempts of the probe that look into a process, and sets those that act on it.
var (
	looks = []string{
		"ptrace", "vmread", "getfd", "mem", "memread", "environ", "maps", "auxv", "stack", "syscall", "cwd", "root", "exe", "fd", "fdinfo", "mapfiles", "ns",
		"kcmp", "robust", "perf", "core", "pages",
	}
	sets = []string{"prlimit", "affinity", "scheduler", "param", "attr", "nice", "ionice", "oom", "refs", "name", "coredump", "autogroup"}
	ways = []string{"kill", "tkill", "tgkill", "queue", "tgqueue", "pidfd"}
)

// threads are attempts at every thread of the processes that count, and of every other process that can be seen. What
// succeeds outside is tried there at one process of the same user only: the rest of the machine is none of a test's.
func threads() []Attempt {
	var out []Attempt
	for _, try := range slices.Concat(looks, sets, ways) {
		sound := `@PROBE@ other ` + try + ` @VICTIM@`
		for _, who := range watched {
			out = append(out, Attempt{Group: "threads", Try: `@PROBE@ other ` + try + ` ` + who, Sound: sound})
		}
		// Without Landlock a command of root may look into a process of root that is allowed no more than it is, whosever it is.
		out = append(out, Attempt{Group: "every process", Needs: domain, Try: `@PROBE@ each ` + try, Sound: sound})
	}
	for _, try := range []string{"cwd", "root", "environ", "mem", "ptrace", "fd"} { // root's commands may act as other users
		out = append(out, Attempt{
			Group: "threads", Needs: domain, Try: `setpriv --reuid $(stat -c %u /proc/@POSTGRES@) --clear-groups @PROBE@ other ` + try + ` @POSTGRES@`,
			Sound: `@PROBE@ other ` + try + ` @VICTIM@`,
		})
	}
	// A process that blocks all signals shows which of them were sent to it.
	for _, how := range []string{"setown", "setownex", "fiosetown", "siocspgrp"} {
		out = append(out, Attempt{Group: "signals", Try: "@PROBE@ other " + how + " @VICTIM@"})
	}
	return append(out, group("signals",
		`kill -0 $PPID`, `kill -CONT $PPID`, `kill -CONT -$PPID`, `@PROBE@ other group $PPID`, `prlimit --pid $PPID --nofile=1024:1024`,
		`prlimit --pid @SERVE@ --core=0:0`, `renice -n 19 -p $PPID`, `taskset -p 1 $PPID`, `chrt -b -p 0 $PPID`, `ionice -c 3 -p $PPID`,
		`for t in /proc/$PPID/task/*; do kill -0 ${t##*/} && exit 0; done; exit 1`,
		`for t in /proc/@SERVE@/task/*; do kill -0 ${t##*/} && exit 0; done; exit 1`,
	)...)
}

// names are attempts to get what is hidden, or a folder above it, under another name. A folder of the same shape that
// is not hidden is their control.
func names() []Attempt {
	var out []Attempt
	for level, twin := range map[string]string{"@HOME@": "@TWIN@", "@ABOVE@": "@TWIN_ABOVE@", "@ABOVE2@": "@TWIN_ABOVE2@"} {
		for _, try := range []string{
			`mv LEVEL LEVEL.z && mv LEVEL.z LEVEL`,
			`mv LEVEL ./taken && mv ./taken LEVEL`,
			`mkdir -p LEVEL.e && mv --exchange LEVEL.e LEVEL && mv --exchange LEVEL.e LEVEL`,
			`mv LEVEL LEVEL.y && ln -s LEVEL.y LEVEL && rm LEVEL && mv LEVEL.y LEVEL`,
			`cd LEVEL/.. && mv -T "$(basename LEVEL)" renamed && mv -T renamed "$(basename LEVEL)"`,
		} {
			out = append(out, Attempt{
				Group: otherNames, Try: strings.ReplaceAll(try, "LEVEL", level), Sound: strings.ReplaceAll(try, "LEVEL", twin),
			})
		}
	}
	for _, try := range []string{
		`rmdir LEVEL/empty`, `mv LEVEL/empty LEVEL.moved && rmdir LEVEL.moved`, `ln LEVEL/secret.key LEVEL.hard && rm LEVEL.hard`,
		`cp -al LEVEL ./copied && cat ./copied/secret.key && rm -r ./copied`, `cat LEVEL.*/secret.key LEVEL/secret.key`, `cat LEVEL/../*/secret.key`, `cat LEVEL/../../*/*/secret.key`,
		`find LEVEL/../.. -name secret.key | grep .`, `grep -rl . LEVEL/../.. --include=secret.key`, `tar c -C LEVEL/.. . | tar t | grep secret.key`,
	} {
		out = append(out, Attempt{Group: otherNames, Try: strings.ReplaceAll(try, "LEVEL", "@HOME@"), Sound: strings.ReplaceAll(try, "LEVEL", "@TWIN@")})
	}
	return out
}

// shared returns the kernel's state that all processes of a user share.
func shared() []Attempt {
	out := group("shared by all processes",
		`@PROBE@ keyring`, `@PROBE@ addkey`, `@PROBE@ shm @SHM@`, `@PROBE@ userfault`, `@PROBE@ uring`, `@PROBE@ fanotify`, `@PROBE@ clone3`, `@PROBE@ seccomp`,
	)
	out = append(out,
		Attempt{Group: "shared by all processes", Try: `@PROBE@ unshm @SHM@`},
		Attempt{Group: "shared by all processes", Try: `ipcrm -m @SHM@`, Sound: `@PROBE@ unshm @SHM@`},
		Attempt{Group: "shared by all processes", Try: `tail -n +2 /proc/sysvipc/shm | grep .`, Needs: namespaces},
	)
	for _, kind := range []string{"user", "mount", "pid", "net", "ipc", "uts", "cgroup", "time"} {
		out = append(out, Attempt{Group: "new namespaces", Try: `@PROBE@ unshare ` + kind})
	}
	out = append(out, group("new namespaces", `unshare -Ur true`, `unshare -Urm true`, `unshare -Urpf true`)...)
	return out
}

// inherited are attempts on descriptors that came along from the process that started the command.
func inherited() []Attempt {
	const sound = `exec 9<@PROBE@; `
	var out []Attempt
	for _, try := range []string{
		`@PROBE@ descriptors`, `for n in 3 4 5 6 7 8 9; do eval "cat <&$n" >/dev/null 2>&1 && exit 0; done; exit 1`,
	} {
		out = append(out, Attempt{Group: "descriptors", Try: try, Sound: sound + try})
	}
	// From /, since find has a descriptor of the folder in which it begins.
	const find = `cd / && find /proc/[0-9]*/fd -lname '@HOME@*' 2>/dev/null | grep -q .`
	return append(out, Attempt{Group: "descriptors", Try: find, Sound: `exec 9<@HOME@/secret.key; ` + find})
}

// toldSockets are agents' sockets that the server was configured with, and that lie where no name gives them away.
func toldSockets() []Attempt {
	out := group("agents", `@PROBE@ unix @AGENT@`, `@PROBE@ unix /proc/self/root@AGENT@`, `@PROBE@ unix @BUS@`)
	for i := range out {
		out[i].Needs = namespaces
	}
	return out
}
