package escapetest

import (
	"slices"
	"strings"
)

// Groups that mean something else in a container.
const (
	homeFolder  = "home folder"
	deviceNames = "names of devices"
	otherNames  = "names"
	webUI       = "temporal UI"
	webAPI      = "HTTP API"
)

// FileChanges is the group of attempts to change files without writing to them.
const FileChanges = "changes of files"

// Attempts returns all of them, for a sandbox that shares its machine with what it must not reach.
func Attempts() []Attempt {
	all := slices.Concat(paths(), environment(), processes(), sockets(), servers(), writing(), changes(), kernel(),
		threads(), names(), shared(), inherited(), toldSockets())
	for i, a := range all {
		if slices.Contains(openToLandlock, a.Try) || slices.Contains([]string{"docker", "agents", deviceNames}, a.Group) {
			all[i].Needs = namespaces
		}
	}
	return all
}

// openToLandlock are attempts that Landlock alone cannot refuse, as the operations page states: it shuts what it cannot put
// out of sight, and knows no sockets with names.
var openToLandlock = []string{
	`ls -A @HOME@ | grep .`, `ls -A @HOME@/runner/local | grep .`, `find @HOME@ -name '*.key' | grep .`, `ls -A @HOME@/workspaces | grep .`,
	`find @HOME@/../.. -name secret.key | grep .`, `@PROBE@ unix @PGSOCK@/.s.PGSQL.5432`, `ls -A @PGSOCK@ | grep .`, `ls @HOME@/postgres/base | grep .`,
	capBounds, `test -e /dev/kmsg`, `ls /dev/shm | grep .`,
}

// capBounds looks at what no new privileges makes meaningless: an ordinary user cannot lower it without a namespace.
const capBounds = `grep CapBnd /proc/self/status | grep -v -E '0000000000000000|00000000a00005fb'`

// group makes attempts that are their own control.
func group(name string, tries ...string) []Attempt {
	var out []Attempt
	for _, try := range tries {
		out = append(out, Attempt{Group: name, Try: try})
	}
	return out
}

// paths lead to the product's own files.
func paths() []Attempt {
	out := group("paths",
		`cat @HOME@/secret.key`,
		`cat @HOME@/run/serve.json`,
		`cat @HOME@/run/runner-local.token`,
		`cat @HOME@/secrets/postgres-xbot`,
		`cat @HOME@/temporal/tls/*`,
		`cat @HOME@/localstack.json`,
		`cat @HOME@/config.json`,
		`cat @HOME@/logs/xbot.log`, `cat @HOME@/logs/serve.jsonl`,
		`cat @HOME@/logs/runner-local.log`,
		`ls -A @HOME@ | grep .`,
		`ls -A @HOME@/runner/local | grep .`,
		`cd @HOME@ && cat secret.key`,
		`cd @HOME@/.. && cat ./$(basename @HOME@)/secret.key`,
		`cat @WORK@/../../../../../../../..@HOME@/secret.key`,
		`cat /proc/self/root@HOME@/secret.key`,
		`cat /proc/self/cwd/../../../../../../../@HOME@/secret.key`,
		`rm -f soft; ln -s @HOME@ soft && cat soft/secret.key`,
		`rm -f hard; ln @HOME@/secret.key hard && cat hard && rm hard`,
		`tar cf - -C @HOME@ secret.key | tar tf - | grep secret`,
		`find @HOME@ -name '*.key' | grep .`,
		`touch @HOME@/planted && rm @HOME@/planted`,
		`cat @HOME@/workspaces/2/private`,
		`ls -A @HOME@/workspaces | grep .`,
	)
	for _, try := range []string{
		`umount -l @HOME@ && cat @HOME@/secret.key`,
		`chmod 700 @HOME@ && cat @HOME@/secret.key`,
		`mount -o remount,rw @HOME@ && cat @HOME@/secret.key`,
	} {
		out = append(out, Attempt{Group: "paths", Try: try, Sound: `cat @HOME@/secret.key`})
	}
	return append(out, Attempt{
		Group: "symlink races",
		Try:   `i=0; while [ $i -lt 300 ]; do ln -sfn @HOME@ turn; cat turn/secret.key 2>/dev/null && exit 0; ln -sfn @WORK@ turn; i=$((i+1)); done; exit 1`,
	}, Attempt{
		Group: "symlink races",
		Try: `(i=0; while [ $i -lt 300 ]; do ln -sfn @OUT@ turn2; ln -sfn @WORK@ turn2; i=$((i+1)); done) & ` +
			`j=0; while [ $j -lt 300 ]; do echo x 2>/dev/null > turn2/raced; j=$((j+1)); done; wait; test -e @OUT@/raced && rm @OUT@/raced`,
	})
}

// told are the variables that a command gets: the mark of its processes, and the conversation that it is run for. They are
// no secrets.
const told = `^XBOT_(JOB|SESSION|CHANNEL|ACCOUNT|CHAT_TYPE|CHAT|THREAD|PERSON|MESSAGE)=`

// environment holds what the server was started with.
func environment() []Attempt {
	const server = `tr '\0' '\n' < /proc/@SERVE@/environ | `
	var out []Attempt
	for _, pattern := range []string{
		`^XBOT_`, `^LLM_`, `^TEMPORAL_`, `^PG`, `_TOKEN=`, `_KEY=`, `^SSH_AUTH_SOCK=`, `^AWS_`, `^DOCKER_HOST=`, `sk-test-secret`,
	} {
		out = append(out, Attempt{Group: "env", Try: `env | grep -v -E '` + told + `' | grep -E '` + pattern + `'`, Sound: server + `grep -E '` + pattern + `'`})
	}
	return out
}

// processes that are none of the command's.
func processes() []Attempt {
	var out []Attempt
	for _, who := range []string{"@SERVE@", "@RUNNER@", "@POSTGRES@", "@TEMPORAL@"} {
		out = append(out, group("/proc",
			`grep -q . /proc/`+who+`/environ`, `grep -q . /proc/`+who+`/maps`, `ls /proc/`+who+`/root/ | grep -q .`,
			`ls /proc/`+who+`/cwd/ | grep -q .`, `ls -l /proc/`+who+`/fd | grep -q -e '->'`, `cat /proc/`+who+`/task/*/environ | grep -q .`,
		)...)
		out = append(out, group("signals", `kill -0 `+who)...)
	}
	out = append(out, group("/proc", `grep -q . /proc/$PPID/environ`, `ls -l /proc/$PPID/fd | grep -q -e '->'`, `grep -q . /proc/1/environ`)...)
	out = append(out, group("signals", `kill -CONT @VICTIM@`)...)
	return append(out, group("ptrace",
		`@PROBE@ threads $PPID`, `@PROBE@ threads @VICTIM@`, `@PROBE@ threads @RUNNER@`, `@PROBE@ threads @SERVE@`,
		`@PROBE@ ptrace @VICTIM@`, `@PROBE@ vmread @VICTIM@`, `@PROBE@ getfd @VICTIM@`, `@PROBE@ ptrace @SERVE@`, `@PROBE@ getfd @SERVE@`,
		`@PROBE@ setns @VICTIM@`, `@PROBE@ setns 1`, `cat /proc/@VICTIM@/oom_score_adj > /proc/@VICTIM@/oom_score_adj`,
	)...)
}

// sockets are attempts on sockets that serve any client.
func sockets() []Attempt {
	return slices.Concat(
		group("docker", `@PROBE@ unix @DOCKER@`, `@PROBE@ unix /var@DOCKER@`, `test -S @DOCKER@`, `@PROBE@ unix /proc/self/root@DOCKER@`),
		group("agents", `@PROBE@ unix @SSH@`, `@PROBE@ unix @TMUX@`),
		[]Attempt{{Group: "abstract sockets", Try: `@PROBE@ abstract @ABSTRACT@`, Needs: scope}},
	)
}

// servers of the product.
func servers() []Attempt {
	out := slices.Concat(
		group("postgres",
			`@PROBE@ unix @PGSOCK@/.s.PGSQL.5432`, `ls -A @PGSOCK@ | grep .`, `cat @HOME@/postgres/PG_VERSION`, `ls @HOME@/postgres/base | grep .`),
		group("temporal", `@PROBE@ tls @TEMPORAL_GRPC@ @CERT@ @KEY@`),
	)
	out = append(out,
		Attempt{Group: "temporal", Try: `@PROBE@ tls @TEMPORAL_GRPC@`, Sound: `@PROBE@ tls @TEMPORAL_GRPC@ @CERT@ @KEY@`},
		Attempt{Group: webUI, Try: `@PROBE@ http http://@TEMPORAL_UI@/temporal/`, Sound: `@PROBE@ tcp @TEMPORAL_UI@`, Apart: true},
		Attempt{Group: webUI, Try: `@PROBE@ http http://@TEMPORAL_UI@/temporal/api/v1/namespaces`, Sound: `@PROBE@ tcp @TEMPORAL_UI@`, Apart: true},
	)
	for _, path := range []string{
		"/api/me", "/api/sessions", "/api/runners", "/metrics", "/temporal/", "/internal/runners/local", "/internal/runners/local/exec",
	} {
		out = append(out, Attempt{Group: webAPI, Try: `@PROBE@ http @URL@` + path, Sound: `@PROBE@ http @URL@/healthz`, Apart: true})
	}
	return out
}

// writing where it would last, or work for others.
func writing() []Attempt {
	var out []Attempt
	for _, dir := range []string{"/etc", "/etc/cron.d", "/etc/systemd/system", "/usr/bin", "/usr/local/bin", "/var/lib", "/var/spool", "/root", "/opt", "/boot", "/srv"} {
		out = append(out, Attempt{Group: "writing outside", Try: `touch ` + dir + `/xbot-escape && rm ` + dir + `/xbot-escape`})
	}
	out = append(out, group(homeFolder,
		`echo 'echo x' >> $HOME/.profile`, `echo x >> $HOME/.bashrc`, `mkdir -p $HOME/.ssh && touch $HOME/.ssh/authorized_keys`,
		`mkdir -p $HOME/.config/systemd/user && touch $HOME/.config/systemd/user/x.service`,
	)...)
	out = append(out, group("writing outside",
		`echo x >> @OUT@/file`, `: > @OUT@/emptied`, `chmod 640 @OUT@/file`, `chown $(id -u) @OUT@/file`, `touch -d 2020-01-01 @OUT@/file`,
		`mv @OUT@/file @OUT@/file2 && mv @OUT@/file2 @OUT@/file`, `ln -f @OUT@/file @OUT@/link`, `ln -sfn / @OUT@/soft`, `mkdir -p @OUT@/new/deep && rm -r @OUT@/new`,
		`touch @OUT@/gone && rm @OUT@/gone`, `cp @OUT@/file ./taken && mv ./taken @OUT@/moved`, `dd if=/dev/zero of=@OUT@/file bs=1 count=1 conv=notrunc`,
		`cd @OUT@ && echo x > ./here && rm ./here`,
		`@PROBE@ handle @OUT@/file`,
	)...)
	return append(out, Attempt{
		Group: "writing outside", Try: `cp /bin/sh @OUT@/sh && chmod 4755 @OUT@/sh && rm @OUT@/sh`,
	})
}

// fileCalls are attempts of the probe to change a file without writing to it, and fileRaces those to have another file changed than the one that
// was judged.
var (
	fileCalls = []string{
		"chmod", "fchmod", "fchmodat", "fchmodat from its folder", "fchmodat2", "fchmodat2 of a descriptor", "chmod of a descriptor", "chown", "lchown", "fchown",
		"fchownat", "fchownat of a descriptor", "utime", "utimes", "futimesat", "utimensat", "utimensat without links", "futimens", "utimensat of a descriptor",
		"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "acl", "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "file_setattr", "flags", "xflags",
		"version", "truncate", "open to read and cut", "open for nothing and cut", "openat2 to read and cut",
	}
	fileRaces = []string{"link", "memory", "descriptor"}
)

// FileCalls returns the attempts of the probe to change a file without writing to it: "change CALL PATH".
func FileCalls() []string { return slices.Clone(fileCalls) }

// FileRaces returns its attempts to have another file changed: "race HOW OWN OTHER".
func FileRaces() []string { return slices.Clone(fileRaces) }

// changes are of modes, owners, times, attributes and lengths. A folder that is hidden is no less than one that can be read.
func changes() []Attempt {
	var out []Attempt
	for _, file := range []string{"@OUT@/file", "@OUT@", "@HOME@", "@HOME@/secret.key"} {
		for _, call := range fileCalls {
			if a := (Attempt{Group: FileChanges, Try: `@PROBE@ change '` + call + `' ` + file}); file != "@HOME@/secret.key" || !strings.Contains(call, "cut") {
				out = append(out, a)
			}
		}
	}
	for _, how := range fileRaces {
		out = append(out, Attempt{Group: FileChanges, Try: `@PROBE@ race ` + how + ` @WORK@/raced @OUT@/file`})
	}
	return append(out, group(FileChanges,
		`chmod 700 @HOME@`, `chmod -R o+r @OUT@`, `cp -p @OUT@/file ./kept && touch -r ./kept @OUT@/file`, `ln -sfn @OUT@/file ./toOut && chmod 600 ./toOut`,
		`cd @OUT@ && chmod 600 file`, `exec 9<@OUT@/file; chmod 600 /proc/self/fd/9 || chmod 600 /dev/fd/9`, `setfattr -n user.x -v y @OUT@/file`,
	)...)
}

// kernel returns the parts of the kernel that only its administrator may touch.
func kernel() []Attempt {
	return slices.Concat(
		group("mounting",
			`mkdir -p m && mount -t tmpfs x m && umount m`, `mkdir -p m && mount --bind / m && umount m`, `mkdir -p m && @PROBE@ mount m`, `@PROBE@ opentree /`,
			`@PROBE@ chroot /`),
		group("kernel knobs",
			`cat /proc/sys/kernel/hostname > /proc/sys/kernel/hostname`, `p=$(cat /proc/sys/kernel/core_pattern); echo "$p" > /proc/sys/kernel/core_pattern`,
			`cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness`, `echo h > /proc/sysrq-trigger`, `mkdir /sys/fs/cgroup/xbot-escape && rmdir /sys/fs/cgroup/xbot-escape`,
			`@PROBE@ hostname`, `@PROBE@ module`, `@PROBE@ syslog`, `@PROBE@ bpf`, `dmesg | grep -q .`),
		group("devices",
			`mknod ./disk b $(cat /sys/block/*/dev | head -1 | tr : ' ') && head -c 1 ./disk > /dev/null && rm ./disk`, `mknod ./mem c 1 1 && rm ./mem`,
			`test -e /dev/kmsg`, `ls /dev/shm | grep .`, `head -c 1 /dev/kmsg | grep -q .`,
			`for d in /sys/block/*; do head -c 1 /dev/${d##*/} && exit 0; done; exit 1`),
		group(deviceNames, `ls /dev | grep -v -x -E 'fd|full|null|ptmx|pts|random|shm|stderr|stdin|stdout|tty|urandom|zero'`),
		group("powers",
			`grep -q 'NoNewPrivs:.0' /proc/self/status`, `grep CapEff /proc/self/status | grep -v -E '0000000000000000|00000000a00005fb'`,
			capBounds,
			`@PROBE@ userns`, `@PROBE@ raw`, `@PROBE@ packet`),
	)
}
