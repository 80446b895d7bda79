package bridge

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/fault"
)

// folders manages the folders of plugins, on the machine of their runner: code/ID/DIGEST has the files of a version, data/ID/INSTALLATION the
// files that a plugin writes. Several servers may share them.
type folders struct {
	home string
	rows Rows
	log  *slog.Logger

	work singleflight.Group // by folder

	mu      sync.Mutex
	checked map[string]bool // folders of files that were read and found whole since this process began
}

const (
	// unpackTime limits the time to unpack the files of a plugin.
	unpackTime = time.Minute
	// oldFolder is how long a folder stays after its last use, once it is not in force any more: a process of another server may use it.
	oldFolder = 24 * time.Hour
	// asideName begins the names of folders that are being removed. No plugin, version or installation has such a name.
	asideName = ".gone-"
)

func (f *folders) code(one installed.Plugin) string {
	return filepath.Join(f.home, "code", one.Plugin.ID, one.Digest)
}

// unpack makes sure that the files of a plugin are where its process runs, and records that they are used.
func (f *folders) unpack(ctx context.Context, one installed.Plugin) error {
	done := f.work.DoChan(f.code(one), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unpackTime)
		defer cancel()
		return nil, f.ensure(ctx, one)
	})
	select {
	case <-ctx.Done():
		return ctx.Err()
	case r := <-done:
		return r.Err
	}
}

// ensure writes the files unless they are there. The name of a folder identifies the files once written into it: whether they are still there, whole,
// is checked once. A crash of the machine or a manual change may have left less, or something else.
func (f *folders) ensure(ctx context.Context, one installed.Plugin) error {
	dir := f.code(one)
	info, err := os.Lstat(dir)
	if err == nil && info.IsDir() && (f.isChecked(dir) || plugin.IsUnpacked(dir, one.Digest)) {
		f.check(dir)
		touch(dir)
		return nil
	}
	digest, archive, err := f.rows.PluginArchive(ctx, one.Plugin.ID)
	if err != nil {
		return err
	}
	if digest != one.Digest {
		return fault.Errorf(fault.Conflict, "it was installed anew at this moment: try again")
	}
	files, err := plugin.ReadArchive(archive)
	if err != nil {
		return err
	}
	if files.Digest() != digest {
		return fault.Errorf(fault.Invalid, "its files in the database are not those that were installed: install it again")
	}
	return f.write(one, files)
}

// write replaces the files in the folder of a plugin.
func (f *folders) write(one installed.Plugin, files plugin.Tree) error {
	dir := f.code(one)
	if _, err := os.Lstat(dir); err == nil {
		f.log.Warn("the files of a plugin are not as they were unpacked, and are written anew", "plugin", one.Plugin.ID, "folder", dir)
		if err := f.remove(dir); err != nil {
			return err
		}
	}
	if err := files.Unpack(dir); err != nil {
		return err
	}
	f.check(dir)
	return nil
}

func (f *folders) isChecked(dir string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.checked[dir]
}

func (f *folders) check(dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.checked[dir] = true
}

// touch marks a folder as used, by its time. If that fails, it counts as used when it was written.
func touch(dir string) {
	now := time.Now()
	_ = os.Chtimes(dir, now, now)
}

// sweep removes the folders of plugins that were removed, and the files of versions that were replaced. It reads the folders before the
// rows: a plugin that was just installed has its row before its folder. used are the folders that processes of this server use.
func (f *folders) sweep(used map[string]bool) {
	for dir := range used {
		touch(dir) // for other servers, which know only their processes
	}
	var found []string
	for _, part := range []string{"code", "data"} {
		entries, err := os.ReadDir(filepath.Join(f.home, part))
		if err != nil {
			continue // there are none
		}
		for _, e := range entries {
			found = append(found, filepath.Join(part, e.Name()))
		}
	}
	if len(found) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	rows, err := f.rows.Plugins(ctx)
	if err != nil {
		return
	}
	current := map[string]string{}
	for _, r := range rows {
		current[filepath.Join("code", r.ID)], current[filepath.Join("data", r.ID)] = r.Digest, strconv.FormatInt(r.Installation, 10)
	}
	for _, at := range found {
		if name, there := current[at]; there {
			f.removeOld(filepath.Join(f.home, at), name, used)
		} else if !f.isTried(filepath.Base(at)) {
			f.clear(filepath.Join(f.home, at))
		}
	}
}

// removeOld removes the folders in a folder that were not used for long, except the current one. A plugin can set the time of its folder, also
// to a future one.
func (f *folders) removeOld(dir, current string, used map[string]bool) {
	entries, _ := os.ReadDir(dir) // none if it cannot be read
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil || e.Name() == current || used[at] {
			continue
		}
		if strings.HasPrefix(e.Name(), asideName) || time.Since(info.ModTime()).Abs() > oldFolder {
			f.clear(at)
		}
	}
}

func (f *folders) clear(dir string) {
	if err := f.remove(dir); err != nil {
		f.log.Warn("a folder of a plugin that is gone cannot be removed", "folder", dir, "error", err)
	}
}

// remove renames a folder, then removes it: no partial folder is ever under its name, also where this process ends in the meantime.
func (f *folders) remove(dir string) error {
	f.mu.Lock()
	maps.DeleteFunc(f.checked, func(at string, _ bool) bool {
		return at == dir || strings.HasPrefix(at, dir+string(filepath.Separator))
	})
	f.mu.Unlock()
	if strings.HasPrefix(filepath.Base(dir), asideName) {
		return os.RemoveAll(dir)
	}
	aside := filepath.Join(filepath.Dir(dir), asideName+rand.Text())
	if err := os.Rename(dir, aside); err != nil {
		return fmt.Errorf("put a folder of a plugin aside: %w", err)
	}
	return os.RemoveAll(aside)
}
