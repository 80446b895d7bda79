package escapetest

import "slices"

// Container returns the attempts for a container without a network. Those of Attempts that make no sense in one are left out,
// and those at what only containers have come on top. In them $WORK is the workspace, $PROGRAM and $STORE are the runner's
// program and notes, $DAEMON and $PAUSE its processes: variables, since each has one name inside and another outside.
func Container() []Attempt {
	shared := slices.DeleteFunc(Attempts(), func(a Attempt) bool {
		// The home folder is the workspace, the engine makes other devices, no server is reached at all, and nothing that is
		// hidden outside has a name.
		return slices.Contains([]string{homeFolder, deviceNames, otherNames, webUI, webAPI}, a.Group)
	})
	return slices.Concat(shared, engine(), neighbours(), runnersFiles(), runnersProcesses(), network(), keys(), containerKernel())
}

// engine returns what makes containers: access to it is root outside.
func engine() []Attempt {
	return group("engine",
		`@PROBE@ unix @ENGINE@`, `test -S @ENGINE@`, `@PROBE@ unix /proc/self/root@ENGINE@`, `ls -A @DATA@ | grep .`, `ls -A @DATA@/containers | grep .`,
		`touch @DATA@/planted && rm @DATA@/planted`, `find /run /var/run /tmp -type s | grep .`, `grep -q . /proc/@ENGINE_PID@/environ`,
		`ls /proc/@ENGINE_PID@/root/ | grep -q .`, `kill -0 @ENGINE_PID@`, `@PROBE@ setns @ENGINE_PID@`, `@PROBE@ getfd @ENGINE_PID@`,
	)
}

// neighbours are other containers of the engine, this one of the same user's processes.
func neighbours() []Attempt {
	return group("other containers",
		`grep -q . /proc/@NEIGHBOUR@/environ`, `cat /proc/@NEIGHBOUR@/root/tmp/private`, `ls /proc/@NEIGHBOUR@/cwd/ | grep -q .`, `kill -0 @NEIGHBOUR@`,
		`@PROBE@ ptrace @NEIGHBOUR@`, `@PROBE@ vmread @NEIGHBOUR@`, `@PROBE@ getfd @NEIGHBOUR@`, `@PROBE@ setns @NEIGHBOUR@`,
		`cat @NEIGHBOUR_ROOT@/tmp/private`, `touch @NEIGHBOUR_ROOT@/tmp/planted && rm @NEIGHBOUR_ROOT@/tmp/planted`,
		`tr '\0' ' ' < /proc/@NEIGHBOUR@/cmdline | grep sleep`, `cat /proc/[0-9]*/cmdline | tr '\0' ' ' | grep '8641[2]'`,
	)
}

// runnersFiles are in the container, and none of the command's. Their names are no secret: Landlock cannot hide names.
func runnersFiles() []Attempt {
	out := group("runner's files",
		`chmod 755 "$PROGRAM"`, `touch -c "$PROGRAM"`, `mv "$PROGRAM" "$PROGRAM.2" && mv "$PROGRAM.2" "$PROGRAM"`, `: >> "$PROGRAM.3" && rm "$PROGRAM.3"`,
		`cat "$STORE"/store`, `cat "$WORK/../../../../../../../..$STORE/store"`, `cat "/proc/self/root$STORE/store"`, `cd "$STORE" && cat store`,
		`rm -f store; ln -s "$STORE" store && cat store/store`, `rm -f hard2; ln "$STORE/store" hard2 && cat hard2 && rm hard2`, `: >> "$STORE/store"`,
		`mv "$STORE/store" "$STORE/store2" && mv "$STORE/store2" "$STORE/store"`, `touch "$STORE/planted" && rm "$STORE/planted"`,
		`mkdir "$STORE/jobs/planted" && rmdir "$STORE/jobs/planted"`, `ln -s / "$STORE/jobs/planted" && rm "$STORE/jobs/planted"`,
	)
	for _, call := range fileCalls {
		out = append(out, Attempt{Group: "runner's files", Try: `@PROBE@ change '` + call + `' "$STORE"`})
	}
	for _, file := range []string{"command", "output", "started", "status", "control", "events"} {
		out = append(out, Attempt{Group: "runner's files", Try: `timeout 2 cat "$STORE"/jobs/*/` + file, Sound: `cat "$STORE"/store`})
	}
	return out
}

// runnersProcesses returns the processes of the same user that share the container with commands.
func runnersProcesses() []Attempt {
	var out []Attempt
	for _, who := range []string{"$DAEMON", "$PAUSE"} {
		out = append(out, group("runner's processes",
			`grep -q . /proc/`+who+`/environ`, `grep -q . /proc/`+who+`/maps`, `ls -l /proc/`+who+`/fd | grep -q -e '->'`, `ls /proc/`+who+`/root/ | grep -q .`,
			`ls /proc/`+who+`/cwd/ | grep -q .`, `: >> /proc/`+who+`/mem`, `cat /proc/`+who+`/oom_score_adj > /proc/`+who+`/oom_score_adj`,
			`kill -0 `+who, `kill -CONT `+who, `@PROBE@ ptrace `+who, `@PROBE@ vmread `+who, `@PROBE@ getfd `+who, `@PROBE@ setns `+who,
		)...)
	}
	return out
}

// network returns the listeners on the machine: the product, and anything else.
func network() []Attempt {
	return group("network",
		`@PROBE@ http @URL@/healthz`, `@PROBE@ tcp @TEMPORAL_GRPC@`, `@PROBE@ tcp @TEMPORAL_UI@`, `@PROBE@ tcp @LOOPBACK@`, `@PROBE@ tcp @LAN@`,
		`grep -v 'lo:' /proc/net/dev | grep :`, `sed 1d /proc/net/route | grep .`, `sed 1d /proc/net/tcp | grep .`, `sed 1d /proc/net/unix | grep /`,
	)
}

// keys in environments that can be read, and descriptors that lead out.
func keys() []Attempt {
	const all = `cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -v -E '` + told + `' | grep -E `
	const descend = `for n in 3 4 5 6 7 8 9 10 11; do cat /proc/self/fd/$n/../../../../../../../..@HOME@/secret.key 2>/dev/null && exit 0; done; exit 1`
	out := group("keys", all+`'^XBOT_'`, all+`'_TOKEN='`, all+`'_KEY='`, all+`'^DOCKER_HOST='`, all+`sk-test-secret`,
		`grep -rls sk-test-secret @HOME@/workspaces`, `grep -q sk-test-secret @NEIGHBOUR_ROOT@/tmp/private`)
	return append(out,
		Attempt{Group: "descriptors", Try: descend, Sound: `cat @HOME@/secret.key`},
		Attempt{Group: "descriptors", Try: `ls -l /proc/self/fd/ | grep socket:`, Sound: `ls -l /proc/@SERVE@/fd/ | grep socket:`},
		Attempt{Group: "descriptors", Try: `ls -l /proc/self/fd/ | grep -e '-> /xbot/'`, Sound: `ls -l /proc/$DAEMON/fd/ | grep -e '-> /xbot/'`},
	)
}

// containerKernel returns what an engine hides of the kernel, and how containers were left in the past.
func containerKernel() []Attempt {
	out := group("devices",
		`ls /dev | grep -v -x -E 'core|fd|full|mqueue|null|ptmx|pts|random|shm|stderr|stdin|stdout|tty|urandom|zero'`,
		`head -c 1 /dev/$(ls /sys/block | head -1)`, `head -c 1 /proc/kcore | grep -q .`, `mknod ./null2 c 1 3 && rm ./null2`, `: <> /dev/loop-control`, `: <> /dev/fuse`)
	out = append(out, group("handles", `@PROBE@ handle "$WORK/escape-probe" "$WORK"`, `@PROBE@ handle "$PROGRAM" "$PROGRAM"`)...)
	out = append(out, group("mounting",
		`mkdir -p m && mount --bind "$STORE" m && ls -A m | grep . && umount m`, `mkdir -p m && mount -t proc x m && umount m`,
		`mkdir -p m && mount -t cgroup2 x m && umount m`, `mkdir -p m && mount -t devtmpfs x m && umount m`, `@PROBE@ opentree "$STORE"`, `@PROBE@ chroot "$WORK"`)...)
	out = append(out, group("masked",
		`head -c 1 /proc/timer_list | grep -q .`, `grep -q . /proc/keys`, `ls /sys/firmware | grep .`,
		`p=$(cat /proc/sys/kernel/panic); echo "$p" > /proc/sys/kernel/panic`, `p=$(cat /proc/sys/vm/overcommit_memory); echo "$p" > /proc/sys/vm/overcommit_memory`,
		`p=$(cat /proc/sys/fs/file-max); echo "$p" > /proc/sys/fs/file-max`, `p=$(cat /proc/sys/user/max_user_namespaces); echo "$p" > /proc/sys/user/max_user_namespaces`)...)
	return append(out,
		Attempt{Group: "mounting", Try: `mount -o remount,rw /`, Sound: `mkdir -p m && mount -t tmpfs x m && mount -o remount,ro m && umount m`},
		Attempt{Group: "mounting", Try: `umount "$WORK"`, Sound: `mkdir -p m && mount -t tmpfs x m && umount m`},
		Attempt{Group: "mounting", Try: `umount /proc/sys`, Sound: `mkdir -p m && mount -t tmpfs x m && umount m`},
		Attempt{Group: "powers", Try: `test "$(id -u)" = 0`},
		Attempt{Group: "powers", Try: `chown 0:0 "$WORK" && chown "$(stat -c %u:%g "$STORE")" "$WORK"`},
		Attempt{Group: "powers", Try: `grep -q 'Seccomp:.0' /proc/self/status`},
	)
}
