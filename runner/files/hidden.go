package files

import (
	"maps"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// Hide makes the tree refuse the files and folders hidden from commands: hidden returns them, and those beneath them that are visible; if it fails,
// every operation is refused. It is called for each operation, since sockets come and go. Writable folders (Restrict) and the workspace are visible,
// as they were when the runner started. It must be called before the tree is used.
func (t *Tree) Hide(hidden func() (hide, keep []string, err error)) (err error) {
	t.hidden = hidden
	t.workspaceThen, err = t.hold([]string{t.workspace})
	return err
}

// hiddenNow returns the identities of what commands do not see at this moment, and of what they see beneath it.
func (t *Tree) hiddenNow() (hidden, seen map[identity]bool, err error) {
	if t.hidden == nil {
		return nil, nil, nil
	}
	hide, keep, err := t.hidden()
	if err != nil {
		return nil, nil, wire.Errorf(wire.Denied, "what is hidden from commands cannot be told: %v", err)
	}
	seen = identities(keep)
	maps.Copy(seen, t.workspaceThen)
	maps.Copy(seen, t.writableThen)
	return identities(hide), seen, nil
}

// identities returns those of folders and files at this moment.
func identities(paths []string) map[identity]bool {
	found := map[identity]bool{}
	for _, path := range paths {
		var st unix.Stat_t
		if unix.Stat(path, &st) == nil {
			found[identityOf(st)] = true
		}
	}
	return found
}

// verifySeen fails if a command would not see the place: the nearest entry above it decides.
func (t *Tree) verifySeen(p *location) error {
	hidden, seen, err := t.hiddenNow()
	if err != nil || len(hidden) == 0 {
		return err
	}
	refused, decided := false, false
	decide := func(id identity) (bool, error) {
		refused, decided = hidden[id], hidden[id] || seen[id]
		return !decided, nil
	}
	if st, err := p.stat(); err == nil {
		if _, err := decide(identityOf(st)); err != nil {
			return err
		}
	}
	if !decided {
		if err := climb(p.folder, p.path, decide); err != nil {
			return err
		}
	}
	if refused {
		return wire.Errorf(wire.Denied, "%s is hidden from commands on this machine, and from file tools as well", p.path)
	}
	return nil
}

// closed returns the identities of folders that a walk does not enter.
func (t *Tree) closed() (map[identity]bool, error) {
	out := t.deniedNow()
	hidden, seen, err := t.hiddenNow()
	for id := range hidden {
		if !seen[id] {
			out[id] = true
		}
	}
	return out, err
}
