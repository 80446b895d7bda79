package shim

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"xbot/runner/job"
)

// StdioVerb is the argument with which the daemon starts a process that it talks to over stdio.
const StdioVerb = "talk"

// specFD is the descriptor from which RunStdio reads what to run, as one line of JSON, and which it watches afterwards.
const specFD = 3

// noJobs is a folder that no shim has its job in: the process reaches no command.
const noJobs = ""

// RunStdio runs a process whose standard streams are this one's, and returns its exit code. Unlike a job it leaves no
// trace and lives no longer than its daemon wants: when the other end of descriptor 3 closes, however that came about,
// the process ends with all its descendants. It must be called first thing in a process that the daemon started.
func RunStdio() int {
	job.SealDescriptors()
	lifeline := os.NewFile(specFD, "lifeline")
	from := bufio.NewReader(lifeline)
	spec, err := readSpec(from)
	if err == nil {
		err = adoptOrphans()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "xbot-runner talk is started by xbot-runner only:", err)
		return cannotStart
	}
	tree, err := startProcessTree(spec, streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, judgeFor(noJobs), nil)
	if err != nil {
		fmt.Fprintf(os.Stderr, "xbot-runner could not start the process in %s: %v\n", spec.Dir, err)
		return cannotStart
	}
	// From here on only the process and its descendants hold the streams, so that their ends show.
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		_ = f.Close() // nothing was written through it
	}
	tooMuch := make(chan string, 1)
	go newGuard(spec, tree).watch(func(why string) {
		select {
		case tooMuch <- why:
		default: // it is being ended
		}
	})
	unwanted := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, from) // any end of it is the end
		close(unwanted)
	}()
	select {
	case ws := <-tree.exited:
		tree.terminate() // its descendants have no connection
		return exitCode(ws)
	case <-tooMuch: // its streams carry its own data: the reason cannot be sent
		tree.terminate()
		return 128 + int(unix.SIGKILL)
	case <-unwanted:
		tree.terminate()
		return 128 + int(unix.SIGTERM)
	}
}

func readSpec(from *bufio.Reader) (job.Spec, error) {
	line, err := from.ReadBytes('\n')
	if err != nil {
		return job.Spec{}, fmt.Errorf("read what to run: %w", err)
	}
	var spec job.Spec
	if err := json.Unmarshal(line, &spec); err != nil {
		return job.Spec{}, fmt.Errorf("read what to run: %w", err)
	}
	if spec.Command == "" {
		return job.Spec{}, errors.New("there is nothing to run")
	}
	return spec, nil
}
