package confine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/sandbox/escapetest"
	"xbot/runner/confine"
)

func TestConfine_NoCallChangesAFileOutside(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		probe, dir := escapetest.Probe(p.T, p.TempDir()), p.outside()
		require.NoError(p.T, os.Chmod(filepath.Dir(probe), 0o755))
		for _, call := range escapetest.FileCalls() {
			for _, path := range []string{dir, filepath.Join(dir, "file"), p.hidden, filepath.Join(p.hidden, "key")} {
				before := status(p.T, path)
				out, err := p.run(fmt.Sprintf("%s change '%s' %s", probe, call, path))
				require.Error(p.T, err, "%s %s\n%s", call, path, out)
				require.Equal(p.T, before, status(p.T, path), "%s %s", call, path)
			}
		}
		for _, how := range escapetest.FileRaces() {
			out, err := p.run(fmt.Sprintf("%s race %s %s/mine %s/file", probe, how, p.open, dir))
			require.Error(p.T, err, "%s\n%s", how, out)
			require.Contains(p.T, out, "it was not changed", how)
		}
	})
}

// status is what no call may change.
func status(t *testing.T, path string) syscall.Stat_t {
	t.Helper()
	var st syscall.Stat_t
	require.NoError(t, syscall.Stat(path, &st))
	st.Atim = syscall.Timespec{} // reading changes it
	return st
}

// TestConfine_CallsChangeFilesInside makes each call outside of any sandbox, too: what works there works inside, but for controls of file systems
// and calls that are so new that programs do without.
func TestConfine_CallsChangeFilesInside(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		probe, file := escapetest.Probe(p.T, p.TempDir()), filepath.Join(p.open, "file")
		require.NoError(p.T, os.WriteFile(file, []byte("content"), 0o640))
		for _, call := range escapetest.FileCalls() {
			if p.method == confine.Landlock && slices.Contains([]string{"flags", "xflags", "version", "file_setattr", "setxattrat", "removexattrat"}, call) {
				continue
			}
			if err := exec.CommandContext(p.Context(), probe, "change", call, file).Run(); err != nil {
				continue // this machine does not have it
			}
			out, err := p.run(fmt.Sprintf("%s change '%s' %s && %s change '%s' file", probe, call, file, probe, call))
			if p.method == confine.Landlock && strings.HasSuffix(call, "cut") && strings.HasPrefix(call, "open") {
				continue // old versions refuse it
			}
			require.NoError(p.T, err, "%s\n%s", call, out)
		}
	})
}

func TestConfine_ProgramsKeepModesTimesAndAttributes(t *testing.T) {
	eachMethod(t, func(p *fixture) {
		p.must(`mkdir d && echo x > d/f && chmod 4751 d/f && test "$(stat -c %a d/f)" = 4751 && chmod u-s,o-x d/f && test "$(stat -c %a d/f)" = 750`)
		p.must(`touch -d '2020-01-02 03:04:05.678 UTC' d/f && test "$(stat -c %.3Y d/f)" = 1577934245.678`)
		p.must(`cp -a d e && test "$(stat -c '%a %.3Y' e/f)" = '750 1577934245.678' && ln -s f e/l && touch -h -d @7 e/l && test "$(stat -c %Y e/l)" = 7`)
		p.must(`tar c e | (mkdir x && tar xp -C x) && test "$(stat -c '%a %Y %s' x/e/f)" = '750 1577934245 2' && test "$(stat -c %Y x/e/l)" = 7`)
		p.must(`cd e && chmod 600 ./f ../d/f && test "$(stat -c %a f)$(stat -c %a ../d/f)" = 600600 && chown $(id -u):$(id -g) f && chgrp -h $(id -g) l`)
		p.must(`git init -q g && cd g && echo y > y && git add y && git -c user.name=x -c user.email=x@x commit -qm y && git fsck`)
		p.must(`install -m 751 e/f e/i && test "$(stat -c %a e/i)" = 751 && mkfifo -m 604 e/p && test "$(stat -c %a e/p)" = 604`)
		out, err := p.run(`chmod 600 absent`)
		require.Error(p.T, err)
		require.Contains(p.T, out, "No such file")
		out, err = p.run(`ln -s loop loop; chmod 600 loop`)
		require.Error(p.T, err)
		require.Contains(p.T, out, "oo many")
		p.must(`python3 - <<'PY'
import os
os.mkdir("py"); fd = os.open("py", os.O_RDONLY)
f = os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=fd)
os.fchmod(f, 0o604); assert os.stat("py/file").st_mode & 0o777 == 0o604
os.utime(f, ns=(5, 7)); assert os.stat("py/file").st_mtime_ns == 7
os.chmod("file", 0o600, dir_fd=fd); assert os.stat("py/file").st_mode & 0o777 == 0o600
os.utime("file", (1, 2), dir_fd=fd); assert os.stat("py/file").st_mtime == 2
os.unlink("py/file"); os.fchmod(f, 0o644); assert os.fstat(f).st_mode & 0o777 == 0o644
try: os.chmod(b"x" * 5000, 0o600); raise SystemExit("too long")
except OSError as e: assert e.errno == 36, e
r, w = os.pipe(); os.fchmod(w, 0o600)
try:
    os.setxattr("py", "user.a", b"b"); assert os.getxattr("py", "user.a") == b"b"; os.removexattr("py", "user.a")
except OSError as e: assert e.errno == 95, e
PY`)
	})
}

// TestConfine_ACommandOfRootChangesFilesAsTheUserThatItBecame lets root's command act as another user, who may change no file of root's.
func TestConfine_ACommandOfRootChangesFilesAsTheUserThatItBecame(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT RUN: only root's commands become other users")
	}
	eachMethod(t, func(p *fixture) {
		if p.method == confine.User {
			return // its namespace has no other users
		}
		require.NoError(p.T, os.Chmod(p.open, 0o777))
		require.NoError(p.T, os.Chmod(filepath.Dir(p.open), 0o755))
		const as = "setpriv --reuid 65534 --regid 65534 --clear-groups "
		p.must(`echo x > roots && ` + as + `sh -c 'echo x > theirs && chmod 604 theirs' && test "$(stat -c '%u %a' theirs)" = '65534 604'`)
		for _, command := range []string{"chmod 777 roots", "chown 65534 roots", "touch -d @7 roots", "chown 0 theirs"} {
			out, err := p.run(as + command)
			require.Error(p.T, err, "%s\n%s", command, out)
		}
		p.must(`chown 65534 roots && chmod 600 theirs && ` + as + `chmod 640 roots`)
		out, err := p.run(`setpriv --bounding-set -all --inh-caps -all sh -c 'chmod 777 theirs'`)
		require.Error(p.T, err, out)
		out, err = p.run("setfattr -n trusted.x -v y roots || setfattr -n security.x -v y roots")
		require.Error(p.T, err, out)
	})
}
