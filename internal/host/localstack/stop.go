package localstack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"xbot/internal/fault"
)

// Stop asks the server that runs on a home to end, as SIGTERM does, and waits until it has; the end of ctx ends the waiting alone. NotFound
// means that none runs. A server whose parts are separate processes has no such home.
func Stop(ctx context.Context, dir string) error {
	file, err := os.Open(home(dir).run("serve.lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Errorf(fault.NotFound, "no xbot serve runs on %s", dir)
	}
	if err != nil {
		return fmt.Errorf("open the lock of %s: %w", dir, err)
	}
	switch err := unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB); {
	case err == nil:
		return errors.Join(fault.Errorf(fault.NotFound, "no xbot serve runs on %s", dir), file.Close())
	case !errors.Is(err, unix.EWOULDBLOCK):
		return errors.Join(fmt.Errorf("look at the lock of %s: %w", dir, err), file.Close())
	}
	pid, err := strconv.Atoi(holder(file))
	if err != nil {
		return errors.Join(fault.Errorf(fault.Unavailable, "xbot serve is just starting on %s: try again", dir), file.Close())
	}
	if holds, err := opened(pid, file); err != nil {
		return errors.Join(fmt.Errorf("look whether the process %d is the server: %w", pid, err), file.Close())
	} else if !holds { // the pids of a container or of another machine mean other processes here
		return errors.Join(fault.Errorf(fault.Invalid, "the xbot serve of %s was not started here but in another container or on another machine: stop it there", dir), file.Close())
	}
	if err := unix.Kill(pid, unix.SIGTERM); err != nil {
		return errors.Join(fmt.Errorf("stop the server with pid %d: %w", pid, err), file.Close())
	}
	ended := make(chan error, 1)
	go func() {
		ended <- errors.Join(unix.Flock(int(file.Fd()), unix.LOCK_SH), file.Close())
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return fmt.Errorf("the server with pid %d was asked to stop and has not ended yet: %w", pid, context.Cause(ctx))
	}
}
