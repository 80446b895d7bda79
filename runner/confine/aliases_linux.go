package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mountPoint is a line of the kernel's list of mounts.
type mountPoint struct {
	device string // major:minor
	root   string // what of the device is shown
	path   string // where
}

// aliases are further names of the hidden folders: those under which a folder above them is mounted once more.
func (p *plan) aliases() ([]Hidden, error) {
	mounts, err := listMounts()
	if err != nil {
		return nil, err
	}
	var found []Hidden
	for _, h := range p.hide {
		if h.Inode == 0 {
			continue
		}
		at := mountOf(mounts, h.Path)
		inside := filepath.Join(at.root, strings.TrimPrefix(h.Path, at.path))
		for _, m := range mounts {
			if m.device != at.device || !isBeneath(inside, m.root) {
				continue
			}
			alias := Hidden{Path: filepath.Join(m.path, strings.TrimPrefix(inside, m.root)), Device: h.Device, Inode: h.Inode}
			if p.isHidden(alias.Path) {
				continue
			}
			if there, err := alias.isThere(); err == nil && there { // else something else is mounted over it
				found = append(found, alias)
			}
		}
	}
	return found, nil
}

// mountOf returns the mount that a path lies in.
func mountOf(mounts []mountPoint, path string) mountPoint {
	var at mountPoint
	for _, m := range mounts {
		if isBeneath(path, m.path) && len(m.path) >= len(at.path) {
			at = m
		}
	}
	return at
}

func listMounts() ([]mountPoint, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("look at the mounts: %w", err)
	}
	var out []mountPoint
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			return nil, fmt.Errorf("look at the mounts: %q is no mount", line)
		}
		out = append(out, mountPoint{device: fields[2], root: unescape(fields[3]), path: unescape(fields[4])})
	}
	return out, nil
}

// unescape undoes what the kernel does to blanks and backslashes in names: \040 and its like.
func unescape(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] == '\\' && i+3 < len(name) {
			if code, err := strconv.ParseUint(name[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		b.WriteByte(name[i])
	}
	return b.String()
}
