package localstack

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"xbot/internal/host/localstack/pgserver"
	"xbot/internal/host/localstack/process"
)

const (
	// temporalReady polls often because a start takes half a second.
	temporalReady = 5 * time.Millisecond
	// temporalStop is longer than xbot-temporal allows itself.
	temporalStop = 6 * time.Second
	// launchTries is how often a server is started that loses one of its inner ports to another program.
	launchTries = 4
)

// errPortLost means that another program took a port between its choice and the server's listening on it. The server chooses
// its inner ports again at each start.
var errPortLost = errors.New("another program took one of its ports")

// portInUse is how xbot-temporal reports that for a port given to it.
const portInUse = "is in use by another program"

// temporal is the Temporal server of a home.
type temporal struct {
	binary string
	args   []string
	label  string // distinguishes a server started the same way from an older one
	home   home
	chosen choices
	follow bool
}

func newTemporal(cfg Config, h home, chosen choices) (*temporal, error) {
	binary, err := findTemporal(cfg.TemporalBinary)
	if err != nil {
		return nil, err
	}
	if _, err := h.keepCertificates(time.Now()); err != nil {
		return nil, err
	}
	if _, err := h.keepSecret(temporalPassword); err != nil {
		return nil, err
	}
	t := &temporal{binary: binary, home: h, chosen: chosen, follow: cfg.ParentDeath}
	t.args = []string{
		"--postgres-host=" + chosen.Socket,
		fmt.Sprintf("--postgres-port=%d", pgserver.Port),
		"--postgres-user=" + temporalRole,
		"--postgres-password-file=" + h.secret(temporalPassword),
		"--postgres-wait=1m", // a first start makes the data in the meantime
		"--grpc-addr=" + loopback(chosen.TemporalPort),
		"--ui-addr=" + loopback(chosen.UIPort),
		"--ui-token-file=" + h.secret(uiToken),
		"--ui-path=" + uiPath,
		"--tls-dir=" + h.tls(""),
		"--namespace=" + chosen.Namespace,
		"--lock-file=" + h.temporalLock(),
	}
	if t.follow {
		t.args = append(t.args, "--die-with-parent")
	}
	t.label, err = t.fingerprint()
	return t, err
}

// binaryVariable names xbot-temporal when it is neither next to this program nor on PATH.
const binaryVariable = "XBOT_TEMPORAL_BIN"

// findTemporal looks for the xbot-temporal binary.
func findTemporal(explicit string) (string, error) {
	if explicit := cmp.Or(explicit, os.Getenv(binaryVariable)); explicit != "" {
		if _, err := exec.LookPath(explicit); err != nil {
			return "", fmt.Errorf("xbot-temporal is not at %s; correct %s: %w", explicit, binaryVariable, err)
		}
		return filepath.Abs(explicit)
	}
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program's folder: %w", err)
	}
	beside := filepath.Join(filepath.Dir(own), "xbot-temporal")
	for _, candidate := range []string{beside, "xbot-temporal"} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("xbot-temporal was found neither in %s nor on PATH; build it with make, or point %s at it", filepath.Dir(own), binaryVariable)
}

// fingerprint changes with the binary, its arguments and the certificates.
func (t *temporal) fingerprint() (string, error) {
	info, err := os.Stat(t.binary)
	if err != nil {
		return "", fmt.Errorf("look at xbot-temporal: %w", err)
	}
	certificate, err := os.ReadFile(t.home.tls(serverFile))
	if err != nil {
		return "", fmt.Errorf("look at Temporal's certificate: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(certificate, "%s\n%d\n%d\n%s",
		t.binary, info.Size(), info.ModTime().UnixNano(), strings.Join(t.args, "\n")))
	return hex.EncodeToString(sum[:16]), nil
}

func (t *temporal) name() string { return "temporal" }

// run takes over a server that was started the same way, ends another one, or starts one.
func (t *temporal) run(ctx context.Context) (*process.Process, error) {
	running, err := t.takeOver(ctx)
	if err != nil || running != nil {
		return running, err
	}
	server, err := t.launch(ctx)
	for tries := 1; errors.Is(err, errPortLost) && tries < launchTries; tries++ {
		server, err = t.launch(ctx)
	}
	if err == nil || ctx.Err() != nil {
		return server, err
	}
	// A killed owner's server that had not made itself known yet may have been faster.
	if running, takeOverErr := t.takeOver(ctx); takeOverErr == nil && running != nil {
		return running, nil
	}
	return nil, err
}

// takeOver returns a running server if it may stay, and ends it if not.
func (t *temporal) takeOver(ctx context.Context) (*process.Process, error) {
	running, facts, err := t.home.runningTemporal()
	if err != nil || running == nil {
		return nil, err
	}
	if err := running.Wake(); err != nil {
		return nil, err
	}
	if facts.Label == t.label && !t.follow {
		if err := t.await(ctx, running, 0); err == nil {
			return running, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, t.end(ctx, running)
}

func (t *temporal) launch(ctx context.Context) (*process.Process, error) {
	if err := t.checkPorts(); err != nil {
		return nil, err
	}
	if err := trimLog(t.logFile()); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(t.logFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of Temporal: %w", err)
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at the log of Temporal: %w", err)
	}
	cmd := exec.Command(t.binary, append(t.args, "--label="+t.label)...)
	cmd.Dir = t.home.run("")
	cmd.Env = environment()
	cmd.Stderr = log
	if t.follow {
		// The pipe's other end stays with cmd until the server has ended; our death closes it.
		if _, err := cmd.StdinPipe(); err != nil {
			return nil, fmt.Errorf("tie Temporal to this process: %w", err)
		}
	}
	started, err := process.Start(cmd, 0)
	if err != nil {
		return nil, fmt.Errorf("start Temporal: %w", err)
	}
	if err := t.await(ctx, started, info.Size()); err != nil {
		return nil, errors.Join(err, t.end(context.WithoutCancel(ctx), started))
	}
	return started, nil
}

// await returns once the server has noted its addresses. logOffset is where its messages begin in the log.
func (t *temporal) await(ctx context.Context, server *process.Process, logOffset int64) error {
	for {
		if facts, err := t.home.temporalFacts(); err == nil && facts.PID == server.PID && facts.GRPC != "" {
			return nil
		}
		select {
		case <-server.Done():
			reason := strings.TrimPrefix(lastLogLine(t.logFile(), logOffset), "xbot-temporal: ")
			if strings.Contains(reason, syscall.EADDRINUSE.Error()) || strings.Contains(reason, portInUse) {
				return fmt.Errorf("the Temporal server did not start: %w: %s (its log is %s)", errPortLost, reason, t.logFile())
			}
			return server.EndedStarting("Temporal", fmt.Sprintf("%s (its log is %s)", reason, t.logFile()))
		case <-ctx.Done():
			return fmt.Errorf("the Temporal server did not get ready in time; its log is %s: %w", t.logFile(), ctx.Err())
		case <-time.After(temporalReady):
		}
	}
}

func (t *temporal) end(ctx context.Context, server *process.Process) error {
	return endTemporal(ctx, server)
}

func endTemporal(ctx context.Context, server *process.Process) error {
	if err := server.Stop(ctx, process.Step{Signal: syscall.SIGTERM, Wait: temporalStop}); err != nil {
		return fmt.Errorf("stop Temporal: %w", err)
	}
	return nil
}

func (t *temporal) logFile() string { return t.home.run("temporal.log") }

// checkPorts returns one sentence on what to do when another program took a port between two starts.
func (t *temporal) checkPorts() error {
	for variable, port := range map[string]int{
		portVariable: t.chosen.TemporalPort, uiPortVariable: t.chosen.UIPort,
	} {
		if err := tryListen(port); err != nil {
			return takenPort{port: port, variable: variable, err: err}
		}
	}
	return nil
}

// takenPort is the error that another program has one of the ports that are kept from start to start.
type takenPort struct {
	port     int
	variable string // that sets another port
	err      error
}

func (t takenPort) Error() string {
	return fmt.Sprintf("port %d on 127.0.0.1, which Temporal needs, is taken by another program; stop it, or set %s to a free port (%v)", t.port, t.variable, t.err)
}

func (t takenPort) Unwrap() []error { return []error{t.err, errPortLost} }

// environment returns the environment of xbot-temporal: its own variables, and none of the product's secrets.
func environment() []string {
	var kept []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		switch {
		case name == "PATH", name == "HOME", name == "TMPDIR", name == "TZ", strings.HasPrefix(name, "GO"),
			strings.HasPrefix(name, "XBOT_TEMPORAL_"):
			kept = append(kept, variable)
		}
	}
	return kept
}
