package guestfs

import (
	"context"
	"path"
	"sync"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/objectfs"
)

// volume has the folders of mounts: a runner, which is looked for when it is first used, or object storage.
type volume struct {
	find    func(ctx context.Context) (sandbox.Sandbox, error) // nil: box is set
	objects *objectfs.FileSystem                               // nil: it is a runner

	mu   sync.Mutex
	box  sandbox.Sandbox
	base string // workspace with links followed; empty: not looked up yet
}

func onRunner(box sandbox.Sandbox) *volume { return &volume{box: box} }

// sandbox returns the sandbox of the volume, which real has opened.
func (v *volume) sandbox() sandbox.Sandbox {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.box
}

// open finds the runner, and returns its workspace. NotFound: there is no runner.
func (v *volume) open(ctx context.Context) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.base != "" {
		return v.base, nil
	}
	if v.box == nil {
		box, err := v.find(ctx)
		if fault.Is(err, fault.Denied) {
			return "", missing("/")
		}
		if err != nil {
			return "", translateError(err, "/")
		}
		v.box = box
	}
	info, err := v.box.Stat(ctx, ".")
	switch {
	case err != nil:
		return "", translateError(err, "/")
	case !path.IsAbs(info.Real):
		return "", errOld
	}
	v.base = path.Clean(info.Real)
	return v.base, nil
}

// errOld: what cannot be checked is refused.
var errOld = fault.Errorf(fault.Denied, "files cannot be used here: the machine that keeps them runs a version that does not say where links lead")
