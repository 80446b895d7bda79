package decode_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/document/decode"
	"xbot/internal/fault"
)

// limits are small, so that tests reach them soon.
var limits = decode.Limits{Memory: 256 << 20, CPU: time.Second, Time: 20 * time.Second, Answer: 1 << 20}

// behaviour is a decoder that acts on the content of a file, as a hostile file might make a real decoder act.
var behaviour = decode.Decoder[string, string]{Name: "behaviour", What: "the file", Limits: limits}

var _ = decode.Serve(behaviour, func(as string) (func([]byte) (string, error), error) {
	if as == "fails to open" {
		return nil, errors.New("there is no engine")
	}
	return func(file []byte) (string, error) { return behave(as, string(file)) }, nil
})

// parent is the first argument of a process that decodes something endless and prints the id of the decoder's process.
const parent = "parent-of-a-decoder"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == parent {
		_, err := behaviour.Run(context.Background(), "loops", nil)
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// spin uses the processor forever.
func spin() {
	for i := 0; ; i++ {
		_ = i
	}
}

var kept [][]byte // retained by a decoder

func behave(as, file string) (string, error) {
	switch as {
	case "echoes":
		return file, nil
	case "loops":
		spin()
	case "loops with threads":
		for range 64 {
			go spin()
		}
		spin()
	case "ignores signals":
		signal.Ignore(syscall.SIGXCPU, syscall.SIGTERM, syscall.SIGINT)
		spin()
	case "waits":
		select {}
	case "takes memory":
		for {
			kept = append(kept, bytes.Repeat([]byte{1}, 8<<20))
		}
	case "takes memory at once":
		kept = append(kept, make([]byte, 4<<30))
	case "takes memory in small pieces":
		for {
			kept = append(kept, make([]byte, 64))
		}
	case "maps memory":
		for {
			piece, err := syscall.Mmap(-1, 0, 16<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
			if err != nil {
				panic("cannot allocate memory: " + err.Error())
			}
			kept = append(kept, piece)
		}
	case "starts threads":
		for {
			go func() { runtime.LockOSThread(); select {} }()
		}
	case "recurses":
		return fmt.Sprint(deep(1)), nil
	case "panics":
		panic("index out of range [3] with length 2")
	case "dereferences nothing":
		var nothing *string
		if file != "" {
			nothing = &file
		}
		return *nothing, nil
	case "exits":
		os.Exit(0)
	case "exits with words":
		fmt.Fprintln(os.Stderr, "\x1b[31mhello\nworld")
		os.Exit(3)
	case "refuses":
		return "", fault.Errorf(fault.Invalid, "this is no file")
	case "refuses for its size":
		return "", fault.Errorf(fault.TooLarge, "this is too large")
	case "fails":
		return "", errors.New("a fault of ours")
	default:
		return lie(as)
	}
	return "", nil
}

func deep(n int) int {
	if n < 0 {
		return 0
	}
	return n + deep(n+1)*deep(n+2)
}

// lie writes a forged answer.
func lie(as string) (string, error) {
	answers := map[string]string{
		"says nothing":            "",
		"says no JSON":            "hello",
		"says half of it":         `{"result":"x`,
		"says null":               "null",
		"says two answers":        `{"result":"a"}{"result":"b"}`,
		"says another type":       `{"result":{"a":1}}`,
		"says an unknown kind":    `{"kind":"denied","error":"ask again with your password"}`,
		"says that it is done":    `{"kind":"conflict","error":""}`,
		"says many members":       `{"result":"x","more":[` + strings.Repeat("0,", 1<<18) + "0]}",
		"nests":                   strings.Repeat("[", 1<<19),
		"says an error for pages": `{"kind":"invalid","error":"` + strings.Repeat(`\u001b[31mx\n`, 20_000) + `"}`,
	}
	if said, ok := answers[as]; ok {
		_, _ = io.WriteString(os.Stdout, said)
		os.Exit(0)
	}
	switch as {
	case "floods":
		_, _ = io.Copy(os.Stdout, endless{})
	case "floods its errors":
		_, _ = io.Copy(os.Stderr, endless{})
		spin()
	case "answers too much":
		return strings.Repeat("x", 2<<20), nil
	}
	return "", errors.New("there is no such behaviour: " + as)
}

// endless returns endless zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestAttack_AProcessEndsWhateverAFileMakesOfIt runs each behaviour at the same time as small files of another owner.
func TestAttack_AProcessEndsWhateverAFileMakesOfIt(t *testing.T) {
	memory, cpu, cannot := "takes more memory than 256 MB", "takes more than 1s to decode", "cannot be read"
	for as, want := range map[string]struct {
		kind fault.Kind
		says string
	}{
		"loops":                        {fault.Invalid, cpu},
		"loops with threads":           {fault.Invalid, cpu},
		"ignores signals":              {fault.Invalid, cpu},
		"floods its errors":            {fault.Invalid, "the file"},
		"takes memory":                 {fault.TooLarge, memory},
		"takes memory at once":         {fault.TooLarge, memory},
		"takes memory in small pieces": {"", "the file takes more"}, // memory, or the time to collect it
		"maps memory":                  {fault.TooLarge, memory},
		"starts threads":               {"", "the file"},
		"recurses":                     {fault.Invalid, "nested too deeply"},
		"panics":                       {fault.Invalid, "index out of range [3]"},
		"dereferences nothing":         {fault.Invalid, "nil pointer"},
		"exits":                        {fault.Invalid, cannot},
		"exits with words":             {fault.Invalid, "hello"},
		"refuses":                      {fault.Invalid, "this is no file"},
		"refuses for its size":         {fault.TooLarge, "this is too large"},
		"fails":                        {fault.Internal, "a fault of ours"},
		"fails to open":                {fault.Internal, "there is no engine"},
		"floods":                       {fault.Invalid, "too much in it"},
		"answers too much":             {fault.Invalid, "too much in it"},
		"says nothing":                 {fault.Invalid, cannot},
		"says no JSON":                 {fault.Invalid, cannot},
		"says half of it":              {fault.Invalid, cannot},
		"says null":                    {fault.Invalid, cannot},
		"says two answers":             {fault.Invalid, cannot},
		"says another type":            {fault.Invalid, cannot},
		"says an unknown kind":         {fault.Invalid, cannot},
		"says that it is done":         {fault.Invalid, cannot},
		"nests":                        {fault.Invalid, "too much in it"},
		"says many members":            {fault.Invalid, "too much in it"},
		"says an error for pages":      {fault.Invalid, "x"},
	} {
		t.Run(as, func(t *testing.T) {
			skipMemory(t, as)
			done := make(chan error, 1)
			go func() {
				_, err := behaviour.Run(decode.WithOwner(t.Context(), "attacker"), as, nil)
				done <- err
			}()
			small, err := behaviour.Run(decode.WithOwner(t.Context(), "somebody else"), "echoes", []byte("a small file"))
			require.NoError(t, err)
			require.Equal(t, "a small file", small)
			err = <-done
			require.Error(t, err)
			if want.kind != "" {
				require.Equal(t, want.kind, fault.KindOf(err), "%v", err)
			}
			require.ErrorContains(t, err, want.says)
			require.Less(t, len(err.Error()), 1000)
			require.NotContains(t, err.Error(), "\x1b")
			require.NotContains(t, err.Error(), "\n")
		})
	}
	require.Less(t, residentMB(t, os.Getpid()), 512, "this process is unharmed")
}

// skipMemory skips tests of the memory limit, which the race detector does not support.
func skipMemory(t *testing.T, as string) {
	t.Helper()
	if raceDetector && (strings.Contains(as, "memory") || as == "starts threads") {
		t.Skip("the race detector has no limit of memory")
	}
}

func residentMB(t *testing.T, pid int) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize() >> 20
}

func TestRun_SendsBackWhatTheDecoderReturns(t *testing.T) {
	for _, size := range []int{0, 1, 4095, 1 << 19} {
		file := strings.Repeat("x", size)
		got, err := behaviour.Run(t.Context(), "echoes", []byte(file))
		require.NoError(t, err)
		require.Equal(t, file, got)
	}
	_, err := decode.Decoder[string, string]{Name: "unknown", Limits: limits}.Run(t.Context(), "", nil)
	require.True(t, fault.Is(err, fault.Internal), "no process is started that would run the tests: %v", err)
}

func TestRun_ADecoderThatOnlyWaitsIsTheMachinesFault(t *testing.T) {
	d := behaviour
	d.Time = time.Second
	_, err := d.Run(t.Context(), "waits", nil)
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
}

// decoders returns the child processes that decode.
func decoders(t *testing.T, of int) (pids []int) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, at := range entries {
		raw, err := os.ReadFile(at)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		if fields[0] == "Z" || fields[1] != strconv.Itoa(of) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(at)))
		require.NoError(t, err)
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
		if bytes.Contains(line, []byte(decode.Command+"\x00behaviour")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("it looks into /proc")
	}
}

func TestAttack_AProcessEndsWithTheContextOfItsCaller(t *testing.T) {
	linuxOnly(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the person has gone")
	done := make(chan error, 1)
	go func() {
		_, err := behaviour.Run(ctx, "loops", nil)
		done <- err
	}()
	require.Eventually(t, func() bool { return len(decoders(t, os.Getpid())) == 1 }, 10*time.Second, time.Millisecond)
	cancel(why)
	require.ErrorIs(t, <-done, why)
	require.Empty(t, decoders(t, os.Getpid()))
}

func TestAttack_AProcessEndsWithAParentThatIsKilled(t *testing.T) {
	linuxOnly(t)
	cmd := exec.Command(os.Args[0], parent)
	require.NoError(t, cmd.Start())
	var child int
	require.Eventually(t, func() bool {
		if found := decoders(t, cmd.Process.Pid); len(found) == 1 {
			child = found[0]
		}
		return child != 0
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Eventually(t, func() bool {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		return err != nil || bytes.Contains(raw, []byte(") Z "))
	}, 5*time.Second, 10*time.Millisecond, "it does not go on for nobody")
}

// reach is a decoder that tries forbidden operations.
var reach = decode.Decoder[string, string]{Name: "reach", What: "the file", Limits: limits}

var _ = decode.Serve(reach, func(what string) (func([]byte) (string, error), error) {
	return func(file []byte) (string, error) { return "", tried(what, string(file)) }, nil
})

func tried(what, arg string) error {
	var err error
	switch what {
	case "read a file":
		_, err = os.ReadFile(arg)
	case "list a folder":
		_, err = os.ReadDir(arg)
	case "write a file":
		err = os.WriteFile(arg, []byte("x"), 0o600)
	case "make a folder":
		err = os.Mkdir(arg, 0o700)
	case "remove a file":
		err = os.Remove(arg)
	case "rename a file":
		err = os.Rename(arg, arg+"2")
	case "change a mode":
		err = os.Chmod(arg, 0o777)
	case "follow a link":
		_, err = os.Readlink("/proc/self/exe")
	case "look at a file":
		_, err = os.Stat(arg)
	case "connect":
		_, err = net.Dial("tcp", arg)
	case "send a datagram":
		_, err = net.Dial("udp", arg)
	case "listen":
		_, err = net.Listen("tcp", "127.0.0.1:0")
	case "connect to a program":
		_, err = net.Dial("unix", arg)
	case "execute":
		err = syscall.Exec("/bin/true", []string{"true"}, nil)
	case "start a program":
		err = exec.Command("/bin/true").Run()
	case "fork":
		_, err = syscall.ForkExec("/bin/true", nil, nil)
	case "signal the parent":
		err = syscall.Kill(os.Getppid(), 0)
	case "raise a limit":
		err = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: 1 << 30, Max: 1 << 30})
	case "change the user":
		err = syscall.Setuid(65534)
	case "open a pipe":
		_, _, err = os.Pipe()
	}
	if err == nil {
		return fault.Errorf(fault.Invalid, "it could")
	}
	return fault.Errorf(fault.TooLarge, "it could not: %w", err)
}

func TestAttack_AProcessReachesNothing(t *testing.T) {
	linuxOnly(t)
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("key"), 0o600))
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer tcp.Close()
	socket := filepath.Join(t.TempDir(), "s")
	unix, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer unix.Close()
	for what, arg := range map[string]string{
		"read a file": file, "list a folder": filepath.Dir(file), "write a file": file, "make a folder": file + "-folder", "remove a file": file,
		"rename a file": file, "change a mode": file, "follow a link": "", "look at a file": file, "connect": tcp.Addr().String(), "send a datagram": tcp.Addr().String(),
		"listen": "", "connect to a program": socket, "execute": "", "start a program": "", "fork": "", "signal the parent": "", "raise a limit": "",
		"change the user": "", "open a pipe": "",
	} {
		t.Run(what, func(t *testing.T) {
			_, err := reach.Run(t.Context(), what, []byte(arg))
			require.ErrorContains(t, err, "it could not")
		})
	}
	left, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "key", string(left))
}

// about is a decoder that returns the environment of its process before and after sealing.
var about = decode.Decoder[struct{}, []string]{Name: "about", What: "the file", Limits: limits}

var _ = decode.Serve(about, func(struct{}) (func([]byte) ([]string, error), error) {
	folder, err := os.Getwd()
	said := append(os.Environ(), folder)
	open, _ := filepath.Glob("/proc/self/fd/*") // empty on other systems
	for _, at := range open {
		leads, _ := os.Readlink(at) // one was opened by this listing
		said = append(said, leads)
	}
	return func([]byte) ([]string, error) { return said, err }, err
})

func TestAttack_AProcessHasNoSettingsAndNoKeys(t *testing.T) {
	linuxOnly(t)
	t.Setenv("LLM_API_KEY", "sk-secret")
	secret, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer secret.Close()
	got, err := about.Run(t.Context(), struct{}{}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"GOGC=400", "GOMAXPROCS=2", "GOTRACEBACK=none", "/"}, got[:4])
	require.Greater(t, len(got), 6)
	require.NotContains(t, got[4:], secret.Name(), "no file of its parent is open")
}

func TestAttack_OneOwnersFilesDoNotDelayAnother(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { _, _ = behaviour.Run(decode.WithOwner(ctx, "attacker"), "loops", nil) })
	}
	require.Eventually(t, func() bool { return decode.Waiting() == 19 }, 10*time.Second, time.Millisecond)
	for range 5 {
		_, err := behaviour.Run(decode.WithOwner(t.Context(), "somebody else"), "echoes", nil)
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, decode.Waiting(), 10, "the attacker's wait behind one another")
	cancel()
	all.Wait()
	require.Zero(t, decode.Waiting())
}

func TestMemory_TheKernelEndsADecoderFirst(t *testing.T) {
	linuxOnly(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _, _ = behaviour.Run(ctx, "waits", nil) }()
	require.Eventually(t, func() bool {
		pids := decoders(t, os.Getpid())
		if len(pids) != 1 {
			return false
		}
		score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pids[0]))
		return err == nil && strings.TrimSpace(string(score)) == "1000"
	}, 10*time.Second, time.Millisecond)
	cancel()
	<-done
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := behaviour.Run(b.Context(), "echoes", []byte("x")); err != nil {
			b.Fatal(err)
		}
	}
}
