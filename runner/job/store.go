package job

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// ErrInUse means that another daemon holds the store.
var ErrInUse = errors.New("another xbot-runner uses this state folder")

// markerName is the variable by which the processes of a job are known.
const markerName = "XBOT_JOB"

// Store keeps jobs in a folder. Its methods are safe for use by many goroutines; one store is open at a time.
type Store struct {
	dir    string
	id     string
	boot   string
	self   string
	lock   *os.File
	reaper *reaper

	mu      sync.Mutex
	entries map[string]*entry // by folder name; those in use or running only
	closed  bool
	quit    chan struct{} // closed by Close
	watches sync.WaitGroup
}

// entry serialises what happens to one job.
type entry struct {
	mu    sync.Mutex
	users int // guarded by Store.mu
	job   *Job
}

// Open takes a state folder, making it if needed. It returns ErrInUse if another daemon has it.
func Open(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	Reclaim(dir)
	for _, sub := range []string{"jobs", "released"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("make the state folder: %w", err)
		}
	}
	lock, err := os.OpenFile(filepath.Join(dir, LockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the state folder: %w", err)
	}
	got, err := TryLock(int(lock.Fd()))
	if err != nil || !got {
		return nil, errors.Join(cmpErr(err, ErrInUse), lock.Close())
	}
	s := &Store{dir: dir, lock: lock, entries: map[string]*entry{}, quit: make(chan struct{})}
	if err := s.identify(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s.reaper = startReaper()
	return s, nil
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// identify reads the store's id, the machine's boot id and where the program is. A store without an id is new.
func (s *Store) identify() (err error) {
	if s.boot, err = bootID(); err != nil {
		return fmt.Errorf("read the boot id: %w", err)
	}
	if s.self, err = selfPath(); err != nil {
		return fmt.Errorf("find the own program: %w", err)
	}
	s.id, err = ReadJSON[string](s.dir, storeFile)
	if err == nil && s.id != "" {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s.id = randomID()
	return Replace(s.dir, storeFile, s.id)
}

func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return hex.EncodeToString(b[:])
}

// SelfPath returns where the running program can be executed again, also after its file was replaced.
func SelfPath() (string, error) { return selfPath() }

// ID returns the id of the store: another one means that all commands started under the old one are lost.
func (s *Store) ID() string { return s.id }

// Boot changes when the machine restarts.
func (s *Store) Boot() string { return s.boot }

// Dir returns the state folder.
func (s *Store) Dir() string { return s.dir }

// Close closes the store. Running commands continue; the next store finds them.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	close(s.quit)
	for _, e := range s.entries {
		if e.job != nil {
			e.job.stopWatching()
		}
	}
	s.mu.Unlock()
	s.watches.Wait()
	s.reaper.stop()
	return s.lock.Close()
}

func (s *Store) jobDir(name string) string { return filepath.Join(s.dir, "jobs", name) }

func (s *Store) marker(dir string) string {
	return markerName + "=" + s.id + "/" + filepath.Base(dir)
}

// enter locks a job until leave.
func (s *Store) enter(name string) *entry {
	s.mu.Lock()
	e := s.entries[name]
	if e == nil {
		e = &entry{}
		s.entries[name] = e
	}
	e.users++
	s.mu.Unlock()
	e.mu.Lock()
	return e
}

func (s *Store) leave(name string, e *entry) {
	s.mu.Lock()
	e.users--
	if e.users == 0 && e.job == nil {
		delete(s.entries, name)
	}
	s.mu.Unlock()
	e.mu.Unlock()
}

// setJob needs the entry's lock. A closed store keeps no jobs.
func (s *Store) setJob(e *entry, j *Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.job = j
	if s.closed && j != nil {
		j.stopWatching()
	}
}
