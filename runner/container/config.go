// Package container runs commands in a container: it makes one for an owner, keeps it, and relays the frames of a
// server to the daemon inside. The container engine is driven through its command line, so that this program stays
// small; nothing of the server's secrets enters the container.
package container

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Paths inside a container.
const (
	InsideHome      = "/xbot" // ours; kept from commands
	insideProgram   = InsideHome + "/xbot-runner"
	InsideState     = InsideHome + "/state"
	InsideWorkspace = "/workspace"
)

// Limits are what a container may use.
type Limits struct {
	Memory  string // of the whole container, without swap; a number with a unit such as 512m or 2g
	CPUs    float64
	PIDs    int    // processes and threads
	Temp    string // size of /tmp, which counts as memory; as Memory
	Network string // none, bridge, or the name of a network of the engine
}

// Config defines the container.
type Config struct {
	Engine    string // program that drives the container engine: docker, or one with the same command line
	Name      string // of the container
	Image     string // must hold /bin/sh
	User      string // uid:gid of all processes inside; never root
	Limits    Limits
	Workspace string            // folder of this machine that is /workspace inside; made if it is not there
	State     string            // folder of this machine for the job store and the program
	Program   string            // an xbot-runner for Linux, which goes inside
	HostPaths map[string]string // where a folder of xbot is on the engine's machine, if this process runs in a container
	Idle      time.Duration     // without requests and commands until the container is stopped
	Deaf      time.Duration     // without a daemon that could be started in the running container until it is killed
}

// The patterns are compiled when one is needed first: every command starts this program twice, and none of those needs one.
var (
	namePattern    = pattern(`^[a-z0-9][a-z0-9_.-]{0,127}$`)
	sizePattern    = pattern(`^[1-9][0-9]{0,12}[bkmg]$`)
	networkPattern = pattern(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$`)
	userPattern    = pattern(`^[1-9][0-9]{0,9}:[1-9][0-9]{0,9}$`)
)

func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// check makes folders absolute and refuses what cannot work or would open a way out.
func (c *Config) check() error {
	switch {
	case !namePattern().MatchString(c.Name):
		return fmt.Errorf("the container name %q is not allowed: use a-z, 0-9, and _ . - after the first, at most 128 characters", c.Name)
	case c.Image == "" || strings.HasPrefix(c.Image, "-"):
		return errors.New("an image is needed: give --image with the name of one that holds /bin/sh")
	case !userPattern().MatchString(c.User):
		return fmt.Errorf("the user %q must be uid:gid in numbers, and not root", c.User)
	case c.Idle <= 0 || c.Deaf <= 0:
		return fmt.Errorf("the idle time must be over zero, not %s", min(c.Idle, c.Deaf))
	}
	if err := c.Limits.check(); err != nil {
		return err
	}
	for from, to := range c.HostPaths {
		if !filepath.IsAbs(from) || !filepath.IsAbs(to) {
			return fmt.Errorf("the host path %s=%s must consist of two absolute folders", from, to)
		}
	}
	for _, path := range []*string{&c.Workspace, &c.State, &c.Program} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	return nil
}

func (l Limits) check() error {
	switch {
	case !sizePattern().MatchString(l.Memory):
		return fmt.Errorf("the memory limit %q must be a number with b, k, m or g behind it, for example 2g", l.Memory)
	case !sizePattern().MatchString(l.Temp):
		return fmt.Errorf("the size of /tmp %q must be a number with b, k, m or g behind it, for example 512m", l.Temp)
	case l.CPUs < 0.01 || l.CPUs > 1024:
		return fmt.Errorf("the CPU limit %v must be between 0.01 and 1024", l.CPUs)
	case l.PIDs < 16:
		return fmt.Errorf("the process limit %d must be at least 16: the runner needs some itself", l.PIDs)
	case l.Network == "host" || !networkPattern().MatchString(l.Network):
		return fmt.Errorf("the network %q is not allowed: use none, bridge, or the name of a network of the engine", l.Network)
	}
	return nil
}

// onHost returns where the engine finds a folder of xbot. The longest fitting entry counts.
func (c *Config) onHost(path string) string {
	best, target := "", ""
	for from, to := range c.HostPaths {
		from = filepath.Clean(from)
		if beneath(path, from) && len(from) > len(best) {
			best, target = from, to
		}
	}
	if best == "" {
		return path
	}
	return filepath.Join(target, strings.TrimPrefix(path, best))
}

// beneath reports whether path is dir or in it: /data2 is not in /data.
func beneath(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// DefaultUser returns the user inside for a process of this user: root becomes a user who owns nothing, any other stays the same, so that the workspace is
// theirs inside and outside.
func DefaultUser() string {
	if os.Getuid() == 0 {
		return "100000:100000"
	}
	return fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
}

// hashOf makes a short name of a text.
func hashOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}
