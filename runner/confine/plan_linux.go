package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// plan is what the walls mean on this machine at this moment. It is made before the thread leaves its process: later,
// only system calls are safe.
type plan struct {
	hide  []string // there now
	doors []string // likewise
	write []string // folders, there now, none within another or within a hidden one
	keep  []string // folders in /run that stay visible
	run   bool     // whether there is a /run to cover
	alone bool     // as in Walls
}

// doors are sockets outside /run whose owner does what those who reach them ask for: agents that hold keys, container
// engines, and other people's terminals and screens. HOME stands for the home folder.
var doors = []string{
	"/tmp/ssh-*", "/tmp/tmux-*", "/tmp/.X11-unix", "HOME/.ssh/agent", "HOME/.gnupg/S.*", "HOME/.docker/run", "HOME/.docker/desktop",
	"HOME/.colima/*/docker.sock", "HOME/.rd/docker.sock", "/var/lib/lxd/unix.socket", "/var/lib/incus/unix.socket",
	"/var/snap/lxd/common/lxd/unix.socket", "/var/lib/docker-engine/docker.sock", "/mnt/wslg",
}

// maxDoors bounds what one pattern may find: a command can make folders that look like doors.
const maxDoors = 64

// harmless are folders in /run that programs need: name service, media, and what NixOS keeps there.
var harmless = []string{
	"/run/nscd", "/run/media", "/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers",
}

func makePlan(walls Walls, home string) *plan {
	p := &plan{run: isFolder("/run") && !isLink("/run"), alone: walls.Alone}
	for _, path := range walls.Hide {
		if exists(path) && !p.isHidden(path) {
			p.hide = append(p.hide, path)
		}
	}
	p.doors = slices.DeleteFunc(findDoors(home), p.isHidden)
	writable := slices.Sorted(slices.Values(walls.Write)) // a folder comes before what lies in it
	for _, dir := range writable {
		if isFolder(dir) && !p.isWritable(dir) && !p.isHidden(dir) {
			p.write = append(p.write, dir)
		}
	}
	for _, dir := range append(slices.Clone(harmless), resolverFolder()) {
		if dir != "" && isFolder(dir) && !p.isWritable(dir) && !slices.Contains(p.keep, dir) {
			p.keep = append(p.keep, dir)
		}
	}
	return p
}

func findDoors(home string) []string {
	var found []string
	for _, pattern := range doors {
		if strings.HasPrefix(pattern, "HOME/") {
			if !filepath.IsAbs(home) {
				continue
			}
			pattern = filepath.Join(home, strings.TrimPrefix(pattern, "HOME/"))
		}
		paths, err := filepath.Glob(pattern)
		if err != nil {
			continue // a home folder with brackets in its name
		}
		for _, path := range paths[:min(len(paths), maxDoors)] {
			if !isLink(path) {
				found = append(found, path)
			}
		}
	}
	return found
}

// resolverFolder is where the name service's configuration really lies, if that is in /run.
func resolverFolder() string {
	file, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if err != nil || !strings.HasPrefix(file, "/run/") {
		return ""
	}
	dir := filepath.Dir(file)
	if dir == "/run" {
		return ""
	}
	return dir
}

func exists(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (p *plan) isHidden(path string) bool {
	return slices.ContainsFunc(p.hide, func(dir string) bool { return isBeneath(path, dir) })
}

// holdsHidden reports whether something hidden lies beneath a folder.
func (p *plan) holdsHidden(dir string) bool {
	return slices.ContainsFunc(p.hide, func(path string) bool { return isBeneath(path, dir) })
}

func (p *plan) isWritable(path string) bool {
	return slices.ContainsFunc(p.write, func(dir string) bool { return isBeneath(path, dir) })
}

// readDir lists names without the runtime's poller, which the thread has left.
func readDir(dir string) ([]string, error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var names []string
	buf := make([]byte, 32<<10)
	for {
		n, err := unix.ReadDirent(fd, buf)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return names, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}
