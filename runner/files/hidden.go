package files

import "xbot/runner/wire"

// Hide makes the tree refuse what commands do not see of the system: hidden returns folders and files, and those beneath
// them that are seen. It is asked for each operation, since sockets come and go. What may be changed (Restrict) and the
// workspace are seen. It must be called before the tree is used.
func (t *Tree) Hide(hidden func() (hide, keep []string)) { t.hidden = hidden }

// hiddenNow are the identities of what commands do not see at this moment, and of what they see beneath it.
func (t *Tree) hiddenNow() (hidden, seen map[identity]bool) {
	if t.hidden == nil {
		return nil, nil
	}
	hide, keep := t.hidden()
	keep = append(keep, t.workspace)
	return t.identities(hide), t.identities(append(keep, t.writable...))
}

// verifySeen fails if a command would not see the place: what is nearest above it decides.
func (t *Tree) verifySeen(p *place) error {
	hidden, seen := t.hiddenNow()
	if len(hidden) == 0 {
		return nil
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

// closed are the identities of folders that a walk does not enter.
func (t *Tree) closed() map[identity]bool {
	out := t.deniedNow()
	hidden, seen := t.hiddenNow()
	for id := range hidden {
		if !seen[id] {
			out[id] = true
		}
	}
	return out
}
