package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// plan is what the policy means on this machine at this moment.
type plan struct {
	hide  []Hidden // there now, none within another
	doors []string // likewise
	write []string // folders, there now, none within another or within a hidden one
	keep  []string // folders in /run that stay visible
	run   bool     // whether there is a /run to cover
	show  []string // folders within hidden ones that stay visible
	ipc   bool     // as in Policy
	off   bool     // as Policy.Offline
}

// doors are sockets outside /run whose owners act for every process that reaches them: agents that hold keys, container engines, and other users'
// terminals and screens. HOME is the home folder.
var doors = []string{
	"/tmp/ssh-*", "/tmp/tmux-*", "/tmp/.X11-unix", "HOME/.ssh/agent", "HOME/.gnupg/S.*", "HOME/.docker/run", "HOME/.docker/desktop",
	"HOME/.colima/*/docker.sock", "HOME/.rd/docker.sock", "/var/lib/lxd/unix.socket", "/var/lib/incus/unix.socket",
	"/var/snap/lxd/common/lxd/unix.socket", "/var/lib/docker-engine/docker.sock", "/mnt/wslg",
}

// maxDoors bounds the number of doors. A command can make folders that look like doors: were those beyond a bound ignored, it could hide a real one
// among them.
const maxDoors = 1024

// harmless are folders in /run that programs need: name service, media, and what NixOS keeps there.
var harmless = []string{
	"/run/nscd", "/run/media", "/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers",
}

// makePlan fails where it cannot be known what is there: a command may have shut the way to it, to open it afterwards.
func makePlan(policy Policy, home string) (*plan, error) {
	p := &plan{run: isFolder("/run") && !isLink("/run"), ipc: policy.IPC, off: policy.Offline}
	for _, h := range policy.Hide {
		there, err := h.isThere()
		if err != nil {
			return nil, err
		}
		if there && !p.isHidden(h.Path) {
			p.hide = append(p.hide, h)
		}
	}
	for _, dir := range policy.Show {
		if !isFolder(dir) || isLink(dir) {
			return nil, fmt.Errorf("%s is to be visible, and is no folder", dir)
		}
		p.show = append(p.show, dir)
	}
	aliases, err := p.aliases()
	if err != nil {
		return nil, err
	}
	p.hide = append(p.hide, aliases...)
	found, err := findSockets(home)
	if err != nil {
		return nil, err
	}
	for _, socket := range policy.Sockets {
		if real, err := filepath.EvalSymlinks(socket); err == nil { // what cannot be reached need not be hidden
			found = append(found, real)
		}
	}
	p.doors = slices.DeleteFunc(found, p.isHidden)
	writable := slices.Sorted(slices.Values(policy.Write)) // a folder comes before what lies in it
	for _, dir := range writable {
		if isFolder(dir) && !p.isWritable(dir) && (!p.isHidden(dir) || p.isShown(dir)) {
			p.write = append(p.write, dir)
		}
	}
	for _, dir := range append(slices.Clone(harmless), resolverFolder()) {
		if dir != "" && isFolder(dir) && !p.isWritable(dir) && !slices.Contains(p.keep, dir) {
			p.keep = append(p.keep, dir)
		}
	}
	return p, nil
}

// isThere fails if the name does not lead any more to what it led to when the runner started.
func (h Hidden) isThere() (bool, error) {
	fd, err := h.open()
	if isAbsent(err) && (h.Inode == 0 || h.Foreign) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s is to be hidden, and cannot be looked at: %w", h.Path, err)
	}
	return true, unix.Close(fd)
}

// open returns a descriptor of a file to hide, by which nothing can be read.
func (h Hidden) open() (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, h.Path, &how)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // before Linux 5.6, or forbidden by a container engine
		fd, err = unix.Open(h.Path, int(how.Flags), 0)
	}
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		_ = unix.Close(fd) // nothing was written
		return -1, err
	}
	if h.Inode != 0 && (st.Dev != h.Device || st.Ino != h.Inode) {
		_ = unix.Close(fd) // nothing was written
		return -1, errors.New("it is not what it was when the runner started: put it back, or start the runner again")
	}
	return fd, nil
}

func findSockets(home string) ([]string, error) {
	var found []string
	dirs := listings{}
	for _, pattern := range doors {
		if strings.HasPrefix(pattern, "HOME/") {
			if !filepath.IsAbs(home) {
				continue
			}
			pattern = filepath.Join(home, strings.TrimPrefix(pattern, "HOME/"))
		}
		for _, path := range dirs.glob(pattern) {
			if !isLink(path) {
				found = append(found, path)
			}
		}
	}
	if len(found) > maxDoors {
		return nil, fmt.Errorf("%d files look like sockets of agents, such as %s, and at most %d can be hidden: remove them", len(found), found[0], maxDoors)
	}
	return found, nil
}

// listings are the names in folders that were read: /tmp can hold many, and is looked through for several doors.
type listings map[string][]string

// glob is filepath.Glob. A home folder with brackets in its name has no matches.
func (l listings) glob(pattern string) []string {
	dir, last := filepath.Split(pattern)
	if strings.ContainsRune(dir, '*') || !strings.ContainsRune(last, '*') {
		found, _ := filepath.Glob(pattern) // nil for a bad pattern
		return found
	}
	names, read := l[dir]
	if !read {
		if f, err := os.Open(dir); err == nil {
			names, _ = f.Readdirnames(-1) // what could be read, as Glob does
			_ = f.Close()                 // nothing was written
		}
		l[dir] = names
	}
	var found []string
	for _, name := range names {
		if ok, err := filepath.Match(last, name); err == nil && ok {
			found = append(found, filepath.Join(dir, name))
		}
	}
	return found
}

// resolverFolder returns where the name service's configuration really lies, if that is in /run.
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
	return slices.ContainsFunc(p.hide, func(h Hidden) bool { return isBeneath(path, h.Path) })
}

// isShown reports whether a path stays visible although it lies in something hidden.
func (p *plan) isShown(path string) bool {
	return slices.ContainsFunc(p.show, func(dir string) bool { return isBeneath(path, dir) })
}

// holdsShown reports whether something beneath a folder stays visible.
func (p *plan) holdsShown(dir string) bool {
	return slices.ContainsFunc(p.show, func(shown string) bool { return isBeneath(shown, dir) })
}

// holdsHidden reports whether something hidden lies beneath a folder.
func (p *plan) holdsHidden(dir string) bool {
	return slices.ContainsFunc(p.hide, func(h Hidden) bool { return isBeneath(h.Path, dir) })
}

func (p *plan) isWritable(path string) bool {
	return slices.ContainsFunc(p.write, func(dir string) bool { return isBeneath(path, dir) })
}
