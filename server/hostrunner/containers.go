package hostrunner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/host/config"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/sandbox/runners"
	"xbot/runner/container"
)

// Times of keeping containers.
const (
	containerRestartMost = 10 * time.Second // longest pause before a relay that died is started again
	wishFresh            = time.Minute      // a container wanted so recently is kept, although its relay ended for idleness
	listenAgain          = 300 * time.Millisecond
	runningWait          = 10 * time.Second // for the engine to list what runs
)

// Containers keeps a relay process for each user whose container is wanted: it keeps the container, and ends when the
// container was unused for long.
type Containers struct {
	host   *Host
	cfg    config.Docker
	server string // where relays connect

	mu     sync.Mutex
	wanted map[chat.UserID]time.Time // when last
	kept   map[chat.UserID]bool      // there is a goroutine that keeps its relay
	wake   chan struct{}             // holds one token while a new user is wanted
}

var _ resolver.Docker = (*Containers)(nil)

// NewContainers makes a Containers whose relays connect to a server.
func NewContainers(h *Host, cfg config.Docker, server string) *Containers {
	return &Containers{
		host: h, cfg: cfg, server: server, wanted: map[chat.UserID]time.Time{}, kept: map[chat.UserID]bool{},
		wake: make(chan struct{}, 1),
	}
}

// Enabled reports whether the server offers containers.
func (c *Containers) Enabled() bool { return c.cfg.Image != "" }

// Want has the container of a user started, if it is not.
func (c *Containers) Want(_ context.Context, user chat.UserID) error {
	c.mu.Lock()
	c.wanted[user] = time.Now()
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default: // it will look anyway
	}
	return nil
}

// Run keeps the wanted containers until ctx ends. Running containers are taken up again: their users may be waiting for
// commands in them.
func (c *Containers) Run(ctx context.Context) error {
	if !c.Enabled() {
		return c.removeDeleted(ctx) // there may have been containers before
	}
	binary, err := findProgram("xbot-runner")
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return c.listen(ctx) })
	g.Go(func() error { return c.removeDeleted(ctx) })
	g.Go(func() error {
		c.takeUp(ctx)
		return nil
	})
	for ctx.Err() == nil {
		for _, user := range c.unkept() {
			g.Go(func() error {
				c.keep(ctx, binary, user)
				return nil
			})
		}
		select {
		case <-ctx.Done():
		case <-c.wake:
		}
	}
	return g.Wait()
}

// unkept returns the wanted users without a relay, and marks them as having one.
func (c *Containers) unkept() []chat.UserID {
	c.mu.Lock()
	defer c.mu.Unlock()
	var users []chat.UserID
	for user := range c.wanted {
		if !c.kept[user] {
			c.kept[user] = true
			users = append(users, user)
		}
	}
	return users
}

// listen hears what other processes want.
func (c *Containers) listen(ctx context.Context) error {
	return c.host.again(ctx, listenAgain, "wishes for containers are not heard; trying again", func() error {
		return runners.ListenContainers(ctx, c.host.DSN, func(user chat.UserID) { _ = c.Want(ctx, user) }) // it never fails
	})
}

// keep runs the relay of a user until it ends because the container was unused, or ctx ends.
func (c *Containers) keep(ctx context.Context, binary string, user chat.UserID) {
	for pause := runnerRestart; ctx.Err() == nil; pause = min(2*pause, containerRestartMost) {
		began := time.Now()
		err := c.relay(ctx, binary, user)
		if ctx.Err() != nil || (err == nil && c.unwanted(user)) {
			return
		}
		if time.Since(began) > containerRestartMost {
			pause = runnerRestart
		}
		if err != nil {
			if gone, err := c.host.Users.Deleted(ctx, []chat.UserID{user}); err == nil && len(gone) > 0 {
				return
			}
			c.host.Log.Warn("the runner of a container ended, starting it again", "user", user, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// unwanted forgets a user, unless the container was wanted while its relay was ending.
func (c *Containers) unwanted(user chat.UserID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.wanted[user]) < min(wishFresh, c.cfg.Idle/2) {
		return false
	}
	delete(c.wanted, user)
	delete(c.kept, user)
	return true
}

// relay runs the relay of a user once.
func (c *Containers) relay(ctx context.Context, binary string, user chat.UserID) error {
	what := containerPrefix + strconv.FormatInt(int64(user), 10)
	token, err := c.host.token(ctx, user, resolver.Container, what)
	if err != nil {
		return err
	}
	return c.host.run(ctx, what, binary, c.args(user, token))
}

// containerPrefix begins the names of the state folders of containers; the id of the user follows.
const containerPrefix = "docker-"

func (c *Containers) args(user chat.UserID, token string) []string {
	id := strconv.FormatInt(int64(user), 10)
	args := []string{
		"--mode", "docker", "--server", "ws" + strings.TrimPrefix(c.server, "http") + "/api/runners/connect", "--token-file", token,
		"--name", resolver.Container, "--container", c.containerName(id), "--state", filepath.Join(c.host.Home, "runner", containerPrefix+id),
		"--workspace", filepath.Join(c.host.Home, "workspaces", id), "--image", c.cfg.Image, "--docker", c.cfg.Engine,
		"--memory", c.cfg.Memory, "--cpus", fmt.Sprint(c.cfg.CPUs), "--pids", strconv.Itoa(c.cfg.PIDs), "--network", c.cfg.Network,
		"--idle", c.cfg.Idle.String(), "--end-when-idle", "--lifeline-fd", strconv.Itoa(lifelineFD),
	}
	if os.Getuid() == 0 { // each user has a separate uid outside the container, too
		uid := strconv.FormatInt(firstContainerUID+int64(user), 10)
		args = append(args, "--user", uid+":"+uid)
	}
	for _, pair := range c.cfg.HostPath {
		args = append(args, "--host-path", pair)
	}
	return args
}

// firstContainerUID is above the users of the host; the user id of this process is added.
const firstContainerUID = 100_000

// containerName returns a name that differs between several servers on one machine by their data folders.
func (c *Containers) containerName(id string) string {
	sum := sha256.Sum256([]byte(c.host.Home + "\x00" + strings.Join(c.cfg.HostPath, "\x00")))
	return "xbot-" + hex.EncodeToString(sum[:4]) + "-" + id
}

// takeUp marks the containers that run as wanted.
func (c *Containers) takeUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, runningWait)
	defer cancel()
	out, err := exec.CommandContext(ctx, c.cfg.Engine, "ps", "--format", `{{.Label "`+container.LabelState+`"}}`).Output()
	if err != nil {
		c.host.Log.Warn("the container engine does not answer", "error", err)
		return
	}
	for folder := range strings.Lines(string(out)) {
		id, ours := strings.CutPrefix(strings.TrimSpace(folder), filepath.Join(c.host.Home, "runner", containerPrefix))
		if user, err := strconv.ParseInt(id, 10, 64); ours && err == nil {
			_ = c.Want(ctx, chat.UserID(user)) // it never fails
		}
	}
}

// again calls a function that should not return, and calls it again after a pause whenever it did, until ctx ends.
func (h *Host) again(ctx context.Context, pause time.Duration, complaint string, do func() error) error {
	for ctx.Err() == nil {
		err := do()
		if ctx.Err() != nil {
			break
		}
		h.Log.Warn(complaint, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}
