// Package pgserver runs a PostgreSQL server from the binaries on this machine: it makes the data, starts the server,
// finds one that an earlier owner left running, and stops it. As root it runs the server as an ordinary user.
// It does not know what the databases are for.
package pgserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"xbot/internal/host/localstack/process"
)

// Cluster is a data folder with the binaries and the account that serve it.
type Cluster struct {
	Data   string // absolute path
	Socket string // folder of its socket, absolute; may be Data
	Binaries
	Account
}

// Recipe configures how new data is made.
type Recipe struct {
	Superuser  string   // role that owns the cluster
	Statements []string // SQL run before the cluster is ever reachable, one statement each, without line breaks
	Throwaway  bool     // for tests: not synced to disk
}

// Open returns the cluster in data. If there is none yet, it is one that Create can make, and exists is false.
// binDir is Find's explicit.
func Open(ctx context.Context, data, binDir string) (c Cluster, exists bool, err error) {
	account, err := AccountFor(data)
	if err != nil {
		return Cluster{}, false, err
	}
	major := 0
	switch text, err := os.ReadFile(filepath.Join(data, "PG_VERSION")); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return Cluster{}, false, fmt.Errorf("read the version of the Postgres data: %w", err)
	default:
		exists = true
		if major, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
			return Cluster{}, false, fmt.Errorf("%s does not hold Postgres data: PG_VERSION is %q; move it away, or restore it from a backup", data, text)
		}
	}
	binaries, err := Find(ctx, binDir, major)
	if err != nil {
		return Cluster{}, false, err
	}
	return Cluster{Data: data, Binaries: binaries, Account: account}, exists, nil
}

// clearWait is how long the processes of a killed Create may continue to write what the next one clears away.
const clearWait = 5 * time.Second

// clearAway removes a folder that may still be written to for a moment.
func clearAway(ctx context.Context, dir string) error {
	for began := time.Now(); ; {
		err := os.RemoveAll(dir)
		if !errors.Is(err, syscall.ENOTEMPTY) || time.Since(began) > clearWait {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Create makes the data. It appears under its name only when complete, so that a crash on the way leaves nothing but
// a folder that the next Create clears away. Only one Create may run at a time.
func (c Cluster) Create(ctx context.Context, recipe Recipe) error {
	draft := c
	draft.Data = c.Data + ".new"
	if err := clearAway(ctx, draft.Data); err != nil {
		return fmt.Errorf("clear away the unfinished %s: %w", draft.Data, err)
	}
	if err := draft.PrivateDir(draft.Data); err != nil {
		return fmt.Errorf("make the folder for the Postgres data: %w", err)
	}
	if err := draft.initialise(ctx, recipe); err != nil {
		return err
	}
	if err := draft.execute(ctx, recipe.Statements); err != nil {
		return err
	}
	if err := os.Rename(draft.Data, c.Data); err != nil {
		return fmt.Errorf("put the new Postgres data in place: %w", err)
	}
	return syncDir(filepath.Dir(c.Data))
}

// syncDir makes a rename in dir survive a power failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return errors.Join(d.Sync(), d.Close())
}

// initialise runs initdb. Until Configure has replaced pg_hba.conf, the cluster trusts every client; it does not listen
// before that.
func (c Cluster) initialise(ctx context.Context, recipe Recipe) error {
	args := []string{"-D", c.dataArgument(), "-U", recipe.Superuser, "-A", "trust", "-E", "UTF8", "--no-instructions"}
	if recipe.Throwaway {
		args = append(args, "--no-sync")
	} else {
		args = append(args, "--data-checksums")
	}
	// C.UTF-8 sorts by code point everywhere and still knows upper and lower case beyond ASCII.
	out, err := c.output(ctx, "", "initdb", append(args, "--locale=C.UTF-8")...)
	if err != nil && ctx.Err() == nil && bytes.Contains(out, []byte("invalid locale")) {
		out, err = c.output(ctx, "", "initdb", append(args, "--locale=C")...)
	}
	if err != nil {
		return fmt.Errorf("make the Postgres data in %s: initdb says %q (%w)", c.Data, errorLine(out), err)
	}
	return nil
}

// execute runs statements in a server of one session without sockets.
func (c Cluster) execute(ctx context.Context, statements []string) error {
	if len(statements) == 0 {
		return nil
	}
	// The statements hold passwords, which a failing one would put into the output.
	out, err := c.output(ctx, strings.Join(statements, "\n")+"\n", "postgres", "--single", "-D", c.dataArgument(),
		"-c", "log_min_error_statement=panic", "-c", "log_checkpoints=off", "-c", "exit_on_error=true", "postgres")
	if err != nil {
		return fmt.Errorf("set up the roles and databases: postgres says %q (%w)", errorLine(out), err)
	}
	return nil
}

// Configure writes postgresql.conf and pg_hba.conf and reports whether that changed anything; a server that is
// running then has to be started again.
func (c Cluster) Configure(conf, hba string) (changed bool, err error) {
	for name, text := range map[string]string{"postgresql.conf": conf, "pg_hba.conf": hba} {
		path := filepath.Join(c.Data, name)
		old, err := os.ReadFile(path)
		if err == nil && string(old) == text {
			continue
		}
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			return false, fmt.Errorf("write %s: %w", name, err)
		}
		if err := c.own(path + ".new"); err != nil {
			return false, fmt.Errorf("write %s: %w", name, err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return false, fmt.Errorf("write %s: %w", name, err)
		}
		changed = true
	}
	return changed, nil
}

// command prepares a program of the installation, run as the account, with an environment of its
// own: PG* variables of the user must not lead it elsewhere. release is called once the program has started.
func (c Cluster) command(ctx context.Context, program string, args ...string) (cmd *exec.Cmd, release func(), err error) {
	cmd = exec.CommandContext(ctx, c.program(program), args...)
	cmd.Dir = c.Data
	cmd.Env = []string{"PATH=" + c.Dir + ":/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	c.run(cmd)
	if !c.byDescriptor() {
		return cmd, func() {}, nil
	}
	dir, err := os.Open(c.Data)
	if err != nil {
		return nil, nil, fmt.Errorf("open the Postgres data: %w", err)
	}
	// In a folder that the account may enter: up to version 15 the programs leave and come back to it.
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{dir} // becomes descriptor 3
	release = func() {
		// Only read from; nothing can be lost.
		_ = dir.Close()
	}
	return cmd, release, nil
}

// byDescriptor reports whether programs get to the data folder through a descriptor that we opened for them instead of
// by its name: the account may not be allowed to walk there, as in root's home. All they start inherits it.
func (c Cluster) byDescriptor() bool { return c.Other && runtime.GOOS == "linux" }

// output runs a program to its end and returns all it prints. It dies with this process: left behind, it would
// write into a folder that the next Create clears away.
func (c Cluster) output(ctx context.Context, input, program string, args ...string) ([]byte, error) {
	cmd, release, err := c.command(ctx, program, args...)
	if err != nil {
		return nil, err
	}
	defer release()
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &out
	running, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return nil, err
	}
	<-running.Done()
	return out.Bytes(), running.Err()
}

// dataArgument returns the data folder as a program gets it.
func (c Cluster) dataArgument() string {
	if c.byDescriptor() {
		return "/proc/self/fd/3"
	}
	return c.Data
}

// errorLine returns the line in which a program reports the error: the last with the word error in it, or FATAL.
// Hints may follow it.
func errorLine(out []byte) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	for _, line := range slices.Backward(lines) {
		for _, mark := range []string{"error: ", "FATAL: ", "PANIC: ", "ERROR: "} {
			if at := bytes.Index(line, []byte(mark)); at >= 0 {
				return string(bytes.TrimSpace(line[at+len(mark):]))
			}
		}
	}
	return string(lines[len(lines)-1])
}
