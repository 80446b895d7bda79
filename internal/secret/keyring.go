package secret

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"xbot/internal/fault"
)

// fileName is the key file in XBOT_HOME: the first line is the current key, the next one the previous key while secrets may still be sealed
// with it.
const fileName = "secret.key"

// unnamed is the name pattern of a new key file until it is complete.
const unnamed = ".secret-*"

// Keyring is the installation's key, and during a change of the key also the previous one: the first seals, all open. A key file is read
// again when it has changed, so that a running process follows. It is safe for concurrent use.
type Keyring struct {
	path string // of the key file; empty: the keys were given

	mu   sync.Mutex
	keys []Key
	seen stamp
}

// stamp identifies a version of the key file: each is a separate file that took the name.
type stamp struct {
	inode uint64
	time  time.Time
}

// OpenKeyring returns the keys given in base64, separated by commas, or those in <home>/secret.key, which it makes at the first start.
func OpenKeyring(home, given string) (*Keyring, error) {
	r := &Keyring{}
	if given != "" {
		for text := range strings.SplitSeq(given, ",") {
			key, err := decode(strings.TrimSpace(text), "XBOT_ENCRYPTION_KEY")
			if err != nil {
				return nil, err
			}
			r.keys = append(r.keys, key)
		}
		return r, nil
	}
	r.path = filepath.Join(home, fileName)
	if _, err := os.Stat(r.path); err != nil {
		if _, err := Load(home, ""); err != nil {
			return nil, err
		}
	}
	return r, r.read()
}

// read loads the current file. The caller holds mu, or is the only one.
func (r *Keyring) read() error {
	now, err := stampOf(r.path)
	if err != nil {
		return fault.Errorf(fault.Invalid, "the key file cannot be used: %w", err)
	}
	text, err := os.ReadFile(r.path)
	if err != nil {
		return fault.Errorf(fault.Invalid, "the key file cannot be used: %w", err)
	}
	var keys []Key
	for line := range strings.Lines(strings.TrimSpace(string(text))) {
		key, err := decode(strings.TrimSpace(line), r.path)
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		_, err := decode("", r.path)
		return err
	}
	r.keys, r.seen = keys, now
	return nil
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	s := stamp{time: info.ModTime()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = sys.Ino
	}
	return s, nil
}

// Keys returns the current keys, the newest first. A file that cannot be read at this moment changes nothing.
func (r *Keyring) Keys() []Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.path != "" {
		if now, err := stampOf(r.path); err == nil && now != r.seen {
			_ = r.read() // on an error the previous keys remain, and the next call tries again
		}
	}
	return slices.Clone(r.keys)
}

// Derive returns a key for one purpose, of the current key.
func (r *Keyring) Derive(purpose string) []byte { return r.Keys()[0].Derive(purpose) }

// InternalKey returns the internal key derived from the newest key.
func (r *Keyring) InternalKey() string { return r.Keys()[0].InternalKey() }

// Seal encrypts with the current key.
func (r *Keyring) Seal(plain []byte) []byte { return r.Keys()[0].Seal(plain) }

// Open decrypts data sealed with any of the keys.
func (r *Keyring) Open(sealed []byte) (plain []byte, err error) {
	for _, key := range r.Keys() {
		if plain, err = key.Open(sealed); err == nil {
			return plain, nil
		}
	}
	return nil, err
}

// Begin puts a fresh key in front of the existing one. Repeated after a crash it continues with the key that was made before. Keys that were
// given are changed in the configuration.
func (r *Keyring) Begin() error {
	keys := r.Keys()
	switch {
	case len(keys) > 1:
		return nil
	case r.path == "":
		return fault.Errorf(fault.Invalid, "the key is given by XBOT_ENCRYPTION_KEY: set it to a new one, a comma and the present one (%s), in all processes, restart them, and run this again", "openssl rand -base64 32")
	}
	return r.write(NewKey(), keys[0])
}

// End removes all keys but the current one.
func (r *Keyring) End() error {
	if r.path == "" {
		return nil
	}
	return r.write(r.Keys()[0])
}

// write replaces the content atomically: a crash leaves the old or the new one.
func (r *Keyring) write(keys ...Key) error {
	dir := filepath.Dir(r.path)
	tmp, err := os.CreateTemp(dir, unnamed)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // no effect once it has its name
	var text strings.Builder
	for _, key := range keys {
		text.WriteString(base64.StdEncoding.EncodeToString(key[:]) + "\n")
	}
	_, err = tmp.WriteString(text.String())
	err = errors.Join(err, keepOwner(tmp, r.path), tmp.Sync(), tmp.Close())
	if err != nil {
		return fault.Errorf(fault.Unavailable, "write the key file: %w", err)
	}
	if err := os.Rename(tmp.Name(), r.path); err != nil {
		return fault.Errorf(fault.Unavailable, "write the key file: %w", err)
	}
	if err := sweep(dir); err != nil {
		return fault.Errorf(fault.Unavailable, "remove what a change of the key that was killed left: %w", err)
	}
	folder, err := os.Open(dir)
	if err != nil {
		return fault.Errorf(fault.Unavailable, "write the key file: %w", err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// sweep removes the files of writes that were killed before they got their name: they contain keys.
func sweep(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, unnamed))
	if err != nil {
		return err
	}
	for _, file := range left {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// keepOwner gives a file the owner of another one: root may change the key of a server that is not root.
func keepOwner(tmp *os.File, of string) error {
	info, err := os.Stat(of)
	if err != nil {
		return err
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok && os.Getuid() == 0 {
		return tmp.Chown(int(sys.Uid), int(sys.Gid))
	}
	return nil
}
